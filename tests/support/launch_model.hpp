// SPDX-License-Identifier: BSD-3-Clause
/// Launch model: launches as values, of a machine whose times and errors are known.
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

/// What happens to one of the launches of a side.
enum class Mishap {
    none,
    slow_launch,  ///< all that it does takes three times as long, controls too
    wild_point,   ///< one of its points takes 1000 times as long, and nothing else tells of it
};

/// Operations "Operation 1", .. at several sizes each.
struct LaunchModel {
    std::size_t operations = 1;
    std::size_t sizes = 5;
    bool has_barrier = false;   ///< one more operation, which has no size and is measured at all of them
    bool has_controls = false;  ///< what `measure run` adds, with errors of 3 %
    double sd = 0.1;            ///< of the logarithm of a point's time, between launches
    double shared = 0.5;        ///< share of that variance which all points of a launch have in common
};

struct ModelSide {
    std::size_t launches = 10;
    Mishap mishap = Mishap::none;
    double slower = 1;                ///< the last operation takes so many times as long ..
    std::size_t slower_sizes = 1000;  ///< .. at so many of its sizes, the smallest ones
    std::vector<double> level{};      ///< what the logarithms of a launch's times have added, for each; empty: nothing
    std::vector<bool> in_slow_state{};  ///< of each launch: cache lines take three times as long; empty: none
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

/// The points of a launch. \param level  of all of them, as a logarithm  \param wild  takes 1000 times as long
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

/// \param line  that a cache line takes so many times as long
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
