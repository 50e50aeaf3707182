// SPDX-License-Identifier: BSD-3-Clause
// Files of skampi-report's parameters.
#include "fuzz.hpp"
#include "skampi/report/report_parameters.hpp"

void fuzz::parse(std::string_view text) {
    properly([&] { (void)skampi::report::read_report_parameters(text, "file"); });
}
