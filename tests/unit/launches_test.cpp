// SPDX-License-Identifier: BSD-3-Clause
#include "measure/launches.hpp"
#include "measure/report.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>

using measure::Estimate;
using measure::Interval;
using measure::merge_launches;
using measure::Point;
using measure::PointStatus;
using measure::Quantity;
using measure::Record;
using measure::Value;

namespace {

using Catch::Matchers::WithinAbs;
using Launches = std::vector<std::vector<Record>>;

/// A point of one launch: trimmed mean, its standard error, median.
Record point(std::int64_t bytes, double mean, double error, double median) {
    Record r;
    r.benchmark = "Bcast";
    r.at = Point{{"ranks", std::int64_t{2}}, {"bytes", bytes}};
    r.value = mean;
    r.estimate =
        measure::Estimate{.value = mean, .standard_error = error, .median = median, .min = median - 1, .max = mean + 5};
    r.attempts = 32;
    r.valid = 30;
    r.kept = 16;
    r.invalid.late = 2;
    r.elapsed = measure::seconds{0.5};
    return r;
}

double number(Record const& record, char const* name) {
    auto const* const value = record.derived.find(name);
    REQUIRE(value != nullptr);
    return std::get<double>(value->data());
}

std::string derived(Record const& record, char const* name) {
    auto const* const value = record.derived.find(name);
    return value == nullptr ? "missing" : measure::json_text(*value);
}

}  // namespace

TEST_CASE("merging four launches matches values computed by hand", "[launches]") {
    // Means 10 12 14 16: mean 13, s^2 = (9 + 1 + 1 + 9) / 3 = 20/3, standard error sqrt(20/3) / 2 = 1.2910.
    // Medians 9 11 10 20: median 10.5. Errors within launches 0.3 0.4 0 0: sqrt(0.09 + 0.16) / 4 = 0.125.
    Launches const launches{
        {point(8, 10, 0.3, 9)}, {point(8, 12, 0.4, 11)}, {point(8, 14, 0, 10)}, {point(8, 16, 0, 20)}};
    auto const merged = merge_launches(launches);
    REQUIRE(merged.size() == 1);
    auto const& r = merged.front();
    CHECK(r.value == 10.5);
    CHECK(r.estimate->median == 10.5);
    CHECK_FALSE(r.estimate->median_interval);
    CHECK(r.estimate->value == 13);
    CHECK_THAT(*r.estimate->standard_error, WithinAbs(1.29099, 1e-5));
    // t(3) = 3.18245
    CHECK_THAT(r.estimate->interval->first, WithinAbs(13 - 3.18245 * 1.29099, 1e-4));
    CHECK(r.estimate->min == 8);
    CHECK(r.estimate->max == 21);
    CHECK_THAT(number(r, "rse"), WithinAbs(1.29099 / 13, 1e-6));
    CHECK_THAT(number(r, "standard_error_within"), WithinAbs(0.125, 1e-12));
    CHECK_THAT(number(r, "spread_ratio"), WithinAbs(1.29099 / 0.125, 1e-4));
    // The row shows the median. Its 68 % interval reaches from the smallest to the largest of the four, 9 to 20.
    CHECK(number(r, "median_error") == 5.5);
    auto const own = measure::estimate_of_value(r);
    CHECK(own->value == 10.5);
    CHECK(own->standard_error == 5.5);
    CHECK_FALSE(own->interval);
    CHECK(derived(r, "launches") == "[10.0,12.0,14.0,16.0]");
    CHECK(derived(r, "launch_medians") == "[9.0,11.0,10.0,20.0]");
    CHECK(derived(r, "launch_standard_errors") == "[0.3,0.4,0.0,0.0]");
    CHECK(r.attempts == 128);
    CHECK(r.valid == 120);
    CHECK(r.invalid.late == 8);
    CHECK(r.elapsed.count() == 2);
    CHECK(r.flags.empty());
}

TEST_CASE("the median of six launches has an interval from the smallest to the largest", "[launches]") {
    Launches launches;
    for (double const median : {5., 3., 8., 1., 9., 4.})
        launches.push_back({point(8, median + 1, 0.1, median)});
    auto const merged = merge_launches(launches).front();
    CHECK(merged.value == 4.5);
    CHECK(merged.estimate->median_interval == measure::Interval{1, 9});
    auto const own = measure::estimate_of_value(merged);
    CHECK(own->interval == measure::Interval{1, 9});
    // The second and the fifth of 1 3 4 5 8 9 contain it with 1 - 14/64 = 78 %, the third and fourth with 31 %.
    CHECK(own->standard_error == 2.5);
    launches.pop_back();
    CHECK_FALSE(merge_launches(launches).front().estimate->median_interval);
}

TEST_CASE("a single launch has no errors because it says nothing about other launches", "[launches]") {
    Launches const launches{{point(8, 10, 0.3, 9)}};
    auto const merged = merge_launches(launches).front();
    CHECK(merged.value == 9);
    CHECK_FALSE(merged.estimate->standard_error);
    CHECK_FALSE(merged.estimate->interval);
    CHECK(derived(merged, "rse") == "missing");
}

TEST_CASE("launches may have their points in any order", "[launches]") {
    Launches const launches{{point(8, 1, 0.1, 1), point(16, 5, 0.1, 5)}, {point(16, 7, 0.1, 7), point(8, 3, 0.1, 3)}};
    auto const merged = merge_launches(launches);
    REQUIRE(merged.size() == 2);
    CHECK(merged[0].at.bytes("bytes") == 8);
    CHECK(merged[0].value == 2);
    CHECK(merged[1].value == 6);
}

TEST_CASE("equal points within a launch are matched in their order", "[launches]") {
    Launches const launches{{point(8, 1, 0.1, 1), point(8, 10, 0.1, 10)}, {point(8, 3, 0.1, 3), point(8, 30, 0.1, 30)}};
    auto const merged = merge_launches(launches);
    REQUIRE(merged.size() == 2);
    CHECK(merged[0].value == 2);
    CHECK(merged[1].value == 20);
}

TEST_CASE("a point that is missing in a launch has the value of the others and a note", "[launches]") {
    auto const crashed = measure::make_record("Bcast", point(8, 0, 0, 0).at, PointStatus::crashed, "data check");
    Launches const launches{{point(8, 1, 0.1, 1)}, {crashed}, {point(8, 3, 0.1, 3)}, {}};
    auto const merged = merge_launches(launches).front();
    CHECK(merged.value == 2);
    CHECK(merged.status == PointStatus::converged);
    CHECK(merged.message == "no value from 2 of 4 launches");
    CHECK(merged.flags == std::vector<std::string>{"missing_launches"});
    CHECK(derived(merged, "launches") == "[1.0,null,3.0,null]");
}

TEST_CASE("a point without a value in any launch has the worst status", "[launches]") {
    auto const at = point(8, 0, 0, 0).at;
    Launches const launches{{measure::make_record("Bcast", at, PointStatus::skipped, "time_budget")},
                            {measure::make_record("Bcast", at, PointStatus::crashed, "data check")}};
    auto const merged = merge_launches(launches).front();
    CHECK_FALSE(merged.value);
    CHECK_FALSE(merged.estimate);
    CHECK(merged.status == PointStatus::crashed);
    CHECK(merged.message == "data check");
    CHECK(merged.flags.empty());
}

TEST_CASE("the status is the worst of the launches with a value", "[launches]") {
    Launches launches{{point(8, 1, 0.1, 1)}, {point(8, 3, 0.1, 3)}};
    launches[1][0].status = PointStatus::exhausted;
    launches[1][0].flags = {"autocorrelated"};
    auto const merged = merge_launches(launches).front();
    CHECK(merged.status == PointStatus::exhausted);
    CHECK(merged.flags == std::vector<std::string>{"autocorrelated"});
}

TEST_CASE("rates are merged as times", "[launches]") {
    // 1 / 2 and 1 / 6: mean time 1/3, so the rate is 3, not 4. Their errors are 10 % of 1/2 and 20 % of 1/6.
    Launches launches{{point(8, 2, 0.2, 2)}, {point(8, 6, 1.2, 6)}};
    for (auto& launch : launches)
        launch[0].quantity = Quantity::bandwidth;
    auto const merged = merge_launches(launches).front();
    CHECK(merged.quantity == Quantity::bandwidth);
    CHECK_THAT(merged.estimate->value, WithinAbs(3, 1e-12));
    CHECK_THAT(*merged.value, WithinAbs(3, 1e-12));
    // s = |1/2 - 1/6| / sqrt 2, error s / sqrt 2 = 1/6: half of the mean.
    CHECK_THAT(*merged.estimate->standard_error, WithinAbs(1.5, 1e-12));
    CHECK_THAT(number(merged, "rse"), WithinAbs(0.5, 1e-12));
    // sqrt(0.05^2 + (1/30)^2) / 2 = 0.0300463, relative to 1/3.
    CHECK_THAT(number(merged, "standard_error_within"), WithinAbs(3 * 0.0300463 * 3, 1e-5));
    CHECK(derived(merged, "launches") == "[2.0,6.0]");
}

TEST_CASE("the median error of a rate is in units of the rate", "[launches]") {
    Launches launches{{point(8, 2, 0.2, 2)}, {point(8, 4, 1.2, 4)}, {point(8, 5, 1, 5)}};
    for (auto& launch : launches)
        launch[0].quantity = Quantity::bandwidth;
    auto const own = measure::estimate_of_value(merge_launches(launches).front());
    CHECK_THAT(own->value, WithinAbs(4, 1e-12));
    CHECK_THAT(*own->standard_error, WithinAbs(1.5, 1e-12));
}

TEST_CASE("launches that disagree are flagged", "[launches]") {
    using measure::launches_disagree;
    using Values = std::vector<double>;
    CHECK(launches_disagree(Values{1, 1, 3.1}));
    CHECK_FALSE(launches_disagree(Values{1, 1, 2.9}));
    CHECK(launches_disagree(Values{10, 10, 3.2}));
    CHECK(launches_disagree(Values{1, 10}));
    CHECK_FALSE(launches_disagree(Values{1}));
    // Five or more launches disagree if a relevant difference is far outside the spread of the others.
    CHECK(launches_disagree(Values{1, 1.01, 0.99, 1.02, 1.3}));
    CHECK_FALSE(launches_disagree(Values{1, 1.001, 0.999, 1.002, 1.05}));
    CHECK_FALSE(launches_disagree(Values{1, 1.2, 0.8, 1.1, 1.3}));
    Launches launches;
    for (double const median : {1., 1.1, 0.9, 1., 1000.})
        launches.push_back({point(8, median, 0.1, median)});
    auto const merged = merge_launches(launches).front();
    CHECK(merged.value == 1);
    CHECK(merged.flags == std::vector<std::string>{"launches_disagree"});
    launches.pop_back();
    CHECK(merge_launches(launches).front().flags.empty());
}

TEST_CASE("values without an estimate are merged directly", "[launches]") {
    Launches launches{{point(8, 1, 0, 1)}, {point(8, 5, 0, 5)}, {point(8, 3, 0, 3)}};
    for (auto& launch : launches)
        launch[0].estimate.reset();
    auto const merged = merge_launches(launches).front();
    CHECK(merged.value == 3);
    CHECK(merged.estimate->value == 3);
    CHECK(derived(merged, "standard_error_within") == "missing");
    // s = 2
    CHECK_THAT(number(merged, "rse"), WithinAbs(2 / std::sqrt(3.) / 3, 1e-12));
}

TEST_CASE("merging nothing gives nothing", "[launches]") {
    CHECK(merge_launches({}).empty());
    CHECK(merge_launches(Launches{{}, {}}).empty());
}

TEST_CASE("a launch with an incomplete estimate counts by its value", "[launches]") {
    double const hole = std::numeric_limits<double>::quiet_NaN();
    Launches launches{{point(8, 10, 0.3, 9)}, {point(8, 12, 0.4, hole)}, {point(8, 14, 0, 10)}};
    auto const merged = merge_launches(launches);
    CHECK(merged.front().value == 10);  // median of 9, 12, 10
    CHECK(merged.front().estimate->value == 12);
    CHECK(merged.front().estimate->max == 19);
}

/// One point merged from launches with these medians.
std::vector<Record> run_of(std::vector<double> const& medians) {
    Launches launches;
    for (double const median : medians)
        launches.push_back({point(8, median, 0.1, median)});
    return merge_launches(launches);
}

TEST_CASE("medians of earlier runs with equal settings widen the interval of a run", "[launches]") {
    std::vector<double> const starts{10, 11, 12, 13, 14, 15};
    auto points = run_of(starts);
    CHECK(points.front().estimate->median_interval == Interval{10, 15});
    CHECK(number(points.front(), "median_error") == 1.5);  // ranks 2 and 5 of six
    CHECK(measure::own_interval(points.front()) == Interval{10, 15});
    widen_by_runs(points, {});
    CHECK(derived(points.front(), "runs") == "missing");

    // Two runs, at 12.5 and 20: the interval reaches from one to the other.
    auto const at = [](double median) { return run_of(std::vector<double>(6, median)); };
    widen_by_runs(points, Launches{at(20)});
    CHECK(points.front().estimate->median_interval == Interval{10, 20});
    CHECK(number(points.front(), "median_error") == 3.75);
    CHECK(derived(points.front(), "runs") == "2");
    CHECK(points.front().value == 12.5);
    CHECK(measure::estimate_of_value(points.front())->interval == Interval{10, 20});
    CHECK(measure::own_interval(points.front()) == Interval{10, 15});

    // Nine runs, at 1 .. 8 and 12.5: ranks 2 and 8 at 95 %, 3 and 7 at 68 %.
    Launches earlier;
    for (double const median : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}) {
        auto run = at(median);
        widen_by_runs(run, earlier);
        earlier.insert(earlier.begin(), std::move(run));
    }
    points = run_of(starts);
    widen_by_runs(points, earlier);
    CHECK(points.front().estimate->median_interval == Interval{2, 15});
    CHECK(number(points.front(), "median_error") == 2);

    // The run at 7 differed from those before it, so 7, 8 and 12.5 are left.
    earlier[1] = at(7);
    points = run_of(starts);
    widen_by_runs(points, earlier);
    CHECK(points.front().estimate->median_interval == Interval{7, 15});
    CHECK(derived(points.front(), "runs") == "3");

    // Runs with another size or too few launches, and a run without an interval, do not widen it.
    points = run_of(starts);
    widen_by_runs(points, Launches{{point(16, 1, 0.1, 1)}, run_of({1, 1})});
    CHECK(points.front().estimate->median_interval == Interval{10, 15});
    points = run_of({10, 11});
    widen_by_runs(points, earlier);
    CHECK_FALSE(points.front().estimate->median_interval);
}

TEST_CASE("a launch counts by its mean for regions and by its median otherwise", "[launches]") {
    Record r{.benchmark = "step", .value = 9e-6, .estimate = Estimate{.value = 9e-6}, .valid = 10};
    r.estimate->median = 2e-6;
    r.estimate->median_interval = Interval{1e-6, 3e-6};
    r.estimate->interval = Interval{8e-6, 10e-6};
    CHECK(measure::estimate_of_launch(r)->median == 2e-6);
    CHECK(measure::estimate_of_launch(r)->median_interval == Interval{1e-6, 3e-6});
    r.derived["entered_by"] = 2;
    CHECK(measure::estimate_of_launch(r)->median == 9e-6);
    CHECK(measure::estimate_of_launch(r)->median_interval == Interval{8e-6, 10e-6});
    CHECK(measure::estimate_of_value(r)->median == 2e-6);
    std::vector<std::vector<Record>> const launches{{r}, {r}};
    CHECK(merge_launches(launches).front().value == 9e-6);
}

TEST_CASE("what a program subtracts from the mean is subtracted from all parts of the estimate", "[launches]") {
    auto r = point(8, 10, 0.3, 9);
    r.estimate->median_interval = measure::Interval{8.5, 9.5};
    CHECK(measure::moved_by(r) == 0);
    r.correction = 3;
    CHECK(measure::moved_by(r) == 0);  // known, but not subtracted
    r.value = 7;
    CHECK(measure::moved_by(r) == -3);
    auto const own = measure::estimate_of_value(r);
    CHECK(own->value == 7);
    CHECK(own->median == 6);
    CHECK(own->median_interval == measure::Interval{5.5, 6.5});
    CHECK(own->min == 5);
    CHECK(own->standard_error == 0.3);
    auto const merged = merge_launches(Launches{{r}, {r}}).front();
    CHECK(merged.value == 6);
    CHECK(derived(merged, "launches") == "[7.0,7.0]");
    CHECK(derived(merged, "launch_medians") == "[6.0,6.0]");
    // The merged value is a median with a mean next to it, and a rate is not a difference.
    CHECK(measure::moved_by(merged) == 0);
    r.quantity = Quantity::bandwidth;
    CHECK_FALSE(measure::moved_by(r));
    r.quantity = Quantity::time;
    r.value = 5;  // half of the mean: the estimate belongs to another number
    CHECK_FALSE(measure::moved_by(r));
    CHECK_FALSE(measure::estimate_of_value(r));
}
