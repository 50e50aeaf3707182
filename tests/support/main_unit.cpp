// SPDX-License-Identifier: BSD-3-Clause
// The main of the test programs that need no launcher.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

int main(int argc, char** argv) {
    Catch::Session session;
    in_declared_order(session.configData());
    if (int const code = session.applyCommandLine(argc, argv); code != 0)
        return code;
    return session.run();
}
