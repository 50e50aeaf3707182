// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/main.hpp"

int main(int argc, char** argv) { return mpiperf::run_main(argc, argv); }
