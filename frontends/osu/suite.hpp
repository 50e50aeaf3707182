// SPDX-License-Identifier: BSD-3-Clause
/// Suite: one executable, many programs.
#pragma once

namespace osu {

/// Runs the program that the executable's name says, or its first argument. \return the exit code
[[nodiscard]] int run(int argc, char** argv);

}  // namespace osu
