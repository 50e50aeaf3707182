// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/options.hpp"
#include "mpiperf/plugin/plugin.hpp"
#include "mpiperf/report/log.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <chrono>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using measure::InvalidReason;
using measure::seconds;
using measure::StageReport;
using Lines = std::vector<std::string>;

TEST_CASE("a log line has the date and the time in nanoseconds", "[log]") {
    using namespace std::chrono_literals;
    std::chrono::system_clock::time_point const epoch{};
    CHECK(mpiperf::log_line(epoch + 86400s + 61s + 7ns, "begins") == "1970-01-02 00:01:01.000000007: begins\n");
    CHECK(mpiperf::log_line(epoch + 951782400s, "a leap day") == "2000-02-29 00:00:00.000000000: a leap day\n");
}

TEST_CASE("log lines of a stage report changed slots, the runs and the current error", "[log]") {
    mpiperf::StageLines lines;
    CHECK(lines({.stage = 0, .samples = {{.mine = seconds{2e-6}}, {.mine = seconds{5e-6}}}}) ==
          Lines{"end of warm-up: 2 runs, the longest 5.000 us here"});
    CHECK(lines({.stage = 1,
                 .slot = seconds{8e-6},
                 .samples = {{.mine = seconds{1e-6}, .time = seconds{2e-6}},
                             {.mine = seconds{9e-6}, .invalid = InvalidReason::overrun, .time = seconds{9e-6}}}}) ==
          Lines{"slot length 8.000 us", "run 1: 2.000 us, here 1.000 us", "run 2 is invalid: overrun",
                "end of stage 1: 2 runs, 1 invalid"});
    // For 2 and 4: s = sqrt(2), s / sqrt(2) = 1, which is 1 / 3 of the mean.
    CHECK(lines({.stage = 2,
                 .first_sample = 2,
                 .slot = seconds{16e-6},
                 .samples = {{.mine = seconds{1.5e-6}, .time = seconds{4e-6}}}}) ==
          Lines{"slot length corrected from 8.000 us to 16.000 us", "run 3: 4.000 us, here 1.500 us",
                "end of stage 2: 1 runs, 0 invalid, RSE 0.3333 of 2 valid runs"});
}

TEST_CASE("ranks other than the root log what they observed", "[log]") {
    mpiperf::StageLines lines;
    CHECK(lines({.stage = 1,
                 .samples = {{.mine = seconds{1e-6}}, {.mine = seconds{2e-6}, .invalid = InvalidReason::late}}}) ==
          Lines{"run 1: 1.000 us here", "run 2 is invalid: late", "end of stage 1: 2 runs, 1 invalid here"});
}

TEST_CASE("the log cannot be the record or the report by process", "[log]") {
    mpiperf::Options o;
    o.log = "x";
    o.per_process = "./x.0";
    CHECK_THROWS_WITH(mpiperf::check(o, {}), ContainsSubstring("-l: './x.0' is the file of -o"));
    o.per_process = "x.txt";
    CHECK_NOTHROW(mpiperf::check(o, {}));
    CHECK_THROWS_WITH(mpiperf::check(o, {.json = "x.12"}), ContainsSubstring("--json"));
}

namespace {

int nothing(void*, mpiperf_run const*) { return MPI_SUCCESS; }

mpiperf_test test_named(char const* name) {
    mpiperf_test test{};
    test.name = name;
    test.element = 4;
    test.run = nothing;
    return test;
}

}  // namespace

TEST_CASE("a test of a plugin is found like the others, in any letter case", "[plugin]") {
    mpiperf::Plugins plugins;
    plugins.add(test_named("Mine"), mpiperf::tests());
    plugins.add(test_named("Second"), mpiperf::tests());
    REQUIRE(plugins.tests().size() == 2);
    auto const& found = mpiperf::find_test("MINE", plugins.tests());
    CHECK(found.name == "Mine");
    CHECK(found.element == 4);
    CHECK(found.plugin != nullptr);
    CHECK(mpiperf::find_test("bcast", plugins.tests()).name == "Bcast");
    CHECK_THROWS_AS(mpiperf::find_test("Mine"), measure::UsageError);
}

TEST_CASE("an invalid test of a plugin is refused", "[plugin]") {
    mpiperf::Plugins plugins;
    plugins.add(test_named("Mine"), mpiperf::tests());
    auto const refused = [&](mpiperf_test const& test, char const* text) {
        CHECK_THROWS_WITH(plugins.add(test, mpiperf::tests()), ContainsSubstring(text));
    };
    refused(test_named("bcast"), "a test 'bcast' already exists");
    refused(test_named("mine"), "a test 'mine' already exists");
    refused(test_named("two words"), "'two words' is not a valid test name");
    refused(test_named("Odd:1"), "'Odd:1' is not a valid test name");
    refused(test_named(nullptr), "'' is not a valid test name");
    auto test = test_named("Other");
    test.run = nullptr;
    refused(test, "'Other' has no function run");
    test.run = nothing;
    test.element = -1;
    refused(test, "-1 bytes");
    CHECK(plugins.tests().size() == 1);
}
