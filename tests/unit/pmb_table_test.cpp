// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/report/result.hpp"
#include "pmb/report/table.hpp"
#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace {

using Catch::Approx;
using pmb::Format;
using pmb::Grouping;
using pmb::Head;
using pmb::Mode;
using pmb::Part;
using pmb::Report;
using pmb::Setup;
using pmb::Table;

pmb::Benchmark const& benchmark(Part part, std::string_view name) {
    auto const* const found = pmb::find(part, name);
    REQUIRE(found != nullptr);
    return *found;
}

pmb::Benchmark const& mpi1(std::string_view name) { return benchmark(Part::mpi1, name); }

Head head(pmb::Benchmark const& b, Grouping const& g, Mode mode = Mode::single) {
    return {b, mode, g.members(), g.idle()};
}

Report took(double microseconds, std::int64_t n = 1000) {
    return {.reading = {.time = microseconds * 1e-6}, .repetitions = n};
}

}  // namespace

TEST_CASE("the table of a single transfer has four columns", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(3, 2, false);
    auto const h = head(b, grouping);
    auto const shape = pmb::shape(b, Setup{});
    Table const table{Format::table, 1048576};
    CHECK(table.head(h, shape) == "\n"
                                  "#---------------------------------------------------\n"
                                  "# Benchmarking PingPong \n"
                                  "# ( #processes = 2 ) \n"
                                  "# ( 1 additional process waiting in MPI_Barrier)\n"
                                  "#---------------------------------------------------\n"
                                  "       #bytes #repetitions      t[usec]   Mbytes/sec\n");
    // Round trips of 0.70 us and 0.60 us: half of the longer one counts; 1 / 1.048576 / 0.35 = 2.72.
    std::array const reports{took(0.70), took(0.60), Report{}};
    auto const results = pmb::join(h, grouping, 1, reports, Setup{}, {});
    REQUIRE(results.size() == 1);
    CHECK(table.rows(shape, {results[0]}) == "            1         1000         0.35         2.72\n");
    auto const& record = results[0];
    CHECK(*record.value == Approx(0.35e-6));
    CHECK(record.over_ranks->min == Approx(0.30e-6));
    CHECK(record.over_ranks->mean == Approx(0.325e-6));
    CHECK(*record.derived.number({"bandwidth"}) == Approx(1 / 0.35e-6));
    CHECK(record.iterations_per_sample == 1000);
    CHECK(record.flags.empty());
    CHECK(record.message.empty());
    CHECK(record.stop_reason.empty());
}

TEST_CASE("the table of a parallel transfer has six columns and counts all messages", "[pmb]") {
    auto const& b = mpi1("Exchange");
    auto const grouping = Grouping::of(2, 2, false);
    auto const h = head(b, grouping);
    auto const shape = pmb::shape(b, Setup{});
    Table const table{Format::table, 1048576};
    CHECK(table.head(h, shape) == "\n"
                                  "#-----------------------------------------------------------------------------\n"
                                  "# Benchmarking Exchange \n"
                                  "# ( #processes = 2 ) \n"
                                  "#-----------------------------------------------------------------------------\n"
                                  "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n");
    // 4 x 8 / 1.048576 / 0.58 = 52.62
    std::array const reports{took(0.56), took(0.58)};
    CHECK(table.rows(shape, {pmb::join(h, grouping, 8, reports, Setup{}, {})[0]}) ==
          "            8         1000         0.56         0.58         0.57        52.62\n");
}

TEST_CASE("collectives have no throughput, and a barrier has no lengths", "[pmb]") {
    Table const table{Format::table, 1048576};
    auto const grouping = Grouping::of(2, 2, false);
    auto const& reduce = mpi1("Reduce");
    CHECK_THAT(table.head(head(reduce, grouping), pmb::shape(reduce, Setup{})),
               Catch::Matchers::EndsWith("\n       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"));
    auto const& barrier = mpi1("Barrier");
    auto const h = head(barrier, grouping);
    auto const shape = pmb::shape(barrier, Setup{.check = true});
    CHECK(table.head(h, shape) == "\n"
                                  "#---------------------------------------------------\n"
                                  "# Benchmarking Barrier \n"
                                  "# ( #processes = 2 ) \n"
                                  "#---------------------------------------------------\n"
                                  " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n");
    std::array const reports{took(2.21), took(2.21)};
    auto const results = pmb::join(h, grouping, {}, reports, Setup{}, {});
    CHECK(table.rows(shape, {results[0]}) == "         1000         2.21         2.21         2.21\n");
    CHECK_FALSE(results[0].at.has("bytes"));
}

TEST_CASE("several groups can share a row", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(5, 2, true);
    auto const h = head(b, grouping);
    auto const shape = pmb::shape(b, Setup{.multi = 0});
    Table const table{Format::table, 1048576};
    CHECK(table.head(h, shape) == "\n"
                                  "#-----------------------------------------------------------------------------\n"
                                  "# Benchmarking Multi-PingPong \n"
                                  "# ( 2 groups of 2 processes each running simultaneous ) \n"
                                  "# Group    0                     : 0 1\n"
                                  "# Group    1                     : 2 3\n"
                                  "# ( 1 additional process waiting in MPI_Barrier)\n"
                                  "#-----------------------------------------------------------------------------\n"
                                  "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n");
    std::array const reports{took(0.66), took(0.72), took(0.76), took(0.74), Report{}};
    // The slowest of all processes: 1 / 1.048576 / 0.38 = 2.51
    auto const results = pmb::join(h, grouping, 1, reports, Setup{.multi = 0}, {});
    CHECK(table.rows(shape, {results[0]}) ==
          "            1         1000         0.33         0.38         0.36         2.51\n");
    CHECK(results[0].benchmark == "Multi-PingPong");
    CHECK(results[0].at.integer("groups") == 2);
    CHECK_FALSE(results[0].at.has("group"));
}

TEST_CASE("several groups can have separate rows", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(4, 2, true);
    auto const h = head(b, grouping);
    auto const shape = pmb::shape(b, Setup{.multi = 1});
    Table const table{Format::table, 1048576};
    CHECK_THAT(table.head(h, shape),
               Catch::Matchers::EndsWith("        Group       #bytes #repetitions      t[usec]   Mbytes/sec\n"));
    std::array const reports{took(0.68), took(0.60), took(0.76), took(0.74)};
    auto const results = pmb::join(h, grouping, 1, reports, Setup{.multi = 1}, {});
    REQUIRE(results.size() == 2);
    CHECK(table.rows(shape, {results[0], results[1]}) ==
          "\n"
          "            0            1         1000         0.34         2.80\n"
          "            1            1         1000         0.38         2.51\n");
    CHECK(results[1].at.integer("group") == 1);
}

TEST_CASE("a single group has the layout of several groups, but not their heading", "[pmb]") {
    auto const& b = mpi1("Sendrecv");
    auto const grouping = Grouping::of(3, 3, true);
    CHECK(grouping.groups == 1);
    auto const text = Table{Format::table, 1048576}.head(head(b, grouping), pmb::shape(b, Setup{.multi = 1}));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("# Benchmarking Sendrecv \n# ( #processes = 3 ) \n"));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\n        Group"));
}

TEST_CASE("one-sided benchmarks name their mode", "[pmb]") {
    auto const& b = benchmark(Part::ext, "Unidir_Put");
    auto const grouping = Grouping::of(2, 2, false);
    auto const shape = pmb::shape(b, Setup{});
    Table const table{Format::table, 1048576};
    CHECK_THAT(table.head(head(b, grouping, Mode::aggregate), shape),
               Catch::Matchers::ContainsSubstring("---\n#\n#    MODE: AGGREGATE \n#\n       #bytes"));
    CHECK_THAT(table.head(head(b, grouping, Mode::non_aggregate), shape),
               Catch::Matchers::ContainsSubstring("#    MODE: NON-AGGREGATE \n"));
}

TEST_CASE("non-blocking file benchmarks show the overlap", "[pmb]") {
    auto const& b = benchmark(Part::io, "S_IWrite_Indv");
    auto const grouping = Grouping::of(2, 1, false);
    auto const h = head(b, grouping, Mode::aggregate);
    auto const shape = pmb::shape(b, Setup{});
    Table const table{Format::table, 1048576};
    CHECK_THAT(
        table.head(h, shape),
        Catch::Matchers::EndsWith("       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"));
    // (1538.14 + 109004.85 - 110116.13) / 1538.14 = 27.75 %
    std::array const reports{
        Report{.reading = {.time = 110116.13e-6, .pure = 1538.14e-6, .cpu = 109004.85e-6}, .repetitions = 16},
        Report{}};
    auto const results = pmb::join(h, grouping, 1048576, reports, Setup{.part = Part::io}, {});
    CHECK(table.rows(shape, {results[0]}) ==
          "      1048576           16    110116.13      1538.14    109004.85        27.75\n");
    CHECK(*results[0].derived.number({"overlap"}) == Approx(0.2775).epsilon(1e-3));
    CHECK(results[0].derived.find("bandwidth") == nullptr);
}

TEST_CASE("checking adds a column of defects, single calls add their error and the discarded calls", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(2, 2, false);
    auto const h = head(b, grouping);
    Table const table{Format::table, 1048576};
    std::array reports{took(0.70), took(0.70)};
    reports[1].reading.defect.error = 1;
    Setup checking;
    checking.check = true;
    checking.changes.push_back({"-check", "on", "off"});
    auto const shape = pmb::shape(b, checking);
    CHECK_THAT(table.head(h, shape), Catch::Matchers::EndsWith("   Mbytes/sec      defects\n"));
    auto const checked = pmb::join(h, grouping, 1, reports, checking, {});
    CHECK(table.rows(shape, {checked[0]}) == "            1         1000         0.35         2.72         1.00\n");
    CHECK(checked[0].flags == std::vector<std::string>{"optional_mode", "checked", "defects"});

    Setup calls;
    calls.start = "slot";
    for (auto& report : reports)
        report = {.reading = {.time = 0.6e-6},
                  .repetitions = 100,
                  .ending = {.attempts = 100, .valid = 96, .kept = 48, .value = 0.7e-6, .relative_error = 0.0125}};
    auto const by_plan = pmb::shape(b, calls);
    CHECK_THAT(table.head(h, by_plan), Catch::Matchers::EndsWith("   Mbytes/sec    stderr[%]    discarded\n"));
    CHECK(table.rows(by_plan, {pmb::join(h, grouping, 1, reports, calls, {})[0]}) ==
          "            1           96         0.35         2.72         1.25            4\n");
}

TEST_CASE("a single call has no known error, whatever the other processes report", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(2, 2, false);
    auto const h = head(b, grouping);
    Setup calls;
    calls.start = "slot";
    std::vector<double> const single{0.7e-6};
    measure::Measurement m;
    m.attempts = m.valid = m.kept = 1;
    m.estimate = measure::estimate(single);
    // As in a run, the first process has the estimate and the second one only the counts.
    auto root = pmb::ending_of(m);
    m.estimate.reset();
    std::array const reports{Report{.reading = {.time = 0.6e-6}, .repetitions = 1, .ending = root},
                             Report{.reading = {.time = 0.6e-6}, .repetitions = 1, .ending = pmb::ending_of(m)}};
    auto const result = pmb::join(h, grouping, 1, reports, calls, {})[0];
    CHECK(result.derived.find("relative_error") == nullptr);
    Table const table{Format::table, 1e6};
    CHECK(table.rows(pmb::shape(b, calls), {result}) ==
          "            1            1         0.35         2.86            -            0\n");
    Table const csv{Format::csv, 1e6};
    CHECK_THAT(csv.rows(pmb::shape(b, calls), {result}), Catch::Matchers::EndsWith(",2.86,,0,\n"));

    m.valid = m.kept = 0;
    CHECK(std::isnan(pmb::ending_of(m).relative_error));
}

TEST_CASE("groups measured at the same time report the worst ending", "[pmb]") {
    auto const grouping = Grouping::of(4, 2, true);
    auto const h = head(mpi1("Allreduce"), grouping);
    Setup setup{.multi = 1};
    setup.policy = pmb::Policy::standard_error;
    auto const good =
        Report{.reading = {.time = 1e-6},
               .repetitions = 50,
               .ending = {.attempts = 10, .valid = 10, .kept = 6, .value = 1.1e-6, .relative_error = 0.01}};
    auto poor = good;
    poor.ending = {.verdict = measure::StopVerdict::exhausted,
                   .attempts = 100,
                   .valid = 97,
                   .kept = 49,
                   .invalid = {.late = 3},
                   .value = 1.2e-6,
                   .relative_error = 0.3};
    std::array const reports{good, good, poor, poor};
    auto const each = pmb::join(h, grouping, 4, reports, setup, {});
    REQUIRE(each.size() == 2);
    CHECK(each[0].status == measure::PointStatus::converged);
    CHECK(each[0].stop_reason == "relative_error");
    CHECK(each[0].kept == 6);
    CHECK(each[1].status == measure::PointStatus::exhausted);
    CHECK(each[1].kept == 49);
    CHECK(each[1].invalid.late == 3);
    CHECK(*each[1].value == Approx(1.2e-6));
    CHECK(each[1].over_ranks->max == Approx(1e-6));

    setup.multi = 0;
    auto const all = pmb::join(h, grouping, 4, reports, setup, {});
    REQUIRE(all.size() == 1);
    CHECK(all[0].status == measure::PointStatus::exhausted);
    CHECK(*all[0].derived.number({"relative_error"}) == Approx(0.3));
    CHECK(all[0].attempts - all[0].valid == 3);
}

TEST_CASE("a call that failed on one process has no value", "[pmb]") {
    auto const grouping = Grouping::of(2, 2, false);
    std::array reports{took(0.70), took(0.70)};
    reports[1].reading.succeeded = false;
    auto const results = pmb::join(head(mpi1("PingPing"), grouping), grouping, 1, reports, Setup{}, {});
    CHECK(results[0].status == measure::PointStatus::crashed);
    CHECK_FALSE(results[0].value);
}

TEST_CASE("a clock that went back on one process leaves no value", "[pmb]") {
    auto const grouping = Grouping::of(2, 2, false);
    std::array reports{took(0.70), took(-3e6)};
    reports[1].reading.is_backward = true;
    auto const result = pmb::join(head(mpi1("PingPing"), grouping), grouping, 1, reports, Setup{}, {}).at(0);
    CHECK(result.status == measure::PointStatus::no_valid_samples);
    CHECK(result.message == "the clock went back");
    CHECK_FALSE(result.value);
    CHECK((result.valid == 0 && result.invalid.backward == 1));
    CHECK(result.derived.find("bandwidth") == nullptr);
}

TEST_CASE("a loop shorter than ten clock steps is near the timer floor", "[pmb]") {
    auto const grouping = Grouping::of(2, 2, false);
    measure::TimerInfo const timer{.resolution = measure::seconds{1e-6}, .overhead = measure::seconds{30e-9}};
    auto const is_near = [&](double time, std::int64_t iterations) {
        std::array reports{took(time), took(time / 2)};
        for (auto& report : reports)
            report.reading.iterations = iterations;
        // Half of a round trip is shown, but the whole is timed.
        auto const rows = pmb::join(head(mpi1("PingPong"), grouping), grouping, 1, reports, Setup{}, {}, timer);
        return rows.at(0).has_flag("near_timer_floor");
    };
    CHECK(is_near(9, 1));
    CHECK_FALSE(is_near(11, 1));
    CHECK_FALSE(is_near(0.1, 1000));
    CHECK(is_near(0, 1000));
    // For single calls the library decides.
    std::array const reports{took(0), took(0)};
    measure::Measurement m{.estimate = measure::Estimate{.value = 1e-6}};
    m.valid = m.attempts = 1;
    auto const rows =
        pmb::join(head(mpi1("PingPong"), grouping), grouping, 1, reports, Setup{.start = "slot"}, m, timer);
    CHECK_FALSE(rows.at(0).has_flag("near_timer_floor"));
}

TEST_CASE("csv has only the numbers of the table", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(2, 2, false);
    auto const h = head(b, grouping);
    Table const table{Format::csv, 1048576};
    auto const shape = pmb::shape(b, Setup{});
    CHECK(table.head(h, shape).empty());
    CHECK(table.comment("x").empty());
    CHECK(table.closing("PMB-MPI1", 0).empty());
    std::array const reports{took(0.70), took(0.62)};
    CHECK(table.rows(shape, {pmb::join(h, grouping, 1, reports, Setup{}, {})[0]}) ==
          "PingPong,2,1,,,1,1000,0.31,0.35,0.33,,,,2.72,,,\n");
}

TEST_CASE("a MByte may have 10^6 bytes, which the header states", "[pmb]") {
    auto const& b = mpi1("PingPing");
    auto const grouping = Grouping::of(2, 2, false);
    auto const h = head(b, grouping);
    auto const shape = pmb::shape(b, Setup{});
    Table const table{Format::table, 1e6};
    CHECK_THAT(table.head(h, shape), Catch::Matchers::EndsWith("   MB/s(10^6)\n"));
    std::array const reports{took(2), took(2)};
    CHECK(table.rows(shape, {pmb::join(h, grouping, 8, reports, Setup{}, {})[0]}) ==
          "            8         1000         2.00         4.00\n");
}

TEST_CASE("the last line states how the program ended", "[pmb]") {
    Table const table{Format::table, 1048576};
    CHECK(table.closing("PMB-EXT", 0) == "\n#\n# PMB-EXT: finished normally\n");
    CHECK(table.closing("PMB-EXT", 3) == "\n#\n# PMB-EXT: finished, exit 3\n");
}

TEST_CASE("processes are grouped starting with the first one", "[pmb]") {
    auto const pairs = Grouping::of(5, 2, true);
    CHECK(pairs.groups == 2);
    CHECK(pairs.group_of(0) == 0);
    CHECK(pairs.group_of(3) == 1);
    CHECK(pairs.group_of(4) == -1);
    CHECK(pairs.idle() == 1);
    CHECK(Grouping::of(5, 2, false).groups == 1);
    CHECK(Grouping::of(5, 2, false).group_of(2) == -1);
}

TEST_CASE("the process with the most page faults decides whether a row is unsettled", "[pmb]") {
    auto const& b = mpi1("PingPong");
    auto const grouping = Grouping::of(2, 2, false);
    auto const h = head(b, grouping);
    auto faults = took(1);
    faults.reading.counts.page_faults = faults.page_faults = 11;
    auto const join = [&](Report const& one, Report const& other) {
        std::array const reports{one, other};
        return pmb::join(h, grouping, 8, reports, Setup{}, {}).at(0);
    };
    CHECK(join(faults, faults).has_flag("unsettled"));
    auto few = took(1);
    few.reading.counts.page_faults = few.page_faults = 6;
    CHECK_FALSE(join(few, few).has_flag("unsettled"));
    CHECK(join(few, few).derived.find("settling") != nullptr);
    CHECK(join(took(1), took(1)).derived.find("settling") == nullptr);
}

TEST_CASE("unsettled rows are identified by their first columns", "[pmb]") {
    using Catch::Matchers::StartsWith;
    auto const& b = mpi1("PingPong");
    auto const h = head(b, Grouping::of(2, 2, false));
    auto const shape = pmb::shape(b, Setup{});
    CHECK(pmb::flagged_text("unsettled", h, shape, {}).empty());
    CHECK(pmb::flagged_text("shortened", h, shape, {}).empty());
    CHECK(pmb::flagged_text("disturbed", h, shape, {{{"bytes", 0}}, {{"bytes", 64}}}) ==
          "disturbed: 0, 64 bytes: a process lost its core during the row");
    CHECK(pmb::flagged_text("near_timer_floor", h, shape, {{{"bytes", 0}}}) ==
          "near_timer_floor: 0 bytes: less than ten clock readings or clock steps");
    CHECK_THAT(pmb::flagged_text("unsettled", h, shape, {{{"bytes", 0}}, {{"bytes", 64}}}),
               StartsWith("unsettled: 0, 64 bytes: "));
    CHECK_THAT(pmb::flagged_text("unsettled", h, pmb::shape(b, Setup{.multi = 1}), {{{"bytes", 64}, {"group", 1}}}),
               StartsWith("unsettled: 64 bytes in group 1: "));
    auto const& barrier = mpi1("Barrier");
    CHECK_THAT(pmb::flagged_text("unsettled", head(barrier, Grouping::of(2, 2, false)), pmb::shape(barrier, Setup{}),
                                 {{{"ranks", 2}}}),
               StartsWith("unsettled: Barrier: "));
}

TEST_CASE("rounds have their own columns, and the standard columns stay", "[pmb][rounds]") {
    pmb::Benchmark const& b = *pmb::find(pmb::Part::mpi1, "PingPong");
    pmb::Head const h{.benchmark = b, .groups = {{0, 1}}};
    std::vector<measure::Record> rounds;
    auto const grouping = Grouping::of(2, 2, false);
    for (double const time : {4, 6, 16})  // halved because it is a round trip
        rounds.push_back(pmb::join(h, grouping, 8, std::array{took(time), took(time)}, Setup{}, {})[0]);
    auto row = rounds[0];
    pmb::add_rounds(row, rounds);
    CHECK(*row.derived.number({"rounds_min"}) == Approx(2e-6));
    CHECK(*row.derived.number({"rounds_median"}) == Approx(3e-6));
    CHECK(*row.derived.number({"rounds_spread"}) == Approx(2));  // (8 - 2) / 3
    auto const shape = pmb::shape(b, Setup{.rounds = 3});
    Table const table{Format::table, 1e6};
    CHECK_THAT(table.head(h, shape),
               Catch::Matchers::EndsWith("       #bytes #repetitions      t[usec]   MB/s(10^6)"
                                         "      #rounds    min[usec] median[usec]    spread[%]\n"));
    CHECK(table.rows(shape, {row}) ==
          "            8         1000         2.00         4.00            3         2.00         3.00       200.00\n");
    Table const csv{Format::csv, 1e6};
    CHECK_THAT(csv.rows(shape, {row}), Catch::Matchers::EndsWith(",,,,3,2.00,3.00,200.00\n"));
}
