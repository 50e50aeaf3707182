// SPDX-License-Identifier: BSD-3-Clause
/// Catch2's session, apart from the mains: what implements it takes long to compile.
#pragma once

/// Runs the tests that the command line names, in the order of the source.
/// \param failures_at_most  after so many no test is begun; 0: no limit  \return 0 if all passed, else a code > 0
int run_session(int argc, char** argv, int failures_at_most = 0);
