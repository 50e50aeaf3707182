// SPDX-License-Identifier: BSD-3-Clause
/// Entry point of the program. Returns the exit code, see program::run_main.
#pragma once

namespace mpiperf {

[[nodiscard]] int run_main(int argc, char** argv);

}  // namespace mpiperf
