// SPDX-License-Identifier: BSD-3-Clause
// Parameter files of skampi-report.
#include "fuzz.hpp"
#include "skampi/report/report_parameters.hpp"

void fuzz::parse(std::string_view text) {
    properly([&] { (void)skampi::report::read_report_parameters(text, "file"); });
}
