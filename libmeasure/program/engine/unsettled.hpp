// SPDX-License-Identifier: BSD-3-Clause
/// Unsettled: what stands below a table whose rows were measured while memory was new. Pure.
#pragma once

#include <measure/record.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace program {

/// Whether the record has the flag.
[[nodiscard]] bool is_unsettled(measure::Record const& record) noexcept;

/// "unsettled: 0, 1, 2 bytes: memory was touched for the first time while these rows were measured": the rows whose
/// records have the flag, each once; empty where there are none.
/// \param rows  what stands in front of them in the table, in its order  \param unit  of them: "bytes"; empty: none
[[nodiscard]] std::string unsettled_text(std::vector<std::string> rows, std::string_view unit = {});

/// "disturbed: 8, 16 bytes: a process lost its core meanwhile": the same for another flag, and what it means.
[[nodiscard]] std::string flagged_text(std::string_view flag, std::vector<std::string> rows, std::string_view unit,
                                       std::string_view meaning);

}  // namespace program
