// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"
#include "compare_report.hpp"
#include "compare_sides.hpp"
#include "dimension.hpp"
#include "measure/error.hpp"
#include "plain_text.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <random>

using measure::Outcome;
using measure::Point;
using measure::Quantity;
using measure::Record;
using namespace measure_tool;

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

/// A launch for each median of one point.
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

TEST_CASE("ten launches that take a tenth longer are slower, and faster the other way round", "[compare]") {
    auto const there = compared(ten, times(ten, 1.1));
    CHECK(there.verdict == Verdict::slower);
    CHECK(there.basis == Basis::launches);
    CHECK_THAT(there.ratio, near(1.1));
    // No value of one side lies among those of the other: 2 of 184756 ways.
    CHECK_THAT(*there.p, near(2. / 184756));
    CHECK(there.interval->first < 1.1);
    CHECK(there.interval->second > 1.1);
    CHECK(compared(times(ten, 1.1), ten).verdict == Verdict::faster);
}

TEST_CASE("of rates more is faster; of what is neither, nobody knows", "[compare]") {
    CHECK(compared(ten, times(ten, 1.1), {}, Quantity::bandwidth).verdict == Verdict::faster);
    CHECK(compared(ten, times(ten, 1.1), {}, Quantity::flops).verdict == Verdict::faster);
    CHECK(compared(times(ten, 1.1), ten, {}, Quantity::rate).verdict == Verdict::slower);
    CHECK(compared(ten, times(ten, 1.1), {}, Quantity::memory).verdict == Verdict::higher);
    CHECK(compared(times(ten, 1.1), ten, {}, Quantity::count).verdict == Verdict::lower);
}

TEST_CASE("same needs an interval within the threshold, not only a large p", "[compare]") {
    CHECK(compared(ten, ten).verdict == Verdict::same);
    // As alike, but too widely spread to be sure of 2 %.
    Values const wide{8, 12, 9, 11, 10, 10.5, 9.5, 8.5, 11.5, 10.2};
    CHECK(compared(wide, wide).p == 1);
    CHECK(compared(wide, wide).verdict == Verdict::unclear);
    CHECK(compared(wide, wide, {.threshold = 0.5}).verdict == Verdict::same);
    // Four values of each side are no evidence of sameness.
    Values const four{10, 10.01, 9.99, 10};
    CHECK_FALSE(compared(four, four).interval);
    CHECK(compared(four, four).verdict == Verdict::unclear);
}

TEST_CASE("a difference below the threshold does not matter however certain it is", "[compare]") {
    Values const tight{10, 10.001, 10.002, 10.003, 10.004, 10.005, 10.006, 10.007};
    auto const result = compared(tight, times(tight, 1.01));
    CHECK(*result.adjusted_p < 0.001);
    CHECK(result.verdict == Verdict::same);
    CHECK(compared(tight, times(tight, 1.01), {.threshold = 0.005}).verdict == Verdict::slower);
}

TEST_CASE("few launches show nothing, and how many it takes is known", "[compare]") {
    CHECK(compared({10, 10.1, 10.2}, {20, 20.1, 20.2}).verdict == Verdict::unclear);
    CHECK(compared({10, 10.1, 10.2, 10.3}, {20, 20.1, 20.2, 20.3}).verdict == Verdict::slower);
    CHECK(compared(ten, {20}).verdict == Verdict::unclear);
    CHECK(launches_needed(1, 0.05) == 4);   // 2/70 = 0.029; 2/20 is not enough
    CHECK(launches_needed(24, 0.05) == 7);  // 24 * 2/3432 = 0.014; 24 * 2/924 = 0.052 is not enough
}

TEST_CASE("p-values are adjusted over all points", "[compare]") {
    std::vector<Launch> a;
    std::vector<Launch> b;
    Values const as{10.0, 10.2, 10.4, 10.6};
    Values const bs{11.0, 11.2, 11.4, 11.6};
    for (std::size_t i = 0; i < as.size(); ++i) {
        a.push_back(launch({point(as[i], 8), point(as[i], 16)}));
        b.push_back(launch({point(bs[i], 8), point(bs[i], 16)}));
    }
    auto const result = compare_sides(a, b, {});
    REQUIRE(result.points.size() == 2);
    CHECK_THAT(*result.points[0].p, near(2. / 70));
    CHECK_THAT(*result.points[0].adjusted_p, near(4. / 70));
    CHECK(result.points[0].verdict == Verdict::unclear);
}

TEST_CASE("single launches are compared by their valid samples", "[compare]") {
    auto const with_samples = [](double time, int step = 11) {
        auto one = launches({time});
        auto& record = one.front().record.points.front();
        record.has_samples = true;
        for (int i = 0; i < 20; ++i)
            record.samples.push_back({.stage = 1, .time = time * (1 + 0.001 * (i * step % 20))});
        record.samples.push_back({.stage = 1, .fault = measure::Fault::late, .time = 1e6});
        return one;
    };
    auto const result = compare_sides(with_samples(10), with_samples(12), {}).points.front();
    CHECK(result.basis == Basis::samples);
    CHECK(result.n_a == 20);
    CHECK(result.verdict == Verdict::slower);
    CHECK(result.remarks.empty());
    // The same samples in the order of their size depend on each other, and are worth no more than two.
    auto const steady = compare_sides(with_samples(10, 1), with_samples(12, 1), {}).points.front();
    CHECK(steady.n_a == 2);
    CHECK(steady.verdict == Verdict::unclear);
    CHECK(steady.remarks == Strings{"autocorrelated: 20+20 samples count as 2+2"});
    auto rates_a = with_samples(10);
    auto rates_b = with_samples(12);
    rates_a.front().record.points.front().quantity = rates_b.front().record.points.front().quantity = Quantity::rate;
    // The samples are times, so the rate of B is lower; the medians of the records say what is shown.
    auto const rates = compare_sides(rates_a, rates_b, {}).points.front();
    CHECK(rates.interval->second < 1);
}

TEST_CASE("without samples disjoint intervals differ, and nothing is the same", "[compare]") {
    auto const apart = compared({10}, {13});  // 9 .. 11 and 11.7 .. 14.3
    CHECK(apart.basis == Basis::intervals);
    CHECK(apart.verdict == Verdict::slower);
    CHECK_THAT(apart.interval->first, near(11.7 / 11));
    // Logarithms: half widths ln(1.1 / 0.9) / 2 = 0.100335 at 95 %, so errors 0.051193 each; ln(1.3) = 0.262364 is
    // 3.6239 of both together.
    CHECK_THAT(*apart.p, Catch::Matchers::WithinAbs(2.902e-4, 1e-6));
    CHECK(compared({10}, {11}).verdict == Verdict::unclear);
    CHECK(compared({10}, {10}, {.threshold = 5}).verdict == Verdict::unclear);
}

TEST_CASE("of many intervals a few are disjoint by chance, which is adjusted for", "[compare]") {
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal;
    int alarms = 0;
    for (int i = 0; i < 100; ++i) {
        auto const side = [&] {
            std::vector<Record> points;
            for (int k = 0; k < 30; ++k) {
                double const median = std::exp(0.05 * normal(random));
                points.push_back(point(median, k));
                points.back().estimate->median_interval = {median * std::exp(-0.098), median * std::exp(0.098)};
            }
            return std::vector{launch(points)};
        };
        auto const a = side();
        auto const points = compare_sides(a, side(), {}).points;
        alarms += std::any_of(points.begin(), points.end(), [](auto const& p) { return p.verdict != Verdict::unclear; })
                      ? 1
                      : 0;
    }
    CHECK(alarms <= 10);
}

TEST_CASE("an interval without a width says nothing", "[compare]") {
    auto coarse = launches({10});
    coarse.front().record.points.front().estimate->median_interval = {10, 10};
    auto later = launches({20});
    later.front().record.points.front().estimate->median_interval = {20, 20};
    auto const result = compare_sides(coarse, later, {}).points.front();
    CHECK_FALSE(result.p);
    CHECK(result.verdict == Verdict::unclear);
    CHECK(result.remarks == Strings{"intervals without a width"});
}

TEST_CASE("what a program subtracts for its value is in no ratio", "[compare]") {
    auto a = point(10);
    a.value = *a.value - 8;
    a.correction = 8;
    auto b = point(12);
    b.value = *b.value - 8;
    b.correction = 8;
    auto const result = compare_sides(std::vector{launch({a})}, std::vector{launch({b})}, {}).points.front();
    CHECK_THAT(result.a, near(2));
    CHECK_THAT(result.ratio, near(2));
    CHECK_THAT(result.interval->second, near((12 * 1.1 - 8) / (10 * 0.9 - 8)));
    a.value = *a.value - 3;
    a.correction = 11;
    auto const below = compare_sides(std::vector{launch({a})}, std::vector{launch({b})}, {});
    REQUIRE(below.missing.size() == 1);
    CHECK(below.missing.front().reason == "its value -1 is not above zero");
}

TEST_CASE("intervals for a small alpha take more launches", "[compare]") {
    Values const seven{10, 10.01, 9.99, 10, 10.02, 9.98, 10};
    CHECK(compared(seven, seven).verdict == Verdict::same);
    CHECK_FALSE(compared(seven, seven, {.alpha = 0.01}).interval);
    CHECK(compared(seven, seven, {.alpha = 0.01}).verdict == Verdict::unclear);
    CHECK(compared(ten, ten, {.alpha = 0.01}).interval);
}

TEST_CASE("a merged record counts with the values of its launches", "[compare]") {
    auto merged = launches({11});
    merged.front().record.points.front().derived["launch_medians"] =
        measure::Value::Array{11.0, nullptr, 11.1, 10.9, 11.05, 11, 10.95};
    auto const result = compare_sides(launches(ten), merged, {}).points.front();
    CHECK(result.n_b == 6);
    CHECK_THAT(result.b, near(11));
    CHECK(result.verdict == Verdict::slower);
    CHECK(result.remarks == Strings{"1 launch without a value"});
}

TEST_CASE("points of one side only are listed with the reason", "[compare]") {
    auto const crashed = measure::make_record("Bcast", point(1, 16).at, Outcome::crashed, "data check");
    std::vector<Launch> const a{launch({point(1, 8), point(2, 16), point(3, 32)})};
    std::vector<Launch> const b{launch({point(1, 8), crashed, point(4, 64)})};
    auto const result = compare_sides(a, b, {});
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

TEST_CASE("coordinates may have another order, and equal points go with equal ones", "[compare]") {
    auto turned = point(4, 8);
    turned.at = Point{{"bytes", std::int64_t{8}}, {"ranks", std::int64_t{2}}};
    auto again = turned;
    again.estimate->median = 9;
    std::vector<Launch> const a{launch({point(2, 8), point(3, 8)})};
    std::vector<Launch> const b{launch({turned, again})};
    auto const result = compare_sides(a, b, {});
    REQUIRE(result.points.size() == 2);
    CHECK(result.points[0].ratio == 2);
    CHECK(result.points[1].ratio == 3);
    // sqrt(2 * 3)
    CHECK_THAT(result.means[0].ratio, near(std::sqrt(6.)));
}

TEST_CASE("values that have no ratio are no values", "[compare]") {
    for (double const bad : {0., -1., static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        auto odd = launches({1});
        odd.front().record.points.front().estimate.reset();
        odd.front().record.points.front().value = bad;
        auto const result = compare_sides(launches({1}), odd, {});
        CHECK(result.points.empty());
        CHECK(result.missing.size() == 1);
    }
}

TEST_CASE("a noise floor raises the threshold of its point", "[compare]") {
    auto const b = times(ten, 1.03);
    CHECK(compared(ten, b).verdict == Verdict::slower);
    // Pairs of 9, 10 and 10.8: ratios 1.08, 1.111, 1.2; the 95 % quantile is 1.1911.
    auto const noise = launches({10, 9, 10.8});
    auto const result = compare_sides(launches(ten), launches(b), {}, noise).points.front();
    CHECK_THAT(result.threshold, Catch::Matchers::WithinAbs(0.1911, 1e-4));
    CHECK(result.verdict == Verdict::same);
    auto const own = compared(ten, b, {.threshold = 0.001, .own_noise = true});
    CHECK(own.threshold > 0.01);
    CHECK(own.threshold < 0.0203);
}

TEST_CASE("points are grouped by a dimension, and its values are told apart", "[compare]") {
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

TEST_CASE("dimensions are benchmark, coordinates, fields of the run and options", "[compare]") {
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

TEST_CASE("files belong to the side before or behind --", "[compare]") {
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

TEST_CASE("sides may be the two values of a dimension", "[compare]") {
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

TEST_CASE("what a terminal would obey stands in no table", "[compare]") {
    page::Document document{.title = "t\x1b[2J"};
    document.elements.emplace_back(
        page::Table{.columns = {"name", "value"}, .rows = {{"\x1b[31m", "1"}, {"xyz", "22"}}});
    CHECK(plain_text(document) == "# t?[2J\n\nname   value\n?[31m      1\nxyz       22\n");
}

namespace {

/// How often synthetic launches have each verdict. Launches differ by a factor that is log-normal with `spread`, and
/// one in fifty is a fifth slower, as placements are that come about now and then.
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

TEST_CASE("ten launches find a slow-down of a tenth, and know the same program again", "[compare]") {
    // Launches of a quiet machine, and the default threshold.
    CHECK(verdicts(1, 0.006, {}, 1)[Verdict::same] >= 95);
    CHECK(verdicts(1.1, 0.006, {}, 2)[Verdict::slower] >= 95);
    // Launches that differ by 2 % need a threshold that is no smaller than what they differ by.
    CHECK(verdicts(1, 0.02, {.own_noise = true}, 3)[Verdict::same] >= 95);
    CHECK(verdicts(1.1, 0.02, {.threshold = 0.05}, 4)[Verdict::slower] >= 95);
    // With the default threshold they are unclear, but hardly ever different.
    auto strict = verdicts(1, 0.02, {}, 5);
    CHECK(strict[Verdict::slower] + strict[Verdict::faster] <= 8);
    CHECK(strict[Verdict::unclear] > 50);
}
