// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/main.hpp"

int main(int argc, char** argv) { return cachebench::run_main(argc, argv); }
