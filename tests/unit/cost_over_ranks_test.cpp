// SPDX-License-Identifier: BSD-3-Clause
#include "measure/cost_over_ranks.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace measure;

namespace {

auto as_fitted_over_ranks(double x) { return Catch::Matchers::WithinRel(x, 1e-6); }

using TimesOverRanks = std::function<double(double, int)>;

std::vector<RanksRow> measured_rows(std::vector<int> const& ranks, int sizes, TimesOverRanks const& time,
                                    double noise = 0, unsigned seed = 1) {
    std::mt19937 engine{seed};
    std::normal_distribution<double> normal;
    std::vector<RanksRow> rows;
    for (int const p : ranks) {
        rows.push_back({p, {}});
        for (int i = 0; i < sizes; ++i) {
            double const m = std::ldexp(1.0, i);
            rows.back().points.push_back({m, time(m, p) * (1 + noise * normal(engine)), 0});
        }
    }
    return rows;
}

/// A broadcast over a tree: latency and cost per byte grow with the logarithm of the ranks.
double tree(double m, int p) { return (1e-6 + 1e-9 * m) * std::log2(p); }

}  // namespace

TEST_CASE("forms over the ranks have names", "[cost_model]") {
    CHECK(name(RanksForm::constant) == "constant");
    CHECK(name(RanksForm::logarithmic) == "log2(p)");
    CHECK(name(RanksForm::linear) == "p");
}

TEST_CASE("a tree is logarithmic in latency and in cost per byte", "[cost_model]") {
    auto const model = fit_cost_over_ranks(measured_rows({2, 4, 8, 16}, 20, tree));
    REQUIRE(model);
    REQUIRE(model->pieces.size() == 1);
    auto const& piece = model->pieces.front();
    CHECK(piece.alpha.form == RanksForm::logarithmic);
    CHECK(piece.beta.form == RanksForm::logarithmic);
    CHECK_THAT(piece.alpha.c1, as_fitted_over_ranks(1e-6));
    CHECK_THAT(piece.beta.c1, as_fitted_over_ranks(1e-9));
    CHECK_THAT(model->at(1024, 6).value(), as_fitted_over_ranks(tree(1024, 6)));
    CHECK(model->fewest == 2);
    CHECK(model->most == 16);
}

TEST_CASE("noise does not bias the form", "[cost_model]") {
    double sum = 0;
    int fitted = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        auto const model = fit_cost_over_ranks(measured_rows(
            {2, 4, 8, 16, 32}, 12, [](double, int) { return 1e-5; }, 0.1, seed));
        REQUIRE(model);
        if (auto const time = model->at(32, 8)) {
            sum += *time;
            ++fitted;
        }
    }
    // Weighting by the measured times would make it 2 % too low.
    CHECK(fitted >= 190);
    CHECK(std::abs(sum / fitted / 1e-5 - 1) < 0.005);
}

TEST_CASE("forms are distinguished despite noise", "[cost_model]") {
    int good = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        auto const model = fit_cost_over_ranks(measured_rows(
            {2, 3, 4, 8, 16}, 20, [](double m, int p) { return 1e-6 + 2e-7 * p + 1e-9 * m; }, 0.01, seed));
        REQUIRE(model);
        if (model->pieces.size() == 1 && model->pieces.front().alpha.form == RanksForm::linear &&
            model->pieces.front().beta.form == RanksForm::constant)
            ++good;
    }
    CHECK(good >= 42);
}

TEST_CASE("breaks are common to all numbers of ranks", "[cost_model]") {
    auto const model = fit_cost_over_ranks(
        measured_rows({2, 4, 8}, 20, [](double m, int p) { return m <= 4096 ? tree(m, p) : 2e-5 + 1e-10 * m * p; }));
    REQUIRE(model);
    REQUIRE(model->pieces.size() == 2);
    CHECK_THAT(model->pieces.front().high, as_fitted_over_ranks(std::sqrt(4096.0 * 8192.0)));
    CHECK(model->pieces.back().beta.form == RanksForm::linear);
    CHECK_THAT(model->at(1 << 18, 5).value(), as_fitted_over_ranks(2e-5 + 1e-10 * (1 << 18) * 5));
    CHECK(model->largest_error < 1e-6);
}

TEST_CASE("a barrier has no sizes", "[cost_model]") {
    std::vector<RanksRow> rows;
    for (int const p : {2, 4, 8, 16, 32})
        rows.push_back({p, {{0, 1e-6 + 5e-7 * std::log2(p), 0}}});
    auto const model = fit_cost_over_ranks(rows);
    REQUIRE(model);
    REQUIRE(model->pieces.size() == 1);
    CHECK(model->pieces.front().alpha.form == RanksForm::logarithmic);
    CHECK(model->pieces.front().beta.c0 == 0);
    CHECK_THAT(model->at(0, 20).value(), as_fitted_over_ranks(1e-6 + 5e-7 * std::log2(20)));
}

TEST_CASE("two numbers of ranks cannot determine a form", "[cost_model]") {
    CHECK_FALSE(fit_cost_over_ranks(measured_rows({2, 4}, 20, tree)));
    CHECK_FALSE(fit_cost_over_ranks({}));
}

TEST_CASE("ranks and sizes that were not measured have no prediction", "[cost_model]") {
    auto const model = fit_cost_over_ranks(measured_rows({2, 4, 8}, 10, tree));
    REQUIRE(model);
    CHECK(model->at(1, 2));
    CHECK_FALSE(model->at(1, 1));
    CHECK_FALSE(model->at(1, 9));
    CHECK_FALSE(model->at(0.5, 2));
    CHECK_FALSE(model->at(513, 2));
}

TEST_CASE("an outlier at one number of ranks does not change the form", "[cost_model]") {
    auto rows = measured_rows({2, 4, 8, 16}, 20, tree);
    rows[1].points[7].seconds *= 5;
    auto const model = fit_cost_over_ranks(rows);
    REQUIRE(model);
    CHECK_THAT(model->at(128, 4).value(), as_fitted_over_ranks(tree(128, 4)));
}

TEST_CASE("a form over the ranks covers the sizes of all of them", "[cost_model]") {
    auto rows =
        measured_rows({2, 4, 8}, 20, [](double m, int p) { return m <= 4096 ? tree(m, p) : 2e-5 * p + tree(m, p); });
    rows[0].points.resize(16);
    rows[1].points.erase(rows[1].points.begin());
    auto const model = fit_cost_over_ranks(rows);
    REQUIRE(model);
    CHECK_FALSE(model->at(1, 2));
    CHECK(model->at(2, 2));
    CHECK(model->at(1 << 15, 8));
    CHECK_FALSE(model->at((1 << 15) + 1, 8));
    for (auto& p : rows[2].points)
        p.bytes += 1 << 20;
    CHECK_FALSE(fit_cost_over_ranks(rows));
}
