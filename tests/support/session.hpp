// SPDX-License-Identifier: BSD-3-Clause
/// Catch2's session, separate from the mains, because its implementation compiles slowly.
#pragma once

/// Runs the tests that the command line names, in the order of the source. \param failures_at_most  no test begins
/// after this number of failures; 0 = no limit  \return 0 if all passed, otherwise a code > 0
int run_session(int argc, char** argv, int failures_at_most = 0);
