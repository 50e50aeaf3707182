// SPDX-License-Identifier: BSD-3-Clause
#include "shared/filter.hpp"

#include "analysis/runs/series.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace measure::tool {

namespace {

using Relation = Condition::Relation;

struct Sign {
    std::string_view text;
    Relation relation;
};
/// The longer ones first.
constexpr std::array signs{Sign{"!=", Relation::unequal},  Sign{"!~", Relation::without}, Sign{"<=", Relation::at_most},
                           Sign{">=", Relation::at_least}, Sign{"=", Relation::equal},    Sign{"~", Relation::with},
                           Sign{"<", Relation::below},     Sign{">", Relation::above}};

bool is_comparison(Relation relation) {
    return relation == Relation::below || relation == Relation::at_most || relation == Relation::above ||
           relation == Relation::at_least;
}

bool is_negated(Relation relation) { return relation == Relation::unequal || relation == Relation::without; }

bool is_part(Relation relation) { return relation == Relation::with || relation == Relation::without; }

double number_in(program::Argument const& argument, std::string const& name, std::string const& text) {
    program::Argument const part{argument.option, text, argument.place};
    return name == "bytes" ? static_cast<double>(program::as::Size{}(part)) : program::as::Number{}(part);
}

/// What a name stands for in a point: several for flags, none for a coordinate that it has not.
std::vector<std::string> texts_of(measure::Record const& record, std::string_view name) {
    if (name == "benchmark")
        return {record.benchmark};
    if (name == "quantity")
        return {std::string{measure::name(record.quantity)}};
    if (name == "verdict")
        return {std::string{measure::name(record.status)}};
    if (name == "flag")
        return record.flags;
    if (auto const* const value = record.at.find(name))
        return {measure::coordinate_text(*value)};
    return {};
}

bool compares(double value, Condition const& condition) {
    switch (condition.relation) {
    case Relation::below:
        return value < condition.bound;
    case Relation::at_most:
        return value <= condition.bound;
    case Relation::above:
        return value > condition.bound;
    case Relation::at_least:
        return value >= condition.bound;
    default:
        break;
    }
    return false;
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

bool fulfils(measure::Record const& record, Condition const& condition) {
    if (is_comparison(condition.relation)) {
        auto const value = number(record, condition.name);
        return value && compares(*value, condition);
    }
    auto const texts = texts_of(record, condition.name);
    auto const fits = [&](std::string const& text, std::string const& value) {
        return is_part(condition.relation) ? program::lower(text).find(program::lower(value)) != std::string::npos
                                           : matches(text, value);
    };
    bool const is_one = std::any_of(texts.begin(), texts.end(), [&](std::string const& text) {
        return std::any_of(condition.values.begin(), condition.values.end(),
                           [&](std::string const& value) { return fits(text, value); });
    });
    return is_one != is_negated(condition.relation);
}

}  // namespace

Condition condition_from(program::Argument const& argument) {
    std::string const& text = argument.value;
    std::size_t const at = text.find_first_of("=<>!~");
    auto const sign = std::find_if(signs.begin(), signs.end(), [&](Sign const& s) {
        return at != std::string::npos && text.compare(at, s.text.size(), s.text) == 0;
    });
    if (at == 0 || sign == signs.end())
        throw measure::UsageError(fmt::format(
            "{}: '{}' is not a condition (NAME=VALUE,... with =, !=, ~, !~, <, <=, > or >=)", argument.option, text));
    Condition result{
        .text = text, .name = std::string{program::trimmed(text.substr(0, at))}, .relation = sign->relation};
    auto const rest = text.substr(at + sign->text.size());
    if (is_comparison(result.relation)) {
        result.bound = number_in(argument, result.name, std::string{program::trimmed(rest)});
        return result;
    }
    for (auto const& part : program::split(rest, ','))
        result.values.emplace_back(program::trimmed(part));
    if (result.name == "bytes" && !is_part(result.relation))
        for (auto& value : result.values)
            if (value.find_first_of("*?") == std::string::npos)
                value = fmt::format("{}", static_cast<std::int64_t>(number_in(argument, result.name, value)));
    return result;
}

bool matches(std::string_view text, std::string_view pattern) noexcept {
    std::size_t t = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;  // where the last * stands, and what it is tried to end before
    std::size_t begin = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            begin = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++begin;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
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
            fmt::format("--filter: none of {} points is left; their coordinates are {}", all, names));
    return all;
}

}  // namespace measure::tool
