// SPDX-License-Identifier: BSD-3-Clause
/// The entry point of the program. Returns the exit code, see program::run_main.
#pragma once

namespace b_eff_io {

[[nodiscard]] int run_main(int argc, char** argv);

}  // namespace b_eff_io
