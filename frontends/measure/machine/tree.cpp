// SPDX-License-Identifier: BSD-3-Clause
#include "machine/tree.hpp"

#include "program/cli/values.hpp"

#include <algorithm>
#include <sstream>

namespace measure::tool::machine {

namespace {

/// Upper limit for numbers of processing units. Larger numbers in a list are ignored.
constexpr int most_units = 1 << 16;

std::optional<int> unit_from(std::string_view text) {
    auto const value = program::number_from<int>(text);
    return value && *value >= 0 && *value < most_units ? value : std::nullopt;
}

}  // namespace

std::vector<int> numbers_in(std::string_view list) {
    std::vector<int> numbers;
    for (std::string const& part : program::split(program::trimmed(list), ',')) {
        auto const dash = part.find('-');
        auto const first = unit_from(std::string_view{part}.substr(0, dash));
        auto const last = dash == std::string::npos ? first : unit_from(std::string_view{part}.substr(dash + 1));
        for (int i = first.value_or(0); first && last && i <= *last; ++i)
            numbers.push_back(i);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::optional<int> current_unit(Tree const& tree) {
    auto const stat = tree.text("/proc/self/stat");
    if (!stat || stat->rfind(')') == std::string::npos)
        return std::nullopt;
    constexpr int place = 39;  // "PID (NAME) STATE" are the first three words
    std::istringstream rest{stat->substr(stat->rfind(')') + 1)};
    std::string word;
    for (int i = 3; i < place; ++i)
        rest >> word;
    int unit = 0;
    return rest >> unit ? std::optional{unit} : std::nullopt;
}

}  // namespace measure::tool::machine
