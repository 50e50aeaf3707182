// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/fit.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace measure_tool::pairs {

namespace {

constexpr int sweeps = 10;
constexpr double step = 0.7;
constexpr double smallest_scale = 0.002;
constexpr std::size_t own_scale = 10;

double scale_of(std::vector<double> xs, double factor) {
    for (double& x : xs)
        x = std::abs(x);
    return std::max(smallest_scale, 1.4826 * factor * median_or(xs, 0));
}

class Polish {
public:
    Polish(PairTable<double> const& logs, PairTable<int> const& classes, int class_count, Form form,
           std::vector<double> start)
        : logs_{logs}, classes_{classes}, of_class_(index(class_count)) {
        fit_.form = form;
        fit_.levels.assign(index(class_count), not_measured);
        fit_.effects = std::move(start);
        fit_.effects.resize(index(logs.seats()), 0);
    }

    Fit run() {
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            set_levels();
            move_effects();
        }
        set_levels();
        set_residuals();
        return std::move(fit_);
    }

private:
    [[nodiscard]] double left(int i, int j) const {
        double const y = fit_.form == Form::directed ? directed(logs_, i, j) : logs_.at(i, j);
        return y - fit_.predicted(i, j, classes_.at(i, j));
    }

    void set_levels() {
        for (auto& values : of_class_)
            values.clear();
        logs_.for_each([&](int i, int j, double y) {
            if (!std::isnan(y))
                of_class_[index(classes_.at(i, j))].push_back(y - fit_.effects[index(i)] - fit_.effects[index(j)]);
        });
        for (std::size_t c = 0; c < of_class_.size(); ++c)
            fit_.levels[c] = of_class_[c].empty()          ? not_measured
                             : fit_.form == Form::directed ? 0
                                                           : measure::median(of_class_[c]);
    }

    void move_effects() {
        std::vector<double> moves;
        for (int i = 0; i < logs_.seats(); ++i) {
            of_node_.clear();
            for (int j = 0; j < logs_.seats(); ++j)
                if (j != i && !std::isnan(logs_.at(i, j)))
                    of_node_.push_back(left(i, j));
            moves.push_back(step * median_or(of_node_, 0));
        }
        for (std::size_t i = 0; i < moves.size(); ++i)
            fit_.effects[i] += moves[i];
        double const middle = median_or(fit_.effects, 0);
        for (double& effect : fit_.effects)
            effect -= middle;
    }

    void set_residuals() {
        int const n = logs_.seats();
        fit_.residuals = PairTable<double>(n, not_measured);
        std::vector<double> all;
        for (auto& values : of_class_)
            values.clear();
        logs_.for_each([&](int i, int j, double y) {
            if (std::isnan(y))
                return;
            double const residual = left(i, j);
            fit_.residuals.at(i, j) = residual;
            of_class_[index(classes_.at(i, j))].push_back(residual);
            all.push_back(residual);
        });
        fit_.partners = n > 0 ? 2.0 * static_cast<double>(all.size()) / n : 0;
        // The polish has taken a share of what scatters.
        double const factor = n > 2 ? std::sqrt((n - 1.0) / (n - 2.0)) : 1;
        double const common = scale_of(std::move(all), factor);
        for (auto const& residuals : of_class_)
            fit_.scales.push_back(residuals.size() < own_scale ? common : scale_of(residuals, factor));
        fit_.effect_scale = scale_of(fit_.effects, 1);
    }

    PairTable<double> const& logs_;
    PairTable<int> const& classes_;
    std::vector<std::vector<double>> of_class_;
    std::vector<double> of_node_{};
    Fit fit_{};
};

}  // namespace

double median_or(std::vector<double> const& xs, double without) { return xs.empty() ? without : measure::median(xs); }

Fit fit(PairTable<double> const& logs, PairTable<int> const& classes, int class_count, Form form,
        std::vector<double> start) {
    return Polish{logs, classes, class_count, form, std::move(start)}.run();
}

}  // namespace measure_tool::pairs
