// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

int main(int argc, char** argv) { return program::run_main(argc, argv, b_eff_io::suite()); }
