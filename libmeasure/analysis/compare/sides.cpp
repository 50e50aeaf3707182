// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/sides.hpp"

#include "analysis/compare/compare.hpp"
#include "analysis/core/text.hpp"
#include "analysis/runs/dimension.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace measure {

namespace {

Point without_coordinate(Point const& at, std::string const& dimension) {
    Point rest;
    for (auto const& [key, value] : at.coordinates())
        if (key != dimension && "at." + key != dimension)
            rest.set(key, value);
    return rest;
}

/// A copy of the launch with only those points that have the value.
std::optional<Launch> part_of(Launch const& launch, std::string const& dimension, std::string const& value,
                              std::string const& common) {
    Launch part{launch.name, {.run = launch.record.run, .end = launch.record.end}, launch.file};
    for (auto const& point : launch.record.points)
        if (dimension_value(dimension, launch.record.run, point) == value) {
            part.record.points.push_back(point);
            part.record.points.back().at = without_coordinate(point.at, dimension);
            if (dimension == "benchmark")
                part.record.points.back().benchmark = common;
        }
    return part.record.points.empty() ? std::nullopt : std::optional{std::move(part)};
}

}  // namespace

SideFiles files_by_side(std::vector<std::string> const& words, std::vector<std::string> const& files) {
    auto const separator = std::find(words.begin(), words.end(), "--");
    if (separator == words.end()) {
        if (files.size() != 2)
            throw UsageError(fmt::format("{} to compare: name two, or put -- between the files of two sides",
                                         files.empty()       ? "no files"
                                         : files.size() == 1 ? "one file"
                                                             : "more than two files"));
        return {{files[0]}, {files[1]}};
    }
    std::vector<std::string> const b(std::next(separator), words.end());
    for (auto const& word : b)
        if (word.starts_with("--"))
            throw UsageError(
                fmt::format("'{}' is an option after --; put options before the files of both sides", word));
    std::vector<std::string> const a(files.begin(), files.end() - std::ssize(b));
    if (a.empty() || b.empty())
        throw UsageError(fmt::format("no files {} --", a.empty() ? "before" : "after"));
    return {a, b};
}

Split split_by(std::string const& dimension, std::span<Launch const> launches) {
    std::vector<std::string> values;
    for (auto const& launch : launches)
        for (auto const& point : launch.record.points)
            if (auto const value = dimension_value(dimension, launch.record.run, point))
                detail::add_once(values, *value);
    if (values.size() != 2)
        throw UsageError(
            fmt::format("--between: '{}' has {} here, two are needed{}", dimension,
                        values.empty() ? std::string{"no values"} : detail::counted(values.size(), "value", "values"),
                        values.empty() ? "" : fmt::format(": {}", fmt::join(values, ", "))));
    Split split{.value_a = values[0], .value_b = values[1]};
    auto const both = fmt::format("{}, {}", values[0], values[1]);
    for (auto const& launch : launches) {
        if (auto part = part_of(launch, dimension, values[0], both))
            split.a.push_back(std::move(*part));
        if (auto part = part_of(launch, dimension, values[1], both))
            split.b.push_back(std::move(*part));
    }
    return split;
}

}  // namespace measure
