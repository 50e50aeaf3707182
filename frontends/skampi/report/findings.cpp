// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/findings.hpp"

#include "skampi/report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace skampi::report {

namespace {

constexpr double errors_apart = 3;
constexpr double least_difference = 0.05;
constexpr double least_jump = 0.10;
constexpr double widest_jump = 0.5;

using Rows = std::vector<std::vector<page::Cell>>;

/// An MPI operation and a replacement that a program can call instead.
struct Replacement {
    char const* operation;
    char const* replacement;
};
constexpr std::array replacements{
    Replacement{"MPI_Allreduce", "MPI_Reduce_Bcast"},
    Replacement{"MPI_Reduce_scatter", "MPI_Reduce_Scatterv"},
    Replacement{"MPI_Bcast", "Bcast_SR"},
    Replacement{"MPI_Gather", "Gather_SR"},
    Replacement{"MPI_Gather", "Gather_ISWA"},
    Replacement{"MPI_Gather", "MPI_Gatherv"},
    Replacement{"MPI_Scatter", "MPI_Scatterv"},
    Replacement{"MPI_Allgather", "MPI_Allgatherv"},
    Replacement{"MPI_Alltoall", "MPI_Alltoallv"},
    Replacement{"MPI_Alltoall", "MPI_Alltoall_Isend_Irecv"},
};

/// Whether the row's time and error can be compared with those of another row.
bool is_comparable(Row const& row) {
    return row.time > 0 && row.error && !row.has(fallback_flag) && !row.has(unsettled_flag);
}

double error_of_difference(Row const& a, Row const& b) { return std::hypot(a.error.value_or(0), b.error.value_or(0)); }

bool is_slower(Row const& a, Row const& b) {
    return a.time - b.time > errors_apart * error_of_difference(a, b) && a.time > (1 + least_difference) * b.time;
}

Row const* row_at(Block const& block, std::int64_t argument) {
    auto const found =
        std::find_if(block.rows.begin(), block.rows.end(), [&](Row const& row) { return row.argument == argument; });
    return found == block.rows.end() ? nullptr : &*found;
}

/// Pairs of comparable rows with the same argument.
std::vector<std::pair<Row const*, Row const*>> common_rows(Block const& a, Block const& b) {
    std::vector<std::pair<Row const*, Row const*>> rows;
    for (Row const& row : a.rows)
        if (Row const* const other = row_at(b, row.argument);
            other != nullptr && is_comparable(row) && is_comparable(*other))
            rows.emplace_back(&row, other);
    return rows;
}

/// Evaluates the line through p and q at an argument.
double extrapolated(Row const& p, Row const& q, Row const& at) {
    auto const slope = (q.time - p.time) / static_cast<double>(q.argument - p.argument);
    return p.time + slope * static_cast<double>(at.argument - p.argument);
}

/// Whether the curve jumps between b and c, given four neighbouring points.
bool is_switch(Row const& a, Row const& b, Row const& c, Row const& d) {
    auto const width = static_cast<double>(c.argument - b.argument);
    auto const beyond = [&](double difference, Row const& of) {
        return std::abs(difference) > std::max(least_jump * of.time, errors_apart * error_of_difference(b, c));
    };
    double const jump = c.time - b.time;
    bool const stays = (d.time - b.time) * jump > 0 && std::abs(d.time - b.time) > std::abs(jump) / 2 &&
                       (c.time - a.time) * jump > 0 && std::abs(c.time - a.time) > std::abs(jump) / 2;
    return width <= widest_jump * static_cast<double>(b.argument) && beyond(jump, b) &&
           beyond(b.time - extrapolated(c, d, b), b) && beyond(c.time - extrapolated(a, b, c), c) && stays;
}

double height(Switch const& s) {
    return std::max(s.time_before, s.time_behind) / std::min(s.time_before, s.time_behind);
}

std::string range_text(Block const& block, std::int64_t first, std::int64_t last) {
    if (block.variable == "point")
        return "";
    return first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
}

/// "12 to 35", in per cent
std::string percent_text(double low, double high) {
    auto const from = fmt::format("{:.0f}", 100 * low);
    auto const to = fmt::format("{:.0f}", 100 * high);
    return from == to ? from : fmt::format("{} to {}", from, to);
}

/// Extra time of the slower curve, in per cent.
std::string more_text(Stretch const& s) { return percent_text(s.smallest - 1, s.largest - 1); }

/// Time saved by the faster curve, in per cent.
std::string less_text(Stretch const& s) { return percent_text(1 - 1 / s.smallest, 1 - 1 / s.largest); }

Table against_table(std::span<Input const> inputs, Input const& baseline) {
    auto const names = labels(inputs);
    auto const base = static_cast<std::size_t>(&baseline - inputs.data());
    Table table{
        .caption = fmt::format(
            "Compared with {}: differences larger than the errors within each run. This is not a verdict, because two "
            "launches of the same program may differ by more: launch both several times and use measure compare",
            names[base]),
        .columns = {"file", "measurement", "at", "takes", "by [%]", "points"}};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (i == base)
            continue;
        for (Block const& block : inputs[i].output.blocks) {
            Block const* const other = baseline.output.block(block.name);
            if (other == nullptr)
                continue;
            auto const add = [&](Stretch const& stretch, char const* takes, std::string by) {
                table.rows.push_back({names[i], block.name, range_text(block, stretch.first, stretch.last), takes,
                                      std::move(by), fmt::format("{}", stretch.points)});
            };
            for (Stretch const& s : slower(block, *other))
                add(s, "longer", more_text(s));
            for (Stretch const& s : slower(*other, block))
                add(s, "less", less_text(s));
        }
    }
    return table;
}

/// Joins the rows of all measurements in all files. With several files, the first column names the file.
/// \param rows_of  (output, block) -> rows
template <class RowsOf>
Table of_all_files(Table table, std::span<Input const> inputs, RowsOf rows_of) {
    bool const several = inputs.size() > 1;
    auto const names = labels(inputs);
    if (several)
        table.columns.insert(table.columns.begin(), "file");
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (Block const& block : inputs[i].output.blocks)
            for (auto& cells : rows_of(inputs[i].output, block)) {
                if (several)
                    cells.insert(cells.begin(), names[i]);
                table.rows.push_back(std::move(cells));
            }
    return table;
}

Table replacement_table(std::span<Input const> inputs) {
    Table const table{.caption = "Operations that are slower than a replacement that a program can call instead",
                      .columns = {"measurement", "at", "is slower by [%]", "than", "points"}};
    return of_all_files(table, inputs, [](Output const& output, Block const& block) {
        Rows rows;
        for (auto const& [operation, replacement] : replacements) {
            std::string_view const name{block.name};
            std::string_view const stem{operation};
            if (!name.starts_with(stem) || !name.substr(stem.size()).starts_with('-'))
                continue;
            if (auto const* const other = output.block(fmt::format("{}{}", replacement, name.substr(stem.size()))))
                for (Stretch const& s : slower(block, *other))
                    rows.push_back({block.name, range_text(block, s.first, s.last), more_text(s), other->name,
                                    fmt::format("{}", s.points)});
        }
        return rows;
    });
}

Table switch_table(std::span<Input const> inputs) {
    Table const table{.caption = "Switch points: message lengths between which the time jumps",
                      .columns = {"measurement", "between [bytes]", "from [µs]", "to [µs]", "change [%]"}};
    return of_all_files(table, inputs, [](Output const&, Block const& block) {
        Rows rows;
        for (Switch const& s : switches(block))
            rows.push_back({block.name, fmt::format("{} and {}", s.before, s.behind), short_number(s.time_before),
                            short_number(s.time_behind),
                            fmt::format("{:+.0f}", 100 * (s.time_behind / s.time_before - 1))});
        return rows;
    });
}

}  // namespace

std::vector<Stretch> slower(Block const& a, Block const& b) {
    auto const rows = common_rows(a, b);
    std::vector<Stretch> all;
    std::optional<Stretch> open;
    auto const close = [&] {
        if (open && (open->points > 1 || rows.size() == 1))
            all.push_back(*open);
        open.reset();
    };
    for (auto const& [mine, other] : rows) {
        if (!is_slower(*mine, *other)) {
            close();
            continue;
        }
        double const ratio = mine->time / other->time;
        if (!open)
            open = Stretch{.first = mine->argument, .smallest = ratio, .largest = ratio};
        open->last = mine->argument;
        ++open->points;
        open->smallest = std::min(open->smallest, ratio);
        open->largest = std::max(open->largest, ratio);
    }
    close();
    return all;
}

std::vector<Switch> switches(Block const& block) {
    std::vector<Switch> found;
    if (block.variable != "length")
        return found;
    std::vector<Row const*> rows;
    for (Row const& row : block.rows)
        if (is_comparable(row))
            rows.push_back(&row);
    for (std::size_t i = 1; i + 2 < rows.size(); ++i) {
        Row const& b = *rows[i];
        Row const& c = *rows[i + 1];
        if (!is_switch(*rows[i - 1], b, c, *rows[i + 2]))
            continue;
        Switch const s{b.argument, c.argument, b.time, c.time};
        if (found.empty() || found.back().behind != s.before)
            found.push_back(s);
        else if (height(s) > height(found.back()))
            found.back() = s;
    }
    return found;
}

Findings findings(std::span<Input const> inputs, Input const* baseline) {
    Findings result{.section = {.title = "Findings"}};
    auto& elements = result.section.elements;
    auto const add = [&](Table table, char const* otherwise) {
        result.count += table.rows.size();
        if (table.rows.empty())
            elements.push_back(Paragraph{otherwise});
        else
            elements.push_back(std::move(table));
    };
    if (baseline != nullptr)
        add(against_table(inputs, *baseline), "No measurement differs from the baseline file.");
    add(switch_table(inputs), "No switch points were found.");
    add(replacement_table(inputs), "No operation is slower than a replacement that a program can call instead.");
    elements.push_back(Paragraph{
        "The tables list differences of more than three standard errors and more than 5 % at two or more "
        "neighbouring points. At a switch point, the times differ by more than 10 % from the lines through the "
        "points on the other side."});
    return result;
}

}  // namespace skampi::report
