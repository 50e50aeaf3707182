// SPDX-License-Identifier: BSD-3-Clause
/// Merging: combines launches to a merged record and its table.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/cli/parse.hpp"
#include "program/runtime/session.hpp"

#include <measure/record.hpp>

#include <span>
#include <string>
#include <vector>

namespace measure::tool {

struct MergeOptions {
    double confidence = 0.95;
    bool mixed = false;
    bool join = false;
};

/// Declares --confidence, --mixed and --join. `options` must outlive the parser's `parse`.
void declare_merge(program::Parser& parser, MergeOptions& options);

/// Merges the launches, prints the table and writes the record. Its run line is the run line of the first launch, with
/// a list of the launches in its options. If a launch has no value for a point, the run is incomplete (exit code 4).
/// \throws measure::UsageError if launches measured different setups, unless the options allow it
void merge(std::span<Launch const> launches, MergeOptions const& options, program::Session& session);

/// A line for each point, with a new heading whenever the coordinate names change. Pure.
[[nodiscard]] std::string table(std::span<measure::Record const> points);

}  // namespace measure::tool
