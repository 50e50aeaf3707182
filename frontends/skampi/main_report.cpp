// SPDX-License-Identifier: BSD-3-Clause
#include "suite_report.hpp"

int main(int argc, char** argv) { return program::run_main(argc, argv, skampi::report::report_suite()); }
