// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/fit.hpp"

#include "pairs/together.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace measure::tool::pairs {

namespace {

constexpr int sweeps = 10;
constexpr double step = 0.7;
constexpr double smallest_scale = 0.002;
constexpr double own_scale = 10;

/// \param middle  median distance from zero; NaN if there are no values
double scale_of(double middle, double factor) {
    return std::max(smallest_scale, std::isnan(middle) ? 0 : 1.4826 * factor * middle);
}

class Polish {
public:
    Polish(measure::Comm const& comm, Rows<double> const& logs, ClassOf const& class_of, int class_count, Form form,
           std::vector<double> start)
        : comm_{comm}, logs_{logs}, classes_{logs.share()}, of_class_(index(class_count)) {
        logs.for_each_way([&](int i, int j, double) { classes_.at(i, j) = class_of(i, j); });
        fit_.form = form;
        fit_.levels.assign(index(class_count), not_measured);
        fit_.effects = std::move(start);
        fit_.effects.resize(index(logs.share().nodes), 0);
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
    void set_levels() {
        for (auto& values : of_class_)
            values.clear();
        logs_.for_each([&](int i, int j, double y) {
            if (!std::isnan(y))
                of_class_[index(classes_.at(i, j))].push_back(y - fit_.effects[index(i)] - fit_.effects[index(j)]);
        });
        if (fit_.form == Form::both_ways) {
            fit_.levels = medians(comm_, of_class_);
            return;
        }
        auto const pairs = pairs_of_classes();
        for (std::size_t c = 0; c < pairs.size(); ++c)
            fit_.levels[c] = pairs[c] > 0 ? 0 : not_measured;
    }

    /// [class] number of its pairs on all processes.
    [[nodiscard]] std::vector<double> pairs_of_classes() const {
        std::vector<double> pairs;
        for (auto const& values : of_class_)
            pairs.push_back(static_cast<double>(values.size()));
        sum(comm_, pairs);
        return pairs;
    }

    void move_effects() {
        std::vector<double> moves(fit_.effects.size());
        auto const& share = logs_.share();
        for (int i = share.first; i < share.first + share.count; ++i) {
            of_node_.clear();
            for (int j = 0; j < share.nodes; ++j)
                if (j != i && !std::isnan(logs_.at(i, j)))
                    of_node_.push_back(logs_.at(i, j) - fit_.predicted(i, j, classes_.at(i, j)));
            moves[index(i)] = step * median_or(of_node_, 0);
        }
        sum(comm_, moves);
        for (std::size_t i = 0; i < moves.size(); ++i)
            fit_.effects[i] += moves[i];
        double const middle = median_or(fit_.effects, 0);
        for (double& effect : fit_.effects)
            effect -= middle;
    }

    /// Bitwise equal in the rows of both nodes, except for the sign of directed values.
    [[nodiscard]] double residual(int i, int j) const {
        double const sign = fit_.form == Form::directed && j < i ? -1 : 1;
        auto const pair = pair_of(i, j);
        return sign * (sign * logs_.at(i, j) - fit_.predicted(pair.first, pair.second, classes_.at(i, j)));
    }

    void set_residuals() {
        fit_.residuals = Rows<double>{logs_.share(), not_measured};
        for (auto& values : of_class_)
            values.clear();
        std::vector<double> all;
        logs_.for_each_way([&](int i, int j, double y) {
            if (std::isnan(y))
                return;
            fit_.residuals.at(i, j) = residual(i, j);
            if (i > j)
                return;
            all.push_back(std::abs(fit_.residuals.at(i, j)));
            of_class_[index(classes_.at(i, j))].push_back(all.back());
        });
        of_class_.push_back(std::move(all));
        auto const pairs = pairs_of_classes();
        auto const middles = medians(comm_, of_class_);
        int const n = logs_.share().nodes;
        fit_.partners = n > 0 ? 2.0 * pairs.back() / n : 0;
        // Corrects for the scatter that the polish has absorbed.
        double const factor = n > 2 ? std::sqrt((n - 1.0) / (n - 2.0)) : 1;
        for (std::size_t c = 0; c < fit_.levels.size(); ++c)
            fit_.scales.push_back(scale_of(pairs[c] < own_scale ? middles.back() : middles[c], factor));
        std::vector<double> distances;
        for (double const effect : fit_.effects)
            distances.push_back(std::abs(effect));
        fit_.effect_scale = scale_of(median_or(distances, not_measured), 1);
    }

    measure::Comm const& comm_;
    Rows<double> const& logs_;
    Rows<int> classes_;
    std::vector<std::vector<double>> of_class_;  ///< [class] values of this process, each pair once
    std::vector<double> of_node_{};
    Fit fit_{};
};

}  // namespace

double median_or(std::vector<double> const& xs, double without) { return xs.empty() ? without : measure::median(xs); }

Fit fit(measure::Comm const& comm, Rows<double> const& logs, ClassOf const& class_of, int class_count, Form form,
        std::vector<double> start) {
    return Polish{comm, logs, class_of, class_count, form, std::move(start)}.run();
}

std::vector<int> partners_of(Fit const& fit, int node) {
    std::vector<int> partners;
    auto const row = fit.residuals.row(node);
    for (int j = 0; j < static_cast<int>(row.size()); ++j)
        if (j != node && !std::isnan(row[index(j)]))
            partners.push_back(j);
    return partners;
}

}  // namespace measure::tool::pairs
