// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/main.hpp"

int main(int argc, char** argv) { return blasbench::run_main(argc, argv); }
