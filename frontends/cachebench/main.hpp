// SPDX-License-Identifier: BSD-3-Clause
/// Runs the program and returns the exit code; see program::run_main.
#pragma once

namespace cachebench {

[[nodiscard]] int run_main(int argc, char** argv);

}  // namespace cachebench
