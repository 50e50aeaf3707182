// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

int main(int argc, char** argv) { return pmb::run_imb(argc, argv); }
