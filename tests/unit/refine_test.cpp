// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/refine.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace measure;

namespace {

using Points = std::vector<std::int64_t>;
using Model = std::function<double(double)>;

auto near(double x) { return Catch::Matchers::WithinRel(x, 1e-9); }
/// Matcher for values with four printed decimals.
auto printed(double x) { return Catch::Matchers::WithinAbs(x, 5e-5); }

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The jump in the worked example: t = 10 + 0.010 m below 3000, otherwise 45 + 0.008 m.
double jump(double m) { return m < 3000 ? 10 + 0.010 * m : 45 + 0.008 * m; }

struct Run {
    Points asked;
    std::vector<double> errors;
};

void add_all(Refiner& refiner, Points const& xs, Model const& model) {
    for (auto const x : xs)
        refiner.add(x, model(static_cast<double>(x)));
}

Run refine(Refiner& refiner, Model const& model) {
    Run run;
    while (auto const x = refiner.next()) {
        run.asked.push_back(*x);
        run.errors.push_back(refiner.max_error());
        refiner.add(*x, model(static_cast<double>(*x)));
    }
    return run;
}

Refinement example_rule() { return {.tolerance = 0.05, .at_most = 64, .multiple_of = 4, .min_distance = 8}; }

/// Number of points added to the initial ones on 0 .. 1048576.
std::size_t points_added(double factor, double tolerance, Model const& model) {
    auto const initial = geometric_points(0, 1048576, factor, 4);
    Refiner refiner{{.tolerance = tolerance, .at_most = 1000, .multiple_of = 4, .min_distance = 4}};
    add_all(refiner, initial, model);
    auto const added = refine(refiner, model).asked.size();
    CHECK(refiner.end() == RefinementEnd::accuracy);
    return added;
}

}  // namespace

TEST_CASE("ends of a refinement have names", "[refine]") {
    CHECK(name(RefinementEnd::open) == "open");
    CHECK(name(RefinementEnd::accuracy) == "accuracy");
    CHECK(name(RefinementEnd::limit) == "limit");
    CHECK(name(RefinementEnd::exhausted) == "exhausted");
    CHECK(name(RefinementEnd::noise_guard) == "noise_guard");
}

TEST_CASE("a jump is bracketed by four points", "[refine]") {
    Refiner refiner{example_rule()};
    add_all(refiner, {256, 512, 1024, 2048, 4096, 8192, 16384}, jump);
    auto const run = refine(refiner, jump);

    CHECK(run.asked == Points{2896, 3444, 3160, 3024});
    REQUIRE(run.errors.size() == 4);
    CHECK_THAT(run.errors[0], printed(0.3447));
    CHECK_THAT(run.errors[1], printed(0.3447));
    CHECK_THAT(run.errors[2], printed(0.1892));
    CHECK_THAT(run.errors[3], printed(0.0912));
    CHECK(refiner.end() == RefinementEnd::accuracy);
    CHECK_THAT(refiner.max_error(), printed(0.0442));
    CHECK(refiner.points() == 11);
}

TEST_CASE("segments next to a jump have one large and one small prediction error and are not split", "[refine]") {
    Refiner refiner{example_rule()};
    add_all(refiner, {1024, 2048, 2896, 3024, 4096, 8192}, jump);
    CHECK(refiner.segment_error(1) < 1e-12);                  // 2048-2896: the D1 term is large, the D2 term is 0
    CHECK_THAT(refiner.segment_error(2), near(128. / 2896));  // 2896-3024: the relative width
    CHECK(refiner.segment_error(3) < 1e-12);                  // 3024-4096
}

TEST_CASE("points may be added in any order", "[refine]") {
    Refiner refiner{example_rule()};
    add_all(refiner, {16384, 256, 4096, 512, 8192, 2048, 1024}, jump);
    CHECK(refine(refiner, jump).asked == Points{2896, 3444, 3160, 3024});
}

TEST_CASE("the number of points is limited", "[refine]") {
    auto rule = example_rule();
    rule.at_most = 9;
    Refiner refiner{rule};
    add_all(refiner, {256, 512, 1024, 2048, 4096, 8192, 16384}, jump);
    CHECK(refine(refiner, jump).asked.size() == 2);
    CHECK(refiner.end() == RefinementEnd::limit);
    CHECK(refiner.points() == 9);
    CHECK_THAT(refiner.max_error(), printed(0.1892));
}

TEST_CASE("a straight line needs no further point", "[refine]") {
    auto const line = [](double m) { return 5 + 0.001 * m; };
    Refiner refiner{example_rule()};
    add_all(refiner, geometric_points(0, 1048576, 2, 4), line);
    CHECK_FALSE(refiner.next());
    CHECK(refiner.end() == RefinementEnd::accuracy);
    CHECK(refiner.max_error() < 1e-12);
}

TEST_CASE("smooth curves need few points and a jump needs five or six", "[refine]") {
    double const root_two = std::sqrt(2.);
    auto const line = [](double m) { return 5 + 0.001 * m; };
    auto const two_jumps = [](double m) { return jump(m) + (m < 100000 ? 0 : 500); };
    auto const bend = [](double m) { return m < 3000 ? 10 + 0.010 * m : 40 + 0.020 * (m - 3000); };
    auto const root = [](double m) { return 1 + 0.5 * std::sqrt(m); };

    CHECK(geometric_points(0, 1048576, root_two, 4).size() == 37);
    CHECK(geometric_points(0, 1048576, 2, 4).size() == 20);
    for (double const factor : {root_two, 2.}) {
        auto const initial = geometric_points(0, 1048576, factor, 4).size();
        CHECK(points_added(factor, 0.02, line) == 0);
        CHECK(points_added(factor, 0.02, jump) >= 5);
        CHECK(points_added(factor, 0.02, jump) <= 6);
        CHECK(points_added(factor, 0.05, jump) >= 3);
        CHECK(points_added(factor, 0.05, jump) <= 4);
        CHECK(points_added(factor, 0.02, two_jumps) >= 10);
        CHECK(points_added(factor, 0.02, two_jumps) <= 12);
        CHECK(points_added(factor, 0.05, two_jumps) >= 6);
        CHECK(points_added(factor, 0.05, two_jumps) <= 8);
        CHECK(points_added(factor, 0.02, bend) >= 3);
        CHECK(points_added(factor, 0.02, bend) <= 4);
        CHECK(points_added(factor, 0.05, bend) <= 2);
        CHECK(initial + points_added(factor, 0.02, root) == 65);
        CHECK(initial + points_added(factor, 0.05, root) == 37);
    }
}

TEST_CASE("the segment error uses the terms whose neighbours exist", "[refine]") {
    Refiner refiner{{}};
    refiner.add(10, 1);
    refiner.add(20, 4);
    CHECK_THAT(refiner.segment_error(0), near(1.0));  // only the width (20 - 10) / 10
    refiner.add(40, 5);
    // D1: 4 + (1/20) * -10 = 3.5 instead of 1; the width 1 is smaller than 2.5
    CHECK_THAT(refiner.segment_error(0), near(1.0));
    // D2: 1 extrapolated by 0.3 per unit: 4 + 6 = 10 instead of 5
    CHECK_THAT(refiner.segment_error(1), near(1.0));
    refiner.add(80, 7.2);
    // D1: 5 - (2.2/40) * 20 = 3.9 instead of 4: 0.025
    CHECK_THAT(refiner.segment_error(1), near(0.025));
}

TEST_CASE("a segment that begins at 0 or has no positive time is never split", "[refine]") {
    Refiner refiner{{.tolerance = 0.01}};
    refiner.add(0, 1);
    refiner.add(100, 50);
    CHECK(refiner.segment_error(0) == 0);
    for (double const t : {0., -1., std::nan("")}) {
        Refiner other{{.tolerance = 0.01}};
        other.add(100, t);
        other.add(200, 5);
        other.add(400, t);
        CHECK(other.segment_error(0) == 0);
        CHECK(other.segment_error(1) == 0);
        CHECK_FALSE(other.next());
        CHECK(other.end() == RefinementEnd::accuracy);
    }
}

TEST_CASE("a neighbour without a time is ignored", "[refine]") {
    Refiner refiner{{}};
    refiner.add(10, std::nan(""));
    refiner.add(20, 1);
    refiner.add(40, 9);
    CHECK_THAT(refiner.segment_error(1), near(1.0));
}

TEST_CASE("if errors are equal, the smaller x is refined first", "[refine]") {
    Refiner refiner{{.tolerance = 0.1, .multiple_of = 1}};
    // For both outer segments the width, (c - b)/b = 3, is the smallest term.
    refiner.add(4, 1);
    refiner.add(16, 100);
    refiner.add(64, 1);
    REQUIRE(refiner.segment_error(0) == refiner.segment_error(1));
    CHECK(refiner.next() == 8);
}

TEST_CASE("the midpoint is geometric or arithmetic and rounded half up", "[refine]") {
    Refiner geometric{{.multiple_of = 4}};
    geometric.add(64, 1);
    geometric.add(1024, 100);
    CHECK(geometric.next() == 256);
    Refiner arithmetic{{.multiple_of = 4, .logarithmic = false}};
    arithmetic.add(64, 1);
    arithmetic.add(1024, 100);
    CHECK(arithmetic.next() == 544);
    Refiner half{{.multiple_of = 4, .logarithmic = false}};
    half.add(4, 1);
    half.add(16, 100);
    CHECK(half.next() == 12);  // 10 is halfway between 8 and 12
}

TEST_CASE("noise is not refined", "[refine]") {
    auto const add_points = [](Refiner& refiner, double half_width) {
        refiner.add(100, 10, half_width);
        refiner.add(200, 11, half_width);
        refiner.add(400, 14, half_width);
        refiner.add(800, 18, half_width);
    };
    // Segment 200-400: D1 = 11 - (14 - 0.01 * 200) = -1, D2 = 14 - (11 + 0.01 * 200) = 1.
    Refiner noisy{{.tolerance = 0.01}};
    add_points(noisy, 0.51);
    CHECK(noisy.segment_error(1) == 0);
    Refiner sharp{{.tolerance = 0.01}};
    add_points(sharp, 0.49);
    CHECK_THAT(sharp.segment_error(1), near(1. / 14));
    Refiner unguarded{{.tolerance = 0.01, .noise_guard = false}};
    add_points(unguarded, 0.51);
    CHECK_THAT(unguarded.segment_error(1), near(1. / 14));
    Refiner blind{{.tolerance = 0.01}};
    add_points(blind, infinite);
    CHECK(blind.segment_error(0) == 0);
}

TEST_CASE("an end by the noise guard is reported with the error of the paper's rule", "[refine]") {
    auto const ended = [](double half_width, double tolerance, std::int64_t min_distance = 1) {
        Refiner refiner{{.tolerance = tolerance, .min_distance = min_distance}};
        refiner.add(100, 10, half_width);
        refiner.add(200, 11, half_width);
        refiner.add(400, 14, half_width);
        refiner.add(800, 18, half_width);
        CHECK_FALSE(refiner.next());
        return refiner;
    };
    // Without noise the errors are 0.5/10, 1/14 and 2/18. A half width of 1.01 hides differences up to 2.02.
    auto const held = ended(1.01, 0.01);
    CHECK(held.end() == RefinementEnd::noise_guard);
    CHECK(held.max_error() == 0);
    CHECK_THAT(held.paper_error(), near(2. / 18));
    // The rule of the paper ends here too.
    auto const fine = ended(1.01, 0.12);
    CHECK(fine.end() == RefinementEnd::accuracy);
    CHECK_THAT(fine.paper_error(), near(2. / 18));
    // With a minimum distance of 200, segments 400-800 and 200-400 have no midpoint, and the paper's rule drops them.
    auto const narrow = ended(1.01, 0.06, 200);
    CHECK(narrow.end() == RefinementEnd::accuracy);
    CHECK_THAT(narrow.paper_error(), near(0.05));
}

TEST_CASE("without the noise guard the error of the paper's rule decides", "[refine]") {
    auto rule = example_rule();
    rule.at_most = 9;
    rule.noise_guard = false;
    Refiner refiner{rule};
    add_all(refiner, {256, 512, 1024, 2048, 4096, 8192, 16384}, jump);
    refine(refiner, jump);
    CHECK(refiner.end() == RefinementEnd::limit);
    CHECK(refiner.paper_error() == refiner.max_error());
    CHECK_THAT(refiner.paper_error(), printed(0.1892));
}

TEST_CASE("segments too narrow to split are dropped until none is left", "[refine]") {
    Refiner refiner{{.tolerance = 0.001, .multiple_of = 4, .min_distance = 4}};
    refiner.add(4, 1);
    refiner.add(8, 50);
    CHECK_FALSE(refiner.next());
    CHECK(refiner.end() == RefinementEnd::exhausted);
    CHECK(refiner.max_error() == 0);
}

TEST_CASE("a refined point keeps the minimum distance from both neighbours", "[refine]") {
    Refinement rule{.tolerance = 0.001, .min_distance = 5};
    Refiner wide{rule};
    wide.add(10, 1);
    wide.add(23, 50);
    CHECK(wide.next() == 15);  // sqrt(230) = 15.2; distances 5 and 8
    Refiner narrow{rule};
    narrow.add(10, 1);
    narrow.add(20, 50);
    CHECK_FALSE(narrow.next());  // 14 has only the distance 4
    CHECK(narrow.end() == RefinementEnd::exhausted);
}

TEST_CASE("a dropped segment stays dropped until one of its ends changes", "[refine]") {
    Refiner refiner{{.tolerance = 0.001, .multiple_of = 1, .min_distance = 3}};
    refiner.add(10, 1);
    refiner.add(14, 50);
    CHECK_FALSE(refiner.next());
    refiner.add(100, 1);  // a new neighbour is not an end: 10-14 stays dropped, 14-100 is split
    CHECK(refiner.next() == 37);
    Refiner coarse{{.tolerance = 0.001, .multiple_of = 16}};
    coarse.add(16, 1);
    coarse.add(33, 50);
    CHECK_FALSE(coarse.next());  // sqrt(528) = 23.0 is rounded to 16
    coarse.add(20, 20);
    CHECK(coarse.next() == 32);  // sqrt(660) = 25.7
}

TEST_CASE("with fewer than two points nothing is refined", "[refine]") {
    Refiner refiner{{}};
    CHECK(refiner.end() == RefinementEnd::open);
    CHECK_FALSE(refiner.next());
    CHECK(refiner.end() == RefinementEnd::exhausted);
    refiner.add(10, 1);
    CHECK_FALSE(refiner.next());
}

TEST_CASE("the same point is proposed until it is added", "[refine]") {
    Refiner refiner{example_rule()};
    add_all(refiner, {1024, 2048, 4096, 8192}, jump);
    auto const x = refiner.next();
    REQUIRE(x);
    CHECK(refiner.next() == x);
    CHECK(refiner.end() == RefinementEnd::open);
}

TEST_CASE("refinement never proposes a point outside the range, twice or off the grid", "[refine]") {
    std::mt19937_64 random{3};
    std::lognormal_distribution<double> noise{0, 0.5};
    for (bool const logarithmic : {true, false})
        for (int trial = 0; trial < 50; ++trial) {
            Refiner refiner{
                {.tolerance = 0.02, .at_most = 80, .multiple_of = 8, .min_distance = 16, .logarithmic = logarithmic}};
            auto const noisy = [&](double m) { return jump(m) * noise(random); };
            auto const initial = geometric_points(64, 65536, 2, 8);
            add_all(refiner, initial, noisy);
            std::set<std::int64_t> seen(initial.begin(), initial.end());
            for (auto const x : refine(refiner, noisy).asked) {
                auto const [place, is_new] = seen.insert(x);
                REQUIRE(is_new);
                REQUIRE(x % 8 == 0);
                REQUIRE(place != seen.begin());
                REQUIRE(std::next(place) != seen.end());
                REQUIRE(x - *std::prev(place) >= 16);
                REQUIRE(*std::next(place) - x >= 16);
            }
            CHECK(seen.size() == refiner.points());
            CHECK(refiner.points() <= 80);
            CHECK(refiner.end() != RefinementEnd::open);
        }
}

TEST_CASE("refinement refuses invalid rules and points", "[refine]") {
    CHECK_THROWS_AS(Refiner({.tolerance = 0}), UsageError);
    CHECK_THROWS_AS(Refiner({.tolerance = std::nan("")}), UsageError);
    CHECK_THROWS_AS(Refiner({.multiple_of = 0}), UsageError);
    CHECK_THROWS_AS(Refiner({.min_distance = 0}), UsageError);
    Refiner refiner{{}};
    refiner.add(5, 1);
    CHECK_THROWS_AS(refiner.add(5, 2), UsageError);
    CHECK_THROWS_AS(refiner.add(-1, 2), UsageError);
    CHECK(refiner.points() == 1);
}

TEST_CASE("geometric points follow the powers of the factor on the grid", "[refine]") {
    Points const expected{4, 8, 12, 16, 24, 32, 44, 64, 92, 128, 180, 256, 364, 512, 724, 1024};
    CHECK(geometric_points(4, 1024, std::sqrt(2.), 4) == expected);
    CHECK(geometric_points(4, 1024, 1.414213562, 4) == expected);
    CHECK(geometric_points(256, 16384, 2, 4) == Points{256, 512, 1024, 2048, 4096, 8192, 16384});
    CHECK(geometric_points(1, 10, 2) == Points{1, 2, 4, 8, 10});
    CHECK(geometric_points(1, 8, 2) == Points{1, 2, 4, 8});
}

TEST_CASE("geometric points that start at 0 continue with the first value of the grid", "[refine]") {
    CHECK(geometric_points(0, 8, 2) == Points{0, 1, 2, 4, 8});
    CHECK(geometric_points(0, 32, 2, 4) == Points{0, 4, 8, 16, 32});
    CHECK(geometric_points(0, 2, 2, 4) == Points{0, 2});
    CHECK(geometric_points(0, 0, 2) == Points{0});
}

TEST_CASE("points off the grid are clipped to the range", "[refine]") {
    CHECK(geometric_points(5, 10, 2, 4) == Points{5, 10});
    CHECK(geometric_points(7, 7, 2) == Points{7});
    CHECK(linear_points(5, 10, 2, 4) == Points{5, 8, 10});
}

TEST_CASE("linear points include the end", "[refine]") {
    CHECK(linear_points(2, 8, 3) == Points{2, 5, 8});
    CHECK(linear_points(2, 9, 3) == Points{2, 5, 8, 9});
    CHECK(linear_points(0, 10, 3, 4) == Points{0, 4, 8, 10});  // 0 3 6 9 10 rounded to multiples of 4, 12 is clipped
    CHECK(linear_points(3, 3, 1) == Points{3});
    CHECK(linear_points(0, 1, std::int64_t{1} << 53) == Points{0, 1});
}

TEST_CASE("ranges that make no sense are refused", "[refine]") {
    CHECK_THROWS_AS(geometric_points(-1, 8, 2), UsageError);
    CHECK_THROWS_AS(geometric_points(9, 8, 2), UsageError);
    CHECK_THROWS_AS(geometric_points(1, 8, 1), UsageError);
    CHECK_THROWS_AS(geometric_points(1, 8, std::nan("")), UsageError);
    CHECK_THROWS_AS(geometric_points(1, 8, 2, 0), UsageError);
    CHECK_THROWS_AS(geometric_points(1, (std::int64_t{1} << 53) + 1, 2), UsageError);
    CHECK_THROWS_AS(linear_points(-1, 8, 2), UsageError);
    CHECK_THROWS_AS(linear_points(1, 8, 0), UsageError);
    CHECK_THROWS_AS(linear_points(1, 8, -1), UsageError);
}

TEST_CASE("a linear range may have fractional steps", "[refine]") {
    CHECK(linear_points(0, 4, 1.5) == Points{0, 2, 3, 4});  // 0 1.5 3 4, rounded half up
}

TEST_CASE("thinning keeps every j-th point and the last one", "[refine]") {
    auto const thinned = [](Points points, std::size_t at_most) {
        auto const j = measure::thin_out(points, at_most);
        return std::pair{j, points};
    };
    CHECK(thinned({1, 2, 3}, 3) == std::pair{std::size_t{1}, Points{1, 2, 3}});
    CHECK(thinned({1, 2, 3, 4}, 3) == std::pair{std::size_t{2}, Points{1, 3, 4}});
    CHECK(thinned({1, 2, 3, 4, 5}, 3) == std::pair{std::size_t{2}, Points{1, 3, 5}});
    CHECK(thinned({1, 2, 3, 4, 5}, 2) == std::pair{std::size_t{4}, Points{1, 5}});
    CHECK(thinned({7}, 1) == std::pair{std::size_t{1}, Points{7}});
    Points two{1, 2};
    CHECK_THROWS_AS(measure::thin_out(two, 1), UsageError);
}
