// SPDX-License-Identifier: BSD-3-Clause
/// `measure pairs` alone: the other commands of `measure` have nothing to ask of a simulation.
#include "program/runtime/main.hpp"
#include "shared/command.hpp"

int main(int argc, char** argv) { return program::run_main(argc, argv, measure::tool::pairs_command()); }
