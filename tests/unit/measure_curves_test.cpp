// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/series.hpp"
#include "shared/plots.hpp"
#include "support/catch.hpp"

#include <cmath>

using measure::are_alike;
using measure::differences;
using measure::families;
using measure::Family;
using measure::interval_of;
using measure::Launch;
using measure::series_of;
using measure::Source;
using namespace measure::tool;

namespace {

measure::Record timed(std::string benchmark, measure::Point at, double value) {
    measure::Record record{.benchmark = std::move(benchmark), .at = std::move(at), .value = value};
    record.estimate =
        measure::Estimate{.value = value, .interval = measure::Interval{value / 2, value * 2}, .median = value};
    return record;
}

Launch launch_of(std::vector<measure::Record> points, std::string suite = "own") {
    Launch result{.name = "l"};
    result.record.run.suite = std::move(suite);
    result.record.points = std::move(points);
    return result;
}

std::vector<std::string> labels(Family const& family) {
    std::vector<std::string> result;
    for (auto const& curve : family.curves)
        result.push_back(curve.label);
    return result;
}

using Labels = std::vector<std::string>;
std::int64_t i(std::int64_t value) { return value; }

}  // namespace

TEST_CASE("launches may have different tests and numbers of samples only within a campaign", "[sources]") {
    measure::Launch first{.name = "a"};
    first.record.run.options = measure::Value::Object{{"tests", "Bcast:8"}, {"valid_runs", 16}, {"start", "slot"}};
    first.record.run.campaign = measure::Campaign{.id = "monday", .launch = 1};
    auto second = first;
    second.record.run.options = measure::Value::Object{{"tests", "Scan:8"}, {"valid_runs", 40}, {"start", "slot"}};
    second.record.run.campaign->launch = 2;
    CHECK(measure::differences(std::vector{first, second}).empty());
    second.record.run.campaign->id = "tuesday";
    CHECK(measure::differences(std::vector{first, second}).size() == 2);
    second.record.run.campaign.reset();
    CHECK(measure::differences(std::vector{first, second}).size() == 2);
    second = first;
    second.record.run.options["start"] = "barrier";
    CHECK(measure::differences(std::vector{first, second}).size() == 1);
}

TEST_CASE("points become one curve over sizes for each value of the other varying coordinates", "[measure]") {
    std::vector<Source> const sources{
        {"a/x.jsonl",
         {launch_of({timed("Bcast", {{"ranks", i(2)}, {"count", i(2)}, {"bytes", i(16)}, {"root", i(0)}}, 3),
                     timed("Bcast", {{"ranks", i(2)}, {"count", i(1)}, {"bytes", i(8)}, {"root", i(0)}}, 1),
                     timed("Bcast", {{"ranks", i(4)}, {"count", i(1)}, {"bytes", i(8)}, {"root", i(0)}}, 2)})}}};
    auto const series = series_of(sources);
    auto const found = families(series);
    REQUIRE(found.size() == 2);
    CHECK(found[0].x == "bytes");
    CHECK(found[0].common == "root=0");
    CHECK(labels(found[0]) == Labels{"ranks=2", "ranks=4"});
    CHECK(found[0].curves[0].points[0].x == 8);
    CHECK(found[0].curves[0].points[1].x == 16);
    CHECK(found[1].x == "ranks");
    CHECK(labels(found[1]) == Labels{"16 B", "8 B"});
}

TEST_CASE("each file is a curve, labelled with its name or the given label", "[measure]") {
    auto const one = launch_of({timed("B", {{"bytes", i(1)}}, 1), timed("B", {{"bytes", i(2)}}, 1)});
    std::vector<Source> const sources{{"r/2/old.jsonl", {one}}, {"r/3/new.jsonl", {one}}};
    CHECK(labels(families(series_of(sources))[0]) == Labels{"2/old", "3/new"});
    std::vector<std::string> const own{"x", "y"};
    CHECK(labels(families(series_of(sources, own))[0]) == Labels{"x", "y"});
    CHECK_THROWS_AS(series_of(sources, std::vector<std::string>{"x"}), measure::UsageError);
}

TEST_CASE("files with one number of processes each form one curve over the number of processes", "[measure]") {
    std::vector<Source> const sources{{"n2", {launch_of({timed("B", {{"ranks", i(2)}}, 1)})}},
                                      {"n4", {launch_of({timed("B", {{"ranks", i(4)}}, 2)})}}};
    auto const series = series_of(sources);
    auto const found = families(series);
    REQUIRE(found.size() == 1);
    CHECK(labels(found[0]) == Labels{""});
    CHECK(found[0].curves[0].points.size() == 2);
}

TEST_CASE("launches of one program in a file are joined, other runs are not", "[measure]") {
    auto const first = launch_of({timed("B", {{"bytes", i(1)}}, 1)});
    auto const second = launch_of({timed("B", {{"bytes", i(1)}}, 3)});
    auto const other = launch_of({timed("C", {{"bytes", i(1)}}, 3)}, "other");
    std::vector<Source> const sources{{"f", {first, second, other}}};
    auto const series = series_of(sources);
    REQUIRE(series.size() == 2);
    CHECK(series[0].launches.size() == 2);
    CHECK(*series[0].points[0].value == 2);
    CHECK(series[1].label == "f:2");
    CHECK_FALSE(interval_of(series[0].points[0]));  // two medians have no interval
    CHECK(interval_of(series[1].points[0]) == measure::Interval{1.5, 6});
}

TEST_CASE("only launches of one series with equal settings are joined", "[measure]") {
    auto const run = [](char const* day) {
        auto one = launch_of({timed("B", {{"bytes", i(1)}}, 1)});
        one.record.run.started = std::string{day} + "T10:00:00Z";
        one.record.run.command = {"mpiperf", "--json", day, "Bcast"};
        one.record.run.mpi_library = "MPICH 4.0.2";
        one.record.run.mpi_settings.emplace();
        return one;
    };
    auto const first = run("2025-01-31");
    auto const joined = [&](Launch const& other) { return are_alike(first, other); };
    CHECK(joined(run("2025-01-31")));
    CHECK(joined(run("2025-02-01")));  // 24 hours later
    CHECK_FALSE(joined(run("2025-02-02")));
    CHECK_FALSE(joined(run("2025-11-30")));
    CHECK(are_alike(first, run("2025-11-30"), true));

    auto other = first;
    other.record.run.command = {"mpiperf", "--seed=7", "--json=x", "Bcast"};
    CHECK(joined(other));
    other.record.run.command.back() = "Allreduce";
    CHECK_FALSE(joined(other));

    other = first;
    other.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "1"}};
    CHECK_FALSE(joined(other));
    CHECK_FALSE(are_alike(first, other, true));
    auto const difference = differences(std::vector{first, other});
    REQUIRE(difference.size() == 1);
    CHECK(difference[0].field == "mpi_settings.MPIR_CVAR_X");
    CHECK(difference[0].serious);
    other.record.run.mpi_settings.reset();
    REQUIRE(differences(std::vector{first, other}).size() == 1);
    CHECK(differences(std::vector{first, other})[0].field == "mpi_settings");

    other = run("2025-11-30");
    other.record.run.campaign = measure::Campaign{"x", 2};
    CHECK_FALSE(joined(other));
    auto of_campaign = first;
    of_campaign.record.run.campaign = measure::Campaign{"x", 1};
    CHECK(are_alike(of_campaign, other));
    other.record.run.campaign->id = "y";
    CHECK_FALSE(are_alike(of_campaign, other));
}

TEST_CASE("size over time inverts intervals and omits points without a size", "[measure]") {
    std::vector<Source> const sources{{"f",
                                       {launch_of({timed("B", {{"bytes", i(0)}}, 1), timed("B", {{"bytes", i(8)}}, 2),
                                                   timed("B", {{"bytes", i(800)}}, 4)})}}};
    auto const series = series_of(sources);
    auto const plot = size_over_time(families(series)[0]);
    REQUIRE(plot.curves[0].points.size() == 2);
    CHECK(plot.curves[0].points[0].y == 4);
    CHECK(plot.curves[0].points[0].interval == measure::Interval{2, 8});
    CHECK(plot.x.log);
    CHECK(plot.y.log);
    CHECK(plot_of(families(series)[0]).y.unit == page::Unit::seconds);
}

TEST_CASE("a time that may be zero has no upper limit of its rate", "[measure]") {
    auto points = std::vector{timed("B", {{"bytes", i(8)}}, 2), timed("B", {{"bytes", i(16)}}, 2)};
    points[0].estimate->interval = measure::Interval{0, 4};
    points[1].estimate->interval = measure::Interval{-1, 4};
    std::vector<Source> const sources{{"f", {launch_of(points)}}};
    auto const series = series_of(sources);
    auto const plot = size_over_time(families(series)[0]);
    REQUIRE(plot.curves[0].points[0].interval);
    CHECK(plot.curves[0].points[0].interval->first == 2);
    CHECK(std::isinf(plot.curves[0].points[0].interval->second));
    CHECK_FALSE(plot.curves[0].points[1].interval);  // a time cannot be negative
}

TEST_CASE("an interval is corrected like its value, and dropped if it does not contain it", "[measure]") {
    auto record = timed("B", {}, 2);
    CHECK(interval_of(record) == measure::Interval{1, 4});
    record.correction = 0.5;
    CHECK(interval_of(record) == measure::Interval{1, 4});  // the correction is known, but not subtracted
    record.value = 1.5;
    CHECK(interval_of(record) == measure::Interval{0.5, 3.5});
    record.value = 7;
    CHECK_FALSE(interval_of(record));
}

TEST_CASE("a curve names the differences between the runs that it joins", "[measure]") {
    auto two = launch_of({timed("B", {{"ranks", i(2)}}, 1)});
    auto four = launch_of({timed("B", {{"ranks", i(4)}}, 2)});
    two.record.run.ranks = 2;
    four.record.run.ranks = 4;
    two.record.run.mpi_library = "one";
    four.record.run.mpi_library = "other";
    std::vector<Source> const sources{{"n2", {two}}, {"n4", {four}}};
    auto const series = series_of(sources);
    CHECK(families(series)[0].differing == Labels{"mpi"});
}
