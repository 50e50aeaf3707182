// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/nonblocking.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/nonblocking.hpp"
#include "mpiperf/report/overlap.hpp"
#include "mpiperf/report/report.hpp"
#include "mpiperf/report/result.hpp"
#include "mpiperf/rules.hpp"
#include "program/cli/values.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>
#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using measure::RankSummary;
using mpiperf::BlockingTime;
using mpiperf::Kind;
using mpiperf::Rows;
using mpiperf::Style;

using Times = std::vector<double>;

constexpr double us = 1e-6;
constexpr measure::seconds reading{20e-9};

measure::Estimate estimate(double value, double error = 0) {
    measure::Estimate e;
    e.value = value;
    e.standard_error = error;
    e.standard_error_over_sqrt_kept = error;
    return e;
}

/// Two ranks that wait 10 and 8 us, and 12 and 11 us with 6 us of computation in between.
BlockingTime blocking() {
    return {.joined = estimate(10 * us),
            .ranks = {{.rank = 0, .valid = 4, .mean = 10 * us, .standard_error = 0, .median = 10 * us},
                      {.rank = 1, .valid = 4, .mean = 8 * us, .standard_error = 0, .median = 8 * us}}};
}

measure::Measurement total() {
    measure::Measurement m;
    m.verdict = measure::StopVerdict::converged;
    m.estimate = estimate(12 * us, 0.5 * us);
    m.attempts = 16;
    m.valid = 4;
    m.kept = 4;
    m.ranks = {{.rank = 0, .valid = 4, .mean = 12 * us, .standard_error = 1 * us, .median = 11 * us},
               {.rank = 1, .valid = 4, .mean = 11 * us, .standard_error = 0, .median = 10 * us}};
    m.ranks[0].phases = {1 * us, 7 * us, 4 * us};
    m.phases = {{"issue", estimate(1 * us)}, {"compute", estimate(7 * us)}, {"wait", estimate(4 * us)}};
    return m;
}

measure::Record record() {
    auto r = measure::make_record(
        "Ibcast",
        {{"ranks", std::int64_t{2}}, {"count", std::int64_t{8}}, {"bytes", std::int64_t{8}}, {"compute", 6 * us}},
        total());
    mpiperf::add_overlap(r, blocking(), mpiperf::overlap(total(), 6 * us, blocking(), reading));
    return r;
}

}  // namespace

TEST_CASE("computation times range from zero to twice the blocking time in equal steps", "[mpiperf]") {
    CHECK(mpiperf::compute_times(3, 4) == Times{0, 1.5, 3, 4.5, 6});
    CHECK(mpiperf::compute_times(3, 1) == Times{6});
    CHECK(mpiperf::compute_times(0, 10) == Times{0});
    auto const times = mpiperf::compute_times(1e-6, 10);
    CHECK(times.size() == 11);
    CHECK(std::is_sorted(times.begin(), times.end()));
    CHECK(times.back() == 2e-6);
}

TEST_CASE("overlap is the share of the blocking time that computation hides", "[mpiperf]") {
    CHECK(mpiperf::overlap({10, 0}, 10, {4, 0}).value == 1);
    CHECK(mpiperf::overlap({14, 0}, 10, {4, 0}).value == 0);
    CHECK(mpiperf::overlap({16, 0}, 10, {4, 0}).value == -0.5);
    // (13 - 10) / 4 = 0.75; sqrt(0.4^2 + (0.75 0.4)^2) / 4 = 0.5 / 4
    auto const half = mpiperf::overlap({13, 0.4}, 10, {4, 0.4});
    CHECK(half.value == Approx(0.25));
    CHECK(half.error == Approx(0.125));
}

TEST_CASE("overlap over ranks uses the blocking time of each rank", "[mpiperf]") {
    auto const o = mpiperf::overlap(total(), 6 * us, blocking(), reading);
    REQUIRE(o.has_value());
    // 1 - 6/10 = 0.4 and 1 - 5/8 = 0.375; medians 1 - 5/10 = 0.5 and 1 - 4/8 = 0.5
    CHECK(o->means.max == Approx(0.4));
    CHECK(o->means.min == Approx(0.375));
    CHECK(o->means.mean == Approx(0.3875));
    CHECK(o->medians.max == Approx(0.5));
    CHECK(o->medians.min == Approx(0.5));
    // The larger of 1/10 on rank 0 and 0.5/10 for the joined times.
    CHECK(o->standard_error.value() == Approx(0.1));
    REQUIRE(o->ranks.size() == 2);
    CHECK(o->ranks[1].value() == Approx(0.375));
}

TEST_CASE("the error of the joined times, for example over epochs, is a lower limit", "[mpiperf]") {
    auto m = total();
    m.estimate->standard_error = 3 * us;
    CHECK(mpiperf::overlap(m, 6 * us, blocking(), reading)->standard_error.value() == Approx(0.3));
    m.estimate->standard_error.reset();
    CHECK_FALSE(mpiperf::overlap(m, 6 * us, blocking(), reading)->standard_error.has_value());
}

TEST_CASE("a blocking time below ten clock readings gives no overlap", "[mpiperf]") {
    CHECK(mpiperf::overlap(total(), 6 * us, blocking(), measure::seconds{1 * us}).has_value());
    CHECK_FALSE(mpiperf::overlap(total(), 6 * us, blocking(), measure::seconds{1.01 * us}).has_value());
    // Only the blocking time of the second rank is too short, so the first rank determines all values.
    auto const one = mpiperf::overlap(total(), 6 * us, blocking(), measure::seconds{0.9 * us});
    CHECK_FALSE(one->ranks[1].has_value());
    CHECK(one->means.min == one->means.max);
    auto without = total();
    without.estimate.reset();
    CHECK_FALSE(mpiperf::overlap(without, 6 * us, blocking(), reading).has_value());
}

TEST_CASE("the record has the blocking time and the overlap of the point and of its ranks", "[mpiperf]") {
    auto const r = record();
    CHECK(std::get<double>(r.derived.find("blocking_time")->data()) == 10 * us);
    CHECK(std::get<double>(r.derived.find("overlap")->find("max")->data()) == Approx(0.4));
    CHECK(std::get<double>(r.derived.find("overlap")->find("standard_error")->data()) == Approx(0.1));
    CHECK(std::get<double>(r.derived.find("overlap")->find("medians")->find("mean")->data()) == Approx(0.5));
    auto const& ranks = std::get<measure::Value::Array>(r.derived.find("by_rank")->data());
    CHECK(std::get<double>(ranks.at(1).find("blocking_time")->data()) == 8 * us);
    CHECK(std::get<double>(ranks.at(1).find("overlap")->data()) == Approx(0.375));

    auto unknown = r;
    mpiperf::add_overlap(unknown, blocking(), std::nullopt);
    CHECK(unknown.derived.find("overlap")->is_null());
}

TEST_CASE("an overlap row has the phases and the overlap, the largest first", "[mpiperf]") {
    Style const style{.rows = Rows::overlap};
    CHECK(mpiperf::point(record(), style) ==
          "  2      8          10.00          6.00           16     4      0.04      1.00           4.00           "
          "7.00           12.00          0.40      0.38      0.39      0.10\n");
    auto const heading = mpiperf::heading("Ibcast", 0.95, style, false);
    CHECK_THAT(heading, EndsWith("# [Procs][Count]    [BlockingTime] [CompTime]     [TRuns][CRuns][RSE]     [Init]     "
                                 "    [Wait]         [CompTimeReal] [Total]        [Overlap] [OvlMin]  [OvlMean] "
                                 "[OvlErr]\n"));
    auto unknown = record();
    mpiperf::add_overlap(unknown, blocking(), std::nullopt);
    CHECK_THAT(mpiperf::point(unknown, style), EndsWith("12.00          -         -         -         -\n"));
}

TEST_CASE("a blocking row has issue, wait and total", "[mpiperf]") {
    Style const style{.rows = Rows::blocking};
    CHECK(mpiperf::point(record(), style) ==
          "  2      8          16     4      0.04      1.00           4.00           12.00\n");
    CHECK_THAT(mpiperf::heading("Ibcast", 0.95, style, true),
               EndsWith("# [Procs][Count]    [Rank] [TRuns][CRuns][RSE]     [Init]         [Wait]         [Total]\n"));
}

TEST_CASE("the report by process has the blocking time, phases and overlap of each rank", "[mpiperf]") {
    auto const ranks = total().ranks;
    CHECK(
        mpiperf::by_process(record(), {ranks.data(), 1}, {.rows = Rows::overlap}) ==
        "  2      8          0      10.00          6.00           16     4      0.08      1.00           4.00          "
        " 7.00           12.00          0.40\n");
}

TEST_CASE("a point without a blocking time has a row without numbers and the reason", "[mpiperf]") {
    measure::Measurement m;
    m.verdict = measure::StopVerdict::no_valid_samples;
    m.message = "no slot was valid";
    m.attempts = 104;
    auto const r = measure::make_record(
        "Ibcast", {{"ranks", std::int64_t{2}}, {"count", std::int64_t{8}}, {"bytes", std::int64_t{8}}}, m);
    auto const text = mpiperf::point(r, {.rows = Rows::overlap});
    CHECK_THAT(text, StartsWith("  2      8          -              0.00           104    0      -         -    "));
    CHECK_THAT(text, EndsWith("# Ibcast ranks=2 count=8 bytes=8: no_valid_samples; no slot was valid\n"));
}

TEST_CASE("csv rows of phases have one cell per title", "[mpiperf]") {
    for (auto const rows : {Rows::overlap, Rows::blocking}) {
        Style const csv{.format = mpiperf::Format::csv, .rows = rows};
        auto const titles = mpiperf::heading("Ibcast", 0.95, csv, false);
        auto const row = mpiperf::point(record(), csv);
        CHECK(std::count(titles.begin(), titles.end(), ',') == std::count(row.begin(), row.end(), ','));
        CHECK_THAT(row, StartsWith("Ibcast,2,8,"));
        // An unknown value is an empty cell.
        auto unknown = record();
        mpiperf::add_overlap(unknown, blocking(), std::nullopt);
        auto const gaps = mpiperf::point(unknown, csv);
        CHECK(std::count(titles.begin(), titles.end(), ',') == std::count(gaps.begin(), gaps.end(), ','));
        CHECK((gaps.find(",,,,,") != std::string::npos) == (rows == Rows::overlap));
    }
}

TEST_CASE("csv has one title line for all tests of a run", "[mpiperf]") {
    Style csv{.format = mpiperf::Format::csv, .of_run = {Rows::collective, Rows::overlap}, .memory = true};
    auto const titles = mpiperf::heading("Bcast", 0.95, csv, false);
    auto const place = [&](std::string_view title) {
        auto const end = titles.find("," + std::string{title} + ",");
        REQUIRE(end != std::string::npos);
        return static_cast<std::size_t>(
                   std::count(titles.begin(), titles.begin() + static_cast<std::ptrdiff_t>(end), ',')) +
               1;
    };
    auto const cells = [&] { return program::split(mpiperf::point(record(), csv), ','); };
    auto const collective = cells();
    csv.rows = Rows::overlap;
    CHECK(mpiperf::heading("Ibcast", 0.95, csv, false) == titles);
    auto const overlap = cells();
    CHECK(collective.size() == overlap.size());
    CHECK(collective.size() == program::split(titles, ',').size());
    CHECK((collective[place("Total")].empty() && !overlap[place("Total")].empty()));
    CHECK((!collective[place("Mean")].empty() && overlap[place("Mean")].empty()));
    CHECK((collective[place("Phase")].empty() && overlap[place("Phase")].empty()));
}

TEST_CASE("the row of a message ends with the slower process and the span with its uncertainty", "[mpiperf]") {
    auto r = record();
    r.over_ranks = measure::RankSpread{2 * us, 3 * us, 4 * us};
    r.derived["one_way"] = measure::Value::Object{{"time", 4.5 * us}, {"uncertainty", 0.3 * us}};
    Style const style{.rows = Rows::message};
    CHECK_THAT(mpiperf::point(r, style), EndsWith("4.00          4.50          0.30\n"));
    CHECK_THAT(mpiperf::heading("Send", 0.95, style, false), EndsWith("[RelErr]  [Slower]      [Span]        "
                                                                      "[SpanErr]\n"));
    r.derived["one_way"] = measure::Value{};
    CHECK_THAT(mpiperf::point(r, style), EndsWith("4.00          -             -\n"));
}

TEST_CASE("every blocking collective, including neighbourhood collectives, has a non-blocking version", "[mpiperf]") {
    std::vector<std::string> names;
    for (auto const& test : mpiperf::tests())
        if (test.kind == Kind::nonblocking) {
            names.push_back(program::lower(test.name.substr(1)));
            auto const& relative = mpiperf::find_test(test.name.substr(1));
            CHECK(relative.element == test.element);
            CHECK(relative.rooted == test.rooted);
        }
    CHECK(names.size() == 22);
    CHECK_THROWS_WITH(mpiperf::find_test("Ialltoallv").check(std::int64_t{1} << 31, 2),
                      ContainsSubstring("Ialltoallv: count"));
}

namespace {

/// The plan for the points of a test, starting from a default plan.
measure::Plan adjusted(mpiperf::Test const& test, mpiperf::Options const& options) {
    measure::Plan plan;
    mpiperf::adjust(test.kind, options, plan);
    return plan;
}

}  // namespace

TEST_CASE("a message has two processes and its time is that of rank 0", "[mpiperf]") {
    mpiperf::Options o;
    auto const& send = mpiperf::find_test("send");
    std::vector<mpiperf::Test const*> const tests{&send};
    CHECK_THROWS_WITH(mpiperf::axes(o, tests, 1), ContainsSubstring("Send needs 2 processes"));
    auto const axes = measure::axes_of(mpiperf::benchmark_of(send, o), mpiperf::axes(o, tests, 8));
    CHECK(axes.front().values.size() == 1);
    CHECK(std::get<std::int64_t>(axes.front().values.front()) == 2);
    CHECK(adjusted(send, o).combine == measure::Combine::root);
    o.time_of = measure::Combine::max;
    CHECK(adjusted(send, o).combine == measure::Combine::max);
    CHECK_NOTHROW(send.check(2147483647, 2));
    CHECK_THROWS_AS(send.check(2147483648, 2), measure::UsageError);
    // The buffer attached for MPI_Bsend is longer than its message.
    CHECK_THROWS_AS(mpiperf::find_test("Bsend").check(2147483647, 2), measure::UsageError);
}

TEST_CASE("tests that need a common start are refused without synchronisation", "[mpiperf]") {
    mpiperf::Options o;
    o.start = "free";
    for (auto const* const name : {"Send", "Ibcast"}) {
        std::vector<mpiperf::Test const*> const tests{&mpiperf::find_test(name)};
        CHECK_THROWS_WITH(mpiperf::axes(o, tests, 2), StartsWith("-z nosync: " + std::string{name}));
    }
}

TEST_CASE("non-blocking runs are not trimmed, and every computation time is measured", "[mpiperf]") {
    mpiperf::Options o;
    auto const& test = mpiperf::find_test("Ibcast");
    CHECK(adjusted(test, o).estimate.trim == 0);
    CHECK(adjusted(test, o).keep == measure::Keep::ranks);
    auto const innermost = [&] {
        mpiperf::Setting const setting{.nonblocking = mpiperf::nonblocking_rules(o, {})};
        auto row = mpiperf::benchmark_of(test, o);
        test.build(test, setting, row);
        return row.innermost;
    };
    CHECK(innermost()->texts.size() == 11);
    CHECK(innermost()->texts[1] == "0.2*blocking_time");
    o.compute_points = 1;
    CHECK(innermost()->texts == std::vector<std::string>{"2*blocking_time"});
    o.blocking_mode = true;
    CHECK_FALSE(innermost());
    CHECK(adjusted(test, o).keep == measure::Keep::summary);
}

TEST_CASE("the blocking time is known after 5 runs that agree, 30 that disagree, or the maximum number", "[mpiperf]") {
    auto const rule = mpiperf::nonblocking_rules({}, {}).blocking_stop;
    Times const agree(5, us);
    // Alternating 1 and 3: s = 1.0171 for 30 runs, divided by sqrt(30) and 2, is a relative standard error of 0.0928.
    Times disagree;
    for (int i = 0; i < 15; ++i)
        disagree.insert(disagree.end(), {1 * us, 3 * us});
    CHECK(rule({.samples = {agree.data(), 4}, .attempts = 8}) == measure::StopVerdict::more);
    CHECK(rule({.samples = agree, .attempts = 8}) == measure::StopVerdict::converged);
    CHECK(rule({.samples = {disagree.data(), 28}, .attempts = 32}) == measure::StopVerdict::more);
    CHECK(rule({.samples = disagree, .attempts = 32}) == measure::StopVerdict::converged);
    CHECK(rule({.samples = {disagree.data(), 28}, .attempts = 104}) == measure::StopVerdict::exhausted);
}
