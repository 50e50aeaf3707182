// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace skampi::keys {
namespace {

using program::Argument;
namespace as = program::as;

[[noreturn]] void refuse_range(Argument const& argument, std::string_view allowed) {
    program::refuse(argument, fmt::format("is out of range ({})", allowed));
}

}  // namespace

void Faults::raise() {
    auto const place = [](program::ParseError const& fault) { return std::tuple{fault.line, fault.column}; };
    std::stable_sort(all_.begin(), all_.end(), [&](auto const& a, auto const& b) { return place(a) < place(b); });
    program::throw_any(std::move(all_));
}

measure::Bytes Size::operator()(Argument const& argument) const {
    Argument plain = argument;
    for (auto const* const unit : {"kb", "mb", "gb"})
        if (program::lower(plain.value).ends_with(unit))
            plain.value.pop_back();
    return as::Size{.low = low, .high = largest}(plain);
}

double standard_error(Argument const& argument) {
    double const value = as::Number{}(argument);
    if (!(value > 0 && value < 1))
        refuse_range(argument, "a number greater than 0 and less than 1");
    return value;
}

double cut(Argument const& argument) {
    double const value = as::Number{}(argument);
    if (!(value >= 0 && value < 0.5))
        refuse_range(argument, "a number of at least 0 and less than 0.5");
    return value;
}

double factor(Argument const& argument) { return as::Number{.low = 1, .above_low = true}(argument); }

std::int64_t repetitions(Argument const& argument) { return as::Integer{.low = 2, .high = 1'000'000'000}(argument); }

measure::seconds seconds(Argument const& argument) {
    return measure::seconds{as::Number{.low = 0, .high = 1e9, .above_low = true}(argument)};
}

measure::seconds minutes(Argument const& argument) { return seconds(argument) * 60; }

bool yes_or_no(Argument const& argument) { return as::Choice<bool>{{{"Yes", true}, {"No", false}}}(argument); }

Sync sync(Argument const& argument) {
    return as::Choice<Sync>{{{"Barrier", Sync::barrier}, {"Window", Sync::window}}}(argument);
}

PartnerChoice partner(Argument const& argument) {
    return as::Choice<PartnerChoice>{{{"Max", PartnerChoice::max}, {"Min", PartnerChoice::min}}}(argument);
}

std::string hint(std::string_view text, std::vector<std::string> const& names) {
    // A longer text is not a typing error, and a comparison with each name takes time in proportion to its length.
    constexpr std::size_t longest = 100;
    std::string const near = text.size() > longest ? "" : program::closest(text, names);
    return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

bool is_word(std::string_view text, std::string_view word) { return program::lower(text) == program::lower(word); }

}  // namespace skampi::keys
