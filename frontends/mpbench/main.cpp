// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/main.hpp"

int main(int argc, char** argv) { return mpbench::run_main(argc, argv); }
