// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_RUNNER
#include "support/session.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Prints the slowest test cases at the end of a run, in the format that tests/support/times.py reads.
class SlowestCases : public Catch::EventListener {
public:
    using Catch::EventListener::EventListener;

    void testCaseStarting(Catch::TestCaseInfo const& test) override {
        name_ = test.name;
        begin_ = Clock::now();
    }
    void testCaseEnded(Catch::TestCaseStats const&) override {
        std::chrono::duration<double> const taken = Clock::now() - begin_;
        if (taken.count() >= shown_from)
            times_.emplace_back(taken.count(), name_);
    }
    void testRunEnded(Catch::TestRunStats const&) override {
        std::sort(times_.rbegin(), times_.rend());
        times_.resize(std::min(times_.size(), most_shown));
        std::cout << std::fixed << std::setprecision(2);
        for (auto const& [seconds, name] : times_)
            std::cout << "  " << seconds << " s  " << name << '\n';
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double shown_from = 0.05;  // seconds
    static constexpr std::size_t most_shown = 20;
    std::string name_{};
    Clock::time_point begin_{};
    std::vector<std::pair<double, std::string>> times_{};
};

/// Adds to each alternative "[tag],[tag]" of the selection that test cases of half a second or more are excluded.
std::string without_slow_ones(std::string const& selection) {
    std::string result;
    for (char const c : selection)
        result += c == ',' ? std::string{"~[not_quick],"} : std::string{c};
    return result + "~[not_quick]";
}

CATCH_REGISTER_LISTENER(SlowestCases)

}  // namespace

int run_session(int argc, char** argv, int failures_at_most) {
    Catch::Session session;
    in_declared_order(session.configData());
    session.configData().abortAfter = failures_at_most == 0 ? -1 : failures_at_most;
    if (int const code = session.applyCommandLine(argc, argv); code != 0)
        return code;
    // Meson's setup `quick` leaves out test cases of half a second or more; hidden ones stay hidden.
    if (std::getenv("QUICK_TESTS") != nullptr) {
        auto& selections = session.configData().testsOrTags;
        if (selections.empty())
            selections.emplace_back("~[.]");
        for (auto& selection : selections)
            selection = without_slow_ones(selection);
    }
    return session.run();
}
