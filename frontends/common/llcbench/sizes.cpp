// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/sizes.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>

namespace llcbench {

using measure::Bytes;
using program::Argument;

namespace {

/// Largest number of sizes in a range; more would be a mistake.
constexpr Bytes longest_range = 100'000;

}  // namespace

std::vector<Bytes> sizes(Series const& series) {
    Bytes const parts = series.between + 1;
    std::vector<Bytes> result;
    auto const add = [&](Bytes size) {
        Bytes const rounded = size / series.multiple * series.multiple;
        if (rounded > 0 && (result.empty() || rounded > result.back()))
            result.push_back(rounded);
    };
    Bytes const last = Bytes{1} << series.last_log;
    if (series.smallest <= last)
        add(series.smallest);
    for (auto power = static_cast<Bytes>(std::bit_floor(static_cast<std::uint64_t>(series.smallest))); power < last;
         power *= 2)
        for (Bytes i = 0; i < parts; ++i)
            add(power + i * (power / parts));
    add(last);
    return result;
}

std::vector<Bytes> SizeRange::operator()(Argument const& argument) const {
    auto const parts = program::split(argument.value, ':');
    if (parts.size() != 3)
        throw measure::UsageError(fmt::format("{}: '{}' is not LOW:HIGH:STEP", argument.option, argument.value));
    program::as::Size const size{.low = low, .high = high};
    Bytes const first = size({argument.option, parts[0]});
    Bytes const last = size({argument.option, parts[1]});
    Bytes const step = program::as::Size{.low = 1}({argument.option, parts[2]});
    if (last < first || (last - first) / step >= longest_range)
        throw measure::UsageError(fmt::format("{}: '{}' is not a range with LOW <= HIGH and at most {} sizes",
                                              argument.option, argument.value, longest_range));
    std::vector<Bytes> result;
    for (Bytes i = 0; i <= (last - first) / step; ++i)
        result.push_back(first + i * step);
    return result;
}

std::vector<std::string> NameList::operator()(Argument const& argument) const {
    auto known = names;
    known.emplace_back("all");
    std::vector<std::string> result;
    for (auto& part : program::split(argument.value, ',')) {
        auto const name = program::as::Name{known}({argument.option, std::move(part)});
        for (auto const& each : name == "all" ? names : std::vector{name})
            program::add_once(result, each);
    }
    return result;
}

}  // namespace llcbench
