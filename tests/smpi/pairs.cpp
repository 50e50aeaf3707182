// SPDX-License-Identifier: BSD-3-Clause
/// `measure pairs` only: the other commands of `measure` have no use for a simulation.
#include "program/runtime/main.hpp"
#include "shared/command.hpp"

int main(int argc, char** argv) { return program::run_main(argc, argv, measure::tool::pairs_command()); }
