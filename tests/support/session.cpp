// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_RUNNER
#include "support/session.hpp"

#include "support/catch.hpp"

#include <cstdlib>

int run_session(int argc, char** argv, int failures_at_most) {
    Catch::Session session;
    in_declared_order(session.configData());
    session.configData().abortAfter = failures_at_most == 0 ? -1 : failures_at_most;
    if (int const code = session.applyCommandLine(argc, argv); code != 0)
        return code;
    // Meson's setup `quick` leaves out test cases of half a second or more; what is hidden stays hidden.
    if (std::getenv("QUICK_TESTS") != nullptr) {
        auto& selections = session.configData().testsOrTags;
        if (selections.empty())
            selections.emplace_back("~[.]");
        for (auto& selection : selections)
            selection += "~[not_quick]";
    }
    return session.run();
}
