// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/values.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace program {
namespace {

using measure::UsageError;
using measure::detail::finite_from;

bool is_decimal(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.+-eE") == std::string_view::npos;
}

bool too_large(std::string_view text) {
    std::int64_t value{};
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc::result_out_of_range;
}

template <class T>
std::string range_text(T low, T high, bool above_low) {
    bool const has_low = low > std::numeric_limits<T>::lowest();
    bool const has_high = high < std::numeric_limits<T>::max();
    if (above_low)
        return has_high ? fmt::format("greater than {} and at most {}", low, high)
                        : fmt::format("greater than {}", low);
    if (has_low && has_high)
        return fmt::format("from {} to {}", low, high);
    if (has_low)
        return fmt::format("of at least {}", low);
    return has_high ? fmt::format("of at most {}", high) : std::string{};
}

/// "a number greater than 0"
template <class T>
std::string wanted(std::string_view noun, T low, T high, bool above_low = false) {
    std::string const range = range_text(low, high, above_low);
    return range.empty() ? std::string{noun} : fmt::format("{} {}", noun, range);
}

/// A number and its unit in lower case. A blank between them is allowed.
struct Quantity {
    std::string number;
    std::string unit;
};

Quantity split(std::string_view text) {
    std::size_t const end = text.find_first_not_of("0123456789.+-");
    if (end == std::string_view::npos)
        return {std::string{text}, ""};
    std::size_t const unit = text[end] == ' ' ? end + 1 : end;
    return {std::string{text.substr(0, end)}, lower(text.substr(unit))};
}

std::optional<measure::Bytes> bytes_of(std::string_view unit) {
    static constexpr std::array<std::pair<std::string_view, measure::Bytes>, 8> units{{{"", 1},
                                                                                       {"b", 1},
                                                                                       {"k", measure::kibi},
                                                                                       {"kib", measure::kibi},
                                                                                       {"m", measure::mebi},
                                                                                       {"mib", measure::mebi},
                                                                                       {"g", measure::gibi},
                                                                                       {"gib", measure::gibi}}};
    auto const* const found = std::find_if(units.begin(), units.end(), [&](auto const& u) { return u.first == unit; });
    return found == units.end() ? std::nullopt : std::optional{found->second};
}

std::optional<double> seconds_of(std::string_view unit) {
    static constexpr std::array<std::pair<std::string_view, double>, 7> units{
        {{"", 1.0}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}};
    auto const* const found = std::find_if(units.begin(), units.end(), [&](auto const& u) { return u.first == unit; });
    return found == units.end() ? std::nullopt : std::optional{found->second};
}

/// number x unit in bytes; empty if this is not a whole number. \throws UsageError if it is too large
std::optional<measure::Bytes> whole_bytes(Argument const& argument, std::string const& number, measure::Bytes unit) {
    constexpr auto most = std::numeric_limits<measure::Bytes>::max();
    if (auto const whole = number_from<measure::Bytes>(number); whole) {
        if (*whole > most / unit || *whole < -(most / unit))
            refuse(argument, "is too large");
        return *whole * unit;
    }
    if (too_large(number))
        refuse(argument, "is too large");
    auto const value = finite_from(number);
    if (!value)
        return std::nullopt;
    double const bytes = *value * static_cast<double>(unit);
    if (std::fabs(bytes) >= static_cast<double>(most))
        refuse(argument, "is too large");
    return bytes == std::floor(bytes) ? std::optional{static_cast<measure::Bytes>(bytes)} : std::nullopt;
}

}  // namespace

std::vector<Argument> split(Argument const& list, char separator) {
    std::vector<Argument> parts;
    for (auto& part : split(list.value, separator))
        parts.push_back({list.option, std::move(part), list.place});
    return parts;
}

void refuse(Argument const& argument, std::string_view fault) {
    throw UsageError(fmt::format("{}: '{}' {}", argument.option, argument.value, fault));
}

std::string closest(std::string_view text, std::vector<std::string> const& names) {
    // Levenshtein distance, row by row.
    auto const distance = [](std::string const& a, std::string const& b) {
        std::vector<std::size_t> row(b.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < a.size(); ++i) {
            std::size_t diagonal = std::exchange(row[0], i + 1);
            for (std::size_t j = 0; j < b.size(); ++j)
                diagonal = std::exchange(row[j + 1],
                                         std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)}));
        }
        return row.back();
    };
    // Fewer letters can be the beginning of a longer name by accident. "Fetch_and_op" is the beginning of a test.
    constexpr std::size_t fewest_of_prefix = 4;
    std::string best;
    // A name without a common letter is not similar, even if both are short.
    std::size_t fewest = std::min(std::max<std::size_t>(2, text.size() / 3) + 1, text.size());
    for (std::string const& name : names) {
        // The distance is at least the difference of the lengths. This skips words of megabytes.
        if (std::max(text.size(), name.size()) - std::min(text.size(), name.size()) >= fewest)
            continue;
        if (std::size_t const d = distance(lower(text), lower(name)); d < fewest) {
            fewest = d;
            best = name;
        }
    }
    if (!best.empty() || text.size() < fewest_of_prefix)
        return best;
    auto const longer = std::find_if(names.begin(), names.end(),
                                     [&](std::string const& name) { return lower(name).starts_with(lower(text)); });
    return longer == names.end() ? best : *longer;
}

std::string utc_text(std::time_t time) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)); }

std::size_t position(Argument const& argument, std::vector<std::string> const& names) {
    std::string const wanted_name = lower(argument.value);
    auto const found =
        std::find_if(names.begin(), names.end(), [&](std::string const& name) { return lower(name) == wanted_name; });
    if (found == names.end())
        refuse(argument, fmt::format("is unknown ({})", alternatives(names)));
    return static_cast<std::size_t>(found - names.begin());
}

namespace as {

std::string Text::operator()(Argument const& argument) const {
    if (argument.value.empty())
        refuse(argument, "is empty");
    return argument.value;
}

std::string Refused::operator()(Argument const& argument) const {
    throw UsageError(fmt::format("{}: {}", argument.option, why));
}

std::string ScriptName::operator()(Argument const& argument) const {
    auto const name = Text{}(argument);
    if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }))
        refuse(argument, "contains a control character; a script cannot use this name");
    return name;
}

std::int64_t Integer::operator()(Argument const& argument) const {
    auto const value = number_from<std::int64_t>(argument.value);
    if (!value && !too_large(argument.value))
        refuse(argument, fmt::format("is not {}", wanted("an integer", low, high)));
    if (!value || *value < low || *value > high)
        refuse(argument, fmt::format("is out of range ({})", wanted("an integer", low, high)));
    return *value;
}

int Int::operator()(Argument const& argument) const { return static_cast<int>(Integer{low, high}(argument)); }

double Number::operator()(Argument const& argument) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double most = std::numeric_limits<double>::max();
    auto const description =
        wanted("a number", low == -infinite ? -most : low, high == infinite ? most : high, above_low);
    auto const value = is_decimal(argument.value) ? finite_from(argument.value) : std::nullopt;
    if (!value)
        refuse(argument, fmt::format("is not {}", description));
    if (*value < low || *value > high || (above_low && *value == low))
        refuse(argument, fmt::format("is out of range ({})", description));
    return *value;
}

double Percentage::operator()(Argument const& argument) const {
    auto const description = wanted("a percentage", low, high, above_low);
    std::string_view text = argument.value;
    if (text.ends_with('%'))
        text.remove_suffix(1);
    auto const value = is_decimal(text) ? finite_from(text) : std::nullopt;
    if (!value)
        refuse(argument, fmt::format("is not {}", description));
    if (*value < low || *value > high || (above_low && *value == low))
        refuse(argument, fmt::format("is out of range ({})", description));
    return *value / 100;
}

std::string Percentage::text(double fraction) const { return fmt::format("{:g}", fraction * 100); }

std::string Size::text(measure::Bytes size) const {
    for (auto const& [unit, name] : {std::pair{measure::gibi, 'G'}, {measure::mebi, 'M'}, {measure::kibi, 'k'}})
        if (size >= unit && size % unit == 0)
            return fmt::format("{}{}", size / unit, name);
    return fmt::format("{}", size);
}

measure::Bytes Size::operator()(Argument const& argument) const {
    constexpr std::string_view allowed = "a number with B, k, M, G, KiB, MiB or GiB";
    auto const [number, unit] = split(argument.value);
    if (unit == "kb" || unit == "mb" || unit == "gb")
        refuse(argument, fmt::format("is ambiguous ({})", allowed));
    auto const factor = unit.empty() ? bare : bytes_of(unit);
    auto const bytes = factor ? whole_bytes(argument, number, *factor) : std::nullopt;
    if (!bytes)
        refuse(argument, fmt::format("is not a size ({})", allowed));
    if (*bytes < low || *bytes > high)
        refuse(argument, fmt::format("is out of range ({} bytes)", wanted("a size", low, high)));
    return *bytes;
}

std::string Duration::text(measure::seconds duration) const {
    return above_zero && duration.count() == 0 ? std::string{} : duration_text(duration);
}

measure::seconds Duration::operator()(Argument const& argument) const {
    auto const [number, unit] = split(argument.value);
    auto const factor = seconds_of(unit);
    auto const value = finite_from(number);
    if (!factor || !value)
        refuse(argument, "is not a duration (a number with ns, us, ms, s, min or h; without unit: seconds)");
    if (*value < 0 || (above_zero && *value == 0))
        refuse(argument, above_zero ? "is not greater than 0" : "is negative");
    double const result = *value * *factor;
    if (!(result <= 1e9))
        refuse(argument, "is too long (at most 1e9 s)");
    return measure::seconds{result};
}

}  // namespace as
}  // namespace program
