// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/culprits.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace measure::tool::doctor {

namespace {

using Amounts = std::map<std::string, double>;

/// The largest rate of each source, from facts of the form "UNIT RATE NAME".
Amounts rates_of(HostView const& view) {
    auto const units = united_units(view);
    Amounts rates;
    for (std::string const& text : view.host.facts.list("interrupts")) {
        auto const blank = text.find(' ');
        auto const second = text.find(' ', blank + 1);
        if (blank == std::string::npos || second == std::string::npos)
            continue;
        auto const unit = program::number_from<int>(std::string_view{text}.substr(0, blank));
        auto const rate = program::number_from<double>(std::string_view{text}.substr(blank + 1, second - blank - 1));
        bool const is_of_rank = !units || (unit && std::binary_search(units->begin(), units->end(), *unit));
        if (rate && is_of_rank)
            rates[text.substr(second + 1)] = std::max(rates[text.substr(second + 1)], *rate);
    }
    return rates;
}

Amounts time_of_others(HostView const& view) {
    Amounts shares;
    for (auto const& other : others_of(view))
        shares[other.name] += other.share;
    return shares;
}

/// The three largest amounts as text. \param scale  factor for the amounts  \param unit  unit of the scaled amounts
std::string largest_of(Amounts const& amounts, double scale, std::string_view unit) {
    constexpr std::size_t most = 3;
    std::vector<std::pair<double, std::string>> sorted;
    for (auto const& [name, amount] : amounts)
        sorted.emplace_back(-amount, name);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> texts;
    for (auto const& [negative, name] : sorted)
        if (texts.size() < most)
            texts.push_back(fmt::format("{} {:.0f}{}", name, -negative * scale, unit));
    return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string culprits(HostView const& view) {
    std::vector<std::string> parts;
    if (auto const rates = rates_of(view); !rates.empty())
        parts.push_back("most frequent interrupts: " + largest_of(rates, 1, "/s"));
    if (auto const shares = time_of_others(view); !shares.empty())
        parts.push_back("busiest other programs: " + largest_of(shares, 100, " %"));
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace measure::tool::doctor
