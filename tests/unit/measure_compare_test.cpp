// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/compare.hpp"
#include "analysis/compare/sides.hpp"
#include "analysis/runs/dimension.hpp"
#include "compare/fail_on.hpp"
#include "compare/report.hpp"
#include "measure/error.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"
#include "support/catch.hpp"
#include "support/launch_model.hpp"

#include <cmath>
#include <limits>
#include <random>

using measure::compare_sides;
using measure::ComparedPoint;
using measure::CompareRules;
using measure::Comparison;
using measure::dimension_value;
using measure::files_by_side;
using measure::is_difference;
using measure::Launch;
using measure::launches_needed;
using measure::MissingPoint;
using measure::nothing_text;
using measure::Point;
using measure::PointStatus;
using measure::Quantity;
using measure::Record;
using measure::split_by;
using measure::Verdict;
using namespace measure::tool;

namespace {

using Values = std::vector<double>;
using Strings = std::vector<std::string>;

auto near(double x) { return Catch::Matchers::WithinRel(x, 1e-12); }

Record point(double median, std::int64_t bytes = 8, Quantity quantity = Quantity::time) {
    Record r;
    r.benchmark = "Bcast";
    r.at = Point{{"ranks", std::int64_t{2}}, {"bytes", bytes}};
    r.quantity = quantity;
    r.value = median * 1.5;
    r.estimate = measure::Estimate{
        .value = median * 1.5, .median = median, .median_interval = measure::Interval{median * 0.9, median * 1.1}};
    return r;
}

Launch launch(std::vector<Record> points) {
    Launch one{.name = "a", .record = {.points = std::move(points)}};
    one.record.run.program = "halo";
    return one;
}

/// One launch for each median. Each launch has one point.
std::vector<Launch> launches(Values const& medians, Quantity quantity = Quantity::time) {
    std::vector<Launch> result;
    for (double const median : medians)
        result.push_back(launch({point(median, 8, quantity)}));
    return result;
}

ComparedPoint compared(Values const& a, Values const& b, CompareRules const& rules = {},
                       Quantity quantity = Quantity::time) {
    auto const result = compare_sides(launches(a, quantity), launches(b, quantity), rules);
    REQUIRE(result.points.size() == 1);
    return result.points.front();
}

Values times(Values xs, double by) {
    for (double& x : xs)
        x *= by;
    return xs;
}

Values const ten{10.0, 10.1, 9.9, 10.02, 9.98, 10.05, 9.95, 10.03, 9.97, 10.01};

}  // namespace

TEST_CASE("ten launches that take 10 % longer are slower, and the exchanged sides are faster", "[compare]") {
    auto const there = compared(ten, times(ten, 1.1));
    CHECK(there.verdict == Verdict::slower);
    CHECK_THAT(there.ratio, near(1.1));
    // The values of the two sides do not overlap: 2 of 184756 arrangements.
    CHECK_THAT(*there.p, near(2. / 184756));
    CHECK(there.interval->first < 1.1);
    CHECK(there.interval->second > 1.1);
    CHECK(compared(times(ten, 1.1), ten).verdict == Verdict::faster);
}

TEST_CASE("a higher rate is faster; other quantities are only higher or lower", "[compare]") {
    CHECK(compared(ten, times(ten, 1.1), {}, Quantity::bandwidth).verdict == Verdict::faster);
    CHECK(compared(ten, times(ten, 1.1), {}, Quantity::flops).verdict == Verdict::faster);
    CHECK(compared(times(ten, 1.1), ten, {}, Quantity::rate).verdict == Verdict::slower);
    CHECK(compared(ten, times(ten, 1.1), {}, Quantity::memory).verdict == Verdict::higher);
    CHECK(compared(times(ten, 1.1), ten, {}, Quantity::count).verdict == Verdict::lower);
}

TEST_CASE("the verdict same requires an interval within the threshold, not only a large p", "[compare]") {
    CHECK(compared(ten, ten).verdict == Verdict::same);
    // The sides are equal, but the values scatter too much to exclude a difference of 2 %.
    Values const wide{8, 12, 9, 11, 10, 10.5, 9.5, 8.5, 11.5, 10.2};
    CHECK(compared(wide, wide).p == 1);
    CHECK(compared(wide, wide).verdict == Verdict::unclear);
    CHECK(compared(wide, wide, {.threshold = 0.5}).verdict == Verdict::same);
    // Three values per side are not enough evidence for the same speed.
    Values const three{10, 10.01, 9.99};
    CHECK_FALSE(compared(three, three).interval);
    CHECK(compared(three, three).verdict == Verdict::unclear);
}

TEST_CASE("a difference below the threshold is ignored even if it is significant", "[compare]") {
    Values const tight{10, 10.001, 10.002, 10.003, 10.004, 10.005, 10.006, 10.007};
    auto const result = compared(tight, times(tight, 1.01));
    CHECK(*result.adjusted_p < 0.001);
    CHECK(result.verdict == Verdict::same);
    CHECK(compared(tight, times(tight, 1.01), {.threshold = 0.005}).verdict == Verdict::slower);
}

TEST_CASE("few launches cannot show a difference, and launches_needed gives the number that can", "[compare]") {
    CHECK(compared({10, 10.1, 10.2}, {20, 20.1, 20.2}).verdict == Verdict::unclear);
    CHECK(compared({10, 10.1, 10.2, 10.3}, {20, 20.1, 20.2, 20.3}).verdict == Verdict::slower);
    CHECK(compared(ten, {20}).verdict == Verdict::one_launch);
    CHECK(launches_needed(1, 0.05) == 4);   // 2/70 = 0.029; 2/20 is not enough
    CHECK(launches_needed(24, 0.05) == 7);  // 24 * 2/3432 = 0.014; 24 * 2/924 = 0.052 is not enough
}

TEST_CASE("operations are tested first, and points only within operations that differ", "[compare]") {
    std::vector<Launch> a;
    std::vector<Launch> b;
    Values const as{10.0, 10.2, 10.4, 10.6};
    Values const bs{11.0, 11.2, 11.4, 11.6};
    for (std::size_t i = 0; i < as.size(); ++i) {
        a.push_back(launch({point(as[i], 8), point(2 * as[i], 16)}));
        b.push_back(launch({point(bs[i], 8), point(2 * bs[i], 16)}));
    }
    auto const result = compare_sides(a, b, {});
    REQUIRE(result.operations.size() == 1);
    auto const& operation = result.operations[0];
    CHECK(operation.points == 2);
    CHECK(operation.point.at == Point{{"ranks", std::int64_t{2}}});
    // One test, 2 of 70 arrangements: the operation is decided, but four launches are not enough for two points.
    CHECK_THAT(*operation.adjusted_p, near(2. / 70));
    CHECK(operation.verdict == Verdict::slower);
    // sqrt(10.3 * 20.6) and sqrt(11.3 * 22.6)
    CHECK_THAT(operation.a, near(10.3 * std::sqrt(2.)));
    CHECK_THAT(operation.ratio, near(11.3 / 10.3));
    REQUIRE(result.points.size() == 2);
    CHECK_THAT(*result.points[0].p, near(2. / 70));
    CHECK_THAT(*result.points[0].adjusted_p, near(4. / 70));
    CHECK_FALSE(result.points[0].interval);
    CHECK(result.points[0].verdict == Verdict::unclear);
}

TEST_CASE("points of an operation that does not differ are not tested", "[compare]") {
    // One point is slower, the other is faster by the same factor, so the operation as a whole does not differ.
    std::vector<Launch> a;
    std::vector<Launch> b;
    for (double const x : ten) {
        a.push_back(launch({point(x, 8), point(x, 16)}));
        b.push_back(launch({point(1.5 * x, 8), point(x / 1.5, 16)}));
    }
    auto const result = compare_sides(a, b, {});
    CHECK(result.operations[0].verdict == Verdict::same);
    CHECK_FALSE(result.points[0].p);
    CHECK(result.points[0].verdict == Verdict::unclear);
    // If points are grouped by size, each size counts as an operation.
    auto const by_size = compare_sides(a, b, {.by = "bytes"});
    CHECK(by_size.operations.size() == 2);
    CHECK(by_size.points[0].verdict == Verdict::slower);
    CHECK(by_size.points[1].verdict == Verdict::faster);
}

TEST_CASE("p and the interval of a row use the same adjustment", "[compare]") {
    // Three operations; the smallest p is compared with alpha / 3, the next with alpha / 2, the last with alpha.
    std::vector<Launch> a;
    std::vector<Launch> b;
    std::mt19937_64 random{4};
    std::normal_distribution<double> normal;
    for (int i = 0; i < 9; ++i) {
        std::vector<Record> left;
        std::vector<Record> right;
        for (auto const& [name, factor] : {std::pair{"x", 1.3}, {"y", 1.05}, {"z", 1.0}, {"w", 0.99}}) {
            left.push_back(point(std::exp(0.02 * normal(random))));
            right.push_back(point(factor * std::exp(0.02 * normal(random))));
            left.back().benchmark = right.back().benchmark = name;
        }
        a.push_back(launch(left));
        b.push_back(launch(right));
    }
    auto const result = compare_sides(a, b, {.threshold = 0});
    int different = 0;
    for (auto const& operation : result.operations) {
        bool const is_apart = operation.interval->first > 1 || operation.interval->second < 1;
        CHECK(is_apart == (*operation.adjusted_p < 0.05));
        CHECK(operation.interval->first <= operation.ratio);
        CHECK(operation.ratio <= operation.interval->second);
        CHECK(is_difference(operation.verdict) == is_apart);
        different += is_apart ? 1 : 0;
    }
    CHECK(different >= 1);
    CHECK(different < 4);
}

TEST_CASE("an operation without a size is one point, whatever sizes it was measured at", "[compare]") {
    auto const barrier = [](double time, std::int64_t bytes) {
        auto record = point(time, bytes);
        record.benchmark = "Barrier";
        return record;
    };
    auto const side = [&](double by) {
        std::vector<Launch> launches;
        for (double const x : ten) {
            launches.push_back(launch({barrier(by * x, 8), barrier(by * x * 4, 16)}));
            launches.back().record.run.suite = "mpiperf";
        }
        return launches;
    };
    auto const a = side(1);
    auto const b = side(1.1);
    auto const result = compare_sides(a, b, {});
    REQUIRE(result.points.size() == 1);
    CHECK(result.operations.size() == 1);
    CHECK(result.points[0].point.at == Point{{"ranks", std::int64_t{2}}});
    // The geometric mean of x and 4 x.
    CHECK_THAT(result.points[0].a, near(2 * 10.005));
    CHECK(result.points[0].verdict == Verdict::slower);
}

TEST_CASE("a launch that lacks points of an operation does not count for that operation", "[compare]") {
    std::vector<Launch> a;
    std::vector<Launch> b;
    for (double const x : ten) {
        a.push_back(launch({point(x, 8), point(1000 * x, 1 << 20)}));
        b.push_back(launch({point(1.1 * x, 8), point(1100 * x, 1 << 20)}));
    }
    b[2].record.points.pop_back();
    b[5].record.points.erase(b[5].record.points.begin());
    auto const result = compare_sides(a, b, {});
    CHECK(result.operations[0].n_b == 8);
    CHECK_THAT(result.operations[0].ratio, Catch::Matchers::WithinRel(1.1, 0.005));
    CHECK(result.operations[0].verdict == Verdict::slower);
}

TEST_CASE("points that half of the launches lack still count with their full difference", "[compare]") {
    std::vector<Launch> a;
    std::vector<Launch> b;
    for (std::size_t i = 0; i < 2 * ten.size(); ++i) {
        double const x = ten[i % ten.size()];
        a.push_back(launch({point(x, 8), point(1000 * x, 1 << 20)}));
        b.push_back(launch({point(1.21 * x, 8), point(1000 * x, 1 << 20)}));
        if (i >= ten.size())
            for (auto* const side : {&a, &b})
                side->back().record.points.erase(side->back().record.points.begin());
    }
    auto const result = compare_sides(a, b, {});
    CHECK(result.operations[0].n_a == 10);
    CHECK_THAT(result.operations[0].ratio, near(1.1));
    CHECK(result.operations[0].verdict == Verdict::slower);
}

TEST_CASE("if few launches have all points, launches with some of the points count too", "[compare]") {
    std::vector<Launch> a;
    std::vector<Launch> b;
    for (std::size_t i = 0; i < ten.size(); ++i) {
        a.push_back(launch({point(ten[i], 8), point(1000 * ten[i], 1 << 20)}));
        b.push_back(launch({point(1.1 * ten[i], 8), point(1100 * ten[i], 1 << 20)}));
        if (i >= 5)
            b.back().record.points.pop_back();
    }
    auto const result = compare_sides(a, b, {});
    CHECK(result.operations[0].n_b == 10);
    CHECK(result.operations[0].verdict == Verdict::slower);
}

TEST_CASE("single launches have no verdict and no p", "[compare]") {
    for (auto const& [a, b] : {std::pair{Values{10}, Values{1000}}, {Values{10}, times(ten, 2)}, {ten, Values{1}}}) {
        auto const result = compared(a, b);
        CHECK(result.verdict == Verdict::one_launch);
        CHECK_FALSE(result.p);
        CHECK_FALSE(result.adjusted_p);
        CHECK_FALSE(result.interval);
    }
    // Their difference is shown on request, with an interval from the intervals of both values: 9 .. 11 and 11.7
    // .. 14.3.
    auto const shown = compared({10}, {13}, {.single = true});
    CHECK(shown.verdict == Verdict::one_launch);
    CHECK_FALSE(shown.p);
    CHECK_THAT(shown.ratio, near(1.3));
    CHECK_THAT(shown.interval->first, near(11.7 / 11));
    CHECK_THAT(shown.interval->second, near(14.3 / 9));
    CHECK_FALSE(compared({10}, ten, {.single = true}).interval);
    CHECK(compare_sides(launches({10}), launches({13}), {}).means.empty());
}

TEST_CASE("a correction that a program subtracts from its value does not count in the ratio", "[compare]") {
    auto a = point(10);
    a.value = *a.value - 8;
    a.correction = 8;
    auto b = point(12);
    b.value = *b.value - 8;
    b.correction = 8;
    auto const result =
        compare_sides(std::vector{launch({a})}, std::vector{launch({b})}, {.single = true}).points.front();
    CHECK_THAT(result.a, near(2));
    CHECK_THAT(result.ratio, near(2));
    CHECK_THAT(result.interval->second, near((12 * 1.1 - 8) / (10 * 0.9 - 8)));
    a.value = *a.value - 3;
    a.correction = 11;
    auto const below = compare_sides(std::vector{launch({a})}, std::vector{launch({b})}, {});
    REQUIRE(below.missing.size() == 1);
    CHECK(below.missing.front().reason == "the value -1 is not above zero");
    CHECK(nothing_text(below) == "no point has a value above 0 on both sides; Bcast ranks=2 bytes=8 of A: the value -1 "
                                 "is not above zero");
    CHECK(nothing_text({}) == "no point has a value above 0 on both sides");
}

TEST_CASE("intervals for a small alpha need more launches", "[compare]") {
    Values const four{10, 10.01, 9.99, 10};
    CHECK(compared(four, four).verdict == Verdict::same);
    CHECK_FALSE(compared(four, four, {.alpha = 0.01}).interval);
    CHECK(compared(four, four, {.alpha = 0.01}).verdict == Verdict::unclear);
    CHECK(compared(ten, ten, {.alpha = 0.01}).interval);
}

TEST_CASE("a merged record counts with the medians of its launches", "[compare]") {
    auto merged = launches({11});
    merged.front().record.points.front().derived["launch_medians"] =
        measure::Value::Array{11.0, nullptr, 11.1, 10.9, 11.05, 11, 10.95};
    auto const result = compare_sides(launches(ten), merged, {}).points.front();
    CHECK(result.n_b == 6);
    CHECK_THAT(result.b, near(11));
    CHECK(result.verdict == Verdict::slower);
    CHECK(result.remarks == Strings{"1 launch without a value"});
}

TEST_CASE("points that only one side has are listed with the reason", "[compare]") {
    auto const crashed = measure::make_record("Bcast", point(1, 16).at, PointStatus::crashed, "data check");
    std::vector<Launch> const a{launch({point(1, 8), point(2, 16), point(3, 32)})};
    std::vector<Launch> const b{launch({point(1, 8), crashed, point(4, 64)})};
    auto const result = compare_sides(a, b, {.single = true});
    CHECK(result.points.size() == 1);
    REQUIRE(result.missing.size() == 3);
    CHECK(result.missing[0].reason == "crashed: data check");
    CHECK(result.missing[0].tried);
    CHECK(result.missing[1].reason == "not measured");
    CHECK(result.missing[1].in_a);
    CHECK_FALSE(result.missing[2].in_a);
    REQUIRE(result.means.size() == 1);
    CHECK(result.means[0].missing == 3);
}

TEST_CASE("coordinates may be in any order, and repeated points are matched in order", "[compare]") {
    auto turned = point(4, 8);
    turned.at = Point{{"bytes", std::int64_t{8}}, {"ranks", std::int64_t{2}}};
    auto again = turned;
    again.estimate->median = 9;
    std::vector<Launch> const a{launch({point(2, 8), point(3, 8)})};
    std::vector<Launch> const b{launch({turned, again})};
    auto const result = compare_sides(a, b, {.single = true});
    REQUIRE(result.points.size() == 2);
    CHECK(result.operations.size() == 1);
    CHECK(result.points[0].ratio == 2);
    CHECK(result.points[1].ratio == 3);
    // sqrt(2 * 3)
    CHECK_THAT(result.means[0].ratio, near(std::sqrt(6.)));
}

TEST_CASE("values without a valid ratio count as missing", "[compare]") {
    for (double const bad : {0., -1., static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        auto odd = launches({1});
        odd.front().record.points.front().estimate.reset();
        odd.front().record.points.front().value = bad;
        auto const result = compare_sides(launches({1}), odd, {});
        CHECK(result.points.empty());
        CHECK(result.missing.size() == 1);
    }
}

TEST_CASE("a gate passes only results that are certainly within its rule", "[compare]") {
    using Kind = GateResult::Kind;
    auto const of = [](Verdict verdict, double ratio, measure::Interval interval, std::string why = {}) {
        return ComparedPoint{.point = {.benchmark = "Bcast"},
                             .ratio = ratio,
                             .interval = interval,
                             .verdict = verdict,
                             .why = std::move(why)};
    };
    auto const results = [](ComparedPoint const& operation, FailOn rule) {
        Comparison comparison;
        comparison.operations = {operation};
        return gate_results(std::vector{rule}, comparison, 0.02);
    };
    auto const kind = [&](ComparedPoint const& operation, FailOn rule) {
        return results(operation, rule).front().kind;
    };
    FailOn const slower{};
    FailOn const by_5{.more = 0.05};
    FailOn const faster{.verdict = Verdict::faster};
    CHECK(kind(of(Verdict::same, 1, {0.99, 1.01}), slower) == Kind::passed);
    CHECK(kind(of(Verdict::slower, 1.1, {1.08, 1.12}), slower) == Kind::failed);
    CHECK(kind(of(Verdict::slower, 1.04, {1.03, 1.06}), by_5) == Kind::passed);
    CHECK(kind(of(Verdict::slower, 1.1, {1.08, 1.12}), faster) == Kind::passed);
    // An interval that contains 1 must end within the rule, but only on the side of the rule.
    auto const open = of(Verdict::unclear, 1.01, {0.93, 1.04}, "too wide");
    CHECK(kind(open, slower) == Kind::undecided);
    CHECK(kind(open, by_5) == Kind::passed);
    CHECK(kind(open, {.verdict = Verdict::faster, .more = 0.05}) == Kind::undecided);
    CHECK(kind(open, {.verdict = Verdict::unclear}) == Kind::failed);
    // A single launch decides nothing, whatever the rule.
    auto const single = of(Verdict::one_launch, 1, {0.99, 1.01}, "one side has a single launch");
    CHECK(kind(single, slower) == Kind::undecided);
    CHECK(kind(single, {.verdict = Verdict::unclear}) == Kind::undecided);
    CHECK(kind(of(Verdict::unclear, 0.97, {0.93, 1.01}, "too wide"), slower) == Kind::passed);
    // The difference between runs always widens the interval: 1.44 * 2.01 and 1.34 / 2.01.
    auto taken = of(Verdict::unclear, 1.39, {1.34, 1.44}, "within the 101 % by which the 8 earlier runs differ");
    taken.between_runs = 1.01;
    CHECK(kind(taken, by_5) == Kind::undecided);
    CHECK(kind(taken, faster) == Kind::undecided);
    CHECK(kind(taken, {.more = 2}) == Kind::passed);
    auto quicker = of(Verdict::unclear, 0.948, {0.927, 0.966}, "within the 8.6 % by which the 8 earlier runs differ");
    quicker.between_runs = 0.086;
    // 0.966 * 1.086 = 1.0491.
    CHECK(kind(quicker, by_5) == Kind::passed);
    CHECK(kind(quicker, slower) == Kind::undecided);
    auto around = open;
    around.between_runs = 0.055;
    // 1.04 * 1.055 = 1.0972.
    CHECK(kind(around, by_5) == Kind::undecided);
    CHECK(kind(around, {.more = 0.1}) == Kind::passed);
    CHECK(results(around, by_5).front().text ==
          "Bcast is undecided: too wide; +1.0 (-7.0 .. +4.0) %; two runs may differ by 5.5 %");
    around.between_runs = std::numeric_limits<double>::infinity();
    CHECK(kind(around, {.more = 1}) == Kind::undecided);
    CHECK(results(taken, by_5).front().text == "Bcast is undecided: within the 101 % by which the 8 earlier runs "
                                               "differ; +39.0 (+34.0 .. +44.0) %");
    CHECK(kind(of(Verdict::machine, 1, {0.99, 1.01}, "explained by the change of a control"), by_5) == Kind::undecided);
    // The interval of a rate is inverted: 8 % less bandwidth takes 1 / 0.92 times the time.
    auto rate = of(Verdict::unclear, 0.95, {0.92, 1.01}, "too wide");
    rate.point.quantity = measure::Quantity::bandwidth;
    CHECK(kind(rate, by_5) == Kind::undecided);
    CHECK(kind(rate, {.more = 0.1}) == Kind::passed);
    // A ratio is neither better nor worse if it is higher.
    rate.point.quantity = measure::Quantity::ratio;
    CHECK(kind(rate, slower) == Kind::passed);
}

TEST_CASE("launches that fell back to barriers get no verdict against launches with slots", "[compare]") {
    auto const fallen_back = [](std::vector<Launch> all) {
        for (auto& launch : all)
            launch.record.points.front().flags.emplace_back("start_fell_back");
        return all;
    };
    auto const a = launches(ten);
    auto const b = launches(times(ten, 1.5));
    auto const mixed = compare_sides(a, fallen_back(b), {}).operations.front();
    CHECK(mixed.verdict == Verdict::unclear);
    CHECK(mixed.why == "some launches lost all slots and were measured after barriers");
    CHECK(compare_sides(fallen_back(a), fallen_back(b), {}).operations.front().verdict == Verdict::slower);
}

TEST_CASE("a gate does not pass an operation without a value on both sides", "[compare]") {
    auto const with_skipped = [](std::vector<Launch> all) {
        for (auto& launch : all) {
            auto scan = launch.record.points.front();
            scan.benchmark = "Scan";
            scan.value.reset();
            scan.estimate.reset();
            scan.status = measure::PointStatus::skipped;
            launch.record.points.push_back(scan);
        }
        return all;
    };
    auto const a = launches(ten);
    auto const comparison = compare_sides(with_skipped(a), with_skipped(a), {});
    REQUIRE(comparison.without_value.size() == 1);
    auto const results = gate_results(std::vector{FailOn{}}, comparison, 0.02);
    REQUIRE(results.size() == 2);
    CHECK(results[1].name == "Scan");
    CHECK(results[1].kind == GateResult::Kind::undecided);
    // Side B was not asked to measure it.
    CHECK(compare_sides(with_skipped(a), a, {}).without_value.empty());
    CHECK(compare_sides(a, with_skipped(a), {}).without_value.size() == 1);
}

TEST_CASE("a gate names failed points, and operations that only one side has", "[compare]") {
    using Kind = GateResult::Kind;
    Comparison comparison;
    comparison.operations = {{.point = {.benchmark = "Bcast"}, .verdict = Verdict::same}};
    ComparedPoint point{.point = {.benchmark = "Bcast"}, .ratio = 1.5, .verdict = Verdict::slower};
    point.point.at.set("bytes", std::int64_t{8});
    comparison.points = {point};
    for (std::int64_t const bytes : {8, 16}) {
        MissingPoint missing{.point = {.benchmark = "Scan"}, .tried = true, .reason = "crashed"};
        missing.point.at.set("bytes", bytes);
        comparison.missing.push_back(missing);
    }
    auto const results = gate_results(std::vector{FailOn{.more = 0.2}}, comparison, 0.02);
    REQUIRE(results.size() == 2);
    CHECK(results[0].kind == Kind::failed);
    CHECK(results[0].text == "Bcast bytes=8 is slower: +50.0 %");
    CHECK(results[1].kind == Kind::undecided);
    CHECK(results[1].text == "2 points of Scan are not compared: only B has them (crashed)");
    auto const text = junit_text("measure <run>", results);
    using Catch::Matchers::ContainsSubstring;
    CHECK_THAT(text, ContainsSubstring("<testsuites tests=\"2\" failures=\"1\" errors=\"1\" skipped=\"0\">\n"));
    CHECK_THAT(text,
               ContainsSubstring("<testcase classname=\"measure &lt;run&gt;.fail-on\" name=\"Bcast\" time=\"0\">\n"
                                 "      <failure message=\"Bcast bytes=8 is slower: +50.0 %\"/>\n"));
    CHECK_THAT(text, ContainsSubstring("      <error message=\"2 points of Scan are not compared: only B has them "
                                       "(crashed)\"/>\n    </testcase>\n"));
}

TEST_CASE("a noise floor can remove a verdict but never adds one", "[compare]") {
    auto const b = times(ten, 1.03);
    CHECK(compared(ten, b).verdict == Verdict::slower);
    // Q_n of 9, 10 and 10.8 is ln(1.08) * 2.2219 * 0.994 = 0.16997, and exp(1.96 sqrt(2) 0.16997) = 1.6017.
    auto const noise = launches({10, 9, 10.8});
    auto const result = compare_sides(launches(ten), launches(b), {}, noise).points.front();
    CHECK_THAT(*result.floor, Catch::Matchers::WithinAbs(0.6017, 1e-3));
    CHECK(result.verdict == Verdict::unclear);
    CHECK(result.why == "within the noise floor of 60.2 %");
    auto const own = compared(ten, b, {.threshold = 0.001, .own_noise = true});
    CHECK(*own.floor > 0.005);
    CHECK(*own.floor < 0.02);
    CHECK(own.verdict == Verdict::slower);
    // Equality within the threshold holds with any noise, and noise alone never makes sides equal.
    CHECK(compare_sides(launches(ten), launches(ten), {}, noise).points.front().verdict == Verdict::same);
    Values const wide{8, 12, 9, 11, 10, 10.5, 9.5, 8.5, 11.5, 10.2};
    CHECK(compared(wide, wide, {.own_noise = true}).verdict == Verdict::unclear);
    auto const other = compare_sides(launches(ten), launches(b), {}, {}).points.front();
    CHECK_FALSE(other.floor);
}

TEST_CASE("points are grouped by the values of a field, and groups are compared separately", "[compare]") {
    std::vector<Launch> a;
    std::vector<Launch> b;
    for (std::size_t i = 0; i < 12; ++i) {
        a.push_back(launch({point(ten[i % 6])}));
        b.push_back(launch({point(ten[i % 6] * (i < 6 ? 1 : 2))}));
        for (auto* const side : {&a, &b})
            side->back().record.run.mpi_library = i < 6 ? "one" : "other";
    }
    auto const result = compare_sides(a, b, {.by = "mpi.library"});
    REQUIRE(result.points.size() == 2);
    CHECK(result.points[0].point.group == "one");
    CHECK(result.points[0].ratio == 1);
    CHECK(result.points[1].point.group == "other");
    CHECK_THAT(result.points[1].ratio, near(2));
    CHECK(result.means.size() == 2);
}

TEST_CASE("points can be grouped by benchmark, coordinate, field of the run, or option", "[compare]") {
    auto const r = point(1);
    auto run = measure::Environment{};
    run.mpi_library = "MPICH 4.0.2";
    run.ranks = 7;
    run.hosts = {{.name = "b"}, {.name = "a"}, {.name = "b"}};
    run.options["start"] = "slot";
    run.options["topology"] = measure::Value::Object{{"kind", "cart"}, {"size", 3}};
    auto const value = [&](char const* name) { return dimension_value(name, run, r).value_or("-"); };
    CHECK(value("benchmark") == "Bcast");
    CHECK(value("bytes") == "8");
    CHECK(value("ranks") == "2");
    CHECK(value("at.bytes") == "8");
    CHECK(value("mpi.library") == "MPICH 4.0.2");
    CHECK(value("hosts") == "a, b");
    CHECK(value("options.start") == "slot");
    CHECK(value("start") == "slot");
    CHECK(value("options.topology.kind") == "cart");
    CHECK(value("topology.size") == "3");
    CHECK(value("at.start") == "-");
    CHECK(value("nonsense") == "-");
}

TEST_CASE("files before -- are side A, files after it are side B", "[compare]") {
    CHECK(files_by_side({"compare", "x", "y"}, {"x", "y"}).b == Strings{"y"});
    auto const several = files_by_side({"compare", "x", "--alpha", "0.1", "y", "--", "z"}, {"x", "y", "z"});
    CHECK(several.a == Strings{"x", "y"});
    CHECK(several.b == Strings{"z"});
    CHECK_THROWS_AS(files_by_side({"compare", "x"}, {"x"}), measure::UsageError);
    CHECK_THROWS_AS(files_by_side({"compare", "x", "y", "z"}, {"x", "y", "z"}), measure::UsageError);
    CHECK_THROWS_AS(files_by_side({"compare", "x", "--"}, {"x"}), measure::UsageError);
    CHECK_THROWS_AS(files_by_side({"compare", "--", "x"}, {"x"}), measure::UsageError);
    CHECK_THROWS_AS(files_by_side({"compare", "x", "--", "y", "--json", "z"}, {"x", "y", "--json", "z"}),
                    measure::UsageError);
}

TEST_CASE("the two values of a coordinate or of the benchmark can be the sides", "[compare]") {
    std::vector<Launch> const both{launch({point(1, 8), point(2, 16)}), launch({point(1.1, 8), point(2.2, 16)})};
    auto const split = split_by("bytes", both);
    CHECK(split.value_a == "8");
    CHECK(split.a.size() == 2);
    CHECK(split.b.front().record.points.front().at == Point{{"ranks", std::int64_t{2}}});
    CHECK(compare_sides(split.a, split.b, {}).points.front().ratio == 2);
    auto other = point(3, 8);
    other.benchmark = "Bcast_init";
    std::vector<Launch> const kinds{launch({point(1, 8), other})};
    auto const by_kind = split_by("benchmark", kinds);
    auto const compared_kinds = compare_sides(by_kind.a, by_kind.b, {});
    REQUIRE(compared_kinds.points.size() == 1);
    CHECK(compared_kinds.points.front().point.benchmark == "Bcast, Bcast_init");
    CHECK(compared_kinds.points.front().ratio == 3);
    CHECK_THROWS_AS(split_by("ranks", both), measure::UsageError);
    CHECK_THROWS_AS(split_by("nonsense", both), measure::UsageError);
}

TEST_CASE("a long remark continues in its column, or below its row if there is no room", "[compare]") {
    page::Document document{.title = "t"};
    document.elements.emplace_back(
        page::Table{.columns = {"name", "remarks"},
                    .rows = {{"Bcast", "within the noise floor of 3 %; launches of A disagree; launches of B disagree"},
                             {"Scan", ""}}});
    CHECK(plain_text(document, {.columns = 40, .breaks_rows = true}) == "# t\n\nname   remarks\n"
                                                                        "Bcast  within the noise floor of 3 %;\n"
                                                                        "       launches of A disagree; launches\n"
                                                                        "       of B disagree\n"
                                                                        "Scan\n");
    CHECK(plain_text(document, {.columns = 20, .breaks_rows = true}) ==
          "# t\n\nname   remarks\n"
          "Bcast\n    within the noise\n    floor of 3 %;\n    launches of A\n    disagree;\n    launches of B\n"
          "    disagree\n"
          "Scan\n");
}

TEST_CASE("tables contain no terminal control characters", "[compare]") {
    page::Document document{.title = "t\x1b[2J"};
    document.elements.emplace_back(
        page::Table{.columns = {"name", "value"}, .rows = {{"\x1b[31m", "1"}, {"xyz", "22"}}});
    CHECK(plain_text(document) == "# t?[2J\n\nname   value\n?[31m      1\nxyz       22\n");
}

namespace {

/// Number of times that synthetic launches get each verdict. Launches differ by a log-normal factor with deviation
/// `spread`. One launch in fifty is 20 % slower, like an unfavourable placement of ranks.
std::map<Verdict, int> verdicts(double slowdown, double spread, CompareRules const& rules, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    auto const side = [&](double time) {
        Values medians;
        for (int i = 0; i < 10; ++i)
            medians.push_back(time * std::exp(spread * normal(random)) * (uniform(random) < 0.02 ? 1.2 : 1));
        return medians;
    };
    std::map<Verdict, int> result;
    for (int i = 0; i < 100; ++i) {
        auto const a = side(1);
        ++result[compared(a, side(slowdown), rules).verdict];
    }
    return result;
}

}  // namespace

TEST_CASE("ten launches detect a slowdown of 10 %, and recognise an unchanged program", "[compare][not_quick]") {
    // A quiet machine and the default threshold.
    CHECK(verdicts(1, 0.006, {}, 1)[Verdict::same] >= 95);
    CHECK(verdicts(1.1, 0.006, {}, 2)[Verdict::slower] >= 95);
    // Launches with a spread of 2 % need a threshold well above that spread.
    CHECK(verdicts(1, 0.02, {.threshold = 0.06}, 3)[Verdict::same] >= 95);
    CHECK(verdicts(1.1, 0.02, {.threshold = 0.05}, 4)[Verdict::slower] >= 95);
    // With the default threshold most verdicts are unclear, and very few show a difference.
    auto strict = verdicts(1, 0.02, {}, 5);
    CHECK(strict[Verdict::slower] + strict[Verdict::faster] <= 8);
    CHECK(strict[Verdict::unclear] > 50);
}

namespace {

/// Ten launches of three operations at seven sizes each, with a spread of 1 % at each point.
/// \param disturbed  index of a launch that is 1000 times slower
std::vector<Launch> campaign(double slowdown, std::optional<std::size_t> disturbed, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<Launch> result;
    for (std::size_t i = 0; i < 10; ++i) {
        std::vector<Record> points;
        for (char const* const name : {"Bcast", "Allreduce", "Alltoall"})
            for (std::int64_t bytes = 8; bytes <= 32768; bytes *= 4) {
                double const time = 1e-6 * (1 + static_cast<double>(bytes) / 1000) * slowdown;
                points.push_back(point(time * std::exp(0.01 * normal(random)) * (i == disturbed ? 1000 : 1), bytes));
                points.back().benchmark = name;
            }
        result.push_back(launch(std::move(points)));
    }
    return result;
}

bool all_have(std::vector<ComparedPoint> const& points, Verdict verdict) {
    return std::all_of(points.begin(), points.end(), [&](ComparedPoint const& p) { return p.verdict == verdict; });
}

bool nothing_found(Comparison const& comparison) {
    auto const differs = [](ComparedPoint const& p) { return is_difference(p.verdict); };
    return std::none_of(comparison.operations.begin(), comparison.operations.end(), differs) &&
           std::none_of(comparison.points.begin(), comparison.points.end(), differs);
}

}  // namespace

TEST_CASE("one disturbed launch in ten does not hide a factor of two, with or without noise launches",
          "[compare][not_quick]") {
    std::mt19937_64 random{20};
    int slower = 0;
    int faster = 0;
    int slower_than_noise = 0;
    int slower_than_own_noise = 0;
    for (int i = 0; i < 100; ++i) {
        auto const which = static_cast<std::size_t>(i % 10);
        bool const in_a = i % 2 == 0;
        auto const a = campaign(1, in_a ? std::optional{which} : std::nullopt, random);
        auto const b = campaign(2, in_a ? std::nullopt : std::optional{which}, random);
        auto const noise = campaign(1, i % 3 == 0 ? std::optional{which} : std::nullopt, random);
        auto const is_all = [](Comparison const& c, Verdict verdict) {
            return all_have(c.operations, verdict) && all_have(c.points, verdict);
        };
        slower += is_all(compare_sides(a, b, {}), Verdict::slower) ? 1 : 0;
        faster += is_all(compare_sides(b, a, {}), Verdict::faster) ? 1 : 0;
        slower_than_noise += is_all(compare_sides(a, b, {}, noise), Verdict::slower) ? 1 : 0;
        slower_than_own_noise += is_all(compare_sides(a, b, {.own_noise = true}), Verdict::slower) ? 1 : 0;
    }
    CHECK(slower >= 95);
    CHECK(faster >= 95);
    CHECK(slower_than_noise >= 95);
    CHECK(slower_than_own_noise >= 95);
}

TEST_CASE("one disturbed launch in ten does not make an unchanged program look different", "[compare][not_quick]") {
    std::mt19937_64 random{21};
    int nothing = 0;
    int nothing_beyond_noise = 0;
    for (int i = 0; i < 100; ++i) {
        auto const which = static_cast<std::size_t>(i % 10);
        auto const a = campaign(1, i % 2 == 0 ? std::optional{which} : std::nullopt, random);
        auto const b = campaign(1, i % 2 == 0 ? std::nullopt : std::optional{which}, random);
        nothing += nothing_found(compare_sides(a, b, {})) ? 1 : 0;
        nothing_beyond_noise += nothing_found(compare_sides(a, b, {.threshold = 0, .own_noise = true})) ? 1 : 0;
    }
    CHECK(nothing >= 95);
    CHECK(nothing_beyond_noise >= 95);
}

TEST_CASE("the probability of any false alarm among the operations is at most alpha", "[compare][not_quick]") {
    std::mt19937_64 random{22};
    int alarms = 0;
    for (int i = 0; i < 400; ++i) {
        auto const a = campaign(1, std::nullopt, random);
        alarms += nothing_found(compare_sides(a, campaign(1, std::nullopt, random), {.threshold = 0})) ? 0 : 1;
    }
    // 5 % of 400 are 20, with a standard deviation of 4.4.
    CHECK(alarms <= 33);
}

TEST_CASE("launches with a spread of 10 % raise few false alarms over 21 points", "[compare][not_quick]") {
    test::LaunchModel const model{.operations = 4, .sizes = 5, .has_barrier = true};
    std::mt19937_64 random{23};
    int alarms = 0;
    for (int i = 0; i < 200; ++i) {
        auto const a = launches_of(model, {.launches = 10}, random);
        auto const found = compare_sides(a, launches_of(model, {.launches = 10}, random), {});
        REQUIRE(found.operations.size() == 5);
        REQUIRE(found.points.size() == 21);  // the barrier is one point, although it was measured at five sizes
        alarms += nothing_found(found) ? 0 : 1;
    }
    CHECK(alarms <= 16);  // 8 %
}

TEST_CASE("one bad launch in ten does not hide an operation that takes 1.5 times as long", "[compare][not_quick]") {
    test::LaunchModel const model{.operations = 4, .sizes = 5, .has_barrier = true};
    std::mt19937_64 random{24};
    int slower = 0;
    for (int i = 0; i < 100; ++i) {
        // The bad launch is on the faster side, where it hides the difference.
        auto const mishap = i % 2 == 0 ? test::Mishap::slow_launch : test::Mishap::wild_point;
        auto const a = launches_of(model, {.launches = 10, .mishap = mishap}, random);
        auto const b = launches_of(model, {.launches = 10, .slower = 1.5}, random);
        for (auto const& operation : compare_sides(a, b, {}).operations)
            slower += operation.point.benchmark == last_operation(model) && operation.verdict == Verdict::slower;
    }
    CHECK(slower >= 95);
}
