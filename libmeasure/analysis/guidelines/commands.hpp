// SPDX-License-Identifier: BSD-3-Clause
/// Guideline commands: command lines that measure the points a guideline check lacks. Pure, local.
#pragma once

#include "analysis/guidelines/guidelines.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure {

/// One command line for each set, number of processes and range of sizes. Each writes its own file: more-1.jsonl,
/// more-2.jsonl and so on. Operations that the suite does not measure are left out.
[[nodiscard]] std::vector<std::string> commands_for(std::span<Unchecked const> unchecked,
                                                    std::span<OperationSet const> sets);

}  // namespace measure
