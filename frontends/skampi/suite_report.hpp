// SPDX-License-Identifier: BSD-3-Clause
/// The program skampi-report.
#pragma once

#include "program/runtime/main.hpp"

namespace skampi::report {

[[nodiscard]] program::Suite report_suite();

}  // namespace skampi::report
