// SPDX-License-Identifier: BSD-3-Clause
/// Files of schema 1: their lines in the words of schema 2.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace measure::detail {

/// Renames what schema 1 calls otherwise. Members that have their new name already keep it: a run of schema 1 that a
/// later version resumed has points of both schemas. \param kind  of the line: "run", "point"
void rename_schema_1(std::string_view kind, nlohmann::ordered_json& line);

}  // namespace measure::detail
