// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/main.hpp"

int main(int argc, char** argv) { return skampi::run_skampi(argc, argv); }
