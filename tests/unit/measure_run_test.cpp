// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/compare.hpp"
#include "analysis/runs/overlap.hpp"
#include "launching/launcher.hpp"
#include "measure/error.hpp"
#include "measure/launches.hpp"
#include "page/html.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "run/answer.hpp"
#include "run/between_runs.hpp"
#include "run/campaign.hpp"
#include "run/control.hpp"
#include "run/device.hpp"
#include "run/expect.hpp"
#include "run/memory_sizes.hpp"
#include "run/options.hpp"
#include "run/page.hpp"
#include "run/schedule.hpp"
#include "run/screen.hpp"
#include "run/sweep.hpp"
#include "run/switches.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

using measure::ComparedPoint;
using measure::have_shared_state;
using measure::is_control;
using measure::is_difference;
using measure::join_computing;
using measure::Launch;
using measure::overlaps_of;
using measure::Verdict;
using namespace measure::tool;
using namespace measure::tool::runs;
using measure::Bytes;
using measure::Point;
using measure::Record;

namespace {

using Words = std::vector<std::string>;

auto as_worked_out(double x) { return Catch::Matchers::WithinRel(x, 1e-9); }

/// A point that took one millisecond in total. \param median  in seconds
Record run_point(std::string const& test, std::int64_t count, double median) {
    Record r;
    r.benchmark = test;
    r.at = Point{{"ranks", std::int64_t{2}}, {"count", count}, {"bytes", count}};
    r.value = median;
    r.estimate = measure::Estimate{.value = median, .median = median};
    r.elapsed = measure::seconds{1e-3};
    return r;
}

/// The arguments for mpiperf, without the controls.
Words tests_of(std::vector<runs::SweptTest> const& sweep, std::vector<measure::SweptPoint> const& done = {}) {
    auto words = runs::words_of(sweep, done);
    std::erase_if(words, [](std::string const& word) { return is_control(word.substr(0, word.find(':'))); });
    return words;
}

Launch run_launch(std::vector<Record> points, double elapsed = 0.1) {
    Launch one{.name = "start", .record = {.points = std::move(points)}};
    one.record.run.suite = "mpiperf";
    one.record.run.program = "mpiperf";
    one.record.run.mpi_library = "MPICH 4.0.2";
    one.record.run.ranks = 2;
    one.record.run.hosts = {{.name = "vm", .ranks = "0-1", .cores = 2, .cpu = "CPU"}};
    one.record.end = measure::EndRecord{.elapsed = elapsed};
    return one;
}

/// One launch for each pair of a copy time and a broadcast time, both in seconds.
std::vector<Launch> run_launches(std::vector<double> const& copies, std::vector<double> const& bcasts) {
    std::vector<Launch> all;
    for (std::size_t i = 0; i < copies.size(); ++i)
        all.push_back(run_launch({run_point("Bcast", 8, bcasts[i]), run_point("Memcpy", 65536, copies[i])}));
    return all;
}

std::vector<double> const even{1.00e-6, 1.02e-6, 0.98e-6, 1.01e-6, 0.99e-6,
                               1.00e-6, 1.03e-6, 0.97e-6, 1.01e-6, 1.00e-6};

std::vector<double> times_of(std::vector<double> xs, double by) {
    for (double& x : xs)
        x *= by;
    return xs;
}

/// The texts of the failed limits.
Words outside(Limits const& limits, Answer const& answer) {
    Words texts;
    for (auto const& result : limit_results(limits, answer))
        if (result.kind == GateResult::Kind::failed)
            texts.push_back(result.text);
    return texts;
}

}  // namespace

// ---- options and sweep

TEST_CASE("a command is split into words like in a shell", "[run]") {
    CHECK(words_of("--against", "env UCX_TLS=tcp  A='b c' \"d\"") == Words{"env", "UCX_TLS=tcp", "A=b c", "d"});
    CHECK(words_of("--against", "").empty());
    CHECK_THROWS_AS(words_of("--against", "env 'A"), measure::UsageError);
}

TEST_CASE("a sweep contains the requested operations, with sizes as counts, and the controls", "[run]") {
    RunOptions options;
    options.calls = {"Allreduce", "Barrier"};
    options.sizes = {1024, 8};
    CHECK(runs::words_of(sweep_of(options, 2), {}) == Words{"Memcpy:65536", "Cacheline:1", "Fixed_work:1",
                                                            "Allreduce:1,128", "Barrier:1", "Memcpy:65536",
                                                            "Cacheline:1", "Fixed_work:1"});
    // The cache line control needs two ranks.
    CHECK(runs::words_of(sweep_of(options, 1), {}).size() == 6);
    CHECK(tests_of(sweep_of(options, 2), {{"Allreduce", 128}, {"Barrier", 1}}) == Words{"Allreduce:1"});
}

TEST_CASE("a test that belongs to two topics is measured once, at the sizes of both", "[run]") {
    RunOptions options;
    options.what = {Topic::bandwidth, Topic::rate};
    auto const sweep = sweep_of(options, 2);
    // Windows of messages do not use 1 MiB, which would take too long.
    CHECK(tests_of(sweep) == Words{"Stream:8,65536"});
}

TEST_CASE("memory is measured at cache sizes and above, files only at large sizes", "[run]") {
    RunOptions options;
    options.what = {Topic::memory, Topic::io};
    options.sizes = {8, 16384, 65536};
    CHECK(tests_of(sweep_of(options, 1)) == Words{"Mem_read:16384,65536,4194304", "Mem_write:16384,65536,4194304",
                                                  "Mem_copy:16384,65536,4194304", "Mem_triad:682,2730,174762",
                                                  "File_write:65536", "File_read:65536", "File_write_direct:65536",
                                                  "File_read_direct:65536"});
    // The sizes follow from the caches unless the user gives sizes.
    CHECK(tests_of(sweep_of(options, 1, {24000, 1 << 30})).front() == "Mem_read:24000,1073741824");
    options.sizes = {8, 1 << 26};
    options.are_sizes_given = true;
    CHECK(tests_of(sweep_of(options, 1, {24000, 1 << 30})).front() == "Mem_read:67108864");
}

TEST_CASE("direct file access uses sizes that are multiples of a block", "[run]") {
    RunOptions options;
    options.what = {Topic::io};
    options.sizes = {70000, 69700, 1 << 20};
    CHECK(tests_of(sweep_of(options, 1)) == Words{"File_write:69700,70000,1048576", "File_read:69700,70000,1048576",
                                                  "File_write_direct:69632,1048576", "File_read_direct:69632,1048576"});
    options.sizes = {8};
    CHECK(tests_of(sweep_of(options, 1)).back() == "File_read_direct:4096");
}

TEST_CASE("folders in memory and folders without write access have no direct access", "[run]") {
    auto const temporary = std::filesystem::temp_directory_path();
    CHECK(has_direct_access(temporary / "no" / "such") == has_direct_access(temporary));
    CHECK_FALSE(has_direct_access("/proc"));
    if (std::filesystem::is_directory("/dev/shm"))
        CHECK_FALSE(has_direct_access("/dev/shm"));
}

TEST_CASE("a plan contains the device tests if direct access works, otherwise a note", "[run]") {
    RunOptions options;
    options.what = {Topic::io};
    options.sizes = {65536};
    options.launcher = {"/bin/true"};
    options.program = "/bin/true";
    auto const plan_in = [&](std::filesystem::path const& folder) { return plan_of(options, {}, "run", folder); };
    auto const folder = std::filesystem::temp_directory_path();
    auto const plan = plan_in(folder);
    CHECK(tests_of(plan.sweep).size() == (has_direct_access(folder) ? 4 : 2));
    CHECK(plan.notes.empty() == has_direct_access(folder));
    auto const other = plan_in("/proc");
    CHECK(tests_of(other.sweep) == Words{"File_write:65536", "File_read:65536"});
    CHECK(other.notes ==
          Words{"the file system of '/proc' does not support direct access; the device is not measured"});
    // A test that the user names stays in the plan; the program itself reports why it does not work.
    options.calls = {"File_read_direct"};
    CHECK(tests_of(plan_in("/proc").sweep) == Words{"File_read_direct:65536"});
    CHECK(plan_in("/proc").notes.empty());
}

TEST_CASE("memory sizes are half of a rank's share of each cache, and four times its share of the last one", "[run]") {
    using measure::kibi;
    using measure::mebi;
    using Sizes = std::vector<measure::Bytes>;
    runs::HostMemory host{.levels = {{48 * kibi, 8}, {2 * mebi, 8}, {32 * mebi, 2}}, .available = 64 * 1024 * mebi};
    // Two ranks have one last-level cache each. With eight ranks, four share one.
    CHECK(runs::memory_sizes(host, 2) == Sizes{24 * kibi, mebi, 16 * mebi, 128 * mebi});
    CHECK(runs::memory_sizes(host, 8) == Sizes{24 * kibi, mebi, 4 * mebi, 32 * mebi});
    // The two buffers of each of the eight ranks must fit into a quarter of 1600 MiB: 25 MiB per buffer, rounded down
    // to a power of two.
    host.available = 1600 * mebi;
    CHECK(runs::memory_sizes(host, 8) == Sizes{24 * kibi, mebi, 4 * mebi, 16 * mebi});
    // A virtual machine reports the cache of its host.
    CHECK(runs::memory_sizes({.levels = {{300 * mebi, 1}}}, 2) == Sizes{75 * mebi, 256 * mebi});
    CHECK(runs::memory_sizes({}, 8).empty());
}

TEST_CASE("thinning a sweep drops sizes before tests, but never the smallest and largest size of a test", "[run]") {
    RunOptions options;
    options.calls = {"Bcast", "Scan"};
    options.sizes = {8, 64, 512};
    auto sweep = sweep_of(options, 2);
    CHECK(thin(sweep));
    CHECK(tests_of(sweep) == Words{"Bcast:8,512", "Scan:1,8,64"});
    CHECK(thin(sweep));
    CHECK(tests_of(sweep) == Words{"Bcast:8,512", "Scan:1,64"});
    CHECK(thin(sweep));
    CHECK(tests_of(sweep) == Words{"Bcast:8,512"});
    CHECK_FALSE(thin(sweep));
    CHECK(tests_of(sweep) == Words{"Bcast:8,512"});
}

TEST_CASE("the launcher fits the MPI library, and binds ranks if there are enough cores", "[run]") {
    Surroundings around{.mpi_library = "MPICH 4.0.2", .cores = 4, .programs = {"mpiexec.mpich", "mpiexec"}};
    CHECK(launcher({}, {}, around).words == Words{"mpiexec.mpich", "-n", "4", "-bind-to", "core"});
    RunOptions options;
    options.ranks = 8;
    CHECK(launcher(options.launcher, options.ranks, around).words == Words{"mpiexec.mpich", "-n", "8"});
    around.programs = {"srun"};
    CHECK(launcher({}, {}, around).words == Words{"srun", "-n", "4", "--cpu-bind=cores"});
    CHECK(launcher(options.launcher, options.ranks, around).words == Words{"srun", "-n", "8", "--cpu-bind=cores"});
    CHECK(launcher(options.launcher, options.ranks, around).note ==
          "srun, 8 ranks; this host has 4 cores; requests one core for each rank");
    around.programs = {"flux"};
    CHECK(launcher({}, {}, around).words == Words{"flux", "run", "-n", "4", "-o", "cpu-affinity=per-task"});
    around.mpi_library = "Open MPI 4.1.4";
    around.cores = 1;
    around.programs = {"mpirun"};
    CHECK(launcher({}, {}, around).words == Words{"mpirun", "-n", "2"});
    CHECK(launcher({}, {}, around).note == "mpirun, 2 ranks; this host has 1 core");
    options.launcher = {"srun", "-N", "2"};
    CHECK(launcher(options.launcher, options.ranks, around).words == options.launcher);
    around.programs.clear();
    CHECK_THROWS_AS(launcher({}, {}, around), measure::UsageError);
    CHECK(launcher_names("MPICH", true).front() == "srun");
}

// ---- schedule

TEST_CASE("the number of samples per launch follows from the costs and the scatter", "[run]") {
    // Cost of a launch per point: 0.9 s / 9 + 0.3 s = 0.4 s; sqrt(0.4 / 0.001) = 20, times 0.1 / 0.05.
    std::vector<PointCost> const points(9, {.per_launch = 0.3, .per_sample = 1e-3, .within = 0.1, .between = 0.05});
    CHECK(samples_per_launch(0.9, points) == 40);
    // Launches that do not differ, and launches that all differ.
    CHECK(samples_per_launch(0.9, std::vector<PointCost>(9, {0.3, 1e-3, 0.1, 0})) == most_samples);
    CHECK(samples_per_launch(0.9, std::vector<PointCost>(9, {0.3, 1e-3, 0.001, 0.5})) == fewest_samples);
    CHECK(samples_per_launch(0.9, {}) == fewest_samples);
}

TEST_CASE("the number of planned launches follows from the budget", "[run]") {
    std::vector<PointCost> const points(9, {.per_launch = 0.3, .per_sample = 1e-3, .within = 0.1, .between = 0.05});
    auto const found = schedule(0.9, points, measure::seconds{40});
    CHECK(found.samples == 40);
    // 0.9 + 9 * (0.3 + 40 * 0.001) = 3.96
    CHECK_THAT(found.start_time.count(), as_worked_out(3.96));
    CHECK(found.launches == 10);
    CHECK(schedule(0.9, points, measure::seconds{-1}).launches == 0);
}

TEST_CASE("the expected resolution follows from the number and the scatter of the launches", "[run]") {
    // sqrt(2) * 1.96 * 1.2533 * 0.1 / sqrt(9)
    CHECK_THAT(expected_resolution(0.1, 9), as_worked_out(0.11579901204));
    // sqrt(2) * 1.4236 * sqrt(8) * 1.2533 * 0.1 / sqrt(16)
    CHECK_THAT(expected_resolution(0.1, 16), as_worked_out(0.178419788));
    CHECK(expected_resolution(0, 6) == 0);
}

TEST_CASE("few launches cannot show a difference in any of many operations", "[run]") {
    // The smallest p of 6 and 6 launches is 2 / 924: 23 times this is below 0.05, 24 times this is not.
    CHECK_FALSE(too_few_launches(6, 23));
    CHECK(too_few_launches(6, 24) == "6 launches of 24 operations cannot show a difference");
    CHECK_FALSE(too_few_launches(7, 24));
    CHECK(too_few_launches(1, 1) == "1 launch of 1 operation cannot show a difference");
}

// ---- control

TEST_CASE("a launch is disturbed if one of its controls is an outlier", "[run]") {
    auto copies = even;
    CHECK(disturbed(run_launches(copies, even)).empty());
    copies[3] = 2e-6;
    auto const found = disturbed(run_launches(copies, even));
    REQUIRE(found.size() == 1);
    CHECK(found.front().launch == 3);
    CHECK(found.front().text == "memory copy took 2.00 times the usual time");
    CHECK(counting_launches(run_launches(copies, even)).main.size() == 9);
    // An outlier in an MPI operation is not a disturbance.
    CHECK(disturbed(run_launches(even, copies)).empty());
}

TEST_CASE("a launch is disturbed if it took much longer than its points usually take", "[run]") {
    auto launches = run_launches(even, even);
    // A delay that MPI itself may cause is not a disturbance.
    launches[4].record.end->elapsed = 0.14;
    CHECK(disturbed(launches).empty());
    launches[4].record.end->elapsed = 2.1;
    REQUIRE(disturbed(launches).size() == 1);
    CHECK(disturbed(launches).front().launch == 4);
    // A launch with fewer points is shorter, but not disturbed.
    launches = run_launches(even, even);
    for (auto& launch : launches)
        for (auto& point : launch.record.points)
            point.elapsed = measure::seconds{0.2};
    for (auto& launch : launches)
        launch.record.end->elapsed = 0.5;
    launches[4].record.points.erase(launches[4].record.points.begin());
    launches[4].record.end->elapsed = 0.3;
    CHECK(disturbed(launches).empty());
}

TEST_CASE("outliers in up to a fifth of the launches are disturbances, in more launches an unsteady control", "[run]") {
    auto copies = even;
    copies[1] = 3e-6;
    copies[7] = 9e-6;
    auto launches = run_launches(copies, even);
    CHECK(disturbed(launches).size() == 2);
    CHECK(counting_launches(launches).main.size() == 8);
    CHECK(unsteady_controls(launches).empty());
    copies[4] = 3e-6;
    launches = run_launches(copies, even);
    CHECK(disturbed(launches).empty());
    CHECK(counting_launches(launches).main.size() == 10);
    CHECK(unsteady_controls(launches) == Words{"memory copy"});
    auto const found = answer(launches, {});
    CHECK(found.trust == Trust::fair);
    CHECK(found.doubts.front() == "controls vary (memory copy)");
    CHECK(disturbed(run_launches({1e-6, 1e-6, 1e-6, 9e-6}, even)).empty());
}

TEST_CASE("at most a fifth of the launches are left out, the worst first, whatever disturbed them", "[run]") {
    auto copies = even;
    copies[1] = 3e-6;
    copies[7] = 9e-6;
    auto launches = run_launches(copies, even);
    launches[4].record.end->elapsed = 2.1;
    CHECK(disturbed(launches).size() == 3);
    auto const rest = counting_launches(launches).main;
    REQUIRE(rest.size() == 8);
    CHECK(*rest[1].record.points[1].value == 3e-6);
}

TEST_CASE("a slower memory copy shows that the machine changed", "[run]") {
    Opponent const before{.name = "monday", .launches = run_launches(even, even)};
    auto const same = answer(run_launches(times_of(even, 1.01), even), before).controls;
    REQUIRE(same.size() == 1);
    CHECK_FALSE(same.front().differs);
    auto const slower = answer(run_launches(times_of(even, 1.2), even), before).controls;
    CHECK(slower.front().differs);
    CHECK_THAT(slower.front().ratio, as_worked_out(1.2));
}

// ---- answer

TEST_CASE("an operation that takes longer is slower, unless the machine changed", "[run]") {
    Opponent const before{.name = "monday", .started = "2026-01-31", .launches = run_launches(even, even)};
    auto const slower = answer(run_launches(even, times_of(even, 1.2)), before);
    REQUIRE(slower.rows.size() == 1);
    REQUIRE(slower.rows.front().change);
    CHECK(word(*slower.rows.front().change) == "SLOWER");
    CHECK_FALSE(slower.machine_changed);
    auto const machine = answer(run_launches(times_of(even, 1.3), times_of(even, 1.2)), before);
    CHECK(machine.machine_changed);
    CHECK(machine.rows.front().change->verdict == Verdict::machine);
    CHECK(word(*machine.rows.front().change) == "machine");
    // A control that changed by 6 % does not explain a change of 20 %.
    auto const both = answer(run_launches(times_of(even, 1.06), times_of(even, 1.2)), before);
    CHECK(both.machine_changed);
    CHECK(word(*both.rows.front().change) == "SLOWER");
    auto const same = answer(run_launches(even, even), before);
    CHECK_FALSE(is_difference(same.rows.front().change->verdict));
}

TEST_CASE("the change of the controls is added to the limit for two runs", "[run]") {
    Opponent const before{.name = "monday", .launches = run_launches(even, even)};
    auto const verdict = [&](double control, double by) {
        return word(*answer(run_launches(times_of(even, control), times_of(even, by)), before).rows.front().change);
    };
    // The limit is 5.5 %; with 2.5 % of a control it is 1.055 * 1.025 = 1.081.
    CHECK(verdict(1, 1.07) == "SLOWER");
    CHECK(verdict(1.025, 1.07) == "unclear");
    CHECK(verdict(1.025, 1.09) == "SLOWER");
    // A control that differs explains 1.04^1.5 = 1.061; with 5.5 % this is 1.119.
    CHECK(verdict(1.04, 1.1) == "machine");
    CHECK(verdict(1.04, 1.13) == "SLOWER");
}

TEST_CASE("the change of the controls is added to the limit of earlier runs", "[run]") {
    Opponent before{.name = "monday", .launches = run_launches(even, even)};
    // The prediction interval of five equal runs has no width.
    before.earlier.assign(4, run_launches(even, even));
    auto const verdict = [&](double control, double by) {
        return word(*answer(run_launches(times_of(even, control), times_of(even, by)), before).rows.front().change);
    };
    CHECK(verdict(1, 1.027) == "SLOWER");
    CHECK(verdict(1.028, 1.027) == "unclear");
    CHECK(verdict(1.028, 1.04) == "SLOWER");
}

/// Launches in the usual state ('.') or in a slow state ('H'): broadcasts take twice as long, copies three times.
std::vector<Launch> launches_in_states(std::string_view states, double by) {
    std::vector<double> copies;
    std::vector<double> bcasts;
    for (std::size_t i = 0; i < states.size(); ++i) {
        double const factor = states[i] == 'H' ? 2 : 1;
        copies.push_back(even[i % even.size()] * (states[i] == 'H' ? 3 : 1));
        bcasts.push_back(even[(3 * i) % even.size()] * factor * by);
    }
    return run_launches(copies, bcasts);
}

TEST_CASE("launches are compared with launches in the same machine state", "[run]") {
    auto const change = [](std::string_view a, std::string_view b, double by) {
        Opponent const other{.name = "env A=1", .launches = launches_in_states(b, by), .is_side = true};
        auto const found = answer(launches_in_states(a, 1), other);
        CHECK_FALSE(found.machine_changed);
        return *found.rows.front().change;
    };
    // One side was in the slow state four times, the other side eight times.
    auto const same = change("..H.H...H..H", "HH.HH.HH..HH", 1);
    CHECK_FALSE(is_difference(same.verdict));
    CHECK(std::abs(same.ratio - 1) < 0.02);
    auto const slower = change("..H.H...H..H", "HH.HH.HH..HH", 1.1);
    CHECK(slower.verdict == Verdict::slower);
    CHECK(std::abs(slower.ratio - 1.1) < 0.02);
    // The medians of all launches, 2 and 1.1 us, suggest the opposite.
    auto const turned = change("HH.HH.HH..HH", "..H.H...H..H", 1.1);
    CHECK(turned.verdict == Verdict::slower);
    CHECK(turned.b > turned.a);
}

TEST_CASE("sides without a common machine state get the verdict machine", "[run]") {
    Opponent const other{.name = "env A=1", .launches = launches_in_states("HHHHHHHHHHHH", 1), .is_side = true};
    auto const apart = answer(launches_in_states("............", 1), other);
    CHECK(apart.comparison->states.found.states.size() == 2);
    CHECK_FALSE(have_shared_state(apart.comparison->states));
    CHECK(apart.machine_changed);
    CHECK(apart.rows.front().change->verdict == Verdict::machine);
    CHECK(word(*apart.rows.front().change) == "machine");
}

TEST_CASE("the values of two sides come from the compared launches", "[run]") {
    // Together with the eight slow launches of the other side, these three slow launches form a state. Alone they would
    // be too few for a state.
    Opponent const other{.name = "env A=1", .launches = launches_in_states("HH.HH.HH..HH", 1.1), .is_side = true};
    auto const found = answer(launches_in_states("..H.....H..H", 1), other);
    REQUIRE(found.states.states.size() == 2);
    CHECK(found.launches == found.states.states[0].launches);
    auto const& cell = found.rows.front().cells.front();
    CHECK_THAT(cell.estimate->value, as_worked_out(cell.change->a));
    CHECK_THAT(screen(found, {}),
               Catch::Matchers::ContainsSubstring("12 launches of each side; detects changes above "));
}

TEST_CASE("a run reports that the earlier run was mostly in another machine state", "[run]") {
    Opponent const before{.name = "monday", .launches = launches_in_states("HH.HH.HH.HH.HH.H", 1)};
    auto const text = screen(answer(launches_in_states("..H..H.H...H..H.", 1), before), {});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("A was mostly in the state with memory copy 3 us"));
}

TEST_CASE("values come from the most frequent state, and other states are listed separately", "[run]") {
    auto const found = answer(launches_in_states(".H..H.H...H..H.H", 1), {});
    REQUIRE(found.states.states.size() == 2);
    CHECK(found.states.states[0].launches == 10);
    CHECK(found.states.states[1].launches == 6);
    CHECK(found.launches == 10);
    CHECK(found.all_launches == 16);
    auto const& cell = found.rows.front().cells.front();
    CHECK(cell.estimate->interval->second < 1.2e-6);
    REQUIRE(found.other_states.size() == 1);
    CHECK(found.other_states.front().ratios.front().first == "Bcast");
    CHECK(std::abs(found.other_states.front().ratios.front().second - 2) < 0.1);
    CHECK(found.unsteady.empty());
    CHECK(found.trust == Trust::good);
}

/// In four of twelve launches, broadcasts take twice as long, and copies take longer by a different factor each.
std::vector<Launch> unsteady_launches(double by) {
    auto launches = launches_in_states("..H.H...H..H", by);
    double factor = 1.2;
    for (std::size_t const i : {2U, 4U, 8U, 11U}) {
        auto& copy = launches[i].record.points[1];
        *copy.value = copy.estimate->value = copy.estimate->median = 1e-6 * factor;
        factor *= 1.3;
    }
    return launches;
}

TEST_CASE("on a machine with unsteady controls, two runs get no verdict, but five runs do", "[run]") {
    auto const run = unsteady_launches;
    Opponent before{.name = "monday", .launches = run(1)};
    auto const verdict = [&](double by) { return answer(run(by), before).rows.front().change->verdict; };
    CHECK(verdict(1.5) == Verdict::unclear);
    // Relative to the first run, the runs take 1, 1, 1.02, 0.98 and 1: s = 0.0142, t(4) = 2.776, limit 4.4 %.
    before.earlier = {run(1), run(1.02), run(0.98), run(1)};
    CHECK(verdict(1.03) == Verdict::unclear);
    CHECK(verdict(1.06) == Verdict::slower);
    CHECK(verdict(0.94) == Verdict::faster);
    before.earlier = {run(1.5), run(0.7), run(1.3), run(0.8)};
    auto const doubts = answer(run(1), before).doubts;
    CHECK(std::find_if(doubts.begin(), doubts.end(), [](std::string const& text) {
              return text.starts_with("the 5 earlier runs differ by ");
          }) != doubts.end());
}

TEST_CASE("recorded intervals include the medians of earlier runs unless there is a verdict", "[run]") {
    auto const run = unsteady_launches;
    // One launch that holds the merged points of a run, as read from a merged record.
    auto const joined = [&](double by) {
        auto launch = run(by).front();
        launch.record.points = answer(run(by), {}).merged;
        return std::vector{launch};
    };
    Opponent before{.name = "monday", .launches = run(2.5)};
    auto const earlier = joined(2.5);
    // The merged record has the widened interval, the screen has the interval of this run alone.
    auto const highest = [](Answer const& found) {
        return measure::estimate_of_value(found.merged.front())->interval->second;
    };
    auto const shown = [](Answer const& found) { return found.rows.front().cells.front().estimate->interval->second; };
    double const own = highest(answer(run(1), {}));
    double const other = answer(run(2.5), {}).rows.front().cells.front().estimate->median;
    REQUIRE(other > own);
    // Two runs get no verdict on a machine with unsteady controls.
    auto const found = answer(run(1), before, earlier);
    CHECK(highest(found) == other);
    CHECK(shown(found) == own);
    CHECK(highest(answer(run(1), before)) == own);
    // The widened interval does not count when a run is checked against limits.
    auto const limits = limits_from_text("*: Bcast 8 = 2.5us -5% +5%", "");
    CHECK(outside(limits, found).size() == 1);
    CHECK(outside(limits, answer(run(2.5), before, earlier)).empty());
    // Five earlier runs that agree show that this run differs.
    before.earlier = {run(2.5), run(2.5), run(2.5), run(2.5)};
    auto const apart = answer(run(1), before, earlier);
    CHECK(apart.rows.front().change->verdict == Verdict::faster);
    CHECK(highest(apart) == own);
}

TEST_CASE("the change of two sides is that of the second side relative to the first", "[run]") {
    Opponent const other{.name = "env A=1", .launches = run_launches(even, times_of(even, 1.5)), .is_side = true};
    auto const found = answer(run_launches(even, even), other);
    CHECK(found.rows.front().change->verdict == Verdict::slower);
    CHECK_THAT(found.rows.front().change->ratio, as_worked_out(1.5));
}

TEST_CASE("times that drift during a run do not count as a difference between runs", "[run]") {
    // The four parts of a run are slower by 0, 10, 20 and 30 %.
    std::vector<double> moving;
    for (double const by : {1.0, 1.1, 1.2, 1.3})
        for (double const x : even)
            moving.push_back(x * by);
    std::vector<double> still;
    for (int part = 0; part < 4; ++part)
        still.insert(still.end(), even.begin(), even.end());
    CHECK(drift(run_launches(still, moving), "Bcast") > 0.2);
    CHECK(drift(run_launches(moving, still), "Bcast") == 0);
    CHECK(drift(run_launches(even, even), "Bcast") == 0);  // ten launches are too few
    Opponent const before{.name = "monday", .launches = run_launches(still, still)};
    auto const found = answer(run_launches(still, moving), before);
    CHECK(found.rows.front().change->verdict == Verdict::unclear);
    CHECK(found.trust == Trust::poor);
    // Logarithms of 1, 1.1, 1.2, 1.3 have s = 0.113: exp(1.96 sqrt(2) 0.113) - 1.
    CHECK(found.doubts.front() == "times changed by 37 % during the run");
}

TEST_CASE("few launches and lost time reduce the trust", "[run]") {
    CHECK(answer(run_launches(even, even), {}).trust == Trust::good);
    auto const few = answer(run_launches({1e-6, 1e-6}, {1e-6, 1e-6}), {});
    CHECK(few.trust == Trust::poor);
    CHECK(few.doubts.front() == "only 2 launches: no 95 % interval");
    auto launches = run_launches(even, even);
    for (auto& launch : launches)
        launch.record.run.more.emplace_back("noise", measure::Value::Object{{"share", 0.08}});
    auto const lost = answer(launches, {});
    CHECK(lost.trust == Trust::fair);
    CHECK(lost.doubts.front() == "8 % of a core's time was lost to other work");
}

TEST_CASE("launches with different settings have poor trust", "[run]") {
    auto launches = run_launches(even, even);
    for (auto& launch : launches)
        launch.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "1"}};
    CHECK(answer(launches, {}).trust == Trust::good);
    launches.back().record.run.mpi_settings->front().value = "2";
    auto const mixed = answer(launches, {});
    CHECK(mixed.trust == Trust::poor);
    CHECK(mixed.doubts.front() == "the launches differ in mpi_settings.MPIR_CVAR_X");
    // The tool itself chooses the tests of a launch, so they may differ.
    launches = run_launches(even, even);
    launches.back().record.run.options["tests"] = "Bcast:8";
    CHECK(answer(launches, {}).trust == Trust::good);
}

TEST_CASE("invalid samples reduce the trust", "[run]") {
    auto const found = [](std::int64_t bcasts, std::int64_t copies) {
        auto launches = run_launches(even, even);
        for (auto& launch : launches)
            for (auto& point : launch.record.points) {
                point.attempts = 100;
                point.valid = point.benchmark == "Bcast" ? bcasts : copies;
            }
        return answer(launches, {});
    };
    CHECK(found(85, 100).trust == Trust::good);
    auto const fair = found(70, 100);
    CHECK(fair.trust == Trust::fair);
    CHECK(fair.doubts == Words{"30 % of the samples were invalid"});
    CHECK(found(40, 100).trust == Trust::poor);
    // Invalid samples of a control do not count.
    CHECK(found(100, 40).trust == Trust::good);
}

TEST_CASE("the bandwidth comes from the largest messages that are sent in windows", "[run]") {
    std::vector<Launch> launches;
    for (double const t : even) {
        auto small = run_point("Stream", 8, t);
        auto large = run_point("Stream", 65536, t * 100);
        for (auto* const point : {&small, &large})
            point->at.set("window", std::int64_t{64});
        launches.push_back(run_launch({small, large}));
    }
    auto const found = answer(launches, {});
    // One pair of ranks sends 64 messages in 1 us and in 100 us.
    CHECK_THAT(found.message_rate->value, as_worked_out(64e6));
    CHECK_THAT(found.bandwidth->value, as_worked_out(64e4 * 65536));
    CHECK(found.rows.empty());
}

TEST_CASE("windows of messages get the verdict if nothing else is measured", "[run]") {
    auto const launches = [](double by) {
        std::vector<Launch> all;
        for (double const t : even) {
            auto point = run_point("Stream", 8, t * by);
            point.at.set("window", std::int64_t{64});
            all.push_back(run_launch({point}));
        }
        return all;
    };
    auto const found = answer(launches(1.2), Opponent{.name = "monday", .launches = launches(1)});
    CHECK_FALSE(found.bandwidth);
    REQUIRE(found.message_rate);
    CHECK(found.resolution > 0);
    // If the time is 1.2 times as long, all outputs show a rate that is lower by a sixth.
    auto const text = screen(found, {});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("slower: Rate -17 (") &&
                         Catch::Matchers::ContainsSubstring(" with 8 B: SLOWER -17 ("));
    auto const tiles = std::get<page::Tiles>(page_of(found, {}).elements.at(1)).tiles;
    REQUIRE(tiles.size() == 1);
    CHECK(tiles.front().label == "message rate 8 B");
    CHECK_THAT(tiles.front().word, Catch::Matchers::StartsWith("SLOWER -17 ("));
    CHECK_THAT(limits_text(found), Catch::Matchers::ContainsSubstring("vm: Stream 8 = 1.200us "));
    CHECK(outside(limits_from_text("vm: Stream 8 = 1us -5% +5%", ""), found).size() == 1);
    // A few launches with very different times.
    auto apart = launches(1);
    auto const slow = launches(2);
    for (std::size_t i = 0; i < apart.size(); i += 2)
        apart[i] = slow[i];
    auto const doubts = answer(apart, {}).doubts;
    REQUIRE_FALSE(doubts.empty());
    CHECK_THAT(doubts.back(), Catch::Matchers::StartsWith("half of the intervals are wider than +- "));
}

// ---- overlap

/// A point of mpiperf that computes during an operation of 10 us. \param compute  in seconds  \param share  mean
/// overlap of the ranks
Record computing_point(std::int64_t count, double compute, std::optional<double> share) {
    auto r = run_point("Ibcast", count, 1e-5 + compute);
    r.at.set("compute", compute);
    r.derived["overlap"] = share ? measure::Value{measure::Value::Object{{"mean", *share}}} : measure::Value{};
    return r;
}

/// A launch with computing times of 0, B and 2 B, in any order. \param blocking  B, in seconds
Launch computing_launch(double blocking, std::optional<double> share) {
    auto launch = run_launch({computing_point(65536, 2 * blocking, share), computing_point(65536, 0, 0.01),
                              computing_point(65536, blocking, 0.4), run_point("Bcast", 65536, 1e-5)});
    join_computing(launch);
    return launch;
}

TEST_CASE("points with computation are joined into the point without it, with the overlap of the longest", "[run]") {
    for (double const t : even) {
        auto const launch = computing_launch(10 * t, 0.9);
        auto const& points = launch.record.points;
        REQUIRE(points.size() == 2);
        CHECK(points[0].benchmark == "Ibcast");
        CHECK(points[0].at == points[1].at);
        CHECK(points[0].value.value() == 1e-5);
        CHECK_THAT(points[0].elapsed.count(), as_worked_out(3e-3));
        CHECK_THAT(points[0].derived.number({"overlap", "mean"}).value(), as_worked_out(0.9));
        CHECK_THAT(points[1].elapsed.count(), as_worked_out(1e-3));
    }
}

TEST_CASE("a point with computation is dropped if its operation was not also measured without", "[run]") {
    auto launch = run_launch({computing_point(8, 2e-5, 0.9), computing_point(65536, 0, 0.01)});
    join_computing(launch);
    REQUIRE(launch.record.points.size() == 1);
    CHECK(launch.record.points.front().at.bytes("bytes") == 65536);
    // It does not count for the overlap either.
    CHECK(overlaps_of(std::vector{launch}).empty());
}

TEST_CASE("the overlap of an operation is the median over the launches", "[run]") {
    std::vector<Launch> launches;
    for (int i = 1; i <= 11; ++i)
        launches.push_back(computing_launch(1e-5 + 1e-7 * i, 0.80 + 0.01 * i));
    // A launch without overlap: the operation was too short for the clock.
    launches.push_back(computing_launch(1e-5, std::nullopt));
    // A skipped point: without a time of the operation there is no computing time.
    auto skipped = run_point("Ibcast", 65536, 0);
    skipped.value.reset();
    skipped.estimate.reset();
    skipped.status = measure::PointStatus::skipped;
    launches.push_back(run_launch({skipped, run_point("Bcast", 65536, 1e-5)}));
    auto const overlaps = overlaps_of(launches);
    REQUIRE(overlaps.size() == 1);
    CHECK(overlaps.front().operation == "Ibcast");
    CHECK(overlaps.front().bytes == 65536);
    // The shares are 0.81 to 0.91; the interval ranges from the second to the tenth.
    CHECK_THAT(overlaps.front().share, as_worked_out(0.86));
    REQUIRE(overlaps.front().margin);
    CHECK_THAT(*overlaps.front().margin, as_worked_out(0.04));

    auto const found = answer(launches, {});
    REQUIRE(found.rows.size() == 2);
    CHECK(found.rows.front().cells.size() == 1);
    CHECK_THAT(screen(found, {}), Catch::Matchers::ContainsSubstring("\nOverlap     Ibcast 64 KiB 86 % +- 4\n"));
    auto const limits = limits_text(found);
    CHECK(limits_from_text(limits, "own").size() == 2);
    CHECK(outside(limits_from_text(limits, "own"), found).empty());
}

// ---- screen and page

TEST_CASE("the first line shows whether the ranks are bound", "[run]") {
    auto const machine = [](int ranks, std::string const& binding) {
        auto launches = run_launches(even, even);
        for (auto& launch : launches) {
            launch.record.run.ranks = ranks;
            launch.record.run.mpi_settings = std::vector<measure::Setting>{{"binding", binding}};
        }
        return answer(launches, {}).machine;
    };
    CHECK(machine(2, "0|1") == "MPICH 4.0.2, 2 ranks (bound: 0|1) on vm (CPU, 2 cores)");
    CHECK(machine(2, "0-1") == "MPICH 4.0.2, 2 ranks (not bound: 0-1) on vm (CPU, 2 cores)");
    CHECK(machine(2, "0-15,32-47|16-31,48-63") == "MPICH 4.0.2, 2 ranks (bound) on vm (CPU, 2 cores)");
    CHECK(machine(1, "0-1") == "MPICH 4.0.2, 1 rank on vm (CPU, 2 cores)");
    CHECK(answer(run_launches(even, even), {}).machine == "MPICH 4.0.2, 2 ranks on vm (CPU, 2 cores)");
}

TEST_CASE("long texts are wrapped, and shortened if the screen is full", "[run]") {
    auto found = answer(run_launches(even, even), {});
    auto const lines_of = [&] {
        auto lines = program::split(screen(found, {}), '\n');
        for (auto const& line : lines)
            CHECK(line.size() <= 80);
        return lines;
    };
    std::string const first(60, 'x');
    std::string const last(60, 'z');
    found.doubts = {first, std::string(60, 'y'), last};
    found.guidelines = {first + " " + last};
    found.guidelines_checked = 2;
    auto lines = lines_of();
    auto const trust = std::find(lines.begin(), lines.end(), "Trust       good: " + first + ";");
    REQUIRE(lines.end() - trust > 2);
    CHECK(trust[2] == std::string(12, ' ') + last);
    CHECK(std::count(lines.begin(), lines.end(), std::string(12, ' ') + last) == 2);
    found.doubts.assign(40, first);
    lines = lines_of();
    CHECK(lines.size() == 26);
    CHECK(lines[24].ends_with(" .."));
    found.machine = "MPICH, 2 ranks on " + first + " (" + last + ")";
    CHECK(lines_of()[1] == "  (" + last + ")");
}

TEST_CASE("the page ends with the environment and the warnings, both folded", "[run]") {
    auto launches = run_launches(even, even);
    for (auto& launch : launches) {
        launch.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "1"}, {"binding", "0|1"}};
        launch.record.run.kernel = "Linux 6.1";
        launch.record.run.warnings = {"it is hot here"};
    }
    auto others = launches;
    for (auto& launch : others)
        launch.record.run.kernel = "Linux 5.4";
    auto const found = answer(launches, Opponent{.name = "monday", .started = "2026-01-31", .launches = others});
    auto const document = page_of(found, {});
    Words folded;
    for (auto const& element : document.elements)
        if (auto const* const heading = std::get_if<page::Heading>(&element);
            heading != nullptr && heading->level == 1 && heading->fold == page::Fold::closed)
            folded.push_back(heading->text);
    REQUIRE(folded.size() > 2);
    CHECK(Words(folded.end() - 2, folded.end()) == Words{"Environment", "Warnings"});
    auto const html = page::html_text(document);
    auto const environment = html.find(">Environment<");
    REQUIRE(environment != std::string::npos);
    // The environments of the run and its opponent are shown next to each other.
    for (char const* const text : {"Linux 6.1", "Linux 5.4"})
        CHECK(html.find(text, environment) != std::string::npos);
    for (char const* const text : {"MPIR_CVAR_X=1; binding=0|1", "vm: ranks 0-1 on 2 cores, CPU", "it is hot here"})
        CHECK_THAT(html, Catch::Matchers::ContainsSubstring(text));
}

TEST_CASE("with few operations, the tiles of the page show several sizes of each", "[run]") {
    std::vector<Launch> launches;
    for (double const t : even) {
        std::vector<Record> points;
        for (std::int64_t const size : {8, 64, 512, 1024, 4096})
            points.push_back(run_point("Bcast", size, t));
        launches.push_back(run_launch(points));
    }
    auto const document = page_of(answer(launches, Opponent{.name = "monday", .launches = launches}), {});
    Words labels;
    for (auto const& tile : std::get<page::Tiles>(document.elements.at(1)).tiles) {
        // The tile has the change at its size.
        CHECK_FALSE(tile.word.empty());
        labels.push_back(tile.label);
    }
    CHECK(labels == Words{"Bcast 8 B", "Bcast 4 KiB", "Bcast 1 KiB", "Bcast 512 B"});
}

TEST_CASE("the screen shows memory and file tests as the bandwidth of all ranks", "[run]") {
    std::vector<Launch> before;
    std::vector<Launch> now;
    for (double const t : even) {
        before.push_back(run_launch({run_point("Mem_read", 65536, 10 * t)}));
        now.push_back(run_launch({run_point("Mem_read", 65536, 8 * t)}));
    }
    auto const found = answer(now, Opponent{.name = "monday", .launches = before});
    // Two ranks move 65536 B each in 8 us: 16.384 GB/s, 1.25 times the earlier bandwidth.
    auto const& row = found.rows.front();
    CHECK_THAT(bandwidth_text(row.cells.front(), 2), Catch::Matchers::StartsWith("16GB/s "));
    auto const shown = shown_value("Mem_read", row.cells.front(), 2);
    CHECK(shown.quantity == measure::Quantity::bandwidth);
    CHECK_THAT(shown.value, as_worked_out(131072 / 8e-6));
    CHECK_THAT(shown.interval->second, as_worked_out(131072 / row.cells.front().estimate->interval->first));
    auto const text = screen(found, {});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\nMem_read   16GB/s ") &&
                         Catch::Matchers::ContainsSubstring("faster +25 (") &&
                         Catch::Matchers::ContainsSubstring("faster: Mem_read +25 ("));
}

TEST_CASE("a value at a size that has no column shows its size", "[run]") {
    std::vector<Launch> launches;
    for (double const t : even) {
        std::vector<Record> points{run_point("Barrier", 1, t), run_point("Mem_read", 4 << 20, 524.288 * t)};
        for (std::int64_t const size : {8, 64, 256, 512, 1024})
            for (char const* const test : {"Bcast", "Scan"})
                points.push_back(run_point(test, size, 2 * t));
        launches.push_back(run_launch(points));
    }
    auto const text = screen(answer(launches, {}), {});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                         "\n           8 B         64 B        256 B       512 B       1 KiB\n"));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\nBarrier    1.00us 2%\n"));
    // Two ranks move 4 MiB each in 524.288 us.
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\nMem_read   16GB/s 2% with 4 MiB\n"));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                         "\nBcast      2.00us 2%   2.00us 2%   2.00us 2%   2.00us 2%   2.00us 2%\n"));
}

TEST_CASE("a size that a test rounds is shown in the column of the requested size", "[run]") {
    std::vector<Launch> launches;
    for (double const t : even)
        launches.push_back(
            run_launch({run_point("Mem_read", 16384, 1.024 * t), run_point("Mem_read", 4 << 20, 262.144 * t),
                        run_point("Mem_triad", 16368, 1.023 * t), run_point("Mem_triad", 24 * 174762, 262.143 * t)}));
    // Two ranks move 16384 B each in 1.024 us: 32 GB/s.
    auto const text = screen(answer(launches, {}), {});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\n           16 KiB      4 MiB\n"
                                                        "Mem_read   32GB/s 2%   32GB/s 2%\n"
                                                        "Mem_triad  32GB/s 2%   32GB/s 2%\n"));
}

TEST_CASE("two sizes have two columns even if both print as the same text", "[run]") {
    std::vector<Launch> launches;
    for (double const t : even)
        launches.push_back(
            run_launch({run_point("Bcast", 1024, t), run_point("Bcast", 1030, 2 * t), run_point("Scan", 1024, t)}));
    auto const text = screen(answer(launches, {}), {});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\n           1 KiB       1 KiB\n"
                                                        "Bcast      1.00us 2%   2.00us 2%\n"
                                                        "Scan       1.00us 2%\n"));
}

TEST_CASE("each test that read from the page cache is named once", "[run]") {
    auto cached = run_point("File_read", 65536, 1e-6);
    cached.flag("page_cache");
    auto const launch = run_launch({run_point("File_write", 65536, 1e-6), cached, cached});
    CHECK(page_cache_notes(std::vector{launch, launch}) == Words{"File_read: from the page cache"});
    CHECK(page_cache_notes(std::vector{run_launch({run_point("File_read", 65536, 1e-6)})}).empty());
}

TEST_CASE("the screen has at most 80 columns, and shows numbers with their errors", "[run]") {
    Opponent const before{.name = "monday", .started = "2026-01-31", .launches = run_launches(even, even)};
    auto const found = answer(run_launches(even, times_of(even, 1.2)), before);
    auto const text =
        screen(found, {.notes = {std::string(300, 'x') + " " + std::string(300, 'y')}, .warnings = {"a", "b"}});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("slower: Bcast +20 ("));
    // Two runs have a limit of 5.5 %.
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("launches; detects changes above 5.5 %"));
    // The second and the ninth of ten values are 2 % from the median, times sqrt(2).
    CHECK_THAT(screen(answer(run_launches(even, even), {}), {}),
               Catch::Matchers::ContainsSubstring("launches; --against detects changes above 2.8 %"));
    auto const lines = program::split(text, '\n');
    CHECK(lines.size() <= 26);  // the last one is empty
    for (auto const& line : lines)
        CHECK(line.size() <= 80);
    // If there are too many notes, they are cut, but the numbers are not.
    auto const full = screen(found, {.notes = std::vector<std::string>(30, "a note"), .places = {{"Page", "/p"}}});
    CHECK(program::split(full, '\n').size() == 26);
    CHECK_THAT(full, Catch::Matchers::ContainsSubstring("\nBcast ") && Catch::Matchers::ContainsSubstring("\nTrust ") &&
                         Catch::Matchers::ContainsSubstring("\nPage ") &&
                         Catch::Matchers::ContainsSubstring("slower: Bcast +20 ("));
    CHECK(cell_text({.bytes = 8, .estimate = measure::Estimate{.value = 1e-6, .interval = {{0.99e-6, 1.02e-6}}}}) ==
          "1.00us 2%");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 999.6e-9, .interval = {{994.6e-9, 1000e-9}}}}) ==
          "1.00us 0.5%");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 12.34, .interval = {{10.34, 13}}}, .disagrees = true}) ==
          "12.3s 16%!");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 1e-6, .interval = {{1e-6, 2.5e-6}}}}) == "1.00us 150%");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 1e-6}}) == "1.00us ?");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 1e-6, .interval = {{1e-6, 2.5e-6}}}, .disagrees = true}) ==
          "1.00us >99!");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 1e-6, .interval = {{1e-6, 20e-6}}}}) == "1.00us >999");
    CHECK(cell_text({.estimate = measure::Estimate{.value = 1, .interval = {{0.996, 1.002}}}, .disagrees = true}) ==
          "1.00s 1%!");
    ComparedPoint change;
    change.ratio = 1.0312;
    change.interval = measure::Interval{0.9996, 1.06};
    CHECK(change_text(change) == "+3.1 (-1..6)%");
    change.ratio = 1.098;
    change.interval = measure::Interval{1.096, 1.102};
    CHECK(change_text(change) == "+9.8 (9..11)%");
    change.ratio = 0.998;
    change.interval = measure::Interval{0.994, 0.9995};
    CHECK(change_text(change) == "-0.2 (-1..0)%");
    CHECK(cell_text({.bytes = 8}) == "-");
}

TEST_CASE("four columns of sizes leave room for a change with its interval", "[run]") {
    std::vector<Launch> launches;
    for (double const t : even) {
        std::vector<Record> points;
        for (std::int64_t const size : {8, 64, 512, 1024})
            points.push_back(run_point("Bcast", size, t));
        launches.push_back(run_launch(points));
    }
    auto found = answer(launches, Opponent{.name = "monday", .launches = launches});
    REQUIRE(found.rows.front().change);
    auto& change = *found.rows.front().change;
    change.verdict = Verdict::unclear;
    change.ratio = 0.928;
    change.interval = measure::Interval{0.8, 1.08};
    CHECK(change_text(change) == "-7.2 (-20..8)%");
    CHECK_THAT(screen(found, {}), Catch::Matchers::ContainsSubstring(" unclear -7 (-20..8)%\n"));
    // A longer interval is shown on the page only.
    change.interval = measure::Interval{0.8, 1.1234};
    CHECK_THAT(screen(found, {}), Catch::Matchers::ContainsSubstring(" unclear -7 (-20..13)%\n"));
    change.interval = measure::Interval{0.8, 2.1234};
    CHECK_THAT(screen(found, {}), Catch::Matchers::ContainsSubstring(" unclear -7.2%\n"));
}

TEST_CASE("one line shows the sizes at which the time of an operation jumps", "[run]") {
    std::vector<Launch> launches;
    for (double const by : even) {
        std::vector<Record> points;
        // 1 us + 0.1 ns per byte up to 4 KiB, 3 us + 0.1 ns per byte above.
        for (std::int64_t size = 1; size <= 1 << 20; size *= 4)
            points.push_back(run_point("Bcast", size,
                                       by * (size <= 4096 ? 1 : 3) + by / even[0] * static_cast<double>(size) * 1e-10));
        launches.push_back(run_launch(points));
    }
    auto const found = answer(launches, {});
    auto const switches = switch_points(found);
    REQUIRE(switches.size() == 1);
    // Halfway between 4 and 16 KiB: 3.82 us instead of 1.82 us.
    CHECK(switches.front().text == "Bcast 8 KiB x2.1");
    CHECK_THAT(screen(found, {}), Catch::Matchers::ContainsSubstring("\nSwitches    Bcast 8 KiB x2.1\n"));
    // Four sizes are too few to search for a jump.
    for (auto& launch : launches)
        launch.record.points.resize(4);
    CHECK(switch_points(answer(launches, {})).empty());
}

// ---- limits

TEST_CASE("limits are read, and values outside of them are reported", "[run]") {
    auto const limits = limits_from_text("# of this machine\nvm: Bcast 8 = 0.5us -5% +10%\n", "limits");
    REQUIRE(limits.size() == 1);
    CHECK(limits.front().operation == "Bcast");
    CHECK_THAT(limits.front().value, as_worked_out(5e-7));
    CHECK_THAT(limits.front().high, as_worked_out(0.1));
    auto const found = answer(run_launches(even, even), {});
    REQUIRE(outside(limits, found).size() == 1);
    CHECK(outside(limits_from_text(limits_text(found), "own"), found).empty());
    CHECK(has_limits(found));
    CHECK_FALSE(has_limits(answer(run_launches({1e-6}, {1e-6}), {})));
    CHECK(limits_text(answer(run_launches({1e-6}, {1e-6}), {})) ==
          "# MACHINE: OPERATION SIZE = TIME -PCT% +PCT%\n# no limit for Bcast 8: no interval is known\n");
    CHECK(outside(limits_from_text("elsewhere: Bcast 8 = 1us -5% +5%", ""), found).front() ==
          "there is no limit for 'vm'");
    CHECK(outside(limits_from_text("*: Scan 8 = 1us -5% +5%", ""), found).front() == "Scan 8 B has no value");
}

TEST_CASE("limits are checked only in the machine state in which they were written", "[run]") {
    auto const in_state = [](double line, double bcast) {
        std::vector<Launch> launches;
        for (double const t : even)
            launches.push_back(run_launch({run_point("Cacheline", 0, line * t), run_point("Bcast", 8, bcast * t)}));
        return answer(launches, {});
    };
    auto const slow = in_state(0.155, 0.73);
    auto const limits = limits_from_text(limits_text(slow), "own");
    CHECK_THAT(limits_text(slow), Catch::Matchers::ContainsSubstring("vm: Cacheline 0 = 0.1550us -25% +25%\n"));
    CHECK(outside(limits, slow).empty());
    CHECK(outside(limits, in_state(0.155, 0.4)).size() == 1);
    // 0.155 us * 0.75 = 116 ns.
    auto const results = limit_results(limits, in_state(0.059, 0.32));
    REQUIRE(results.size() == 1);
    CHECK(results.front().kind == GateResult::Kind::undecided);
    CHECK(results.front().text ==
          "no limit is checked, because the machine is in another state: cache line takes 59 ns, "
          "expected 116 ns .. 194 ns");
}

TEST_CASE("written limits can be read again, for short and long times", "[run]") {
    auto const text_of = [](double by) {
        auto const found = answer(run_launches(even, times_of(even, by)), {});
        auto text = limits_text(found);
        CHECK(outside(limits_from_text(text, "own"), found).empty());
        return text;
    };
    CHECK_THAT(text_of(1), Catch::Matchers::ContainsSubstring("vm: Bcast 8 = 1.000us -10% +10%\n"));
    CHECK_THAT(text_of(0.01234), Catch::Matchers::ContainsSubstring("vm: Bcast 8 = 0.01234us "));
    CHECK_THAT(text_of(123456), Catch::Matchers::ContainsSubstring("vm: Bcast 8 = 123456us "));
}

TEST_CASE("all faulty lines of a limits file are reported", "[run]") {
    try {
        static_cast<void>(limits_from_text("vm: Bcast 8\n\nvm: Bcast 8 = 1us 5% +5%\nvm: Bcast x = 1us -5% +5%", "f"));
        FAIL("no error was thrown");
    } catch (program::ParseErrors const& found) {
        REQUIRE(found.faults().size() == 3);
        CHECK(found.faults()[1].line == 3);
    }
}

TEST_CASE("a limits file without any limit is rejected", "[run]") {
    CHECK_THROWS_WITH(limits_from_text("# no limit for Bcast 8: no interval is known\n", "f"),
                      "--expect: 'f' contains no limit");
}
