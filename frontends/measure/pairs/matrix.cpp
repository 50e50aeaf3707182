// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/matrix.hpp"

#include <measure/report.hpp>

#include <bit>
#include <cstdint>

namespace measure_tool::pairs {

namespace {

static_assert(sizeof(float) == sizeof(std::uint32_t));

/// Those that are measured.
std::vector<Metric> quantities(Result const& result) {
    auto all = result.wanted();
    std::erase_if(all, [](Metric quantity) { return quantity != measured_as(quantity); });
    return all;
}

void append(std::string& bytes, float value) {
    auto const bits = std::bit_cast<std::uint32_t>(value);
    for (unsigned shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>((bits >> shift) & 0xFFU);
}

}  // namespace

std::string matrix_head(Result const& result, std::span<Row const> rows) {
    measure::Value head;
    head["format"] = "measure pairs matrix";
    head["version"] = 1;
    head["type"] = "float32";
    head["order"] = "little-endian";
    head["nodes"] = result.nodes.size();
    measure::Value::Array names;
    for (auto const& node : result.nodes)
        names.emplace_back(node.name);
    head["names"] = std::move(names);
    measure::Value::Array matrices;
    for (auto const& row : rows)
        for (auto const quantity : quantities(result)) {
            measure::Value matrix;
            matrix["mode"] = name(row.mode);
            matrix["quantity"] = name(quantity);
            matrix["unit"] = quantity == Metric::latency ? "s" : "B/s";
            matrices.emplace_back(std::move(matrix));
        }
    head["matrices"] = std::move(matrices);
    return measure::json_text(head) + '\n';
}

std::vector<std::string> row_bytes(Result const& result, int node, std::span<Row const> rows) {
    std::vector<std::string> all;
    for (auto const& row : rows)
        for (auto const quantity : quantities(result)) {
            auto& bytes = all.emplace_back();
            for (int j = 0; j < static_cast<int>(row.values.size()); ++j) {
                auto const& pair = row.values[index(j)];
                auto const& times = quantity == Metric::latency ? pair.latency : node < j ? pair.up : pair.down;
                double const time = median_or(times, not_measured);
                append(bytes, static_cast<float>(quantity == Metric::latency ? time : 1 / time));
            }
        }
    return all;
}

}  // namespace measure_tool::pairs
