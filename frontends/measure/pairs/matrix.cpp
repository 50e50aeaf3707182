// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/matrix.hpp"

#include <measure/report.hpp>

#include <bit>
#include <cstdint>

namespace measure::tool::pairs {

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

std::string matrix_head(Result const& result) {
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
    for (auto const& tournament : result.tournaments)
        for (auto const quantity : quantities(result)) {
            measure::Value matrix;
            matrix["mode"] = name(tournament.mode);
            matrix["quantity"] = name(quantity);
            matrix["unit"] = quantity == Metric::latency ? "s" : "B/s";
            matrices.emplace_back(std::move(matrix));
        }
    head["matrices"] = std::move(matrices);
    return measure::json_text(head) + '\n';
}

std::vector<std::string> row_bytes(Result const& result, int node) {
    std::vector<std::string> all;
    for (auto const& tournament : result.tournaments)
        for (auto const quantity : quantities(result)) {
            auto& bytes = all.emplace_back();
            int j = 0;
            for (auto const& values : tournament.values.row(node)) {
                double const time = one_way(values, quantity, node, j++);
                append(bytes, static_cast<float>(quantity == Metric::latency ? time : 1 / time));
            }
        }
    return all;
}

}  // namespace measure::tool::pairs
