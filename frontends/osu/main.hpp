// SPDX-License-Identifier: BSD-3-Clause
/// Entry point of the programs.
#pragma once

namespace osu {

/// Runs the program named by the executable or by the first argument. \return the exit code
[[nodiscard]] int run_main(int argc, char** argv);

}  // namespace osu
