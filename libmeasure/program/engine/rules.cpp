// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/rules.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

namespace program::engine {

using measure::UsageError;
using measure::Value;

bool has_own_timer(measure::Program const& program) {
    auto const name = program.plan.timer.name();
    auto const known = measure::timer_names();
    return std::find(known.begin(), known.end(), name) == known.end() && !name.starts_with("synthetic:");
}

namespace {

/// Calls f with the synchroniser that a start has, if it has one.
template <class S, class F>
void with_sync(S& start, F&& f) {
    std::visit(
        [&](auto& each) {
            if constexpr (requires { each.slot.sync; })
                f(each.slot.sync);
            else if constexpr (requires { each.sync; })
                f(each.sync);
        },
        start);
}

}  // namespace

std::optional<measure::Sync> sync_of(measure::Start const& start) {
    std::optional<measure::Sync> result;
    with_sync(start, [&](measure::Sync const& sync) { result = sync; });
    return result;
}

std::vector<measure::Axis> axes(Options const& options, int world, bool only_listed) {
    auto axes = options.given;
    auto const ranks =
        std::find_if(axes.begin(), axes.end(), [](measure::Axis const& axis) { return axis.name == ranks_axis; });
    for (auto& value : ranks->values) {
        auto& n = std::get<std::int64_t>(value);
        if (n == 0)
            n = world;
        if (n > world && !only_listed)
            throw UsageError(fmt::format("--{}: {} are needed, and there {} only {}", ranks_axis, n,
                                         world == 1 ? "is" : "are", world));
    }
    return axes;
}

std::vector<Group> groups(measure::Program const& program, std::vector<std::string> const& names) {
    std::vector<std::string> known;
    for (auto const& benchmark : program.benchmarks)
        known.push_back(benchmark.name);
    Group chosen;
    for (auto const& name : names.empty() ? known : names) {
        auto const* const benchmark = &program.benchmarks[program::position({"NAME", name}, known)];
        if (std::find(chosen.begin(), chosen.end(), benchmark) == chosen.end())
            chosen.push_back(benchmark);
    }
    auto const reference = std::find_if(chosen.begin(), chosen.end(),
                                        [&](auto const* benchmark) { return benchmark->name == program.reference; });
    if (reference != chosen.end()) {
        std::rotate(chosen.begin(), reference, reference + 1);
        return {chosen};
    }
    std::vector<Group> groups;
    for (auto const* const benchmark : chosen)
        groups.push_back({benchmark});
    return groups;
}

std::optional<measure::Refinement> refinement(measure::Program const& program, Options const& options,
                                              std::vector<measure::Axis> const& axes, bool shuffle) {
    if (options.refine == 0)
        return std::nullopt;
    if (!std::holds_alternative<std::int64_t>(axes.back().values.front()))
        throw UsageError(fmt::format("--refine: '{}' is not of whole numbers", axes.back().name));
    if (shuffle)
        throw UsageError("--shuffle: refinement chooses its own order (--refine 0 switches it off)");
    auto rule = program.refine.value_or(measure::Refinement{});
    rule.tolerance = options.refine;
    return rule;
}

measure::Start start(measure::Program const& program, Options const& options, program::CommonOptions const& common) {
    if (options.start_given) {
        // One of the program's own has no name that could be given.
        auto const own = options.sync_given ? std::nullopt : sync_of(program.plan.start);
        return measure::start_from(common.start, own ? *own : measure::sync_from(common.sync_alg));
    }
    auto start = program.plan.start;
    if (options.sync_given)
        with_sync(start, [&](measure::Sync& sync) { sync = measure::sync_from(common.sync_alg); });
    return start;
}

std::string start_name(measure::Start const& start, bool oversubscribed) {
    if (std::holds_alternative<measure::AutoStart>(start))
        return oversubscribed ? "roundtime" : "slot";
    return std::string{measure::name(start)};
}

std::optional<measure::Sync> sync(measure::Start const& start, program::CommonOptions const& common) {
    if (std::holds_alternative<measure::FreeStart>(start))
        return std::nullopt;
    auto const own = sync_of(start);
    return own ? own : measure::sync_from(common.sync_alg);
}

measure::Plan plan(measure::Program const& program, Options const& options, program::Session& session) {
    auto const& common = session.common();
    auto plan = program.plan;
    if (!has_own_timer(program) || common.timer != plan.timer.name())
        plan.timer = measure::timer_from(common.timer, session.world(), common.seed);
    plan.start = start(program, options, common);
    plan.epochs = common.epochs;
    if (!common.settle)
        plan.settling.reset();
    else if (!plan.settling)
        plan.settling.emplace();
    if (common.raw)
        plan.detail = measure::Detail::samples;
    return plan;
}

namespace {

Value::Array list(measure::Axis const& axis) {
    Value::Array array;
    for (auto const& value : axis.values)
        std::visit([&](auto const& x) { array.emplace_back(x); }, value);
    return array;
}

}  // namespace

Value describe(std::vector<Group> const& groups, std::vector<measure::Axis> const& axes,
               std::optional<measure::Refinement> const& refine, std::string const& start,
               std::optional<measure::Sync> const& sync) {
    Value::Array names;
    for (auto const& group : groups)
        for (auto const* const benchmark : group)
            names.emplace_back(benchmark->name);
    Value value = Value::Object{{benchmarks_option, std::move(names)}};
    for (auto const& axis : axes)
        value[axis.name] = list(axis);
    value["refine"] = refine ? Value{refine->tolerance} : Value{};
    value["start"] = start;
    value["sync_alg"] = sync ? measure::name(*sync) : "none";
    return value;
}

}  // namespace program::engine
