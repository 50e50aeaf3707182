// SPDX-License-Identifier: BSD-3-Clause
/// The programs, for the main.
#pragma once

namespace osu {

/// Runs the program that the executable's name says, or its first argument. \return the exit code
[[nodiscard]] int run_main(int argc, char** argv);

}  // namespace osu
