// SPDX-License-Identifier: BSD-3-Clause
#include "shared/query.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace measure::tool {

namespace {

constexpr std::array<std::string_view, 8> operators{"!=", "!~", "<=", ">=", "=", "~", "<", ">"};

/// Whether a text or number matches one value of the condition.
bool is_one(Condition const& condition, std::string const& text, std::optional<double> number,
            std::string const& wanted) {
    if (condition.op.ends_with('~'))
        return program::lower(text).find(program::lower(wanted)) != std::string::npos;
    if (wanted.find_first_of("*?") != std::string::npos)
        return matches(text, wanted);
    // Only numbers can be equal although they are written differently.
    if (text == wanted || !number)
        return text == wanted;
    auto const as_number = number_asked(wanted);
    return as_number && *number == *as_number;
}

bool compares(std::string_view op, double value, double bound) {
    if (op == "<")
        return value < bound;
    if (op == "<=")
        return value <= bound;
    return op == ">" ? value > bound : value >= bound;
}

}  // namespace

bool Condition::asks_for_missing() const noexcept { return op.ends_with('=') && !orders(op) && values.front().empty(); }

std::string Condition::coordinate() const { return name.starts_with("at.") ? name.substr(3) : name; }

Condition condition_from(std::string const& text) {
    auto const end = std::min(text.find_first_of("=<>!~"), text.size());
    std::string const name{program::trimmed(std::string_view{text}.substr(0, end))};
    auto const rest = std::string_view{text}.substr(end);
    auto const* const op =
        std::find_if(operators.begin(), operators.end(), [&](auto each) { return rest.starts_with(each); });
    if (name.empty() || name.find(' ') != std::string::npos || op == operators.end())
        throw measure::UsageError(fmt::format(
            "'{}' is not a condition; use NAME=VALUE, or != ~ !~ < <= > >= instead of = (as in bytes>=1KiB)", text));
    Condition result{.name = name, .op = std::string{*op}, .text = text};
    auto const value = program::trimmed(rest.substr(op->size()));
    result.values = orders(*op) ? std::vector<std::string>{std::string{value}} : program::split(value, ',');
    for (auto& each : result.values)
        each = program::trimmed(each);
    bool const needs_value = orders(*op) || op->ends_with('~') || result.values.size() > 1;
    if (needs_value && std::any_of(result.values.begin(), result.values.end(), [](auto const& v) { return v.empty(); }))
        throw measure::UsageError(fmt::format("'{}' has no value", text));
    return result;
}

bool orders(std::string_view op) noexcept { return op.front() == '<' || op.front() == '>'; }

std::optional<double> number_asked(std::string const& text) {
    auto const tried = [&](auto const& convert) -> std::optional<double> {
        try {
            return convert(program::Argument{{}, text});
        } catch (measure::UsageError const&) {
            return std::nullopt;
        }
    };
    if (auto const plain = tried(program::as::Number{}))
        return plain;
    if (auto const size = tried([](auto const& a) { return static_cast<double>(program::as::Size{}(a)); }))
        return size;
    return tried([](auto const& a) { return program::as::Duration{}(a).count(); });
}

double bound_of(Condition const& condition) {
    auto const& wanted = condition.values.front();
    if (auto const number = number_asked(wanted))
        return *number;
    throw measure::UsageError(
        fmt::format("'{}': '{}' is not a number, size (1KiB) or time (10us)", condition.text, wanted));
}

bool begins_date(std::string_view text) {
    constexpr std::string_view shape = "0000-00-00T00:00:00Z";
    if (text.size() < 4 || text.size() > shape.size())
        return false;
    return std::equal(text.begin(), text.end(), shape.begin(),
                      [](char c, char like) { return like == '0' ? c >= '0' && c <= '9' : c == like; });
}

bool matches(std::string_view text, std::string_view pattern) noexcept {
    std::size_t t = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;  // position of the last *; its match ends at `begin`
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

bool holds(Condition const& condition, std::vector<std::string> const& texts, std::optional<double> number) {
    if (orders(condition.op))
        return number && compares(condition.op, *number, bound_of(condition));
    bool const is_any = std::any_of(condition.values.begin(), condition.values.end(), [&](std::string const& wanted) {
        if (wanted.empty())
            return std::all_of(texts.begin(), texts.end(), [](std::string const& text) { return text.empty(); });
        return std::any_of(texts.begin(), texts.end(),
                           [&](std::string const& text) { return is_one(condition, text, number, wanted); });
    });
    return is_any != condition.is_negated();
}

}  // namespace measure::tool
