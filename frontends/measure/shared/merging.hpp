// SPDX-License-Identifier: BSD-3-Clause
/// Merging: launches to the merged record and its table.
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

/// Merges the launches, prints the table and writes the record, whose run line is that of the first launch with the
/// launches in its options. A point without a value from every launch makes the run incomplete.
/// \throws measure::UsageError where launches differ in what they measured, unless that is asked for
void merge(std::span<Launch const> launches, MergeOptions const& options, program::Session& session);

/// A line per point; a heading where the coordinates change. Pure.
[[nodiscard]] std::string table(std::span<measure::Record const> points);

}  // namespace measure::tool
