// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/tables.hpp"

#include "skampi/output/number.hpp"
#include "skampi/output/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace skampi::report {

namespace {

using Cells = std::vector<page::Cell>;

std::string key_or_empty(Block const& block, std::string_view key) {
    auto const* const value = block.key(key);
    return value != nullptr ? *value : "";
}

/// The names of the measurements in the order of their first appearance.
std::vector<std::string> block_names(std::span<Input const> inputs) {
    std::vector<std::string> names;
    for (Input const& input : inputs)
        for (Block const& block : input.output.blocks)
            program::add_once(names, block.name);
    return names;
}

/// Standard error in per cent of the time.
std::optional<double> relative_error(Row const& row) {
    return row.time > 0 && row.error ? std::optional{100 * *row.error / row.time} : std::nullopt;
}

std::string error_text(Row const& row) { return row.error ? short_number(*row.error) : ""; }

std::string relative_text(std::optional<double> percent) { return percent ? fmt::format("{:.2f}", *percent) : ""; }

/// All values of a key, joined.
std::string all_values(std::vector<Field> const& fields, std::string_view key) {
    std::vector<std::string> values;
    for (Field const& field : fields)
        if (field.key == key)
            values.push_back(field.value);
    return joined(values, "; ");
}

/// The flags of all rows, with the number of rows that have each.
std::string flags_text(Block const& block) {
    std::map<std::string, int> counts;
    for (Row const& row : block.rows)
        for (std::string const& flag : row.flags)
            ++counts[flag];
    std::vector<std::string> texts;
    for (auto const& [flag, count] : counts)
        texts.push_back(fmt::format("{} ({})", flag, count));
    return joined(texts, ", ");
}

std::string status_text(Block const& block) {
    auto const* const reason = block.key("reason");
    return reason != nullptr ? fmt::format("{}: {}", block.status(), *reason) : block.status();
}

/// "41.210 at 4", or "41.210" for a single point
std::string at_text(Block const& block, Row const& row) {
    return block.variable == "point" ? short_number(row.time)
                                     : fmt::format("{} at {}", short_number(row.time), row.argument);
}

Cells summary_cells(Block const& block) {
    std::optional<double> worst;
    for (Row const& row : block.rows)
        if (auto const error = relative_error(row); error)
            worst = std::max(worst.value_or(0), *error);
    bool const has_rows = !block.rows.empty();
    return {block.name,
            fmt::format("{}", block.rows.size()),
            has_rows ? at_text(block, block.rows.front()) : "",
            has_rows ? at_text(block, block.rows.back()) : "",
            relative_text(worst),
            fmt::format("{:.2f}", block.duration),
            status_text(block),
            flags_text(block)};
}

std::string refinement_text(Block const& block) {
    std::string const scale = key_or_empty(block, "scale");
    return scale.empty() ? "" : scale.starts_with("dynamic") ? "yes" : "no";
}

std::string points_text(Block const& block) {
    auto const refined = std::count_if(block.rows.begin(), block.rows.end(), [](auto& r) { return r.has("refined"); });
    return fmt::format("{}, of these {} refined", block.rows.size(), refined);
}

std::string time_text(Block const& block) {
    std::string const allowed = key_or_empty(block, "time_suite");
    return fmt::format("{} / {:.2f} s", allowed.empty() ? "disabled" : allowed, block.duration);
}

std::string trailer_text(Block const& block) {
    std::vector<std::string> parts;
    for (auto const& [key, value] : block.trailer)
        parts.push_back(fmt::format("{} = {}", key, value));
    return joined(parts, ", ");
}

/// The lines of the parameter box. A line that is empty for all files is left out.
std::vector<std::pair<std::string, std::string>> parameters(Block const& block) {
    auto const key = [&](char const* name) { return key_or_empty(block, name); };
    return {{"routine", key("type")},
            {"pattern", key("pattern")},
            {"x axis", std::string{argument_label(block)}},
            {"scale", key("scale")},
            {"refinement", refinement_text(block)},
            {"range", key("range")},
            {"step width", key("stepwidth")},
            {"processes", key("nodes")},
            {"message length", key("message_length")},
            {"chunks", key("chunks")},
            {"datatype", key("datatype")},
            {"operation", key("op")},
            {"root", key("root")},
            {"synchronisation", key("sync")},
            {"standard error wanted", key("standard_error")},
            {"repetitions", key("repetitions")},
            {"cut at each end", key("cut")},
            {"points", points_text(block)},
            {"end", trailer_text(block)},
            {"time allowed / used", time_text(block)},
            {"status", status_text(block)}};
}

/// The quantity besides the time, if the pattern has one.
std::optional<Quantity> second_quantity(Block const& block) {
    auto const all = quantities(block);
    return all.size() > 1 ? std::optional{all[1]} : std::nullopt;
}

Cells data_cells(Block const& block, Row const& row) {
    Cells cells{fmt::format("{}", row.argument)};
    if (block.variable != "length")
        cells.push_back(fmt::format("{}", row.length));
    cells.insert(cells.end(), {short_number(row.time), error_text(row), relative_text(relative_error(row))});
    if (auto const second = second_quantity(block); second)
        cells.push_back(short_number(point(block, row, *second).y));
    cells.insert(cells.end(), {fmt::format("{}", row.samples), joined(row.flags, ", ")});
    return cells;
}

/// Transposes a table, because many curves with few points are easier to read below each other.
Table turned(Table const& table) {
    Table result{.caption = fmt::format("{} over {}", table.caption, table.columns[0]), .columns = {"curve"}};
    for (Cells const& row : table.rows)
        result.columns.push_back(row[0].text);
    for (std::size_t i = 1; i < table.columns.size(); ++i) {
        Cells cells{table.columns[i]};
        for (Cells const& row : table.rows)
            cells.push_back(row[i]);
        result.rows.push_back(std::move(cells));
    }
    return result;
}

}  // namespace

std::string short_number(double value) { return number_text(value, 0); }

Table configuration_table(std::span<Input const> inputs) {
    Table table{.columns = {"key"}};
    std::vector<std::string> keys;
    for (Input const& input : inputs) {
        table.columns.push_back(input.path);
        for (Field const& field : input.output.head)
            program::add_once(keys, field.key);
    }
    for (std::string const& key : keys) {
        Cells cells{key};
        for (Input const& input : inputs)
            cells.push_back(all_values(input.output.head, key));
        table.rows.push_back(std::move(cells));
    }
    Cells finished{"finished"};
    Cells runtime{"total runtime"};
    for (Input const& input : inputs) {
        bool const is_finished = !input.output.finished.empty();
        finished.push_back(is_finished ? input.output.finished : "the run is unfinished");
        runtime.push_back(is_finished ? fmt::format("{:.0f} s", input.output.runtime) : "");
    }
    table.rows.insert(table.rows.end(), {std::move(finished), std::move(runtime)});
    return table;
}

Table overhead_table(std::span<Input const> inputs) {
    auto const names = labels(inputs);
    Table table{
        .caption = "Overheads: times of empty measurements, which are subtracted from the results",
        .columns = {"pattern", "synchronisation", "processes", "overhead [µs]", "standard error [µs]", "measurements"}};
    if (inputs.size() > 1)
        table.columns.insert(table.columns.begin(), "file");
    std::map<Cells, std::vector<std::string>> users;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (Block const& block : inputs[i].output.blocks)
            for (auto const& [nodes, time, error, sync] : overheads(block)) {
                Cells cells{key_or_empty(block, "pattern"), sync.empty() ? key_or_empty(block, "sync") : sync,
                            fmt::format("{}", nodes), short_number(time), short_number(error)};
                if (inputs.size() > 1)
                    cells.insert(cells.begin(), names[i]);
                auto const [use, is_new] = users.try_emplace(cells);
                use->second.push_back(block.name);
                if (is_new)
                    table.rows.push_back(std::move(cells));
            }
    for (Cells& cells : table.rows) {
        auto const& names_of_users = users.at(cells);
        cells.push_back(names_of_users.size() == 1 ? names_of_users[0] : fmt::format("{}", names_of_users.size()));
    }
    return table;
}

Table summary_table(std::span<Input const> inputs) {
    bool const several = inputs.size() > 1;
    auto const names = labels(inputs);
    Table table{.caption = "First and last: times at the smallest and the largest argument. Error: the largest "
                           "relative standard error of a point",
                .columns = {"measurement", "points", "first [µs]", "last [µs]", "error [%]", "used [s]", "status",
                            "flags (points)"}};
    if (several)
        table.columns.insert(table.columns.begin() + 1, "file");
    for (std::string const& name : block_names(inputs))
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            Block const* const block = inputs[i].output.block(name);
            if (block == nullptr)
                continue;
            Cells cells = summary_cells(*block);
            if (several)
                cells.insert(cells.begin() + 1, names[i]);
            table.rows.push_back(std::move(cells));
        }
    return table;
}

Table parameter_box(Measured const& measurement) {
    Table table{.columns = {"parameter"}};
    std::vector<std::vector<std::pair<std::string, std::string>>> all;
    for (auto const& [block, file] : measurement.parts) {
        table.columns.push_back(measurement.parts.size() > 1 ? file : "value");
        all.push_back(parameters(*block));
    }
    for (std::size_t i = 0; i < all[0].size(); ++i) {
        Cells cells{all[0][i].first};
        for (auto const& values : all)
            cells.push_back(values[i].second);
        if (std::any_of(cells.begin() + 1, cells.end(), [](page::Cell const& cell) { return !cell.text.empty(); }))
            table.rows.push_back(std::move(cells));
    }
    return table;
}

Table data_table(Measured const& measurement) {
    Block const& first = measurement.first();
    Table table{.columns = {std::string{argument_label(first)}}};
    if (first.variable != "length")
        table.columns.emplace_back("bytes");
    table.columns.insert(table.columns.end(), {"time [µs]", "standard error [µs]", "relative [%]"});
    if (auto const second = second_quantity(first); second)
        table.columns.emplace_back(label(*second));
    table.columns.insert(table.columns.end(), {"samples", "flags"});
    bool const several = measurement.parts.size() > 1;
    if (several)
        table.columns.insert(table.columns.begin(), "file");
    for (auto const& [block, file] : measurement.parts)
        for (Row const& row : block->rows) {
            Cells cells = data_cells(*block, row);
            if (several)
                cells.insert(cells.begin(), file);
            table.rows.push_back(std::move(cells));
        }
    return table;
}

Table simple_table(std::span<Measured const> measurements) {
    bool const several =
        std::any_of(measurements.begin(), measurements.end(), [](Measured const& m) { return m.parts.size() > 1; });
    Table table{.columns = {"measurement", "time [µs]", "standard error [µs]", "relative [%]", "samples", "flags"}};
    if (several)
        table.columns.insert(table.columns.begin() + 1, "file");
    for (Measured const& measurement : measurements)
        for (auto const& [block, file] : measurement.parts)
            for (Row const& row : block->rows) {
                Cells cells{measurement.name,
                            short_number(row.time),
                            error_text(row),
                            relative_text(relative_error(row)),
                            fmt::format("{}", row.samples),
                            joined(row.flags, ", ")};
                if (several)
                    cells.insert(cells.begin() + 1, file);
                table.rows.push_back(std::move(cells));
            }
    return table;
}

Table curves_table(Plot const& plot) {
    Table table{.caption = plot.y.label, .columns = {plot.x.label}};
    for (Curve const& curve : plot.curves)
        table.columns.push_back(curve.label);
    std::map<double, Cells> rows;
    for (std::size_t i = 0; i < plot.curves.size(); ++i)
        for (PlotPoint const& p : plot.curves[i].points) {
            Cells& cells = rows.try_emplace(p.x, table.columns.size()).first->second;
            cells[0] = fmt::format("{:.10g}", p.x);
            cells[i + 1] = short_number(p.y);
        }
    for (auto& [x, cells] : rows)
        table.rows.push_back(std::move(cells));
    return table.rows.size() < plot.curves.size() ? turned(table) : table;
}

}  // namespace skampi::report
