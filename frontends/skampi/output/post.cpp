// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/post.hpp"

#include "program/cli/values.hpp"
#include "skampi/output/number.hpp"
#include "skampi/output/records.hpp"

#include <measure/error.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace skampi {

namespace {

/// The values that files of one configuration have in common.
constexpr std::array<char const*, 6> same_head{"MACHINE", "NODE", "NETWORK", "MPILIB", "PROCS", "TIMER"};
constexpr std::array<char const*, 10> same_keys{"type",  "variation", "scale", "message_length", "chunks",
                                                "nodes", "datatype",  "op",    "sync",           "node_times"};

std::string said(std::string const* value) {
    return value != nullptr ? fmt::format("'{}'", *value) : std::string{"missing"};
}

void demand_equal(std::string const& what, std::string const& path, std::string const* value,
                  std::string const& other_path, std::string const* other) {
    bool const equal = value == nullptr || other == nullptr ? value == other : *value == *other;
    if (!equal)
        throw measure::UsageError(
            fmt::format("the files have different configurations: {} is {} in '{}' and {} in '{}'", what, said(value),
                        path, said(other), other_path));
}

/// A measurement in one of the files.
struct Part {
    std::string const* path;
    Block const* block;
};

/// One measurement in all files that contain it, in the order of the files.
using Parts = std::vector<Part>;

void demand_one_configuration(std::span<Input const> inputs) {
    for (Input const& input : inputs.subspan(1))
        for (char const* const key : same_head)
            demand_equal(key, inputs[0].path, inputs[0].output.head_key(key), input.path, input.output.head_key(key));
}

void demand_one_configuration(Parts const& parts) {
    for (Part const& part : parts) {
        demand_equal(fmt::format("the argument of {}", part.block->name), *parts[0].path, &parts[0].block->variable,
                     *part.path, &part.block->variable);
        for (char const* const key : same_keys)
            demand_equal(fmt::format("{} of {}", key, part.block->name), *parts[0].path, parts[0].block->key(key),
                         *part.path, part.block->key(key));
    }
}

/// The measurements in the order of their first appearance. A skipped one is used only if no file has results.
std::vector<Parts> measurements(std::span<Input const> inputs) {
    std::vector<Parts> all;
    for (Input const& input : inputs)
        for (Block const& block : input.output.blocks) {
            if (block.status() == "abandoned")
                continue;
            auto const same = [&](Parts const& parts) { return parts[0].block->name == block.name; };
            auto found = std::find_if(all.begin(), all.end(), same);
            if (found == all.end())
                found = all.insert(all.end(), Parts{});
            found->push_back({&input.path, &block});
        }
    for (Parts& parts : all) {
        auto const skipped = [](Part const& part) { return part.block->status() == "skipped"; };
        if (std::all_of(parts.begin(), parts.end(), skipped))
            parts.resize(1);
        else
            std::erase_if(parts, skipped);
    }
    return all;
}

/// The part with the worst status.
Block const& worst(Parts const& parts) {
    auto const badness = [](Part const& part) {
        std::string const status = part.block->status();
        return status == "failed" ? 2 : status == "incomplete" ? 1 : 0;
    };
    return *std::max_element(parts.begin(), parts.end(), [&](Part const& a, Part const& b) {
                return badness(a) < badness(b);
            })->block;
}

/// One line for each number of processes, and separate lines for rows of the fallback.
std::vector<Field> merged_overheads(Parts const& parts) {
    struct Values {
        std::vector<double> times, errors;
    };
    std::map<std::pair<int, std::string>, Values> all;
    for (Part const& part : parts)
        for (auto const& [nodes, time, error, sync] : overheads(*part.block)) {
            auto& values = all[{nodes, sync}];
            values.times.push_back(time);
            values.errors.push_back(error);
        }
    std::vector<Field> fields;
    for (auto const& [at, values] : all)
        fields.push_back({"overhead", text(OverheadLine{.nodes = at.first,
                                                        .time = measure::median(values.times),
                                                        .error = measure::median(values.errors),
                                                        .sync = at.second})});
    return fields;
}

/// The keys of the first part, with the overheads of all parts, and status and reason of the worst one. A part without
/// rows has no overhead.
std::vector<Field> merged_keys(Parts const& parts) {
    std::vector<Field> keys;
    auto overheads = merged_overheads(parts);
    auto const put_overheads = [&] {
        for (Field& overhead : std::exchange(overheads, {}))
            keys.push_back(std::move(overhead));
    };
    Block const& decisive = worst(parts);
    for (Field const& field : parts[0].block->keys) {
        if (field.key == "overhead") {
            put_overheads();
        } else if (field.key != "status" && field.key != "reason") {
            keys.push_back(field);
        }
    }
    put_overheads();
    for (char const* const key : {"status", "reason"})
        if (auto const* const value = decisive.key(key); value != nullptr)
            keys.push_back({key, *value});
    return keys;
}

std::vector<std::optional<double>> merged_node_times(std::span<Row const* const> rows) {
    std::vector<std::optional<double>> result;
    for (std::size_t i = 0;; ++i) {
        std::vector<double> times;
        bool has_column = false;
        for (Row const* const row : rows)
            if (i < row->node_times.size()) {
                has_column = true;
                if (row->node_times[i])
                    times.push_back(*row->node_times[i]);
            }
        if (!has_column)
            return result;
        result.push_back(times.empty() ? std::nullopt : std::optional{measure::median(times)});
    }
}

/// Merges one point of all files that contain it. \param rows  at least one
Row merged_row(std::span<Row const* const> rows) {
    Row result{.argument = rows[0]->argument, .length = rows[0]->length};
    std::vector<double> times;
    std::vector<double> errors;
    std::int64_t contributing = 0;
    for (Row const* const row : rows) {
        times.push_back(row->time);
        if (row->error)
            errors.push_back(*row->error);
        result.samples += row->samples;
        contributing += files(*row);
        for (std::string const& flag : row->flags)
            if (!flag.starts_with("files=") && !result.has(flag))
                result.flags.push_back(flag);
    }
    result.time = measure::median(times);
    if (!errors.empty())
        result.error = measure::median(errors);
    result.node_times = merged_node_times(rows);
    result.flags.push_back(fmt::format("files={}", contributing));
    return result;
}

/// \param at_least  number of files that must contain a point
std::vector<Row> merged_rows(Parts const& parts, std::size_t at_least) {
    std::map<std::int64_t, std::vector<Row const*>> by_argument;
    for (Part const& part : parts)
        for (Row const& row : part.block->rows)
            by_argument[row.argument].push_back(&row);
    std::vector<Row> result;
    for (auto const& [argument, rows] : by_argument)
        if (rows.size() >= at_least)
            result.push_back(merged_row(rows));
    return result;
}

/// Sum of a count over the parts that contain it.
std::int64_t sum_over(Parts const& parts, std::string const& key) {
    std::int64_t sum = 0;
    for (Part const& part : parts)
        if (auto const* const value = find(part.block->trailer, key); value != nullptr)
            sum += program::as::Integer{}({key, *value});
    return sum;
}

/// Keeps values on which all parts agree, counts the points again and adds the samples.
std::vector<Field> merged_trailer(Parts const& parts, std::vector<Row> const& rows) {
    auto const refined = std::count_if(rows.begin(), rows.end(), [](Row const& row) { return row.has("refined"); });
    auto const agreed = [&](Field const& field) {
        return std::all_of(parts.begin(), parts.end(), [&](Part const& part) {
            auto const* const value = find(part.block->trailer, field.key);
            return value != nullptr && *value == field.value;
        });
    };
    std::vector<Field> trailer;
    for (Field const& field : parts[0].block->trailer) {
        if (field.key == "points_initial")
            trailer.push_back({field.key, fmt::format("{}", std::ssize(rows) - refined)});
        else if (field.key == "points_refined")
            trailer.push_back({field.key, fmt::format("{}", refined)});
        else if (field.key == "samples" || field.key == "samples_invalid")
            trailer.push_back({field.key, fmt::format("{}", sum_over(parts, field.key))});
        else if (agreed(field))
            trailer.push_back(field);
    }
    return trailer;
}

Block merged_block(Parts const& parts, std::size_t at_least) {
    demand_one_configuration(parts);
    Block const& first = *parts[0].block;
    Block block{.name = first.name, .keys = merged_keys(parts), .variable = first.variable};
    block.rows = merged_rows(parts, at_least);
    block.trailer = merged_trailer(parts, block.rows);
    for (Part const& part : parts)
        block.duration += part.block->duration;
    return block;
}

std::vector<Field> merged_head(std::span<Input const> inputs) {
    std::vector<Field> head = inputs[0].output.head;
    std::erase_if(head, [](Field const& field) { return field.key.starts_with("MERGED"); });
    head.push_back({"MERGED", fmt::format("{} file{}", inputs.size(), inputs.size() == 1 ? "" : "s")});
    for (Input const& input : inputs)
        head.push_back({"MERGED_FILE", input.path});
    for (Input const& input : inputs)
        for (auto& id : runs(input))
            head.push_back({merged_run, std::move(id)});
    return head;
}

}  // namespace

Output merge(std::span<Input const> inputs, bool common) {
    demand_one_configuration(inputs);
    demand_different_runs(inputs);
    Output merged{.head = merged_head(inputs)};
    for (Parts const& parts : measurements(inputs))
        merged.blocks.push_back(merged_block(parts, common ? inputs.size() : 1));
    for (Input const& input : inputs) {
        merged.finished = std::max(merged.finished, input.output.finished);
        merged.runtime += input.output.runtime;
    }
    return merged;
}

}  // namespace skampi
