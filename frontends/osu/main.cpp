// SPDX-License-Identifier: BSD-3-Clause
#include "osu/main.hpp"

int main(int argc, char** argv) { return osu::run_main(argc, argv); }
