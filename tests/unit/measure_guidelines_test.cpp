// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/guidelines/commands.hpp"
#include "analysis/guidelines/guidelines.hpp"
#include "guidelines/report.hpp"
#include "measure/error.hpp"
#include "shared/plain_text.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using measure::check_guidelines;
using measure::commands_for;
using measure::GuidelineCheck;
using measure::GuidelineResult;
using measure::GuidelineRules;
using measure::GuidelineVerdict;
using measure::Launch;
using measure::operation_points;
using measure::OperationSet;
using measure::Point;
using measure::Quantity;
using measure::Record;
using measure::Unchecked;
using namespace measure::tool;

namespace {

using Strings = std::vector<std::string>;

/// Cost of an operation in a consistent library: latency and time per byte of the whole data, in microseconds.
struct Cost {
    char const* operation;
    double latency;
    double per_byte;
};
constexpr Cost costs[] = {
    {"Scatter", 1.8, 0.8e-3},  {"Gather", 1.8, 0.8e-3}, {"Bcast", 2.0, 1.0e-3},      {"Allgather", 2.2, 1.0e-3},
    {"Alltoall", 3.0, 2.0e-3}, {"Reduce", 2.2, 1.2e-3}, {"Allreduce", 3.0, 2.0e-3},  {"Scatterv", 1.8, 0.8e-3},
    {"Gatherv", 1.8, 0.8e-3},  {"Scan", 3.0, 2.0e-3},   {"Allgatherv", 2.2, 1.0e-3}, {"Reduce_scatter", 2.5, 1.5e-3},
};

Record operation_record(std::string name, std::int64_t ranks, std::int64_t bytes, double seconds_taken) {
    Record r;
    r.benchmark = std::move(name);
    r.at = Point{{"ranks", ranks}, {"count", bytes}, {"bytes", bytes}};
    r.value = seconds_taken;
    r.kept = 16;
    r.estimate = measure::Estimate{.value = seconds_taken, .median = seconds_taken};
    return r;
}

Launch operation_launch(std::vector<Record> points, std::string suite = "mpiperf") {
    Launch one{.name = "a", .record = {.points = std::move(points)}};
    one.record.run.suite = suite;
    one.record.run.program = suite == "pmb" ? "PMB-MPI1" : suite;
    return one;
}

/// Changes a time, by noise or by a fault of the library.
using Change = std::function<double(std::string const& operation, std::int64_t whole, double time)>;

/// Whether mpiperf counts the size of one block per process or pair.
bool is_about_blocks(std::string const& operation) {
    auto const known = measure::benchmark_of("mpiperf", operation);
    return known && known->semantics.size == measure::SizeOf::block;
}

Launch library(Change const& change, std::int64_t ranks = 4) {
    std::vector<Record> points;
    for (auto const& [operation, latency, per_byte] : costs)
        for (std::int64_t whole = 32; whole <= 65536; whole *= 2) {
            double const time = (latency + per_byte * static_cast<double>(whole)) * 1e-6;
            points.push_back(operation_record(operation, ranks, is_about_blocks(operation) ? whole / ranks : whole,
                                              change(operation, whole, time)));
        }
    return operation_launch(std::move(points));
}

GuidelineResult checked(std::vector<Launch> const& launches, GuidelineRules const& rules = {}) {
    return check_guidelines(operation_points(launches), rules);
}

/// The check of a guideline, which must occur once.
GuidelineCheck only(GuidelineResult const& result, std::string_view guideline) {
    std::vector<GuidelineCheck> found;
    std::copy_if(result.checks.begin(), result.checks.end(), std::back_inserter(found),
                 [&](GuidelineCheck const& check) { return check.guideline == guideline; });
    REQUIRE(found.size() == 1);
    return found.front();
}

std::size_t violations(GuidelineResult const& result) { return counts(result)[GuidelineVerdict::violated]; }

double per_launch(std::mt19937_64& random, double time) {
    std::normal_distribution<double> noise{0, 0.03};
    std::bernoulli_distribution disturbed{0.05};
    return time * std::exp(noise(random)) * (disturbed(random) ? 1.5 : 1);
}

auto close_to(double x, double relative = 1e-12) { return Catch::Matchers::WithinRel(x, relative); }

}  // namespace

TEST_CASE("a consistent library violates no guideline, whatever the noise of its launches", "[guidelines][not_quick]") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        std::mt19937_64 random{seed};
        std::vector<Launch> launches;
        for (int i = 0; i < 6; ++i)
            launches.push_back(
                library([&](auto const&, std::int64_t, double time) { return per_launch(random, time); }));
        auto const result = checked(launches);
        INFO("seed " << seed);
        CHECK(result.checks.size() > 300);
        CHECK(violations(result) == 0);
    }
}

TEST_CASE("single launches have no violations: deviations are shown without a verdict", "[guidelines]") {
    std::mt19937_64 random{1};
    std::normal_distribution<double> noise{0, 0.3};
    auto launch = library([&](auto const&, std::int64_t, double time) { return time * std::exp(noise(random)); });
    for (auto& record : launch.record.points)
        record.estimate->standard_error = 0.01 * *record.value;
    GuidelinesReport report{.points = operation_points(std::vector{launch})};
    report.result = check_guidelines(report.points, report.rules);
    for (auto const& check : report.result.checks) {
        CHECK(check.verdict == GuidelineVerdict::one_launch);
        CHECK_FALSE(check.p);
        CHECK(check.interval);
    }
    auto const text = plain_text(guidelines_document(report));
    CHECK(text.find("0 violated") != std::string::npos);
    CHECK(text.find("Seen only in single launches (no verdict)") != std::string::npos);
    CHECK(text.find("Violations") == std::string::npos);
    // An operation with a single launch has no verdict either, even if the other operations have several.
    auto other = launch;
    std::erase_if(other.record.points, [](Record const& r) { return r.benchmark == "Bcast"; });
    for (auto const& check : checked({launch, other, other}).checks)
        if (check.left.operation == "Bcast" || check.right.front().operation == "Bcast")
            CHECK(check.verdict == GuidelineVerdict::one_launch);
}

TEST_CASE("the factor is the ratio of the times that are shown, even if one launch is an outlier", "[guidelines]") {
    std::vector<Launch> launches;
    for (double const disturbed : {1.0, 1.0, 1.0, 1.0, 400.0, 1.0})
        launches.push_back(operation_launch({operation_record("Allreduce", 4, 64, disturbed * 5.4e-6),
                                             operation_record("Reduce", 4, 64, 1.5e-6),
                                             operation_record("Bcast", 4, 64, 2.5e-6 / disturbed)}));
    auto const check = only(checked(launches), "Allreduce(n) <= Reduce(n) + Bcast(n)");
    CHECK_THAT(check.left.time, close_to(5.4e-6));
    CHECK_THAT(check.right[0].time + check.right[1].time, close_to(4e-6));
    CHECK_THAT(check.factor, close_to(5.4 / 4));
    CHECK(check.interval->first < check.factor);
    CHECK(check.interval->second > check.factor);
}

TEST_CASE("a fault of a library is found, with its sizes and factor", "[guidelines][not_quick]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::mt19937_64 random{seed};
        std::normal_distribution<double> noise{0, 0.01};
        // From 4096 bytes on, Allreduce takes 1.5 times as long as Reduce plus Bcast.
        auto const broken = [&](std::string const& operation, std::int64_t whole, double time) {
            double const by_parts = (4.2 + 2.2e-3 * static_cast<double>(whole)) * 1e-6;
            bool const is_bad = operation == "Allreduce" && whole >= 4096;
            return (is_bad ? 1.5 * by_parts : time) * std::exp(noise(random));
        };
        std::vector<Launch> launches;
        for (int i = 0; i < 6; ++i)
            launches.push_back(library(broken));
        auto const result = checked(launches);
        std::vector<measure::Bytes> sizes;
        for (auto const& check : result.checks)
            if (check.verdict == GuidelineVerdict::violated) {
                CHECK(check.left.operation == "Allreduce");
                if (check.guideline == "Allreduce(n) <= Reduce(n) + Bcast(n)") {
                    sizes.push_back(check.size);
                    CHECK(check.factor > 1.4);
                    CHECK(check.factor < 1.6);
                }
            }
        CHECK(sizes == std::vector<measure::Bytes>{4096, 8192, 16384, 32768, 65536});
    }
}

TEST_CASE("launches that have all operations are compared launch by launch", "[guidelines]") {
    std::vector<Launch> launches;
    for (double const factor : {1.2, 1.25, 1.3})
        launches.push_back(operation_launch({operation_record("Allreduce", 4, 64, factor * 3e-6 * factor),
                                             operation_record("Reduce", 4, 64, factor * 1e-6),
                                             operation_record("Bcast", 4, 64, factor * 2e-6)}));
    auto const check = only(checked(launches), "Allreduce(n) <= Reduce(n) + Bcast(n)");
    // The medians are 1.25^2 * 3 and 1.25 * (1 + 2).
    CHECK_THAT(check.factor, close_to(1.25));
    CHECK(check.launches == 3);
    // The logarithms are 0.18232, 0.22314 and 0.26236. The standard error of the mean is 0.023110, that of the median
    // is 1.2533 times as large. With 2 degrees of freedom, P(T > t) = (1 - t / sqrt(t^2 + 2)) / 2.
    double const t = 0.2231436 / (1.2533 * 0.0231099);
    CHECK_THAT(*check.p, close_to((1 - t / std::sqrt(t * t + 2)) / 2, 1e-3));
}

TEST_CASE("without common launches the standard errors add up", "[guidelines]") {
    auto const with_error = [](std::string const& name, double time, double relative) {
        auto record = operation_record(name, 4, 64, time);
        record.estimate->standard_error = relative * time;
        return operation_launch({record});
    };
    auto const result =
        checked({with_error("Allreduce", 1.3, 0.01), with_error("Reduce", 0.5, 0.02), with_error("Bcast", 0.5, 0.02)});
    auto const check = only(result, "Allreduce(n) <= Reduce(n) + Bcast(n)");
    // The variance is 0.01^2 + 0.01^2 + 0.01^2. Three times 15 are 45 degrees of freedom; t = 2.0141.
    CHECK_THAT(check.factor, close_to(1.3));
    CHECK(check.launches == 0);
    CHECK_THAT(check.interval->first, close_to(1.25543, 1e-4));
    CHECK_THAT(check.interval->second, close_to(1.34615, 1e-4));
    CHECK_FALSE(check.p);
    CHECK(check.verdict == GuidelineVerdict::one_launch);
}

TEST_CASE("times of one launch without errors have a factor, but no interval and no verdict", "[guidelines]") {
    auto const result = checked(
        {operation_launch({operation_record("Reduce", 2, 64, 9e-6), operation_record("Allreduce", 2, 64, 1e-6)})});
    auto const check = only(result, "Reduce(n) <= Allreduce(n)");
    CHECK_THAT(check.factor, close_to(9));
    CHECK_FALSE(check.interval);
    CHECK(check.verdict == GuidelineVerdict::one_launch);
}

TEST_CASE("equal times come from a coarse clock and do not count as exact", "[guidelines]") {
    auto reduce = operation_record("Reduce", 2, 64, 9e-6);
    auto allreduce = operation_record("Allreduce", 2, 64, 1e-6);
    reduce.estimate->standard_error = allreduce.estimate->standard_error = 0;
    auto const one = operation_launch({reduce, allreduce});
    auto const check = only(checked({one, one}), "Reduce(n) <= Allreduce(n)");
    CHECK_FALSE(check.p);
    CHECK(check.verdict == GuidelineVerdict::unclear);
}

TEST_CASE("the sizes of all suites are converted to the size of the whole data", "[guidelines]") {
    // mpiperf: Allgather has blocks of 16 bytes from 4 processes, which is 64 bytes for Bcast.
    auto const mpiperf =
        checked({operation_launch({operation_record("Bcast", 4, 64, 3e-6), operation_record("Scatter", 4, 16, 1e-6),
                                   operation_record("Allgather", 4, 16, 1e-6)})});
    CHECK(only(mpiperf, "Bcast(n) <= Scatter(n) + Allgather(n)").size == 64);
    CHECK_THAT(only(mpiperf, "Scatter(n) <= Bcast(n)").factor, close_to(1. / 3));
    // mpbench: the size of alltoall is that of all blocks of a process, and rates are inverted.
    auto rate = operation_record("alltoall", 4, 64, 64 / 2e-6);
    rate.quantity = Quantity::bandwidth;
    auto twice = operation_record("alltoall", 4, 128, 128 / 8e-6);
    twice.quantity = Quantity::bandwidth;
    auto const mpbench = checked({operation_launch({rate, twice}, "mpbench")});
    CHECK_THAT(only(mpbench, "Alltoall(k n) <= k Alltoall(n)").factor, close_to(2));
    CHECK_THAT(only(mpbench, "Alltoall(n) <= Alltoall(m), n < m").factor, close_to(0.25));
    // PMB counts like mpiperf. The names of skampi start with MPI_ and end with the varied parameter.
    auto const pmb = checked({operation_launch(
        {operation_record("Allgather", 2, 32, 2e-6), operation_record("Alltoall", 2, 32, 1e-6)}, "pmb")});
    CHECK(only(pmb, "Allgather(n) <= Alltoall(n)").size == 32);
    auto const skampi = checked({operation_launch({operation_record("MPI_Allreduce-length", 2, 32, 2e-6),
                                                   operation_record("MPI_Reduce_Bcast-length", 2, 32, 1e-6)},
                                                  "skampi")});
    CHECK_THAT(only(skampi, "Allreduce(n) <= Allreduce by Reduce, Bcast(n)").factor, close_to(2));
}

TEST_CASE("a number of processes is compared with the next larger one at the same block size", "[guidelines]") {
    auto const result =
        checked({operation_launch({operation_record("Gather", 3, 16, 6e-6), operation_record("Gather", 4, 16, 2e-6),
                                   operation_record("Gather", 8, 32, 2e-6)})});
    auto const check = only(result, "Gather(n) on p <= Gather(n) on q, p < q");
    CHECK(check.ranks == 3);
    CHECK(check.right.front().ranks == 4);
    CHECK_THAT(check.factor, close_to(3));
}

TEST_CASE("a size that is missing on the right is replaced by a larger one, up to twice the size", "[guidelines]") {
    auto const launch = [](std::int64_t size) {
        return operation_launch({operation_record("Scatter", 3, 16, 2e-6), operation_record("Bcast", 3, size, 1e-6)});
    };
    auto const padded = only(checked({launch(64)}), "Scatter(n) <= Bcast(n)");
    CHECK(padded.padded);
    CHECK(padded.right.front().bytes == 64);
    CHECK_FALSE(only(checked({launch(48)}), "Scatter(n) <= Bcast(n)").padded);
    for (std::int64_t const size : {32, 128}) {
        // 32 is too small, and 128 is more than twice the size.
        auto const result = checked({launch(size)});
        auto const missing = std::find_if(result.unchecked.begin(), result.unchecked.end(), [](Unchecked const& one) {
            return one.guideline == "Scatter(n) <= Bcast(n)";
        });
        REQUIRE(missing != result.unchecked.end());
        CHECK(missing->missing == std::map<std::string, std::set<measure::Bytes>>{{"Bcast", {48}}});
    }
}

TEST_CASE("the missing points are listed as command lines of the suite", "[guidelines]") {
    OperationSet set{.suite = "mpiperf", .program = "mpiperf", .label = "here", .start = "slot", .launches = 5};
    Unchecked const unchecked{
        .set = "here", .ranks = 4, .missing = {{"Bcast", {64, 128, 1024}}, {"Gather", {64}}, {"Reduce", {64, 100}}}};
    auto const commands = [&] { return commands_for(std::vector{unchecked}, std::vector{set}); };
    CHECK(commands() ==
          Strings{"measure launches -n 5 --keep more-1.jsonl mpiexec -n 4 mpiperf -z slot Bcast:64,128,1024",
                  "measure launches -n 5 --keep more-2.jsonl mpiexec -n 4 mpiperf -z slot Gather:16 Reduce:8,13"});
    set = {.suite = "mpbench", .program = "mpbench", .label = "here", .launches = 1};
    Unchecked const other{.set = "here", .ranks = 2, .missing = {{"Bcast", {64, 128}}, {"Reduce", {64, 128}}}};
    CHECK(commands_for(std::vector{other}, std::vector{set}) ==
          Strings{"mpiexec -n 2 mpbench --json more-1.jsonl --test broadcast,reduce -M 64,128"});
    set = {.suite = "pmb", .program = "PMB-MPI1", .label = "here", .start = "loop", .launches = 1};
    CHECK(commands_for(std::vector{other}, std::vector{set}) ==
          Strings{"mpiexec -n 2 PMB-MPI1 -npmin 2 --json more-1.jsonl -msgsize 64,128 Bcast Reduce"});
    set = {.suite = "skampi", .program = "skampi", .label = "here", .launches = 1};
    CHECK(commands_for(std::vector{other}, std::vector{set}) ==
          Strings{R"(printf '@NODE -\n@NETWORK -\n@USER -\n@MEASUREMENTS\nMPI_Bcast-length { Default_Nodes = 2; )"
                  R"(Start_Argument = 64; End_Argument = 128; }\nMPI_Reduce-length { Default_Nodes = 2; )"
                  R"(Start_Argument = 64; End_Argument = 128; }\n' > more-1.skampi && mpiexec -n 2 skampi )"
                  R"(--json more-1.jsonl -f more-1.skampi -o more-1.out -l more-1.log)"});
    // The names of the measured benchmarks do not matter.
    auto const before = commands_for(std::vector{other}, std::vector{set});
    set.benchmarks["Bcast"] = {.name = "MPI_Bcast-nodes-short", .semantics = {.operation = "Bcast"}};
    set.benchmarks["Reduce"] = {.name = "mine", .semantics = {.operation = "Reduce"}};
    CHECK(commands_for(std::vector{other}, std::vector{set}) == before);
}

TEST_CASE("an operation that a suite cannot measure is named", "[guidelines]") {
    auto const result = checked({operation_launch(
        {operation_record("Bcast", 2, 32, 1e-6), operation_record("Allgather", 2, 16, 1e-6)}, "pmb")});
    auto const missing = std::find_if(result.unchecked.begin(), result.unchecked.end(), [](Unchecked const& one) {
        return one.guideline == "Bcast(n) <= Scatter(n) + Allgather(n)";
    });
    REQUIRE(missing != result.unchecked.end());
    CHECK(missing->unknown == Strings{"Scatter"});
    CHECK(std::none_of(result.commands.begin(), result.commands.end(),
                       [](auto const& command) { return command.find("Scatter") != std::string::npos; }));
}

TEST_CASE("points of other machines are separate, and points of other programs or without a value are only counted",
          "[guidelines]") {
    auto other = operation_launch({operation_record("Bcast", 2, 32, 5e-6)});
    other.record.run.hosts = {{.name = "elsewhere"}};
    auto nothing = operation_record("Bcast", 2, 64, 0);
    auto const points = operation_points(std::vector{
        operation_launch({operation_record("Bcast", 2, 16, 9e-6), nothing, operation_record("Barrier", 2, 8, 9e-6)}),
        other, operation_launch({operation_record("halo", 2, 16, 9e-6)}, "own")});
    CHECK(points.sets.size() == 2);
    // Different roots and a cold cache are separate sets.
    auto with_root = operation_launch({operation_record("Bcast", 2, 32, 5e-6)});
    auto with_other_root = with_root;
    with_root.record.run.options["root"] = 0;
    with_other_root.record.run.options["root"] = 1;
    auto cold = with_root;
    cold.record.run.options["cold"] = true;
    CHECK(operation_points(std::vector{with_root, with_other_root, cold}).sets.size() == 3);
    CHECK(points.without_value == 1);
    CHECK(points.unknown == 1);  // halo; a barrier is known, although it has no size
    CHECK(check_guidelines(points, {}).checks.empty());
}

TEST_CASE("launches with different MPI settings are separate sets", "[guidelines]") {
    auto one = operation_launch({operation_record("Bcast", 2, 16, 5e-6)});
    one.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "1"}, {"UCX_TLS", "tcp"}};
    auto other = one;
    other.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "2"}, {"UCX_TLS", "tcp"}};
    auto unset = one;
    unset.record.run.mpi_settings = std::vector<measure::Setting>{{"UCX_TLS", "tcp"}};
    auto silent = one;
    silent.record.run.mpi_settings.reset();
    auto const points = operation_points(std::vector{one, other, one, unset, silent});
    REQUIRE(points.sets.size() == 4);
    CHECK(points.sets[0].label == "mpiperf, MPIR_CVAR_X=1");
    CHECK(points.sets[0].launches == 2);
    CHECK(points.sets[2].label == "mpiperf, MPIR_CVAR_X unset");
    CHECK(points.sets[3].label == "mpiperf, MPI settings not recorded");
    CHECK(operation_points(std::vector{one, one}).sets[0].label == "mpiperf");
}

TEST_CASE("a correction that a suite subtracts from its mean is also subtracted from its median", "[guidelines]") {
    auto record = operation_record("MPI_Bcast-length", 2, 64, 5e-6);
    record.value = 3e-6;
    record.correction = 2e-6;
    record.estimate->median = 4.5e-6;
    auto const points = operation_points(std::vector{operation_launch({record}, "skampi")});
    CHECK_THAT(points.sets.front().curves.at(2).at("Bcast").at(64).times.at({0, 0}), close_to(2.5e-6));
}

TEST_CASE("the report shows violated guidelines with sizes, and command lines for what was not checked",
          "[guidelines]") {
    std::mt19937_64 random{1};
    std::normal_distribution<double> noise{0, 0.001};
    auto const slow = [&](std::string const& operation, std::int64_t whole, double time) {
        return (operation == "Scatter" && whole > 64 && whole < 1024 ? 3 * time : time) * std::exp(noise(random));
    };
    std::vector<Launch> const launches{library(slow), library(slow), library(slow)};
    GuidelinesReport report{.points = operation_points(launches)};
    report.result = check_guidelines(report.points, report.rules);
    auto const text = plain_text(guidelines_document(report));
    CHECK(text.find("Scatter(n) <= Bcast(n)") != std::string::npos);
    // Sizes are shown as mpiperf counts them: a quarter of the whole data.
    CHECK(text.find("32 B .. 128 B") != std::string::npos);
    CHECK(text.find("not measured by this program") == std::string::npos);
    CHECK(text.find("# * mpiexec") == std::string::npos);
    CHECK(text.find("# * measure launches -n 3") != std::string::npos);
}
