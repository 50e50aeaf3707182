// SPDX-License-Identifier: BSD-3-Clause
/// Launch model: simulated launches of a machine whose times and errors are known.
#pragma once

#include "run/sweep.hpp"
#include "shared/inputs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A disturbance of one of the launches of a side.
enum class Mishap {
    none,
    slow_launch,  ///< everything is three times slower, including controls
    wild_point,   ///< one of its points is 1000 times slower, without any other sign
};

/// A model with operations "Operation 1", .. at several sizes each.
struct LaunchModel {
    std::size_t operations = 1;
    std::size_t sizes = 5;
    bool has_barrier = false;   ///< one more operation, which has no size and is measured at all of them
    bool has_controls = false;  ///< the controls that `measure run` adds, with errors of 3 %
    double sd = 0.1;            ///< standard deviation of the logarithm of a point's time between launches
    double shared = 0.5;        ///< share of that variance that all points of a launch have in common
};

struct ModelSide {
    std::size_t launches = 10;
    Mishap mishap = Mishap::none;
    double slower = 1;                  ///< factor by which the last operation is slower ..
    std::size_t slower_sizes = 1000;    ///< .. at this number of its smallest sizes
    std::vector<double> level{};        ///< [launches], added to the logarithms of all times; empty = 0
    std::vector<bool> in_slow_state{};  ///< [launches], whether cache lines are three times slower; empty = never
};

inline std::string last_operation(LaunchModel const& model) { return "Operation " + std::to_string(model.operations); }

inline measure::Record model_point(std::string name, std::size_t size, double time) {
    measure::Record point;
    point.benchmark = std::move(name);
    auto const bytes = std::int64_t{8} << size;
    point.at = {{"ranks", std::int64_t{2}}, {"count", bytes}, {"bytes", bytes}};
    point.value = time;
    point.estimate = measure::Estimate{.value = time, .median = time};
    point.elapsed = measure::seconds{1e-3};
    return point;
}

/// Returns the points of a launch. \param level  added to the logarithms of all times  \param wild  index of the point
/// that takes 1000 times as long
inline std::vector<measure::Record> model_points(LaunchModel const& model, ModelSide const& side, double level,
                                                 std::optional<std::size_t> wild, std::mt19937_64& random) {
    std::normal_distribution<double> normal{level, model.sd * std::sqrt(1 - model.shared)};
    std::vector<measure::Record> points;
    auto const add = [&](std::string const& name, std::size_t size, double factor) {
        double const time = 1e-6 * factor * std::exp(normal(random));
        points.push_back(model_point(name, size, points.size() == wild ? 1000 * time : time));
    };
    for (std::size_t operation = 1; operation <= model.operations; ++operation)
        for (std::size_t size = 0; size < model.sizes; ++size)
            add("Operation " + std::to_string(operation), size,
                operation == model.operations && size < side.slower_sizes ? side.slower : 1);
    for (std::size_t size = 0; model.has_barrier && size < model.sizes; ++size)
        add("Barrier", size, 1);
    return points;
}

/// Returns the controls. \param factor  of all of them  \param line  additional factor of the cache line
inline std::vector<measure::Record> model_controls(double factor, double line, std::mt19937_64& random) {
    std::normal_distribution<double> normal{0, 0.03};
    std::vector<measure::Record> points;
    for (auto const name : measure::all_controls) {
        double const own = name == measure::line_control ? line : 1;
        points.push_back(model_point(std::string{name}, 0, 1e-6 * factor * own * std::exp(normal(random))));
    }
    return points;
}

inline std::vector<measure::Launch> launches_of(LaunchModel const& model, ModelSide const& side,
                                                std::mt19937_64& random) {
    auto const any_of = [&](std::size_t number) {
        return std::uniform_int_distribution<std::size_t>{0, number - 1}(random);
    };
    std::normal_distribution<double> normal{0, model.sd * std::sqrt(model.shared)};
    std::size_t const victim = any_of(side.launches);
    std::vector<measure::Launch> launches;
    for (std::size_t i = 0; i < side.launches; ++i) {
        double const slow = i == victim && side.mishap == Mishap::slow_launch ? 3 : 1;
        std::optional<std::size_t> wild;
        if (i == victim && side.mishap == Mishap::wild_point)
            wild = any_of((model.operations + (model.has_barrier ? 1 : 0)) * model.sizes);
        double const level = (side.level.empty() ? 0 : side.level[i]) + normal(random) + std::log(slow);
        measure::Launch launch{.name = "launch", .record = {.points = model_points(model, side, level, wild, random)}};
        if (model.has_controls)
            for (auto& control :
                 model_controls(slow, i < side.in_slow_state.size() && side.in_slow_state[i] ? 3 : 1, random))
                launch.record.points.push_back(std::move(control));
        launch.record.run.suite = "mpiperf";
        launch.record.run.program = "mpiperf";
        launch.record.run.ranks = 2;
        auto const points = static_cast<double>(launch.record.points.size());
        launch.record.end = measure::EndRecord{.elapsed = 0.2 + 1e-3 * points};
        launches.push_back(std::move(launch));
    }
    return launches;
}

}  // namespace test
