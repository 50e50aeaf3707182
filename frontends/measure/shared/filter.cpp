// SPDX-License-Identifier: BSD-3-Clause
#include "shared/filter.hpp"

#include "analysis/runs/series.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace measure::tool {

namespace {

bool fulfils(measure::Record const& record, Condition const& condition) {
    auto const& name = condition.name;
    if (name == "benchmark")
        return holds(condition, {record.benchmark}, {});
    if (name == "quantity")
        return holds(condition, {std::string{measure::name(record.quantity)}}, {});
    if (name == "verdict")
        return holds(condition, {std::string{measure::name(record.status)}}, {});
    if (name == "flag")
        return holds(condition, record.flags, {});
    auto const coordinate = condition.coordinate();
    auto const* const value = record.at.find(coordinate);
    return value == nullptr ? holds(condition, {}, {})
                            : holds(condition, {measure::coordinate_text(*value)}, number(record, coordinate));
}

std::string names_there(std::span<Source const> sources) {
    std::set<std::string> names;
    for (auto const& source : sources)
        for (auto const& launch : source.launches)
            for (auto const& record : launch.record.points)
                for (auto const& [name, value] : record.at.coordinates())
                    names.insert(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Condition filter_from(program::Argument const& argument) {
    try {
        auto condition = condition_from(argument.value);
        if (orders(condition.op))
            static_cast<void>(bound_of(condition));
        return condition;
    } catch (measure::UsageError const& error) {
        throw measure::UsageError(fmt::format("{}: {}", argument.option, error.what()));
    }
}

std::size_t filter(std::vector<Source>& sources, std::span<Condition const> conditions) {
    auto const names = names_there(sources);
    std::size_t all = 0;
    std::size_t left = 0;
    for (auto& source : sources)
        for (auto& launch : source.launches) {
            all += launch.record.points.size();
            std::erase_if(launch.record.points, [&](measure::Record const& record) {
                return !std::all_of(conditions.begin(), conditions.end(),
                                    [&](Condition const& condition) { return fulfils(record, condition); });
            });
            left += launch.record.points.size();
        }
    if (left == 0 && all > 0)
        throw measure::UsageError(
            fmt::format("--filter: none of {} points matches; their coordinates are {}", all, names));
    return all;
}

}  // namespace measure::tool
