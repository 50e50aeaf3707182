// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

int main(int argc, char** argv) { return osu::run(argc, argv); }
