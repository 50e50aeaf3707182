// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/curves.hpp"

#include "skampi/output/records.hpp"
#include "skampi/routines/catalogue.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace skampi::report {

namespace {

bool has_pattern(Block const& block, Pattern pattern) {
    auto const* const text = block.key("pattern");
    return text != nullptr && *text == name(pattern);
}

std::string_view suffix(Quantity quantity) {
    switch (quantity) {
    case Quantity::time:
        break;
    case Quantity::bandwidth:
        return "-bandwidth";
    case Quantity::time_per_chunk:
        return "-per-chunk";
    }
    return "";
}

std::string stem(Measured const& measurement) {
    return fmt::format("{}_{}", prefix(measurement.first()), measurement.name);
}

/// "length 4 bytes", "4 processes", "10 chunks"
std::string argument_text(Block const& block, Row const& row) {
    if (block.variable == "length")
        return fmt::format("length {} bytes", row.argument);
    return fmt::format("{} {}", row.argument, block.variable == "nodes" ? "processes" : block.variable);
}

std::string_view argument_name(Block const& block) {
    return block.variable == "length" ? "message length" : argument_label(block);
}

/// The row with the largest or smallest argument that has times of processes, or nullptr.
Row const* row_with_node_times(Block const& block, bool largest) {
    auto const has = [](Row const& row) { return !row.node_times.empty(); };
    if (largest) {
        auto const found = std::find_if(block.rows.rbegin(), block.rows.rend(), has);
        return found == block.rows.rend() ? nullptr : &*found;
    }
    auto const found = std::find_if(block.rows.begin(), block.rows.end(), has);
    return found == block.rows.end() ? nullptr : &*found;
}

/// The paths without their common folders.
std::vector<std::string> names_of_files(std::span<Input const> inputs) {
    std::string common = inputs[0].path;
    for (Input const& input : inputs) {
        auto const differ = std::mismatch(common.begin(), common.end(), input.path.begin(), input.path.end());
        common.erase(differ.first, common.end());
    }
    std::size_t const folders = common.rfind('/') + 1;  // 0 if there is no common folder
    std::vector<std::string> names;
    for (Input const& input : inputs)
        names.push_back(input.path.substr(folders));
    return names;
}

Curve bars_of(Row const& row, std::string text) {
    Curve result{.label = std::move(text)};
    for (std::size_t i = 0; i < row.node_times.size(); ++i)
        if (row.node_times[i])
            result.points.push_back({.x = static_cast<double>(i), .y = *row.node_times[i]});
    return result;
}

Plot bar_chart(Measured const& measurement, bool largest) {
    Plot plot{.stem = fmt::format("{}-processes-{}", stem(measurement), largest ? "largest" : "smallest"),
              .title = fmt::format("{}: times of the processes at the {} {}", measurement.name,
                                   largest ? "largest" : "smallest", argument_name(measurement.first())),
              .x = {.label = "rank"},
              .y = {.label = std::string{label(Quantity::time)}},
              .bars = true};
    for (auto const& [block, file] : measurement.parts) {
        Row const* const row = row_with_node_times(*block, largest);
        if (row == nullptr)
            continue;
        std::string const at = argument_text(*block, *row);
        plot.curves.push_back(bars_of(*row, measurement.parts.size() > 1 ? fmt::format("{}, {}", file, at) : at));
        if (has_sorted_node_times(*block) || std::ssize(row->node_times) < processes(*block, *row))
            plot.x.label = "processes in order of their times";
    }
    return plot;
}

}  // namespace

std::string_view label(Quantity quantity) noexcept {
    switch (quantity) {
    case Quantity::time:
        break;
    case Quantity::bandwidth:
        return "bandwidth [MB/s]";
    case Quantity::time_per_chunk:
        return "time per chunk [µs]";
    }
    return "time [µs]";
}

std::string_view argument_label(Block const& block) noexcept {
    return block.variable == "length"   ? "message length [bytes]"
           : block.variable == "nodes"  ? "number of processes"
           : block.variable == "chunks" ? "number of chunks"
                                        : "point";
}

std::string prefix(Block const& block) {
    for (auto const pattern : {Pattern::simple, Pattern::point_to_point, Pattern::master_worker, Pattern::collective,
                               Pattern::one_sided, Pattern::kernel})
        if (has_pattern(block, pattern))
            return std::string{prefix(pattern)};
    return "other";
}

std::vector<std::string> labels(std::span<Input const> inputs) {
    std::vector<std::string> machines;
    for (Input const& input : inputs) {
        auto const* const machine = input.output.head_key("MACHINE");
        machines.push_back(machine != nullptr ? *machine : "");
    }
    for (std::size_t i = 0; i < machines.size(); ++i)
        if (machines[i].empty() || std::count(machines.begin(), machines.end(), machines[i]) > 1)
            return names_of_files(inputs);
    return machines;
}

PlotPoint point(Block const& block, Row const& row, Quantity quantity) {
    PlotPoint result{.x = static_cast<double>(row.argument), .y = row.time, .marked = row.has("refined")};
    auto error = row.error;
    if (quantity == Quantity::bandwidth) {
        result.y = bandwidth(row);
        if (error)
            *error *= row.time > 0 ? result.y / row.time : 0;
    } else if (quantity == Quantity::time_per_chunk) {
        auto const n = static_cast<double>(std::max<std::int64_t>(chunks(block, row), 1));
        result.y /= n;
        if (error)
            *error /= n;
    }
    if (error)
        result.interval = measure::Interval{result.y - *error, result.y + *error};
    return result;
}

std::vector<Curve> curves(Block const& block, Quantity quantity, std::string const& label) {
    Curve own{.label = label};
    Curve fallback{.label = fmt::format("{}, barrier in place of window", label)};
    for (Row const& row : block.rows)
        (row.has(fallback_flag) ? fallback : own).points.push_back(point(block, row, quantity));
    std::vector<Curve> result;
    for (Curve* const curve : {&own, &fallback})
        if (!curve->points.empty())
            result.push_back(std::move(*curve));
    return result;
}

Plot axes(Block const& block, Quantity quantity) {
    bool const length = block.variable == "length";
    return {.x = {.label = std::string{argument_label(block)},
                  .log = length,
                  .unit = length ? page::Unit::bytes : page::Unit::plain},
            .y = {.label = std::string{label(quantity)}, .log = length},
            .mark = "refined"};
}

std::vector<Measured> measured(std::span<Input const> inputs) {
    auto const names = labels(inputs);
    std::vector<Measured> result;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (Block const& block : inputs[i].output.blocks) {
            if (block.rows.empty())
                continue;
            auto found =
                std::find_if(result.begin(), result.end(), [&](Measured const& m) { return m.name == block.name; });
            if (found == result.end())
                found = result.insert(result.end(), Measured{.name = block.name});
            else if (found->first().variable != block.variable)
                throw measure::UsageError(
                    fmt::format("the files cannot be compared: the argument of {} is {} in some files "
                                "and {} in '{}'",
                                block.name, found->first().variable, block.variable, inputs[i].path));
            found->parts.push_back({&block, names[i]});
        }
    return result;
}

std::vector<Quantity> quantities(Block const& block) {
    if (has_pattern(block, Pattern::point_to_point))
        return {Quantity::time, Quantity::bandwidth};
    if (has_pattern(block, Pattern::master_worker))
        return {Quantity::time, Quantity::time_per_chunk};
    return {Quantity::time};
}

Plot plot_of(Measured const& measurement, Quantity quantity) {
    Plot plot = axes(measurement.first(), quantity);
    plot.stem = fmt::format("{}{}", stem(measurement), suffix(quantity));
    plot.title = measurement.name;
    bool const several = measurement.parts.size() > 1;
    for (auto const& [block, file] : measurement.parts)
        for (Curve& curve : curves(*block, quantity, several ? file : measurement.name))
            plot.curves.push_back(std::move(curve));
    return plot;
}

std::vector<Plot> bar_charts(Measured const& measurement) {
    Plot smallest = bar_chart(measurement, false);
    if (smallest.curves.empty())
        return {};
    bool const one_point = std::all_of(measurement.parts.begin(), measurement.parts.end(), [](auto const& part) {
        return row_with_node_times(*part.block, false) == row_with_node_times(*part.block, true);
    });
    if (one_point)
        return {std::move(smallest)};
    return {std::move(smallest), bar_chart(measurement, true)};
}

}  // namespace skampi::report
