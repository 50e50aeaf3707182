// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/read.hpp"
#include "measure/regions.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"
#include "support/folder.hpp"
#include "support/gather_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

using Catch::Approx;
using measure::Comm;
using measure::Regions;
using measure::Value;
using test::FakeTimer;

namespace {

/// A folder created by the root, whose path is known on every rank.
class SharedFolder {
public:
    explicit SharedFolder(Comm const& comm) {
        if (comm.is_root())
            path_ = folder_.emplace().path().string();
        comm.broadcast(path_);
    }
    [[nodiscard]] std::string file(std::string const& name) const { return path_ + '/' + name; }

private:
    std::optional<test::Folder> folder_{};
    std::string path_{};
};

std::vector<measure::RunRecord> records_in(std::string const& path) {
    std::ifstream file{path};
    return measure::read_records(std::string{std::istreambuf_iterator<char>{file}, {}});
}

double member(Value const& object, std::string_view name) {
    auto const& data = object.find(name)->data();
    auto const* const integer = std::get_if<std::int64_t>(&data);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(data);
}

Value::Array const& by_rank(measure::Record const& point) {
    return std::get<Value::Array>(point.derived.find("by_rank")->data());
}

/// The clock of each rank stops except during its stays.
struct Stay {
    FakeTimer timer = FakeTimer::counting(0);
    void operator()(measure::Region region, std::int64_t ns) const {
        auto const scope = region.enter();
        timer.advance(ns);
    }
};

}  // namespace

TEST_CASE("regions are matched by name, whatever the order on the ranks", "[regions]") {
    Comm const comm{MPI_COMM_WORLD};
    SharedFolder const folder{comm};
    auto const file = folder.file("united.jsonl");
    int const rank = comm.rank();
    int const n = comm.size();
    Stay const stay;
    Regions regions{comm, {.file = file, .timer = stay.timer, .samples = 2}};
    for (std::string const name : {"halo", "solve"})
        if (rank % 2 == 0)
            (void)regions[name];
    auto const solve = regions["solve"];
    auto const halo = regions["halo"];
    for (int i = 0; i < 4; ++i) {
        auto const scope = solve.enter();
        stay(halo, 1000 * (rank + 1));
    }
    if (rank == n - 1)
        stay(regions["only the last"], 5000);
    auto const problem = regions.end();
    CHECK(problem == "");
    if (!comm.is_root())
        return;

    auto const runs = records_in(file);
    REQUIRE(runs.size() == 1);
    auto const& points = runs[0].points;
    REQUIRE(points.size() == 3);
    CHECK(runs[0].run.ranks == n);
    CHECK(points[0].benchmark == "solve");
    CHECK(points[1].benchmark == "solve/halo");
    CHECK(points[2].benchmark == "only the last");

    auto const& inner = points[1];
    CHECK(inner.at.ranks() == n);
    CHECK(inner.valid == 4 * n);
    CHECK(inner.value.value() == Approx((n + 1) / 2.0 * 1e-6));
    CHECK(inner.over_ranks->min == Approx(1e-6));
    CHECK(inner.over_ranks->max == Approx(n * 1e-6));
    CHECK(inner.estimate->max == Approx(n * 1e-6));
    // All times of a clock with nanosecond steps are equal.
    CHECK(inner.estimate->standard_error.value() == Approx(measure::least_error(1e-9)));
    CHECK(member(inner.derived, "imbalance") == Approx(2.0 * n / (n + 1)));
    CHECK(member(*inner.derived.find("total"), "max") == Approx(4e-6 * n));
    CHECK(member(*points[0].derived.find("exclusive"), "max") == Approx(0).margin(1e-15));
    REQUIRE(by_rank(inner).size() == static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r) {
        auto const& row = by_rank(inner)[static_cast<std::size_t>(r)];
        CHECK(member(row, "rank") == r);
        CHECK(member(row, "mean") == Approx((r + 1) * 1e-6));
        CHECK(std::get<Value::Array>(row.find("samples")->data()).size() == 2);
    }
    CHECK(member(points[2].derived, "entered_by") == 1);
    CHECK(member(points[2].derived, "imbalance") == Approx(n));
    REQUIRE(by_rank(points[2]).size() == 1);
    CHECK(member(by_rank(points[2])[0], "rank") == n - 1);
    CHECK(std::get<Value::Array>(by_rank(points[2])[0].find("samples")->data()).size() == 1);
}

TEST_CASE("the environment of rank 0 applies to all ranks", "[regions]") {
    Comm const comm{MPI_COMM_WORLD};
    SharedFolder const folder{comm};
    auto const file = folder.file("environment.jsonl");
    if (comm.is_root()) {
        setenv("MEASURE_REGIONS", file.c_str(), 1);
        setenv("MEASURE_REGIONS_TIMER", "mpi_wtime", 1);
        setenv("MEASURE_REGIONS_SAMPLES", "5", 1);
    } else {
        setenv("MEASURE_REGIONS", "/nonexistent/folder/file", 1);
    }
    Regions regions{MPI_COMM_WORLD, {.name = "by environment"}};
    bool const on = regions.on();
    {
        auto const scope = regions["pause"].enter();
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    auto const problem = regions.end();
    for (char const* name : {"MEASURE_REGIONS", "MEASURE_REGIONS_TIMER", "MEASURE_REGIONS_SAMPLES"})
        unsetenv(name);
    CHECK(on);
    CHECK(problem == "");
    if (comm.is_root()) {
        auto const runs = records_in(file);
        REQUIRE(runs.size() == 1);
        CHECK(runs[0].run.timer.name == "mpi_wtime");
        CHECK(member(runs[0].run.options, "samples") == 5);
        REQUIRE(runs[0].points.size() == 1);
        CHECK(runs[0].points[0].estimate->min > 0.9e-3);
    }
}

TEST_CASE("a file that rank 0 cannot open is an error on all ranks, a failed write is reported as one text",
          "[regions]") {
    Comm const comm{MPI_COMM_WORLD};
    std::string error;
    try {
        Regions const regions{comm, {.file = "/nonexistent/folder/file"}};
    } catch (measure::UsageError const& e) {
        error = e.what();
    }
    Regions regions{comm, {.file = "/dev/full"}};
    { auto const scope = regions["work"].enter(); }
    auto const problem = regions.end();
    bool const same = test::same_on_all_ranks(error) && test::same_on_all_ranks(problem);
    CHECK(same);
    CHECK(error.find("/nonexistent/folder/file") != std::string::npos);
    CHECK(problem.find("No space left") != std::string::npos);
}

TEST_CASE("a request in the environment that cannot be fulfilled turns regions off on all ranks", "[regions]") {
    Comm const comm{MPI_COMM_WORLD};
    setenv("MEASURE_REGIONS", "/nonexistent/folder/file", 1);
    Regions regions{comm};
    unsetenv("MEASURE_REGIONS");
    { auto const scope = regions["work"].enter(); }
    CHECK_FALSE(regions.on());
    CHECK(regions.end() == "");
}

TEST_CASE("parts of the world have their own regions in one file", "[regions]") {
    Comm const comm{MPI_COMM_WORLD};
    SharedFolder const folder{comm};
    auto const file = folder.file("parts.jsonl");
    auto const part = comm.split(comm.rank() % 2);
    Regions world{comm, {.name = "world", .file = file}};
    Regions half{*part, {.name = comm.rank() % 2 == 0 ? "even" : "odd", .file = file}};
    {
        auto const outer = world["work"].enter();
        auto const inner = half["work"].enter();
    }
    auto const problem = half.end() + world.end();
    CHECK(problem == "");
    comm.barrier();
    if (!comm.is_root())
        return;
    std::vector<std::string> found;
    for (auto const& run : records_in(file)) {
        found.push_back(std::get<std::string>(run.run.options.find("name")->data()) + std::to_string(run.run.ranks));
        CHECK(run.end.has_value());
        CHECK(run.points.size() == 1);
    }
    std::sort(found.begin(), found.end());
    int const n = comm.size();
    std::vector<std::string> expected{"even" + std::to_string((n + 1) / 2), "world" + std::to_string(n)};
    if (n > 1)
        expected.insert(expected.begin() + 1, "odd" + std::to_string(n / 2));
    CHECK(found == expected);
}

TEST_CASE("a thousand regions are a thousand points", "[regions][not_quick]") {
    constexpr int many = 1000;
    Comm const comm{MPI_COMM_WORLD};
    SharedFolder const folder{comm};
    auto const file = folder.file("many.jsonl");
    Stay const stay;
    Regions regions{comm, {.file = file, .timer = stay.timer}};
    for (int i = 0; i < many; ++i)
        stay(regions["region " + std::to_string((i + 7 * comm.rank()) % many)], 100);
    auto const problem = regions.end();
    CHECK(problem == "");
    if (comm.is_root()) {
        auto const runs = records_in(file);
        REQUIRE(runs.size() == 1);
        REQUIRE(runs[0].points.size() == many);
        CHECK(runs[0].points[999].benchmark == "region 999");
        CHECK(runs[0].points[999].valid == comm.size());
    }
}

TEST_CASE("regions that are destroyed without end() free nothing that others need", "[regions]") {
    Comm const comm{MPI_COMM_WORLD};
    SharedFolder const folder{comm};
    { Regions const forgotten{comm, {.file = folder.file("forgotten.jsonl")}}; }
    CHECK(comm.sum(1) == comm.size());
}
