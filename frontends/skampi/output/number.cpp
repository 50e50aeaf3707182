// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/number.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace skampi {

namespace {

constexpr std::string_view blanks = " \t\r";

}  // namespace

std::string number_text(double number, int decimals) {
    if (number == 0 || !std::isfinite(number))
        return fmt::format("{:.{}f}", number, decimals);
    double const magnitude = std::floor(std::log10(std::fabs(number)));
    return fmt::format("{:.{}f}", number, static_cast<int>(std::clamp<double>(4 - magnitude, decimals, 12)));
}

std::string text(OverheadLine const& overhead) {
    return fmt::format("{} {} {}{}{}", overhead.nodes, number_text(overhead.time), number_text(overhead.error),
                       overhead.sync.empty() ? "" : " ", overhead.sync);
}

OverheadLine overhead_from(std::string_view text) {
    auto const parts = words(text);
    if (parts.size() != 3 && parts.size() != 4)
        throw measure::UsageError(fmt::format("overhead: '{}' does not have the form PROCESSES TIME ERROR", text));
    return {.nodes = program::as::Int{.low = 1}({"overhead", parts[0]}),
            .time = program::as::Number{}({"overhead", parts[1]}),
            .error = program::as::Number{.low = 0}({"overhead", parts[2]}),
            .sync = parts.size() == 4 ? parts[3] : std::string{}};
}

std::vector<OverheadLine> overheads(Block const& block) {
    std::vector<OverheadLine> result;
    for (auto const& [key, value] : block.keys)
        if (key == "overhead")
            result.push_back(overhead_from(value));
    return result;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result;
    for (std::size_t begin = text.find_first_not_of(blanks); begin < text.size();) {
        std::size_t const end = std::min(text.find_first_of(blanks, begin), text.size());
        result.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(blanks, end);
    }
    return result;
}

// With fmt::join, GCC 12 warns of an overflow in fmt that does not exist.
std::string joined(std::span<std::string const> texts, std::string_view separator) {
    std::string result;
    for (std::size_t i = 0; i < texts.size(); ++i)
        result.append(i > 0 ? separator : std::string_view{}).append(texts[i]);
    return result;
}

}  // namespace skampi
