// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/main.hpp"

int main(int argc, char** argv) { return b_eff::run_main(argc, argv); }
