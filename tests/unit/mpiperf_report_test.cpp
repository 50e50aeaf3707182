// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/report/report.hpp"
#include "mpiperf/report/result.hpp"
#include "support/catch.hpp"

#include <measure/statistics.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using mpiperf::Format;
using mpiperf::Style;
using mpiperf::TimeScale;

/// Eight valid runs of 1 to 8 us, in an order without a trend. Trimming a quarter at each end leaves 3, 4, 5, 6 us:
/// mean 4.5, s = sqrt(5/3) = 1.290994, standard error s / 2 = 0.645497, t(3) = 3.182446, half width 2.054260.
measure::Record report_record() {
    std::vector<double> const samples{5e-6, 1e-6, 8e-6, 3e-6, 6e-6, 2e-6, 7e-6, 4e-6};
    measure::Record r;
    r.benchmark = "Bcast";
    r.at = {{"ranks", std::int64_t{2}}, {"count", std::int64_t{1024}}, {"bytes", std::int64_t{1024}}};
    r.estimate = measure::estimate(samples);
    r.value = r.estimate->value;
    r.attempts = 16;
    r.valid = 8;
    r.kept = 4;
    r.iterations_per_sample = 1;
    return r;
}

measure::Record without_valid_run() {
    auto r = report_record();
    r.estimate.reset();
    r.value.reset();
    r.status = measure::PointStatus::no_valid_samples;
    r.attempts = 104;
    r.valid = 0;
    r.kept = 0;
    r.message = "100 late, 4 overrun";
    return r;
}

}  // namespace

TEST_CASE("a row has the columns of MPIPerf and the standard error of its kept runs", "[mpiperf]") {
    CHECK(mpiperf::point(report_record(), {}) ==
          "  2      1024       16     8      4      4.50          0.14      0.65          3.00          6.00          "
          "2.05          2.45          6.55          0.46\n");
}

TEST_CASE("seconds have the same resolution of 10 ns as microseconds", "[mpiperf]") {
    mpiperf::Options options;
    options.scale = TimeScale::sec;
    CHECK(mpiperf::point(report_record(), mpiperf::style(options)) ==
          "  2      1024       16     8      4      0.00000450    0.14      0.00000065    0.00000300    0.00000600    "
          "0.00000205    0.00000245    0.00000655    0.46\n");
}

TEST_CASE("seconds have narrower columns with fewer decimals", "[mpiperf]") {
    CHECK(mpiperf::point(report_record(), {.scale = TimeScale::sec, .time_digits = 6}) ==
          "  2      1024       16     8      4      0.000005    0.14      0.000001    0.000003    0.000006    "
          "0.000002    0.000002    0.000007    0.46\n");
}

TEST_CASE("more decimals widen the columns accordingly", "[mpiperf]") {
    mpiperf::Options options;
    options.precision = 4;
    CHECK(mpiperf::point(report_record(), mpiperf::style(options)) ==
          "  2      1024       16     8      4      4.5000          0.1434      0.6455          3.0000          "
          "6.0000          2.0543          2.4457          6.5543          0.4565\n");
}

TEST_CASE("without a valid run the row has no numbers and is followed by the reasons", "[mpiperf]") {
    CHECK(mpiperf::point(without_valid_run(), {}) ==
          "  2      1024       104    0      0      -             -         -             -             -             "
          "-             -             -             -\n"
          "# Bcast ranks=2 count=1024 bytes=1024: no_valid_samples; 100 late, 4 overrun\n");
}

TEST_CASE("a single kept run has no error", "[mpiperf]") {
    auto r = report_record();
    r.estimate = measure::estimate(std::vector<double>{2e-6});
    r.valid = 1;
    r.kept = 1;
    auto const row = mpiperf::row(r);
    CHECK(row.mean == Catch::Approx(2e-6));
    CHECK_FALSE(row.standard_error.has_value());
    CHECK_FALSE(row.error.has_value());
    CHECK(mpiperf::point(r, {}) ==
          "  2      1024       16     1      1      2.00          -         -             2.00   "
          "       2.00          -             -             -             -\n");
    auto const cells = mpiperf::point(r, {.format = mpiperf::Format::csv});
    CHECK_THAT(cells, Catch::Matchers::ContainsSubstring(",1,1,2,,,2,2,,,,,,,2,"));
}

TEST_CASE("a point that was not measured has a comment instead of a row", "[mpiperf]") {
    auto const skipped =
        measure::make_record("Bcast", report_record().at, measure::PointStatus::skipped, "time_budget");
    CHECK(mpiperf::point(skipped, {}) == "# Bcast ranks=2 count=1024 bytes=1024: skipped; time_budget\n");
}

TEST_CASE("flags that invalidate the result follow the row", "[mpiperf]") {
    auto r = report_record();
    r.flags = {"autocorrelated", "sync_degraded"};
    CHECK_THAT(mpiperf::point(r, {}),
               Catch::Matchers::EndsWith("# Bcast ranks=2 count=1024 bytes=1024: sync_degraded\n"));
}

TEST_CASE("with several epochs the error is the one over epochs", "[mpiperf]") {
    // Three epochs of 1, 2, 3 us: s = 1, standard error 1 / sqrt(3) = 0.57735, t(2) = 4.302653, half width 2.484138.
    auto r = report_record();
    r.estimate->value = 2e-6;
    r.estimate->standard_error = 0.57735e-6;
    r.estimate->interval = measure::Interval{-0.484138e-6, 4.484138e-6};
    r.derived["epochs"] = measure::Value::Array{1e-6, 2e-6, 3e-6};
    auto const row = mpiperf::row(r);
    CHECK(row.standard_error == Catch::Approx(0.57735e-6));
    CHECK(row.error == Catch::Approx(2.484138e-6));
}

TEST_CASE("a row without synchronisation shows the number of calls", "[mpiperf]") {
    auto r = report_record();
    r.attempts = 1;
    r.iterations_per_sample = 100;
    CHECK(mpiperf::point(r, {.nosync = true}) == "  2      1024       100    4.50\n");
}

TEST_CASE("the report by process has one row per process for all its valid runs", "[mpiperf]") {
    // Standard error 0.5 from 4 runs: t(3) = 3.182446, half width 1.591223.
    std::vector<measure::RankSummary> const ranks{
        {.rank = 0, .valid = 4, .mean = 4e-6, .standard_error = 0.5e-6, .min = 3e-6, .max = 5e-6},
        {.rank = 1},
    };
    CHECK(mpiperf::by_process(report_record(), ranks, {}) ==
          "  2      1024       0      4      4.00          0.12      0.50          3.00          5.00          "
          "1.59          2.41          5.59          0.40\n"
          "  2      1024       1      0      -             -         -             -             -             "
          "-             -             -             -\n");
}

TEST_CASE("the heading ends with the titles above their columns", "[mpiperf]") {
    auto const text = mpiperf::heading("Bcast", 0.95, {}, false);
    CHECK_THAT(text, Catch::Matchers::EndsWith(
                         "# Bcast\n# Confidence level: 0.95\n"
                         "# [Procs][Count]    [TRuns][CRuns][FRuns][Mean]        [RSE]     [StdErr]      [Min]         "
                         "[Max]         [Err]         [CI LB]       [CI UB]       [RelErr]\n"));
    auto const at = text.find("[Mean]") - text.rfind('\n', text.find("[Mean]"));
    auto const row = "\n" + mpiperf::point(report_record(), {});
    CHECK(row.find("4.50") == at);
}

TEST_CASE("the heading of the report by process names the rank", "[mpiperf]") {
    CHECK_THAT(mpiperf::heading("Bcast", 0.95, {}, true),
               ContainsSubstring("# [Procs][Count]    [Rank] [CRuns][Mean]"));
    CHECK_THAT(mpiperf::heading("Bcast", 0.95, {.nosync = true}, true),
               ContainsSubstring("# [Procs][Count]    [Rank] [TRuns][Mean]\n"));
}

TEST_CASE("csv has all digits, all standard errors and no comments", "[mpiperf]") {
    Style const csv{.format = Format::csv};
    CHECK(mpiperf::heading("Bcast", 0.95, csv, false) ==
          "Benchmark,Procs,Count,TRuns,CRuns,FRuns,Mean,RSE,StdErr,Min,Max,Err,CI LB,CI UB,RelErr,"
          "StdErr over_sqrt_n,StdErr winsorized,Median,Verdict,Flags,Stop,Faults\n");
    auto const row = mpiperf::point(report_record(), csv);
    CHECK_THAT(row, Catch::Matchers::StartsWith("Bcast,2,1024,16,8,4,4.5"));
    CHECK_THAT(row, ContainsSubstring(",converged,"));
    CHECK(std::count(row.begin(), row.end(), ',') == 21);
    CHECK_THAT(mpiperf::point(without_valid_run(), csv), !ContainsSubstring("#"));
    auto stopped = report_record();
    stopped.stop_reason = "relative_error";
    CHECK_THAT(mpiperf::point(stopped, csv), ContainsSubstring(",relative_error,"));
    auto with_faults = report_record();
    with_faults.derived["settling"]["faults_counted"] = 0.25;
    CHECK_THAT(mpiperf::point(with_faults, csv), Catch::Matchers::EndsWith(",0.25\n"));
}

TEST_CASE("every line of the header is a comment", "[mpiperf]") {
    measure::Environment run;
    run.version = "0.1.0";
    run.command = {"mpiperf", "--rotate-root", "Bcast"};
    run.started = "2026-01-02T03:04:05Z";
    run.timer.name = "tsc";
    run.hosts = {{"node1", "0-1", 2, std::nullopt}};
    run.ranks = 2;
    mpiperf::Options options;
    options.rotate_root = true;
    auto const text = mpiperf::header(run, options,
                                      {.tests = {&mpiperf::find_test("Bcast")},
                                       .axes = {measure::values("ranks", {2}), measure::values("count", {1, 2})},
                                       .hostnames = {"node1", "node1"},
                                       .start = "slot"});
    CHECK_THAT(text, Catch::Matchers::StartsWith("# mpiperf 0.1.0\n# Command line: mpiperf --rotate-root Bcast\n"));
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        CHECK(text[at] == '#');
    CHECK_THAT(text, ContainsSubstring("# Minimal number of processes: 2\n"));
    CHECK_THAT(text, ContainsSubstring("# Exit condition: at least 30 valid runs\n"));
    CHECK_THAT(text, ContainsSubstring("# Process mapping: rank:host\n# 0:node1\n# 1:node1\n"));
    CHECK_THAT(text, ContainsSubstring("# Systematic errors reproduced: --rotate-root\n"));
    CHECK_THAT(text, ContainsSubstring("# Started: 2026-01-02T03:04:05Z\n"));
}

TEST_CASE("the header has the maximum number of runs per point and their total", "[mpiperf]") {
    auto const most = [](mpiperf::Options const& options, mpiperf::HeaderFacts facts) {
        facts.tests = {&mpiperf::find_test("Bcast")};
        facts.axes = {measure::values("ranks", {2}), measure::values("count", {1})};
        facts.hostnames = {"node1"};
        auto const text = mpiperf::header({}, options, facts);
        auto const at = text.find("# Maximal runs: ");
        return at == std::string::npos ? "" : text.substr(at + 16, text.find('\n', at) - at - 16);
    };
    mpiperf::Options options;
    options.max_runs = 16;
    CHECK(most(options, {}) == "16");
    CHECK(most(options, {.epochs = 3}) == "16 in each of 3 epochs");
    CHECK(most(options, {.stop = "count:1000"}).empty());
    // Four stages of eight runs in eight placements.
    CHECK(most(options, {.compared = true}) ==
          "16; 32 in each of 8 placements of the buffers, both for the datatype and for bytes: 256 of each");
    // 100 runs in stages of eight are 104; each of two epochs has at least eight stages.
    options.max_runs = 100;
    CHECK(most(options, {.epochs = 2, .compared = true}) ==
          "100 in each of 2 epochs; 104 in each of 2 epochs, both for the datatype and for bytes: 208 of each");
    options.max_runs = 20;
    CHECK_THAT(most(options, {.epochs = 2, .compared = true}), ContainsSubstring("; 64 in each of 2 epochs"));
    // A loop without synchronisation is one stage.
    options.start = "free";
    CHECK_THAT(most(options, {.compared = true}), ContainsSubstring("; 80 in each of 8 placements"));
    options.start.reset();
    options.first_calls = 10;
    CHECK_THAT(most(options, {.compared = true}), Catch::Matchers::StartsWith("10; 10 in each of 8 placements"));
}

TEST_CASE("the header has the counts of each test with its own counts", "[mpiperf]") {
    measure::Environment run;
    run.hosts = {{"node1", "0-1", 2, std::nullopt}};
    auto const text = [&](std::vector<std::string> tests) {
        mpiperf::Options options;
        options.tests = std::move(tests);
        mpiperf::HeaderFacts facts{.axes = {measure::values("ranks", {2}), measure::values("count", {1, 2})},
                                   .hostnames = {"node1"}};
        for (auto const& test : options.tests)
            facts.tests.push_back(&mpiperf::find_test(mpiperf::named_test(test).name));
        return mpiperf::header(run, options, facts);
    };
    auto const some = text({"Bcast:4K,8", "Gather"});
    CHECK_THAT(some, ContainsSubstring("# Benchmark: Bcast Gather\n"));
    CHECK_THAT(some, ContainsSubstring("# Minimal data size: 1\n"));
    CHECK_THAT(some, ContainsSubstring("# Data sizes of Bcast: 8, 4096\n"));
    auto const all = text({"Bcast:4K,8", "Gather:1"});
    CHECK_THAT(all, !ContainsSubstring("data size:") && !ContainsSubstring("Step of data size"));
    CHECK_THAT(all, ContainsSubstring("# Data sizes of Bcast: 8, 4096\n# Data sizes of Gather: 1\n"));
}

TEST_CASE("the footprint reports what was reduced", "[mpiperf]") {
    mpiperf::Footprint f{.per_rank = 64 * measure::mebi,
                         .blocks = 100,
                         .cache = 100 * measure::mebi,
                         .in_sum = 128 * measure::mebi,
                         .sharers = 2,
                         .cut = true};
    CHECK(mpiperf::footprint(report_record(), f) ==
          "# footprint of count 1024: 100 blocks, 64 MiB per process, 128 MiB in total over 2 processes sharing a "
          "cache of 100 MiB, cut by --max-mem\n");
    f.cut = false;
    CHECK_THAT(mpiperf::footprint(report_record(), f), !ContainsSubstring("--max-mem"));
}

TEST_CASE("the last line is the elapsed time", "[mpiperf]") {
    CHECK(mpiperf::closing(measure::seconds{1.25}) == "# Elapsed time: 1.250000 sec.\n");
}

TEST_CASE("a wait passes within its tolerance in both directions", "[mpiperf]") {
    mpiperf::CheckRow row{.expected = measure::seconds{2e-6}, .measured = 2.3e-6, .tolerance = 0.4e-6};
    CHECK(row.passed());
    row.measured = 1.7e-6;
    CHECK(row.passed());
    row.measured = 2.41e-6;
    CHECK_FALSE(row.passed());
    row.measured.reset();
    CHECK_FALSE(row.passed());
}

TEST_CASE("a wait that is right on each process fails if the processes did not start together", "[mpiperf]") {
    // Process 1 starts 5 us after process 0 according to the second clock comparison.
    double const durations[] = {1e-6, 2e-6};
    double const apart[] = {0, 5e-6};
    double const early[] = {0, -5e-6};
    CHECK(mpiperf::span_of(durations, apart).value() == Catch::Approx(7e-6));
    CHECK(mpiperf::span_of(durations, early).value() == Catch::Approx(6e-6));
    CHECK(mpiperf::span_of(durations, std::vector<double>{0, 0}).value() == Catch::Approx(2e-6));
    CHECK_FALSE(mpiperf::span_of(durations, {}).has_value());
    // A process without a second clock comparison is ignored.
    CHECK(mpiperf::span_of(std::vector<double>{1e-6, 9e-6, 3e-6}, std::vector<double>{0, NAN, 1e-6}).value() ==
          Catch::Approx(4e-6));

    mpiperf::CheckRow row{.processes = 2, .expected = measure::seconds{2e-6}, .measured = 2e-6, .tolerance = 0.4e-6};
    CHECK_FALSE(row.passed());  // the starts are unknown
    CHECK_THAT(mpiperf::check_row(row), Catch::Matchers::EndsWith(" FAILED: the starts are not verified\n"));
    row.span = 2.1e-6;
    CHECK(row.passed());
    row.span = 2.5e-6;
    CHECK_FALSE(row.passed());
    row.residual_bound = 0.2e-6;
    CHECK(row.passed());
    row.clocks = "unsynchronised";
    CHECK_FALSE(row.passed());
    CHECK_THAT(mpiperf::check_row(row), Catch::Matchers::EndsWith(" FAILED: unsynchronised\n"));
}

TEST_CASE("the check prints expected, measured, difference, span, tolerance, residual and verdict", "[mpiperf]") {
    mpiperf::CheckRow const row{.timer = "tsc",
                                .test = "WaitPatternUp",
                                .processes = 2,
                                .expected = measure::seconds{2e-6},
                                .measured = 2.04e-6,
                                .tolerance = 0.4e-6,
                                .residual = 12e-9,
                                .span = 2.031e-6};
    CHECK(
        mpiperf::check_row(row) ==
        "  tsc            WaitPatternUp        2      2.00     2.040     +0.040     2.031     0.400    0.012 PASSED\n");
    CHECK(mpiperf::check_row({.timer = "tsc",
                              .test = "WaitPatternUp",
                              .processes = 4,
                              .expected = measure::seconds{4e-6},
                              .skipped = "more ranks than cores"}) ==
          "  tsc            WaitPatternUp        4      4.00 skipped: more ranks than cores\n");
}

TEST_CASE("the timer report counts the verdicts", "[mpiperf]") {
    measure::Environment run;
    run.timer.name = "tsc";
    run.clocksource = "hpet";
    std::vector<mpiperf::TimerVerdict> const verdicts{{0, "node1", true, ""}, {1, "node2", false, "runs 2 % slow"}};
    auto const text = mpiperf::timer_report(run, verdicts);
    CHECK_THAT(text, ContainsSubstring("kernel clock source hpet"));
    CHECK_THAT(text, ContainsSubstring("0 node1: PASSED\n1 node2: FAILED: runs 2 % slow\n"));
    CHECK_THAT(text, ContainsSubstring("# tsc: 1 passed, 1 failed\n"));
}

TEST_CASE("in the list of tests each name is shorter than the column of the descriptions", "[mpiperf]") {
    auto const list = mpiperf::list_of_tests();
    std::size_t column = 0;
    for (std::size_t begin = 0; begin < list.size(); begin = list.find('\n', begin) + 1) {
        auto const line = list.substr(begin, list.find('\n', begin) - begin);
        auto const gap = line.find("  ");
        REQUIRE(gap != std::string::npos);
        CHECK(line.substr(0, gap).find("MPI_") == std::string::npos);
        auto const text = line.find_first_not_of(' ', gap);
        CHECK((column == 0 || text == column));
        column = text;
    }
    CHECK(list.find("\nGet_accumulate_flush_local ") != std::string::npos);
}
