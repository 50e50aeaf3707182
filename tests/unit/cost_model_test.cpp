// SPDX-License-Identifier: BSD-3-Clause
#include "measure/cost_model.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace measure;

namespace {

using Times = std::function<double(double)>;
using Sizes = std::vector<double>;

auto as_fitted(double x) { return Catch::Matchers::WithinRel(x, 1e-9); }

/// Sizes 1, 2, 4, ..
Sizes powers(std::size_t n) {
    Sizes sizes;
    for (std::size_t i = 0; i < n; ++i)
        sizes.push_back(std::ldexp(1.0, static_cast<int>(i)));
    return sizes;
}

std::vector<CostPoint> measured(Sizes const& sizes, Times const& time, double noise = 0, unsigned seed = 1) {
    std::mt19937 engine{seed};
    std::normal_distribution<double> normal;
    std::vector<CostPoint> points;
    for (double const m : sizes)
        points.push_back({m, time(m) * std::max(0.1, 1 + noise * normal(engine)), 0});
    return points;
}

double line(double m) { return 2e-6 + 1e-9 * m; }

/// Three protocols: short messages, then a higher start-up cost but faster per byte, then slower per byte again.
double protocols(double m) {
    if (m <= 1024)
        return 1e-6 + 2e-9 * m;
    return m <= 65536 ? 4.5e-6 + 0.5e-9 * m : 1.5e-5 + 0.8e-9 * m;
}

bool lies_in(Interval const& i, double x) { return i.first <= x && x <= i.second; }

}  // namespace

TEST_CASE("a straight line is recovered exactly", "[cost_model]") {
    auto const model = fit_cost(measured(powers(23), line));
    REQUIRE(model);
    CHECK(model->breaks.empty());
    REQUIRE(model->pieces.size() == 1);
    auto const& piece = model->pieces.front();
    CHECK_THAT(piece.line.alpha, as_fitted(2e-6));
    CHECK_THAT(piece.line.beta, as_fitted(1e-9));
    CHECK(piece.low == 1);
    CHECK(piece.high == 4194304);
    CHECK(piece.points == 23);
    CHECK(model->largest_error < 1e-9);
    CHECK_THAT(model->at(1000).value(), as_fitted(3e-6));
}

TEST_CASE("three points give the weighted line computed by hand", "[cost_model]") {
    // Times 1, 2, 4 at 0, 1, 2. Weights 1, 1/4, 1/16 give 0.96970 + 1.27273 m; two more iterations with the weights of
    // the previous line: 0.97186 + 1.32916 m, 0.97324 + 1.32673 m.
    auto const model = fit_cost(std::vector<CostPoint>{{0, 1, 0}, {1, 2, 0}, {2, 4, 0}});
    REQUIRE(model);
    auto const& l = model->pieces.front().line;
    CHECK_THAT(l.alpha, Catch::Matchers::WithinAbs(0.97324446, 1e-8));
    CHECK_THAT(l.beta, Catch::Matchers::WithinAbs(1.32672545, 1e-8));
    // One degree of freedom: t = 12.706.
    CHECK_THAT(model->pieces.front().alpha_interval.second, as_fitted(l.alpha + 12.706204736 * l.alpha_error));
}

TEST_CASE("a hundred clean lines give no break", "[cost_model]") {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        double const alpha = 1e-7 * seed;
        double const beta = 1e-12 * (101 - seed);
        auto const model = fit_cost(measured(powers(8 + seed % 20), [&](double m) { return alpha + beta * m; }));
        REQUIRE(model);
        CHECK(model->breaks.empty());
    }
}

TEST_CASE("a hundred noisy lines give hardly any breaks", "[cost_model]") {
    // In 2000 lines of each kind: at most 3 % with normal noise and 7 % with other noise, for any number of sizes.
    for (std::size_t const n : {7U, 8U, 12U, 16U, 23U}) {
        int invented = 0;
        int uneven = 0;
        int together = 0;
        for (unsigned seed = 1; seed <= 100; ++seed) {
            std::mt19937 engine{seed + 1000};
            std::normal_distribution<double> normal;
            auto points = measured(powers(n), line, 0.02, seed);
            invented += fit_cost(points)->breaks.empty() ? 0 : 1;
            // The smaller sizes scatter four times as much.
            for (std::size_t i = 0; i < n; ++i)
                points[i].seconds = line(points[i].bytes) * (1 + (2 * i < n ? 0.04 : 0.01) * normal(engine));
            uneven += fit_cost(points)->breaks.empty() ? 0 : 1;
            // Neighbouring sizes deviate together.
            double departure = normal(engine);
            for (auto& p : points) {
                departure = 0.5 * departure + std::sqrt(0.75) * normal(engine);
                p.seconds = line(p.bytes) * (1 + 0.02 * departure);
            }
            together += fit_cost(points)->breaks.empty() ? 0 : 1;
        }
        CAPTURE(n);
        CHECK(invented <= 6);
        CHECK(uneven <= 11);
        CHECK(together <= 13);
    }
}

TEST_CASE("breaks are located to within one grid step", "[cost_model]") {
    int within = 0;
    int covered = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        auto const model = fit_cost(measured(powers(23), protocols, 0.01, seed));
        REQUIRE(model);
        REQUIRE(model->breaks.size() >= 2);
        auto const near_one = [&](double truth) {
            return std::any_of(model->breaks.begin(), model->breaks.end(),
                               [&](auto const& b) { return b.low >= truth / 2 && b.low <= truth * 2; });
        };
        within += model->breaks.size() == 2 && near_one(1024) && near_one(65536) ? 1 : 0;
        covered += model->breaks.front().earliest <= 1024 && model->breaks.front().latest >= 2048 ? 1 : 0;
    }
    CHECK(within >= 97);
    CHECK(covered >= 90);
}

TEST_CASE("jumps and bends are distinguished, and the model switches at the break", "[cost_model]") {
    auto const model = fit_cost(measured(powers(23), protocols));
    REQUIRE(model);
    REQUIRE(model->breaks.size() == 2);
    auto const& jump = model->breaks.front();
    CHECK(jump.low == 1024);
    CHECK(jump.high == 2048);
    CHECK(jump.jump);
    CHECK_THAT(jump.at, as_fitted(std::sqrt(1024.0 * 2048.0)));
    CHECK_THAT(jump.ratio, as_fitted((4.5e-6 + 0.5e-9 * jump.at) / (1e-6 + 2e-9 * jump.at)));
    // A size at the break belongs to the piece before it.
    CHECK_THAT(model->at(jump.at).value(), as_fitted(1e-6 + 2e-9 * jump.at));
    CHECK_THAT(model->at(jump.at + 1).value(), as_fitted(4.5e-6 + 0.5e-9 * (jump.at + 1)));

    // Lines that cross between two sizes: the model is continuous. 1 + m / 1024 and m / 512 meet at 1024.
    auto const bend = fit_cost(measured({100, 200, 400, 600, 800, 1000, 1100, 1400, 2000, 3000, 5000, 9000},
                                        [](double m) { return std::max(1 + m / 1024, m / 512); }));
    REQUIRE(bend);
    REQUIRE(bend->breaks.size() == 1);
    CHECK_FALSE(bend->breaks.front().jump);
    CHECK_THAT(bend->breaks.front().at, as_fitted(1024));
}

TEST_CASE("a single outlier causes no break and does not change the line", "[cost_model]") {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        auto points = measured(powers(23), line, 0.01, seed);
        auto const where = seed % points.size();
        points[where].seconds *= seed % 2 == 0 ? 4 : 0.3;
        auto const model = fit_cost(points);
        REQUIRE(model);
        CAPTURE(seed);
        CHECK(model->breaks.empty());
        REQUIRE_FALSE(model->outliers.empty());
        CHECK(std::any_of(model->outliers.begin(), model->outliers.end(),
                          [&](auto const& p) { return p.bytes == points[where].bytes; }));
        CHECK_THAT(model->pieces.front().line.alpha, Catch::Matchers::WithinRel(2e-6, 0.03));
    }
}

TEST_CASE("intervals contain the true line as often as they claim", "[cost_model]") {
    int alpha = 0;
    int beta = 0;
    constexpr int sets = 400;
    for (unsigned seed = 1; seed <= sets; ++seed) {
        auto const model = fit_cost(measured(powers(23), line, 0.02, seed));
        alpha += lies_in(model->pieces.front().alpha_interval, 2e-6) ? 1 : 0;
        beta += lies_in(model->pieces.front().beta_interval, 1e-9) ? 1 : 0;
    }
    CHECK(alpha >= sets * 90 / 100);
    CHECK(beta >= sets * 90 / 100);
    CHECK(alpha + beta < 2 * sets);
}

TEST_CASE("intervals are wide if the sizes of a piece scatter", "[cost_model]") {
    // The scatter below 256 is ten times that above; a common scatter would average both.
    int alpha = 0;
    constexpr int sets = 200;
    for (unsigned seed = 1; seed <= sets; ++seed) {
        std::mt19937 engine{seed};
        std::normal_distribution<double> normal;
        auto points = measured(powers(16), line);
        for (auto& p : points)
            p.seconds *= 1 + (p.bytes < 256 ? 0.05 : 0.005) * normal(engine);
        alpha += lies_in(fit_cost(points)->pieces.front().alpha_interval, 2e-6) ? 1 : 0;
    }
    CHECK(alpha >= sets * 75 / 100);
}

TEST_CASE("points with large errors have less weight", "[cost_model]") {
    auto points = measured(powers(12), line);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].standard_error = 0.001 * points[i].seconds;
        if (i < 2) {
            points[i].seconds *= 1.5;
            points[i].standard_error = 0.5 * points[i].seconds;
        }
    }
    auto const model = fit_cost(points);
    REQUIRE(model);
    CHECK(model->outliers.empty());
    CHECK_THAT(model->pieces.front().line.alpha, Catch::Matchers::WithinRel(2e-6, 0.01));
}

TEST_CASE("a time that falls with the size has no negative slope", "[cost_model]") {
    auto const model = fit_cost(measured(powers(5), [](double m) { return 10e-6 - 0.1e-6 * m; }));
    REQUIRE(model);
    CHECK(model->pieces.front().line.beta == 0);
    CHECK(model->pieces.front().beta_interval.first == 0);
    CHECK(model->pieces.front().beta_interval.second >= 0);
}

TEST_CASE("a steep piece after a wide gap does not predict times near zero in the gap", "[cost_model]") {
    auto const model = fit_cost(
        measured({1, 2, 4, 8, 4096, 5000, 6000, 8192}, [](double m) { return m <= 8 ? 1e-6 : 1e-8 * (m - 3900); }));
    REQUIRE(model);
    REQUIRE(model->breaks.size() == 1);
    auto const& b = model->breaks.front();
    CHECK(b.at > 3900);
    CHECK(b.at < 4096);
    CHECK(model->at(b.at + 1).value() > 0);
    CHECK(b.ratio > 0);
}

TEST_CASE("an outlier at the end is outside the range of the model", "[cost_model]") {
    auto points = measured(powers(23), line, 0.01);
    points.back().seconds *= 4;
    auto const model = fit_cost(points);
    REQUIRE(model);
    REQUIRE(model->outliers.size() == 1);
    CHECK(model->high() == 2097152);
    CHECK_FALSE(model->at(4194304));
}

TEST_CASE("invalid times are ignored and equal sizes are joined", "[cost_model]") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<CostPoint> points{{4, 3e-6, 0}, {1, 1e-6, 0}, {1, 3e-6, 0},   {2, 2e-6, nan}, {8, -1, 0},
                                  {16, nan, 0}, {-1, 1, 0},   {nan, 1e-6, 0}, {2, 0, 0}};
    auto const model = fit_cost(points);
    REQUIRE(model);
    CHECK(model->sizes == 3);
    CHECK(model->low() == 1);
    CHECK(model->high() == 4);
    points.erase(points.begin());
    CHECK_FALSE(fit_cost(points));
    CHECK_FALSE(fit_cost({}));
}

TEST_CASE("sizes outside the measured range have no prediction", "[cost_model]") {
    auto const model = fit_cost(measured(powers(10), line));
    REQUIRE(model);
    CHECK_FALSE(model->at(0.5));
    CHECK(model->at(1));
    CHECK(model->at(512));
    CHECK_FALSE(model->at(513));
    CHECK_FALSE(model->at(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("many and extreme sizes are handled", "[cost_model]") {
    Sizes sizes;
    for (int i = 0; i < 100000; ++i)
        sizes.push_back(i);
    auto const many = fit_cost(measured(sizes, line));
    REQUIRE(many);
    CHECK(many->sizes == 200);
    CHECK(many->low() == 0);
    CHECK(many->high() == 99999);
    CHECK(many->breaks.empty());
    CHECK(fit_cost(std::vector<CostPoint>{{0, 1e-300, 0}, {1e300, 1e300, 0}, {1e308, 1e308, 1e308}}));
}

TEST_CASE("wrong rules are refused", "[cost_model]") {
    auto const points = measured(powers(5), line);
    CHECK_THROWS_AS(fit_cost(points, {.resolution = 0}), UsageError);
    CHECK_THROWS_AS(fit_cost(points, {.confidence = 1}), UsageError);
    CHECK_THROWS_AS(fit_cost(points, {.most_pieces = 0}), UsageError);
}

TEST_CASE("a protocol switch that comes too late is found with its optimal size", "[cost_model]") {
    // 10 + 0.1 m up to 1024, then 30 + 0.02 m: they cross at 20 / 0.08 = 250.
    auto const model =
        fit_cost(measured(powers(15), [](double m) { return m <= 1024 ? 10 + 0.1 * m : 30 + 0.02 * m; }));
    REQUIRE(model);
    auto const faults = switch_faults(*model);
    REQUIRE(faults.size() == 1);
    auto const& fault = faults.front();
    CHECK_FALSE(fault.too_early);
    // A factor of four below 1024 is 256, which is above the crossing.
    CHECK(fault.low == 256);
    CHECK(fault.open);
    CHECK(fault.size == 1024);
    CHECK_THAT(fault.saving, as_fitted(1 - (30 + 0.02 * 1024) / (10 + 0.1 * 1024)));
}

TEST_CASE("a protocol switch that comes too early is found with its optimal size", "[cost_model]") {
    // 10 + 0.01 m up to 1024, then 20 + 0.005 m, which is faster only above 10 / 0.005 = 2000.
    auto const early = fit_cost(measured({64, 128, 256, 512, 1024, 1200, 1500, 1800, 2100, 4096, 8192, 16384},
                                         [](double m) { return m <= 1024 ? 10 + 0.01 * m : 20 + 0.005 * m; }));
    REQUIRE(early);
    auto const faults = switch_faults(*early);
    REQUIRE(faults.size() == 1);
    CHECK(faults.front().too_early);
    CHECK(faults.front().size == 1200);
    CHECK_FALSE(faults.front().open);
    CHECK_THAT(faults.front().high, as_fitted(2000));
    CHECK_THAT(faults.front().saving, as_fitted(1 - (10 + 0.01 * 1200) / (20 + 0.005 * 1200)));
    CHECK(switch_faults(*early, 0.5).empty());
    // A switch at the crossing cannot be improved.
    auto const good = fit_cost(measured({64, 128, 256, 512, 1024, 1900, 2100, 4096, 8192, 16384},
                                        [](double m) { return m <= 2000 ? 10 + 0.01 * m : 20 + 0.005 * m; }));
    REQUIRE(good);
    CHECK(switch_faults(*good).empty());
}

TEST_CASE("an optimal protocol switch is rarely reported as a fault", "[cost_model]") {
    int blamed = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        // The faster of two lines that cross at 1024, and a line that gets steeper there.
        auto const best = [](double m) { return std::min(1e-6 + 2e-9 * m, 2.2e-6 + 0.828125e-9 * m); };
        auto const bend = [](double m) { return std::max(1e-6 + 1e-9 * m, -0.024e-6 + 2e-9 * m); };
        blamed += switch_faults(*fit_cost(measured(powers(23), best, 0.05, seed))).empty() ? 0 : 1;
        blamed += switch_faults(*fit_cost(measured(powers(23), bend, 0.05, seed))).empty() ? 0 : 1;
    }
    CHECK(blamed <= 8);
}

TEST_CASE("the range of a fault ends where the gain is no longer significant", "[cost_model]") {
    // Parallel lines, the second one 30 % higher, so only the error ends the range.
    auto const model = fit_cost(measured(
        powers(16), [](double m) { return (m <= 64 ? 1 : 1.3) * (1e-6 + 2e-10 * m); }, 0.04, 3));
    REQUIRE(model);
    for (auto const& fault : switch_faults(*model)) {
        CHECK(fault.too_early);
        CHECK(fault.open);
        auto const& used = model->pieces[fault.at + 1].line;
        auto const& other = model->pieces[fault.at].line;
        double const ratio = other.at(fault.high) / used.at(fault.high);
        double const error = ratio * std::hypot(used.error_at(fault.high) / used.at(fault.high),
                                                other.error_at(fault.high) / other.at(fault.high));
        CHECK(1 - ratio >= 1.99 * error);
    }
}
