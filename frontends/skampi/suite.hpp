// SPDX-License-Identifier: BSD-3-Clause
/// Suites: the descriptions with which the common wrapper runs the programs.
#pragma once

#include "program/runtime/main.hpp"

namespace skampi {

[[nodiscard]] program::Suite suite();
[[nodiscard]] program::Suite post_suite();

}  // namespace skampi

namespace skampi::report {

[[nodiscard]] program::Suite report_suite();

}  // namespace skampi::report
