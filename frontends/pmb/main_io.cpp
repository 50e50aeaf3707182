// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/main.hpp"

int main(int argc, char** argv) { return pmb::run_io(argc, argv); }
