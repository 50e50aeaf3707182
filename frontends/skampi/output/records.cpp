// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/records.hpp"

#include "program/cli/values.hpp"
#include "skampi/routines/catalogue.hpp"

#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace skampi {

namespace {

constexpr double second = 1e6;  // microseconds
constexpr std::string_view files_flag = "files=";

std::string key_or(Block const& block, std::string_view key, char const* otherwise) {
    auto const* const value = block.key(key);
    return value != nullptr ? *value : otherwise;
}

std::int64_t integer_key(Block const& block, char const* key, char const* otherwise, std::int64_t low) {
    return program::as::Integer{.low = low}({fmt::format("{}: {}", block.name, key), key_or(block, key, otherwise)});
}

bool is_master_worker(Block const& block) { return key_or(block, "pattern", "") == "master-worker"; }
bool is_ping_pong(Block const& block) { return key_or(block, "pattern", "") == "point-to-point"; }

measure::Point place(Block const& block, Row const& row) {
    measure::Point at{{"ranks", processes(block, row)}, {"bytes", row.length}};
    if (is_master_worker(block))
        at.set("chunks", chunks(block, row));
    return at;
}

std::int64_t kept(Block const& block, std::int64_t samples) {
    double const cut =
        program::as::Number{.low = 0, .high = 0.5}({fmt::format("{}: cut", block.name), key_or(block, "cut", "0.25")});
    return samples - 2 * static_cast<std::int64_t>(measure::trim_count(static_cast<std::size_t>(samples), cut));
}

measure::Value derived_of(Block const& block, Row const& row) {
    measure::Value derived = measure::Value::Object{
        {"standard_error_population", row.error ? measure::Value{*row.error / second} : measure::Value{}},
        {"pattern", key_or(block, "pattern", "")}};
    if (is_ping_pong(block))
        derived["bandwidth"] = bandwidth(row) * second;
    if (is_master_worker(block))
        derived["time_per_chunk"] = row.time / second / static_cast<double>(chunks(block, row));
    if (std::any_of(row.flags.begin(), row.flags.end(), [](auto const& f) { return f.starts_with(files_flag); }))
        derived["files"] = files(row);
    return derived;
}

/// Of the block's routine, whatever the measurement is called.
std::optional<measure::Semantics> semantics_of(Block const& block) {
    auto const* const routine = find_routine(key_or(block, "type", ""));
    return routine != nullptr ? routine->semantics() : std::nullopt;
}

measure::Record record_of(Block const& block, Row const& row) {
    measure::Record record{.benchmark = block.name,
                           .semantics = semantics_of(block),
                           .at = place(block, row),
                           .value = row.time / second,
                           .attempts = row.samples,
                           .valid = row.samples,
                           .kept = kept(block, row.samples),
                           .derived = derived_of(block, row)};
    for (char const* const flag : {"maxrep", "time-limit", "zero-time"})
        if (row.has(flag))
            record.status = measure::PointStatus::exhausted;
    for (std::string flag : row.flags) {
        std::replace(flag.begin(), flag.end(), '-', '_');
        if (!flag.starts_with(files_flag))
            record.flag(flag);
    }
    return record;
}

measure::Record record_without_rows(Block const& block) {
    std::string const status = block.status();
    bool const crashed = status == "abandoned" || status == "failed";
    std::string const reason = key_or(block, "reason", status == "ok" ? "no points" : status.c_str());
    measure::Point at{{"ranks", integer_key(block, "nodes", "1", 1)}};
    auto record = measure::make_record(block.name, std::move(at),
                                       crashed ? measure::PointStatus::crashed : measure::PointStatus::skipped, reason);
    record.semantics = semantics_of(block);
    return record;
}

template <class Convert>
measure::Value trailer_value(Block const& block, char const* key, Convert convert) {
    auto const* const text = find(block.trailer, key);
    if (text == nullptr)
        return nullptr;
    return convert(program::Argument{fmt::format("{}: {}", block.name, key), *text});
}

}  // namespace

std::int64_t processes(Block const& block, Row const& row) {
    return block.variable == "nodes" ? std::max<std::int64_t>(row.argument, 1) : integer_key(block, "nodes", "1", 1);
}

std::int64_t chunks(Block const& block, Row const& row) {
    if (!is_master_worker(block))
        return 0;
    return block.variable == "chunks" ? std::max<std::int64_t>(row.argument, 1) : integer_key(block, "chunks", "1", 1);
}

std::int64_t files(Row const& row) {
    for (std::string const& flag : row.flags)
        if (flag.starts_with(files_flag))
            return program::as::Integer{.low = 1}({"files", flag.substr(files_flag.size())});
    return 1;
}

double bandwidth(Row const& row) noexcept { return row.time > 0 ? 2 * static_cast<double>(row.length) / row.time : 0; }

std::vector<measure::Record> records(Block const& block) {
    if (block.rows.empty())
        return {record_without_rows(block)};
    std::vector<measure::Record> result;
    for (Row const& row : block.rows)
        result.push_back(record_of(block, row));
    return result;
}

measure::Summary summary(Block const& block) {
    measure::Value derived = measure::Value::Object{};
    derived["stop"] = trailer_value(block, "stop", program::as::Text{});
    derived["points_initial"] = trailer_value(block, "points_initial", program::as::Integer{});
    derived["points_refined"] = trailer_value(block, "points_refined", program::as::Integer{});
    derived["max_error"] = trailer_value(block, "max_error", program::as::Number{});
    derived["paper_error"] = trailer_value(block, "paper_error", program::as::Number{});
    derived["status"] = block.status();
    return {.name = block.name, .value = static_cast<double>(block.rows.size()), .derived = std::move(derived)};
}

measure::Value head_value(std::vector<Field> const& head) {
    measure::Value::Object object;
    for (auto const& [key, value] : head) {
        std::string const name = program::lower(key);
        auto const found = std::find_if(object.begin(), object.end(), [&](auto const& m) { return m.first == name; });
        if (found == object.end())
            object.emplace_back(name, value);
        else
            found->second = fmt::format("{}\n{}", std::get<std::string>(found->second.data()), value);
    }
    return object;
}

}  // namespace skampi
