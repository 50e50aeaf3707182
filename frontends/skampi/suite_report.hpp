// SPDX-License-Identifier: BSD-3-Clause
/// The program skampi-report.
#pragma once

#include "frontend/main.hpp"

namespace skampi::report {

[[nodiscard]] frontend::Suite report_suite();

}  // namespace skampi::report
