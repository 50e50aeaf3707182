// SPDX-License-Identifier: BSD-3-Clause
/// The entry points of the programs. Each returns the exit code, see program::run_main.
#pragma once

namespace skampi {

[[nodiscard]] int run_skampi(int argc, char** argv);
[[nodiscard]] int run_post(int argc, char** argv);

}  // namespace skampi

namespace skampi::report {

[[nodiscard]] int run_report(int argc, char** argv);

}  // namespace skampi::report
