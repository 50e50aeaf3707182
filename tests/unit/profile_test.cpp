// SPDX-License-Identifier: BSD-3-Clause
#include "call_names.hpp"
#include "profile/join.hpp"
#include "profile/parts.hpp"
#include "profile/profile.hpp"
#include "profile/recorded_launch.hpp"
#include "profile/table.hpp"
#include "support/catch.hpp"
// Open MPI defines its handles with old-style casts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "profile/wrap.hpp"
#pragma GCC diagnostic pop

#include <measure/error.hpp>
#include <measure/read.hpp>
#include <measure/report.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Catch::Approx;
using measure::profile::Ending;
using measure::profile::Joined;
using measure::profile::Key;
using measure::profile::RankTable;

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};
using Table = std::unique_ptr<RankTable, Free>;

/// Zeroed memory, like the memory of a rank: pages that are never touched use no memory.
Table table(std::int32_t rank, std::int32_t world) {
    Table made{static_cast<RankTable*>(std::calloc(1, sizeof(RankTable)))};
    made->magic = RankTable::mark;
    made->bytes = sizeof(RankTable);
    made->names = measure::profile::names_mark();
    made->rank = rank;
    made->world = world;
    made->begin = 1;
    made->end = 1'000'000'001;
    made->ending = Ending::finalized;
    made->threads = 1;
    return made;
}

std::uint16_t call(std::string_view name) {
    auto const& names = measure::profile::call_names;
    return static_cast<std::uint16_t>(
        std::find_if(names.begin(), names.end(), [&](auto const& each) { return each.name == name; }) - names.begin());
}

void add(Table& to, Key const& key, std::uint64_t nanoseconds, std::size_t thread = 0) {
    to->thread[thread].find(key, to->keys).add({.sent = 8, .received = 16}, nanoseconds, 0);
}

/// Files with tables in a temporary folder that the destructor removes.
class PartFiles {
public:
    PartFiles() { std::filesystem::create_directories(folder_); }
    ~PartFiles() { std::filesystem::remove_all(folder_); }
    PartFiles(PartFiles const&) = delete;
    PartFiles& operator=(PartFiles const&) = delete;

    /// \param made  must have only a few entries, in its first thread
    void add(Table const& made) {
        constexpr std::streamsize used = 1 << 20;
        auto const path = folder_ / std::to_string(paths.size());
        std::ofstream{path, std::ios::binary}.write(reinterpret_cast<char const*>(made.get()), used);
        std::filesystem::resize_file(path, sizeof(RankTable));
        paths.push_back(path.string());
    }

    std::vector<std::string> paths{};

private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("profile_test." + std::to_string(::getpid()));
};

/// Limits the address space of the process to this amount beyond its current size while the object exists.
class AddressSpace {
public:
    explicit AddressSpace(std::size_t more) {
        std::size_t pages = 0;
        std::ifstream{"/proc/self/statm"} >> pages;
        ::getrlimit(RLIMIT_AS, &before_);
        auto limit = before_;
        limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more;
        ::setrlimit(RLIMIT_AS, &limit);
    }
    ~AddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }
    AddressSpace(AddressSpace const&) = delete;
    AddressSpace& operator=(AddressSpace const&) = delete;

private:
    ::rlimit before_{};
};

Key bcast() { return {.call = call("Bcast"), .size_class = 4, .ranks = 2}; }

measure::tool::MeasuredCosts measured(std::initializer_list<std::pair<std::int64_t, double>> times) {
    measure::Launch launch;
    launch.record.run.suite = "mpiperf";
    for (auto const& [bytes, time] : times) {
        measure::Record record{.benchmark = "Allreduce", .at = {{"ranks", std::int64_t{4}}, {"bytes", bytes}}};
        record.semantics = measure::Semantics{.operation = "Allreduce"};
        record.value = time;
        launch.record.points.push_back(record);
    }
    return measure::tool::MeasuredCosts{std::vector{launch}};
}

/// 100 calls of 64 bytes.
measure::tool::CallCost allreduce(double mean, double least_median, double median) {
    return {.call = "Allreduce",
            .ranks = 4,
            .calls = 100,
            .mean = mean,
            .median = median,
            .least_median = least_median,
            .least_median_rank = 3,
            .most_median = median,
            .size = 64};
}

}  // namespace

TEST_CASE("sizes have one class per doubling and one for zero", "[profile]") {
    using measure::profile::first_of_class;
    using measure::profile::size_class_of;
    CHECK(size_class_of(0) == 0);
    CHECK(size_class_of(1) == 1);
    CHECK(size_class_of(1023) == 10);
    CHECK(size_class_of(1024) == 11);
    for (std::uint64_t const bytes : {0U, 1U, 2U, 1000U, 1024U, 123456789U})
        CHECK((first_of_class(size_class_of(bytes)) <= bytes &&
               size_class_of(first_of_class(size_class_of(bytes))) == size_class_of(bytes)));
}

TEST_CASE("times have two classes per doubling, starting at 64 ns", "[profile]") {
    using measure::profile::first_of_time_class;
    using measure::profile::time_class_of;
    CHECK(time_class_of(0) == 0);
    CHECK(time_class_of(63) == 0);
    CHECK(time_class_of(64) == 1);
    CHECK(time_class_of(90) == 1);  // 64 sqrt 2 = 90.5
    CHECK(time_class_of(91) == 2);
    CHECK(time_class_of(128) == 3);
    CHECK(time_class_of(std::numeric_limits<std::uint64_t>::max()) == measure::profile::time_classes - 1);
    for (std::size_t c = 1; c + 1 < measure::profile::time_classes; ++c) {
        double const first = first_of_time_class(c);
        CHECK(time_class_of(static_cast<std::uint64_t>(std::ceil(first))) == c);
        CHECK(time_class_of(static_cast<std::uint64_t>(std::ceil(first)) - 1) == c - 1);
    }
}

TEST_CASE("4096 of 100000 keys are stored, and the calls of all others are counted together", "[profile]") {
    auto const full = table(0, 1);
    auto& thread = full->thread[0];
    constexpr std::uint64_t keys = 100'000;
    for (std::uint64_t round = 0; round < 2; ++round)
        for (std::uint64_t site = 1; site <= keys; ++site)
            thread.find({.call = 1, .site = site * 16}, full->keys).count({.sent = 1});
    CHECK(thread.entries == measure::profile::most_keys);
    CHECK(thread.other.calls == 2 * (keys - measure::profile::most_keys));
    CHECK(thread.other.moved.sent == thread.other.calls);
    for (std::uint32_t i = 0; i < thread.entries; ++i)
        REQUIRE(thread.entry[i].calls == 2);
    // The limit is per rank: a second thread gets no entry either.
    full->thread[1].find({.call = 2}, full->keys).count({});
    CHECK(full->thread[1].entries == 0);
    CHECK(full->thread[1].other.calls == 1);
}

TEST_CASE("threads that track requests with the same number leave no entry behind", "[profile]") {
    using measure::profile::Followed;
    using measure::profile::Thing;
    constexpr std::uint64_t number = 0x6c000000;
    constexpr int rounds = 100'000;
    auto const counters = table(0, 1);
    measure::profile::state.table = counters.get();
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 1; seed <= 4; ++seed)
        threads.emplace_back([random = seed]() mutable {
            int open = 0;
            for (int i = 0; i < rounds; ++i) {
                random = random * 1664525 + 1013904223;
                bool const begins = open == 0 || (open < 5 && random >> 31U == 0);
                if (begins)
                    follow(Thing::request, number, Followed{.traffic = {.sent = (random >> 20U) % 2}, .ranks = 2});
                else
                    forget(Thing::request, number);
                open += begins ? 1 : -1;
            }
            for (; open > 0; --open)
                forget(Thing::request, number);
        });
    for (auto& thread : threads)
        thread.join();
    Followed what;
    CHECK_FALSE(look(Thing::request, number, what));
    CHECK(counters->not_followed == 0);
    // An entry that several requests share stays until the last one ends.
    for (int i = 0; i < 3; ++i)
        follow(Thing::request, number, {.traffic = {.sent = 8}, .ranks = 2});
    follow(Thing::request, number + 1, {.traffic = {.sent = 16}, .ranks = 2});
    forget(Thing::request, number);
    forget(Thing::request, number);
    REQUIRE(look(Thing::request, number, what));
    CHECK(what == Followed{.traffic = {.sent = 8}, .ranks = 2});
    CHECK_FALSE(look(Thing::message, number, what));
    forget(Thing::request, number);
    CHECK_FALSE(look(Thing::request, number, what));
    CHECK(look(Thing::request, number + 1, what));
    forget(Thing::request, number + 1);
    measure::profile::state.table = nullptr;
}

TEST_CASE("a call during which the clock went back has no time and is not counted", "[profile]") {
    auto const one = table(0, 1);
    measure::profile::state.table = one.get();
    measure::profile::state.on = true;
    measure::profile::thread.table = &one->thread[0];
    {
        measure::profile::Scope const scope(0);
        scope.record(call("Bcast"), 8, {}, 2, 1000, 3000);
        scope.record(call("Bcast"), 8, {}, 2, 3000, 1000);
    }
    measure::profile::thread.table = nullptr;
    measure::profile::state.on = false;
    measure::profile::state.table = nullptr;
    one->threads = 1;
    Joined const all = measure::profile::joined(*one);
    REQUIRE(all.calls.size() == 1);
    CHECK(all.calls.begin()->second.calls == 1);
    CHECK(all.backward == 1);
    measure::Environment run;
    describe(all, run);
    REQUIRE(run.warnings.size() == 1);
    CHECK(run.warnings[0] == "calls that are not counted because the clock went back during the call: 1");
}

TEST_CASE("joining two ranks gives sums, extremes and the error of the mean as computed by hand", "[profile]") {
    auto a = table(0, 2);
    auto b = table(1, 2);
    for (std::uint64_t const time : {1000U, 3000U})
        add(a, bcast(), time);
    b->threads = 2;
    add(b, bcast(), 4000);
    add(b, bcast(), 8000, 1);  // by another thread of the rank, with the same key
    add(b, {.call = call("Barrier"), .ranks = 2}, 500);

    Joined all = measure::profile::joined(*a);
    all.add(measure::profile::unpacked(packed(measure::profile::joined(*b))));
    REQUIRE(all.calls.size() == 2);
    auto const points = measure::profile::points(all);
    REQUIRE(points.size() == 2);
    CHECK(points[0].benchmark == "Barrier");
    auto const& point = points[1];
    CHECK(point.benchmark == "Bcast");
    CHECK(point.at == measure::Point{{"ranks", std::int64_t{2}}, {"bytes", std::int64_t{8}}});
    CHECK(point.valid == 4);
    CHECK(*point.value == Approx(4e-6));
    // s / sqrt(n) over the ranks: 1000 and 2000 ns; each rank has two of the four calls.
    CHECK(*point.estimate->standard_error == Approx(1.5e-6));
    CHECK(point.estimate->min == Approx(1e-6));
    CHECK(point.estimate->max == Approx(8e-6));
    CHECK(point.over_ranks->min == Approx(2e-6));
    CHECK(point.over_ranks->max == Approx(6e-6));
    CHECK(point.derived.number({"sent"}) == Approx(32));
    CHECK(point.derived.number({"received"}) == Approx(64));
    CHECK(point.derived.number({"total", "sum"}) == Approx(16e-6));
    CHECK(point.derived.number({"total", "max"}) == Approx(12e-6));
    CHECK(point.derived.number({"total", "max_rank"}) == Approx(1));
    CHECK(point.derived.number({"total", "min_rank"}) == Approx(0));
    CHECK_FALSE(points[0].estimate->standard_error);  // a single call has no error

    measure::Environment run;
    describe(all, run);
    REQUIRE(run.more.size() == 1);
    CHECK(run.more[0].second.number({"calls"}) == Approx(5));
    CHECK(run.more[0].second.number({"share", "max"}) == Approx(12.5e-6));
    auto const* const ranks = run.more[0].second.get<measure::Value::Array>("by_rank");
    REQUIRE(ranks != nullptr);
    REQUIRE(ranks->size() == 2);
    CHECK((*ranks)[1].number({"rank"}) == Approx(1));
    CHECK((*ranks)[1].number({"time"}) == Approx(1));
    CHECK((*ranks)[1].number({"in_mpi"}) == Approx(12.5e-6));
    CHECK((*ranks)[1].find("waiting") == nullptr);
    CHECK(run.warnings.empty());
}

TEST_CASE("missing parts of a run are reported", "[profile]") {
    auto only = table(1, 4);
    only->ending = Ending::none;
    only->end = 0;
    add(only, bcast(), 1000);
    measure::Environment run;
    describe(measure::profile::joined(*only), run);
    REQUIRE(run.warnings.size() == 2);
    CHECK(run.warnings[0] == "no data from ranks 0,2-3");
    CHECK(run.warnings[1] == "rank 1 ended without MPI_Finalize (killed); calls until then are included");
    CHECK(run.more[0].second.find("time")->is_null());
    auto const* const ranks = run.more[0].second.get<measure::Value::Array>("by_rank");
    REQUIRE(ranks != nullptr);
    CHECK(ranks->at(0).find("time")->is_null());
}

TEST_CASE("a table of another build is refused", "[profile]") {
    auto const other = table(0, 1);
    other->names ^= 1;
    CHECK_THROWS_AS(measure::profile::joined(*other), measure::UsageError);
}

TEST_CASE("a damaged table is refused", "[profile]") {
    auto const refuses = [](auto damage) {
        auto const one = table(0, 2);
        damage(*one);
        CHECK_THROWS_AS(measure::profile::joined(*one), measure::UsageError);
    };
    refuses([](RankTable& one) { one.world = 0; });
    refuses([](RankTable& one) { one.world = std::numeric_limits<std::int32_t>::max(); });
    refuses([](RankTable& one) { one.rank = -1; });
    refuses([](RankTable& one) { one.rank = 2; });
    refuses([](RankTable& one) { one.started = std::numeric_limits<std::int64_t>::max(); });
    refuses([](RankTable& one) { one.host.fill('x'); });
    refuses([](RankTable& one) { one.timer.fill('x'); });
    refuses([](RankTable& one) {
        one.modules = 1;
        one.module[0].path.fill('x');
    });
    auto one = table(0, 2);
    add(one, {.call = call("Bcast"), .size_class = 64, .ranks = 2}, 1000);
    add(one, {.call = call("Bcast"), .size_class = 65, .ranks = 2}, 1000);
    CHECK(measure::profile::joined(*one).calls.size() == 1);
}

TEST_CASE("parts of two launches become two runs, even with more ranks than can be mapped at once", "[profile]") {
    constexpr std::int32_t ranks = 4;
    PartFiles files;
    for (std::uint64_t const start : {2U, 1U})
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            auto one = table(rank, ranks);
            one->begin = start;
            std::copy_n("monotonic", 10, one->timer.begin());
            add(one, bcast(), 1000 * start);
            files.add(one);
        }
    std::vector<std::string> problems;
    std::string text;
    {
        AddressSpace const two_tables{5 * sizeof(RankTable) / 2};
        text = measure::tool::record_of_parts(files.paths, 0, problems);
    }
    CHECK(problems.empty());
    auto const runs = measure::read_records(text);
    REQUIRE(runs.size() == 2);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        CHECK(runs[i].run.ranks == ranks);
        CHECK(runs[i].run.warnings.empty());
        REQUIRE(runs[i].points.size() == 1);
        CHECK(runs[i].points[0].valid == ranks);
        CHECK(*runs[i].points[0].value == Approx(1e-6 * static_cast<double>(i + 1)));
    }
}

TEST_CASE("for a timer that is unknown here, resolution and cost of another timer are given", "[profile]") {
    PartFiles files;
    auto one = table(0, 1);
    std::copy_n("sundial", 8, one->timer.begin());
    add(one, bcast(), 1000);
    files.add(one);
    std::vector<std::string> problems;
    auto const runs = measure::read_records(measure::tool::record_of_parts(files.paths, 0, problems));
    CHECK(problems.empty());
    REQUIRE(runs.size() == 1);
    REQUIRE(runs[0].run.warnings.size() == 1);
    CHECK(runs[0].run.warnings[0] ==
          "the timer 'sundial' is not available here; resolution and cost are given for monotonic");
}

TEST_CASE("an address is named by its file and offset", "[profile]") {
    auto one = table(0, 1);
    one->modules = 1;
    one->module[0].begin = 0x1000;
    one->module[0].end = 0x2000;
    one->module[0].base = 0x1000;
    std::copy_n("/bin/app", 9, one->module[0].path.begin());
    add(one, {.call = 1, .site = 0x1234}, 1);
    add(one, {.call = 1, .site = 0x9000}, 1);
    auto const all = measure::profile::joined(*one);
    REQUIRE(all.calls.size() == 2);
    CHECK(all.calls.begin()->first.site == "/bin/app+0x234");
    CHECK(std::next(all.calls.begin())->first.site == "?+0x9000");
}

TEST_CASE("a mean up to 25 % above the measured time is as expected", "[profile]") {
    auto const costs = measured({{64, 1e-6}});
    auto const same = judged(allreduce(1.2e-6, 1.2e-6, 1.2e-6), costs);
    CHECK(same.verdict == measure::tool::CostVerdict::expected);
    CHECK(*same.ratio == Approx(1.2));
    CHECK(same.to_win == Approx(20e-6));
    CHECK(judged(allreduce(1.5e-6, 1.5e-6, 1.5e-6), costs).verdict == measure::tool::CostVerdict::slower);
    CHECK(judged(allreduce(0.5e-6, 0.5e-6, 0.5e-6), costs).to_win == 0);
}

TEST_CASE("a few calls are not judged", "[profile]") {
    auto few = allreduce(9e-6, 9e-6, 9e-6);
    few.calls = 7;
    auto const one = judged(few, measured({{64, 1e-6}}));
    CHECK(one.verdict == measure::tool::CostVerdict::unknown);
    CHECK(*one.ratio == Approx(9));
    CHECK(one.to_win == 0);
}

TEST_CASE("the rank that waits least is the one that others wait for", "[profile]") {
    auto const costs = measured({{64, 1e-6}});
    auto const late = judged(allreduce(9e-6, 1.1e-6, 9e-6), costs);
    CHECK(late.verdict == measure::tool::CostVerdict::waiting);
    CHECK(late.late_rank == 3);
    auto const in_turn = judged(allreduce(9e-6, 1.0e-6, 1.1e-6), costs);
    CHECK(in_turn.verdict == measure::tool::CostVerdict::waiting);
    CHECK(in_turn.late_rank == -1);
}

TEST_CASE("the verdict names the larger part: the excess of the fastest rank, or the waiting of others", "[profile]") {
    auto const costs = measured({{64, 1e-6}});
    // The late rank, cold after its own work, typically takes 14 us; the others take 1500 us.
    auto cost = allreduce(900e-6, 14e-6, 750e-6);
    cost.most_median = 1500e-6;
    auto const late = judged(cost, costs);
    CHECK(late.verdict == measure::tool::CostVerdict::waiting);
    CHECK(late.late_rank == 3);
    // Slower by half on all ranks; a core that is lost occasionally increases the mean much more.
    CHECK(judged(allreduce(7e-6, 1.5e-6, 1.5e-6), costs).verdict == measure::tool::CostVerdict::slower);
}

TEST_CASE("a barrier before the call separates waiting from the operation", "[profile]") {
    auto const costs = measured({{64, 1e-6}});
    auto cost = allreduce(1e-6, 1e-6, 1e-6);
    cost.waiting = measure::tool::OverRanks{.sum = 100 * 5e-6, .least_rank = 2};
    auto const waiting = judged(cost, costs);
    CHECK(waiting.verdict == measure::tool::CostVerdict::waiting);
    CHECK(waiting.late_rank == 2);
    CHECK(waiting.to_win == Approx(100 * 5e-6));
    cost.mean = 2e-6;
    CHECK(judged(cost, costs).verdict == measure::tool::CostVerdict::slower);
}

TEST_CASE("a model gives the cost between measured sizes, but not outside of them", "[profile]") {
    auto const costs = measured({{0, 1e-6}, {1000, 2e-6}, {2000, 3e-6}, {3000, 4e-6}});
    CHECK(costs.at("Allreduce", 4, 1500)->time == Approx(2.5e-6));
    CHECK(costs.at("Allreduce", 4, 1000)->time == Approx(2e-6));
    CHECK_FALSE(costs.at("Allreduce", 4, 4000));
    CHECK_FALSE(costs.at("Allreduce", 8, 1000));
    CHECK_FALSE(costs.at("Bcast", 4, 1000));
    CHECK_FALSE(measured({{64, 1e-6}}).at("Allreduce", 4, 65));
}

TEST_CASE("records of another machine are reported", "[profile]") {
    measure::Environment here;
    here.mpi_library = "MPICH 4.0.2";
    here.hosts = {{.name = "a", .cpu = "CPU"}};
    auto there = here;
    CHECK(measure::tool::why_elsewhere(here, there).empty());
    there.hosts[0].name = "b";
    CHECK(measure::tool::why_elsewhere(here, there) == "hosts are b there and a here");
    there.hosts.push_back({.name = "a", .cpu = "CPU"});
    CHECK(measure::tool::why_elsewhere(here, there).empty());
    there.mpi_library = "Open MPI 4.1.4";
    CHECK(measure::tool::why_elsewhere(here, there) == "MPI is Open MPI 4.1.4 there and MPICH 4.0.2 here");
}

TEST_CASE("the library is preloaded before other libraries that a launcher preloads", "[profile]") {
    using Words = std::vector<std::string>;
    using measure::tool::with_preload;
    CHECK(with_preload({"mpiexec", "-n", "2", "app"}, "P") == Words{"mpiexec", "-n", "2", "app"});
    CHECK(with_preload({"mpiexec", "-genv", "LD_PRELOAD", "a.so", "app"}, "P") ==
          Words{"mpiexec", "-genv", "LD_PRELOAD", "P:a.so", "app"});
    CHECK(with_preload({"mpiexec", "env", "LD_PRELOAD=a.so", "app"}, "P") ==
          Words{"mpiexec", "env", "LD_PRELOAD=P:a.so", "app"});
    CHECK(with_preload({"mpiexec", "-x", "LD_PRELOAD"}, "P") == Words{"mpiexec", "-x", "LD_PRELOAD"});
}
