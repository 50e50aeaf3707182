// SPDX-License-Identifier: BSD-3-Clause
#include "compare/fail_on.hpp"

#include "shared/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace measure::tool {

namespace {

using Kind = GateResult::Kind;

constexpr char const* gate_option = "--fail-on";

std::string title_of_point(PointName const& name) {
    auto const at = name.at.text();
    return fmt::format("{}{}{}", name.benchmark, at.empty() ? "" : " ", at);
}

/// "Bcast", with its coordinates if several operations have this name.
std::string operation_title(PointName const& name, Comparison const& comparison) {
    auto const others =
        std::count_if(comparison.operations.begin(), comparison.operations.end(),
                      [&](ComparedPoint const& operation) { return operation.point.benchmark == name.benchmark; });
    return others > 1 ? title_of_point(name) : name.benchmark;
}

bool belongs_to(ComparedPoint const& point, ComparedPoint const& operation) {
    return point_key(operation_name(point.point), 0) == point_key(operation_name(operation.point), 0);
}

bool breaks(ComparedPoint const& point, FailOn const& rule) {
    if (rule.verdict == Verdict::unclear)
        return point.verdict == Verdict::unclear || point.verdict == Verdict::machine;
    return point.verdict == rule.verdict && factor(point) > 1 + rule.more;
}

/// Converts an interval of a ratio into an interval of the slowdown.
measure::Interval slowdown(ComparedPoint const& point, measure::Interval const& interval) {
    return is_rate(point.point.quantity) ? measure::Interval{1 / interval.second, 1 / interval.first} : interval;
}

/// The factor by which launches or runs of the same setup differ.
double noise_of(ComparedPoint const& operation) {
    return 1 + std::max(operation.floor.value_or(0), operation.between_runs);
}

/// Whether an operation that has not failed is known to pass: its interval ends within the rule.
/// \param noise  factor that widens the interval
bool is_known(ComparedPoint const& operation, FailOn const& rule, double threshold, double noise) {
    auto const quantity = operation.point.quantity;
    bool const has_better = quantity == measure::Quantity::time || is_rate(quantity);
    if (is_decided(operation.verdict) || (!has_better && rule.verdict != Verdict::unclear))
        return true;
    if (rule.verdict == Verdict::unclear || operation.verdict != Verdict::unclear || !operation.interval)
        return false;
    auto const [low, high] = slowdown(operation, *operation.interval);
    double const limit = 1 + std::max(rule.more, threshold);
    return rule.verdict == Verdict::slower ? high * noise <= limit : low / noise >= 1 / limit;
}

std::string change_of(ComparedPoint const& point) {
    auto const percent = [](double ratio) { return (ratio - 1) * 100; };
    auto text = fmt::format("{:+.1f}", percent(point.ratio));
    if (point.interval)
        text += fmt::format(" ({:+.1f} .. {:+.1f})", percent(point.interval->first), percent(point.interval->second));
    return text + " %";
}

/// "Bcast is slower: +10.1 (+9.2 .. +11.3) %", for the operation or its first failing point.
std::optional<std::string> failure_text(ComparedPoint const& operation, FailOn const& rule,
                                        Comparison const& comparison) {
    auto const text = [](std::string const& title, ComparedPoint const& point) {
        if (!is_difference(point.verdict))
            return fmt::format("{} is unclear: {}", title, point.why);
        return fmt::format("{} is {}: {}", title, name(point.verdict), change_of(point));
    };
    if (breaks(operation, rule))
        return text(operation_title(operation.point, comparison), operation);
    // Points of a decided operation may be unclear; that is not a failure.
    if (rule.verdict == Verdict::unclear)
        return std::nullopt;
    for (auto const& point : comparison.points)
        if (belongs_to(point, operation) && breaks(point, rule))
            return text(title_of_point(point.point), point);
    return std::nullopt;
}

GateResult result_of(ComparedPoint const& operation, std::span<FailOn const> rules, Comparison const& comparison,
                     double threshold) {
    auto title = operation_title(operation.point, comparison);
    for (auto const& rule : rules)
        if (auto text = failure_text(operation, rule, comparison))
            return {.check = gate_option, .name = std::move(title), .kind = Kind::failed, .text = std::move(*text)};
    auto const is_known_with = [&](double noise) {
        return std::all_of(rules.begin(), rules.end(),
                           [&](FailOn const& rule) { return is_known(operation, rule, threshold, noise); });
    };
    if (is_known_with(noise_of(operation)))
        return {.check = gate_option, .name = std::move(title)};
    auto text = fmt::format("{} is undecided: {}{}", title, operation.why,
                            operation.interval ? fmt::format("; {}", change_of(operation)) : "");
    constexpr double none = 1;
    if (auto const share = operation.between_runs; share > 0 && std::isfinite(share) && is_known_with(none))
        text += fmt::format("; two runs may differ by {:.1f} %", share * 100);
    return {.check = gate_option, .name = std::move(title), .kind = Kind::undecided, .text = std::move(text)};
}

/// One result for each operation with points that only one side has.
std::vector<GateResult> results_of_missing(Comparison const& comparison) {
    std::vector<GateResult> results;
    std::map<PointKey, std::pair<std::size_t, MissingPoint const*>> operations;
    for (auto const& point : comparison.missing) {
        auto const [place, is_new] =
            operations.try_emplace(point_key(operation_name(point.point), 0), std::pair{std::size_t{0}, &point});
        ++place->second.first;
    }
    for (auto const& [key, found] : operations) {
        auto const& [points, first] = found;
        auto title = operation_title(operation_name(first->point), comparison);
        bool const is_one = points == 1;
        auto text = fmt::format("{} of {} {} not compared: only {} has {}", counted(points, "point", "points"), title,
                                is_one ? "is" : "are", first->in_a ? "A" : "B", is_one ? "it" : "them");
        if (first->tried)
            text += fmt::format(" ({})", first->reason);
        results.push_back(
            {.check = gate_option, .name = std::move(title), .kind = Kind::undecided, .text = std::move(text)});
    }
    return results;
}

/// One result for each operation with points that have no value on either side.
std::vector<GateResult> results_without_value(Comparison const& comparison) {
    std::vector<GateResult> results;
    for (auto const& point : comparison.without_value) {
        auto title = operation_title(operation_name(point), comparison);
        auto const is_same = [&](GateResult const& result) { return result.name == title; };
        if (std::any_of(results.begin(), results.end(), is_same))
            continue;
        auto text = fmt::format("{} is not compared: neither side has a value for {}", title, title_of_point(point));
        results.push_back(
            {.check = gate_option, .name = std::move(title), .kind = Kind::undecided, .text = std::move(text)});
    }
    return results;
}

/// Adds results. A passed result is replaced by a new result with the same name.
void add_results(std::vector<GateResult>& results, std::vector<GateResult> more) {
    for (auto& result : more) {
        auto const same = std::find_if(results.begin(), results.end(),
                                       [&](GateResult const& other) { return other.name == result.name; });
        if (same == results.end())
            results.push_back(std::move(result));
        else if (same->kind == Kind::passed)
            *same = std::move(result);
    }
}

}  // namespace

FailOn fail_on_from(program::Argument const& argument) {
    auto const colon = std::min(argument.value.find(':'), argument.value.size());
    FailOn result{.verdict =
                      program::as::Choice<Verdict>{
                          {{"slower", Verdict::slower}, {"faster", Verdict::faster}, {"unclear", Verdict::unclear}}}(
                          {argument.option, argument.value.substr(0, colon), argument.place})};
    if (colon == argument.value.size())
        return result;
    if (result.verdict == Verdict::unclear)
        throw measure::UsageError(
            fmt::format("{}: '{}': unclear takes no percentage", argument.option, argument.value));
    result.more = program::as::Percentage{.high = 1e6}({argument.option, argument.value.substr(colon + 1)});
    return result;
}

std::vector<GateResult> gate_results(std::span<FailOn const> rules, Comparison const& comparison, double threshold) {
    std::vector<GateResult> results;
    for (auto const& operation : comparison.operations)
        results.push_back(result_of(operation, rules, comparison, threshold));
    add_results(results, results_of_missing(comparison));
    add_results(results, results_without_value(comparison));
    return results;
}

}  // namespace measure::tool
