// SPDX-License-Identifier: BSD-3-Clause
#include "compare/fail_on.hpp"

#include "shared/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace measure_tool {

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

std::optional<std::string> failure(FailOn const& rule, Comparison const& comparison) {
    auto const has_failed = [&](ComparedPoint const& point) {
        if (rule.verdict == Verdict::unclear)
            return point.verdict == Verdict::unclear || point.verdict == Verdict::machine;
        return point.verdict == rule.verdict && factor(point) > 1 + rule.more;
    };
    auto const count = [&](std::vector<ComparedPoint> const& some) {
        return static_cast<std::size_t>(std::count_if(some.begin(), some.end(), has_failed));
    };
    auto const operations = count(comparison.operations);
    auto const points = rule.verdict == Verdict::unclear ? 0 : count(comparison.points);
    if (operations + points == 0)
        return std::nullopt;
    return fmt::format("--fail-on: {} {}{}",
                       operations > 0 ? counted(operations, "operation is", "operations are")
                                      : counted(points, "point is", "points are"),
                       name(rule.verdict), rule.more > 0 ? fmt::format(" by more than {:.3g} %", rule.more * 100) : "");
}

std::optional<std::string> undecided(Comparison const& comparison) {
    auto const& all = comparison.operations;
    auto const number = static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](ComparedPoint const& operation) { return operation.verdict == Verdict::machine; }));
    if (number == 0)
        return std::nullopt;
    return fmt::format("--fail-on: {} not decided, because the machine has changed",
                       counted(number, "operation is", "operations are"));
}

}  // namespace measure_tool
