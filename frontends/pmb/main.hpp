// SPDX-License-Identifier: BSD-3-Clause
/// Entry points of the programs. Each returns the exit code, see program::run_main.
#pragma once

namespace pmb {

[[nodiscard]] int run_mpi1(int argc, char** argv);
[[nodiscard]] int run_ext(int argc, char** argv);
[[nodiscard]] int run_io(int argc, char** argv);
/// The IMB program named by the executable or by its first argument.
[[nodiscard]] int run_imb(int argc, char** argv);

}  // namespace pmb
