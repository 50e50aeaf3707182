// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/main.hpp"

int main(int argc, char** argv) { return b_eff_io::run_main(argc, argv); }
