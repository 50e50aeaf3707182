// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/read.hpp"
#include "measure/regions.hpp"
#include "regions/region_tree.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"
#include "support/folder.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

using Catch::Approx;
using measure::Comm;
using measure::Regions;
using measure::detail::RegionTree;
using test::FakeTimer;

namespace {

std::vector<measure::RunRecord> records_in(std::string const& path) {
    std::ifstream file{path};
    return measure::read_records(std::string{std::istreambuf_iterator<char>{file}, {}});
}

double derived(measure::Record const& point, char const* member, char const* which) {
    return std::get<double>(point.derived.find(member)->find(which)->data());
}

/// The regions of one rank with a clock that the test advances, and their record.
struct Alone {
    test::Folder folder{};
    std::string file = folder.file("regions.jsonl");
    FakeTimer timer = FakeTimer::counting(0);
    Regions regions{Comm::solo(), {.name = "test", .file = file, .timer = timer, .samples = 3}};

    void stay(measure::Region region, std::int64_t ns) const {
        auto const scope = region.enter();
        timer.advance(ns);
    }
    measure::RunRecord record() {
        CHECK(regions.end() == "");
        return records_in(file).back();
    }
};

/// A clock whose stamps are doubles, in seconds.
struct InSeconds {
    using stamp = double;
    [[nodiscard]] stamp now() const noexcept { return static_cast<double>(measure::MonotonicRawTimer{}.now()) * 1e-9; }
    [[nodiscard]] measure::seconds between(stamp a, stamp b) const { return measure::seconds{b - a}; }
    [[nodiscard]] stamp after(stamp a, measure::seconds d) const { return a + d.count(); }
    [[nodiscard]] measure::seconds resolution() const { return measure::seconds{1e-9}; }
};

bool has_flag(measure::Record const& point, std::string const& flag) {
    return std::find(point.flags.begin(), point.flags.end(), flag) != point.flags.end();
}

}  // namespace

TEST_CASE("each entry of a region is measured", "[regions]") {
    Alone alone;
    auto const work = alone.regions["work"];
    for (std::int64_t const ns : {2000, 4000, 9000})
        alone.stay(work, ns);
    auto const run = alone.record();

    REQUIRE(run.points.size() == 1);
    auto const& point = run.points[0];
    CHECK(point.benchmark == "work");
    CHECK(point.at.ranks() == 1);
    CHECK(point.valid == 3);
    CHECK(point.value.value() == Approx(5e-6));
    CHECK(point.estimate->standard_error.value() == Approx(std::sqrt(13.0 / 3) * 1e-6));
    CHECK(point.estimate->min == Approx(2e-6));
    CHECK(point.estimate->median == Approx(4e-6).epsilon(0.07));
    CHECK(point.estimate->max == Approx(9e-6));
    CHECK(derived(point, "total", "max") == Approx(15e-6));
    auto const& rank = std::get<measure::Value::Array>(point.derived.find("by_rank")->data()).at(0);
    CHECK(std::get<measure::Value::Array>(rank.find("samples")->data()).size() == 3);
    CHECK(run.run.suite == "regions");
    CHECK(run.run.warnings.empty());
    CHECK(run.end->status == "complete");
}

TEST_CASE("a nested region is distinct from the same region elsewhere, and its time is included in its parents",
          "[regions]") {
    Alone alone;
    auto const step = alone.regions["step"];
    auto const halo = alone.regions["halo"];
    for (int i = 0; i < 2; ++i) {
        auto const scope = step.enter();
        alone.timer.advance(1000);
        alone.stay(halo, 3000);
        alone.stay(halo, 5000);
    }
    alone.stay(halo, 7000);
    auto const run = alone.record();

    REQUIRE(run.points.size() == 3);
    CHECK(run.points[0].benchmark == "step");
    CHECK(run.points[0].value.value() == Approx(9e-6));
    CHECK(derived(run.points[0], "total", "mean") == Approx(18e-6));
    CHECK(derived(run.points[0], "exclusive", "mean") == Approx(2e-6));
    CHECK(run.points[1].benchmark == "step/halo");
    CHECK(std::get<std::string>(run.points[1].derived.find("parent")->data()) == "step");
    CHECK(run.points[1].valid == 4);
    CHECK(run.points[1].value.value() == Approx(4e-6));
    CHECK(run.points[2].benchmark == "halo");
    CHECK(run.points[2].derived.find("parent") == nullptr);
    CHECK(run.points[2].value.value() == Approx(7e-6));
}

TEST_CASE("an entry during which the clock went back is invalid, and no time is negative", "[regions]") {
    Alone alone;
    auto const step = alone.regions["step"];
    auto const halo = alone.regions["halo"];
    for (std::int64_t const ns : {3000, -50'000, 5000}) {
        auto const scope = step.enter();
        alone.timer.advance(1000);
        alone.stay(halo, ns);
    }
    auto const lost = alone.regions["lost"];
    alone.stay(lost, -1000);
    auto const run = alone.record();

    REQUIRE(run.points.size() == 3);
    CHECK((run.points[0].attempts == 3 && run.points[0].valid == 2 && run.points[0].invalid.backward == 1));
    CHECK(run.points[0].value.value() == Approx(5e-6));
    CHECK(run.points[0].estimate->min == Approx(4e-6));
    CHECK(derived(run.points[0], "exclusive", "max") == Approx(2e-6));
    CHECK(has_flag(run.points[0], "clock_stepped"));
    CHECK(run.points[1].value.value() == Approx(4e-6));
    CHECK(run.points[2].status == measure::PointStatus::no_valid_samples);
    CHECK_FALSE(run.points[2].value);
    CHECK((run.points[2].attempts == 1 && run.points[2].valid == 0));
}

TEST_CASE("an exception leaves the regions that it passes", "[regions]") {
    Alone alone;
    auto const outer = alone.regions["outer"];
    auto const inner = alone.regions["inner"];
    try {
        auto const scope = outer.enter();
        auto const deeper = inner.enter();
        alone.timer.advance(1000);
        throw std::runtime_error("no more paper");
    } catch (std::runtime_error const&) {
    }
    alone.stay(outer, 3000);
    auto const run = alone.record();

    REQUIRE(run.points.size() == 2);
    CHECK(run.points[0].valid == 2);
    CHECK(run.points[0].value.value() == Approx(2e-6));
    CHECK_FALSE(has_flag(run.points[0], "left_open"));
    CHECK(run.run.warnings.empty());
}

TEST_CASE("a region that is open at the end counts until then and is marked", "[regions]") {
    Alone alone;
    auto const whole = alone.regions["whole"];
    std::optional<measure::RunRecord> run;
    {
        auto const scope = whole.enter();
        alone.timer.advance(4000);
        run = alone.record();
        alone.timer.advance(4000);
    }
    alone.stay(whole, 1000);  // ignored after the end

    CHECK_FALSE(alone.regions.on());
    CHECK(alone.regions.end() == "");
    CHECK(records_in(alone.file).size() == 1);
    REQUIRE(run->points.size() == 1);
    CHECK(run->points[0].valid == 1);
    CHECK(run->points[0].value.value() == Approx(4e-6));
    CHECK_FALSE(run->points[0].estimate->standard_error.has_value());
    CHECK(has_flag(run->points[0], "left_open"));
    CHECK(run->run.warnings.size() == 1);
}

TEST_CASE("ending a region ends the regions inside it, and ending a region that is not open does nothing",
          "[regions]") {
    Alone alone;
    auto const outer = alone.regions["outer"];
    auto const inner = alone.regions["inner"];
    outer.begin();
    alone.timer.advance(1000);
    inner.begin();
    alone.timer.advance(2000);
    outer.end();
    alone.timer.advance(4000);
    inner.end();
    alone.stay(inner, 8000);
    auto const run = alone.record();

    REQUIRE(run.points.size() == 3);
    CHECK(run.points[0].value.value() == Approx(3e-6));
    CHECK(run.points[1].benchmark == "outer/inner");
    CHECK(run.points[1].value.value() == Approx(2e-6));
    CHECK(run.points[2].value.value() == Approx(8e-6));
    CHECK(run.run.warnings.size() == 1);
}

TEST_CASE("scopes of other threads are ignored and counted", "[regions]") {
    Alone alone;
    auto const work = alone.regions["work"];
    {
        auto const scope = work.enter();
        std::thread other{[&] {
            auto const own = alone.regions["own"];
            for (int i = 0; i < 5; ++i)
                auto const inside = (i % 2 == 0 ? own : work).enter();
        }};
        other.join();
        alone.timer.advance(1000);
    }
    auto const run = alone.record();
    REQUIRE(run.points.size() == 1);
    CHECK(run.points[0].valid == 1);
    REQUIRE(run.run.warnings.size() == 1);
    CHECK(run.run.warnings[0].starts_with("5 entries from threads other than the one"));
}

TEST_CASE("a region that is nested too deeply counts for its parent", "[regions]") {
    auto const timer = FakeTimer::counting(0);
    RegionTree tree(timer, 0);
    auto& slot = tree.slot("recursive");
    auto const descend = [&](auto const& self, std::size_t levels) -> void {
        if (levels == 0)
            return timer.advance(10);
        tree.enter(slot);
        self(self, levels - 1);
        tree.leave(slot);
    };
    for (int i = 0; i < 3; ++i)
        descend(descend, RegionTree::max_depth + 7);

    CHECK(tree.paths().size() == RegionTree::max_depth);
    CHECK(tree.paths().back().tally.count() == 3);
    CHECK(tree.paths().back().exclusive == 30);
    CHECK(tree.paths().front().exclusive == 0);
    CHECK(tree.paths().front().tally.total() == 30);
    CHECK(tree.troubles().too_deep == 21);
    CHECK(tree.troubles().unbalanced == 0);
}

TEST_CASE("a region below many parents has one path each, in any order of entries", "[regions]") {
    constexpr int parents = 300;
    Alone alone;
    auto const halo = alone.regions["halo"];
    auto const visit = [&](int i) {
        auto const outer = alone.regions["parent " + std::to_string(i)].enter();
        alone.stay(halo, 10 + i);
    };
    for (int i = 0; i < parents; ++i)
        visit(i);
    for (int i = parents - 1; i >= 0; --i)
        visit(i);
    alone.stay(halo, 7);

    auto const points = alone.record().points;
    REQUIRE(points.size() == 2 * parents + 1);
    for (std::size_t i = 0; i < parents; ++i) {
        auto const& inner = points[2 * i + 1];
        CHECK(inner.benchmark == "parent " + std::to_string(i) + "/halo");
        CHECK(inner.valid == 2);
        CHECK(inner.estimate->min == Approx(static_cast<double>(10 + i) * 1e-9));
        CHECK(inner.estimate->max == inner.estimate->min);
    }
    CHECK(points.back().benchmark == "halo");
    CHECK(points.back().valid == 1);
}

TEST_CASE("disabled regions measure nothing, write nothing and do not read the clock", "[regions]") {
    auto const timer = FakeTimer::counting(1);
    Regions regions{Comm::solo(), {.file = "", .timer = timer}};
    auto const work = regions["work"];
    {
        auto const scope = work.enter();
        work.begin();
        work.end();
        auto const nothing = measure::Region{}.enter();
    }
    CHECK_FALSE(regions.on());
    CHECK(regions.end() == "");
    CHECK(timer.readings() == 0);
    CHECK_THROWS_AS(regions[""], measure::UsageError);
    CHECK_THROWS_AS(regions["a/b"], measure::UsageError);
}

TEST_CASE("two objects in one program append one run each to the same file", "[regions]") {
    test::Folder folder;
    auto const file = folder.file("two.jsonl");
    Regions solver{Comm::solo(), {.name = "solver", .file = file}};
    Regions library{Comm::solo(), {.name = "library", .file = file}};
    auto const outer = solver["work"];
    auto const inner = library["work"];
    {
        auto const scope = outer.enter();
        auto const same_name = inner.enter();
    }
    Regions moved = std::move(solver);  // handles stay valid
    { auto const scope = outer.enter(); }
    CHECK(library.end() == "");
    CHECK(moved.end() == "");

    auto const runs = records_in(file);
    REQUIRE(runs.size() == 2);
    CHECK(std::get<std::string>(runs[0].run.options.find("name")->data()) == "library");
    CHECK(runs[0].points.at(0).benchmark == "work");
    CHECK(runs[0].points.at(0).valid == 1);
    CHECK(runs[1].points.at(0).valid == 2);
}

TEST_CASE("a file that cannot be opened is an error immediately, a failed write is only a message", "[regions]") {
    CHECK_THROWS_AS((Regions{Comm::solo(), {.file = "/nonexistent/folder/file"}}), measure::UsageError);
    Regions regions{Comm::solo(), {.file = "/dev/full"}};
    { auto const scope = regions["work"].enter(); }
    CHECK(regions.end().find("No space left") != std::string::npos);
}

TEST_CASE("a record that does not fit on the disk leaves nothing in the file", "[regions]") {
    test::Folder const folder;
    auto const file = folder.file("regions.jsonl");
    auto const end = [&] {
        Regions regions{Comm::solo(), {.file = file}};
        { auto const scope = regions["work"].enter(); }
        return regions.end();
    };
    REQUIRE(end() == "");
    auto const whole = std::filesystem::file_size(file);

    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit const tight{whole + 100, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    auto const problem = end();
    setrlimit(RLIMIT_FSIZE, &before);

    CHECK(problem.find("the record cannot be written: ") == 0);
    CHECK(std::filesystem::file_size(file) == whole);
    CHECK(end() == "");
    CHECK(records_in(file).size() == 2);
}

TEST_CASE("more samples than can be kept are an error immediately", "[regions]") {
    test::Folder const folder;
    auto const file = folder.file("regions.jsonl");
    CHECK_THROWS_AS((Regions{Comm::solo(), {.file = file, .samples = std::size_t{1} << 62}}), measure::UsageError);
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("an object that is never ended leaves no record", "[regions]") {
    test::Folder folder;
    auto const file = folder.file("never.jsonl");
    {
        Regions regions{Comm::solo(), {.file = file}};
        auto const scope = regions["work"].enter();
    }
    CHECK(std::filesystem::file_size(file) == 0);
}

TEST_CASE("environment variables enable regions, and wrong values leave them disabled", "[regions]") {
    test::Folder folder;
    auto const file = folder.file("by_environment.jsonl");
    CHECK_FALSE(Regions{Comm::solo()}.on());
    setenv("MEASURE_REGIONS", file.c_str(), 1);
    setenv("MEASURE_REGIONS_TIMER", "gettimeofday", 1);
    {
        Regions regions{Comm::solo()};
        CHECK(regions.on());
        { auto const scope = regions["work"].enter(); }
        CHECK(regions.end() == "");
    }
    CHECK(records_in(file).at(0).run.timer.name == "gettimeofday");
    setenv("MEASURE_REGIONS_TIMER", "sundial", 1);
    CHECK_FALSE(Regions{Comm::solo()}.on());
    unsetenv("MEASURE_REGIONS_TIMER");
    for (char const* const wrong : {"many", "-1", "3.5", "1000001"}) {
        setenv("MEASURE_REGIONS_SAMPLES", wrong, 1);
        CHECK_FALSE(Regions{Comm::solo()}.on());
    }
    unsetenv("MEASURE_REGIONS_SAMPLES");
    setenv("MEASURE_REGIONS", "-", 1);
    CHECK_FALSE(Regions{Comm::solo()}.on());
    unsetenv("MEASURE_REGIONS");
}

TEST_CASE("regions work with real clocks and with clocks that count in doubles", "[regions]") {
    measure::MonotonicRawTimer const raw;
    measure::AnyTimer const timers[] = {raw, measure::GettimeofdayTimer{}, InSeconds{}};
    for (auto const& timer : timers) {
        RegionTree tree(timer, 0);
        auto& slot = tree.slot("work");
        auto const begun = raw.now();
        tree.enter(slot);
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
        tree.leave(slot);
        double const bound = raw.between(begun, raw.now()).count();
        double const seen = static_cast<double>(tree.paths()[0].tally.total()) * tree.tick();
        CHECK(seen > 1.9e-3);
        CHECK(seen < bound * 1.01 + 1e-5);
    }
}
