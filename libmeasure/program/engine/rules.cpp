// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/rules.hpp"

#include "program/cli/values.hpp"

#include <measure/clock_sync.hpp>
#include <measure/error.hpp>
#include <measure/schedule.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace program::engine {

using measure::UsageError;
using measure::Value;

namespace {

std::vector<measure::Axis> axes(Options const& options, int world, bool only_listed) {
    auto axes = options.given;
    auto const ranks =
        std::find_if(axes.begin(), axes.end(), [](measure::Axis const& axis) { return axis.name == ranks_axis; });
    for (auto& value : ranks->values) {
        auto& n = std::get<std::int64_t>(value);
        if (n == 0)
            n = world;
        if (n > world && !only_listed)
            throw UsageError(fmt::format("--{}: {} are needed, but there {} only {}", ranks_axis, n,
                                         world == 1 ? "is" : "are", world));
    }
    return axes;
}

/// The named benchmarks without duplicates; all of them if none is named.
std::vector<measure::Benchmark> benchmarks(measure::Program const& program, std::vector<std::string> const& names) {
    if (names.empty())
        return program.benchmarks;
    std::vector<std::string> known;
    for (auto const& benchmark : program.benchmarks)
        known.push_back(benchmark.name);
    std::vector<std::size_t> places;
    for (auto const& name : names)
        add_once(places, position({"NAME", name}, known));
    std::vector<measure::Benchmark> chosen;
    for (auto const place : places)
        chosen.push_back(program.benchmarks[place]);
    return chosen;
}

/// Compared benchmarks need the same points. A sweep checks this as well, but a list does not.
void check_compared(std::vector<measure::Benchmark> const& benchmarks, std::string const& reference) {
    auto const is_reference = [&](measure::Benchmark const& each) { return each.name == reference; };
    if (benchmarks.size() < 2 || std::none_of(benchmarks.begin(), benchmarks.end(), is_reference))
        return;
    for (auto const& each : benchmarks)
        if (each.loop || each.variants || each.innermost || !each.axes.empty())
            throw UsageError(each.name + ": benchmarks that are compared cannot have their own variants, loop or axes");
}

std::optional<measure::Refinement> refinement(measure::Program const& program, Options const& options,
                                              std::vector<measure::Axis> const& axes, bool shuffle) {
    if (options.refine == 0)
        return std::nullopt;
    if (!std::holds_alternative<std::int64_t>(axes.back().values.front()))
        throw UsageError(fmt::format("--refine: axis '{}' needs integer values", axes.back().name));
    if (shuffle)
        throw UsageError(
            "--shuffle cannot be combined with refinement, which chooses its own order (--refine 0 switches it off)");
    auto rule = program.refine.value_or(measure::Refinement{});
    rule.tolerance = options.refine;
    return rule;
}

measure::Start start(measure::Start start, Options const& options, CommonOptions const& common) {
    if (options.start_given) {
        // Without --sync-alg the synchroniser of the program's start is kept: it may have no name for --sync-alg.
        auto const own = options.sync_given ? std::nullopt : sync_of(start);
        return measure::start_from(common.start, own ? *own : measure::sync_from(common.sync_alg));
    }
    if (options.sync_given)
        std::visit(
            [&](auto& each) {
                if constexpr (requires { each.slot.sync; })
                    each.slot.sync = measure::sync_from(common.sync_alg);
                else if constexpr (requires { each.sync; })
                    each.sync = measure::sync_from(common.sync_alg);
            },
            start);
    return start;
}

measure::Plan plan(measure::Plan plan, Options const& options, CommonOptions const& common) {
    plan.start = start(std::move(plan.start), options, common);
    plan.epochs = common.epochs;
    if (!common.settle)
        plan.settling.reset();
    else if (!plan.settling)
        plan.settling.emplace();
    if (common.raw)
        plan.keep = measure::Keep::samples;
    change(plan, common);
    return plan;
}

Value list(measure::Axis const& axis) {
    Value::Array array;
    for (auto const& value : axis.values)
        std::visit([&](auto const& x) { array.emplace_back(x); }, value);
    return array;
}

/// The synchroniser of the start, or the one of --sync-alg, for spans. Empty for a free start.
std::optional<measure::Sync> sync(measure::Start const& start, CommonOptions const& common) {
    if (std::holds_alternative<measure::FreeStart>(start))
        return std::nullopt;
    auto const own = sync_of(start);
    return own ? own : measure::sync_from(common.sync_alg);
}

}  // namespace

measure::Program chosen(measure::Program const& program, Options const& options, CommonOptions const& common,
                        int world) {
    auto result = program;
    result.benchmarks = benchmarks(program, options.names);
    check_compared(result.benchmarks, program.reference);
    result.axes = axes(options, world, common.list);
    result.refine = refinement(program, options, result.axes, common.shuffle);
    result.plan = plan(program.plan, options, common);
    result.form = options.form;
    return result;
}

RunContext context(measure::Program const& chosen, CommonOptions const& common, bool oversubscribed) {
    RunContext context{.sync = sync(chosen.plan.start, common)};
    Value::Array names;
    for (auto const& benchmark : chosen.benchmarks)
        names.emplace_back(benchmark.name);
    context.options = Value::Object{{benchmarks_option, std::move(names)}};
    for (auto const& axis : chosen.axes)
        context.options[axis.name] = list(axis);
    context.options["refine"] = chosen.refine ? Value{chosen.refine->tolerance} : Value{};
    context.options["start"] = start_name(chosen.plan.start, oversubscribed);
    context.options["sync_alg"] = context.sync ? measure::name(*context.sync) : "none";
    return context;
}

}  // namespace program::engine
