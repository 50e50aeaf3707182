// SPDX-License-Identifier: BSD-3-Clause
// The main of the test programs that need no launcher.
#include "support/session.hpp"

int main(int argc, char** argv) { return run_session(argc, argv); }
