// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/output.hpp"

#include "program/engine/unsettled.hpp"
#include "skampi/output/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace skampi {

namespace {

/// Stands for a missing time of a process or an unknown standard error.
constexpr std::string_view missing = "---";

std::string cell(std::optional<double> const& microseconds) {
    return microseconds ? number_text(*microseconds) : std::string{missing};
}

std::size_t most_node_times(Block const& block) {
    std::size_t most = 0;
    for (Row const& row : block.rows)
        most = std::max(most, row.node_times.size());
    return most;
}

using Cells = std::vector<std::string>;

/// Heading of a column of node times: the rank, or the percentage of processes that are faster.
std::string node_heading(std::size_t column, std::size_t columns, bool sorted) {
    if (!sorted)
        return fmt::format("node{}_us", column);
    if (columns == 1)
        return "median_us";
    if (column == 0)
        return "min_us";
    return column + 1 == columns ? "max_us" : fmt::format("p{}_us", 100 * column / (columns - 1));
}

Cells heading(Block const& block, std::size_t node_times) {
    Cells cells{fmt::format("#| {}=", block.variable), "bytes", "time_us", "stderr_us", "n"};
    for (std::size_t i = 0; i < node_times; ++i)
        cells.push_back(node_heading(i, node_times, has_sorted_node_times(block)));
    return cells;
}

Cells cells_of(Row const& row, std::string_view variable, std::size_t node_times) {
    Cells cells{fmt::format("{}= {}", variable, row.argument), fmt::format("{}", row.length), number_text(row.time),
                cell(row.error), fmt::format("{}", row.samples)};
    for (std::size_t i = 0; i < node_times; ++i)
        cells.push_back(cell(i < row.node_times.size() ? row.node_times[i] : std::nullopt));
    return cells;
}

/// Aligns the first column to the left and the others to the right. No blanks at the end.
std::string line_of(Cells const& cells, std::span<std::size_t const> widths) {
    std::string line = fmt::format("{:<{}}", cells[0], widths[0]);
    for (std::size_t i = 1; i < cells.size(); ++i)
        line += fmt::format("  {:>{}}", cells[i], widths[i]);
    return line;
}

std::string table_text(Block const& block) {
    std::size_t const node_times = most_node_times(block);
    std::vector<Cells> lines{heading(block, node_times)};
    for (Row const& row : block.rows)
        lines.push_back(cells_of(row, block.variable, node_times));
    std::vector<std::size_t> widths(lines[0].size());
    for (Cells const& cells : lines)
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], cells[i].size());
    std::string text = line_of(lines[0], widths) + '\n';
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
        auto const& flags = block.rows[i].flags;
        text += line_of(lines[i + 1], widths);
        text += flags.empty() ? "\n" : fmt::format("  # {}\n", joined(flags, ","));
    }
    return text;
}

/// The comment below the rows that lists unsettled ones.
std::string unsettled_line(Block const& block) {
    bool const one_row = block.variable == "point";
    std::vector<std::string> names;
    for (Row const& row : block.rows)
        if (row.has(unsettled_flag))
            names.push_back(one_row ? block.name : fmt::format("{}", row.argument));
    std::string const unit = one_row ? "" : block.variable == "length" ? "bytes" : block.variable;
    auto const text = program::unsettled_text(std::move(names), unit);
    return text.empty() ? text : fmt::format("# {}\n", text);
}

}  // namespace

std::string const* find(std::vector<Field> const& fields, std::string_view key) noexcept {
    auto const found = std::find_if(fields.begin(), fields.end(), [&](Field const& f) { return f.key == key; });
    return found == fields.end() ? nullptr : &found->value;
}

bool Row::has(std::string_view flag) const noexcept {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::string Block::status() const {
    auto const* const status = key("status");
    return status != nullptr ? *status : "ok";
}

bool has_sorted_node_times(Block const& block) noexcept {
    auto const [key, value] = sorted_node_times();
    auto const* const found = block.key(key);
    return found != nullptr && *found == value;
}

Block const* Output::block(std::string_view name) const noexcept {
    auto const found = std::find_if(blocks.begin(), blocks.end(), [&](Block const& b) { return b.name == name; });
    return found == blocks.end() ? nullptr : &*found;
}

std::string head_text(std::vector<Field> const& head) {
    std::string text = "# SKaMPI output format 1\n";
    for (auto const& [key, value] : head)
        text += value.empty() ? fmt::format("#@{}\n", key) : fmt::format("#@{} {}\n", key, value);
    return text += "#@END_HEADER\n";
}

std::string block_text(Block const& block) {
    std::string text = fmt::format("# begin result \"{}\"\n", block.name);
    for (auto const& [key, value] : block.keys)
        text += fmt::format("#: {} = {}\n", key, value);
    text += table_text(block) + unsettled_line(block);
    for (auto const& [key, value] : block.trailer)
        text += fmt::format("#. {} = {}\n", key, value);
    return text += fmt::format("# end result \"{}\"\n# duration = {:.2f} sec\n\n", block.name, block.duration);
}

std::string tail_text(std::string_view date, double runtime) {
    return fmt::format("# Finished at {}\n# Total runtime {:.0f} seconds\n", date, runtime);
}

std::string text(Output const& output) {
    std::string text = head_text(output.head);
    for (Block const& block : output.blocks)
        text += block_text(block);
    return output.finished.empty() ? text : text += tail_text(output.finished, output.runtime);
}

}  // namespace skampi
