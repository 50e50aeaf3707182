// SPDX-License-Identifier: BSD-3-Clause
/// Unsettled: the note below a table about rows that were measured while memory was touched for the first time. Pure.
#pragma once

#include <measure/record.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace program {

/// Whether the record has the flag "unsettled".
[[nodiscard]] bool is_unsettled(measure::Record const& record) noexcept;

/// "unsettled: 0, 1, 2 bytes: memory was touched for the first time while these rows were measured": the rows whose
/// records have the flag, without duplicates; empty without such rows.
/// \param rows  labels of the rows, in the order of the table  \param unit  unit of the labels: "bytes"; may be empty
[[nodiscard]] std::string unsettled_text(std::vector<std::string> rows, std::string_view unit = {});

/// "disturbed: 8, 16 bytes: MEANING": the note for another flag. \param meaning  explanation of the flag
[[nodiscard]] std::string flagged_text(std::string_view flag, std::vector<std::string> rows, std::string_view unit,
                                       std::string_view meaning);

}  // namespace program
