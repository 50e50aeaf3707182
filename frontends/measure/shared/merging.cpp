// SPDX-License-Identifier: BSD-3-Clause
#include "shared/merging.hpp"

#include "analysis/runs/merged.hpp"
#include "analysis/runs/states.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace measure::tool {

namespace {

/// Advice for launches that cannot be merged. The sides of `measure run --against` can never be merged.
std::string way_out(std::span<Launch const> launches, std::string_view option, std::string_view does) {
    if (auto sides = two_sides_text(launches))
        return std::move(*sides);
    return fmt::format("use {} to {} them anyway", option, does);
}

/// Throws for serious differences, unless --mixed allows them. Warns of other differences.
void compare(std::span<Launch const> launches, MergeOptions const& options, program::Session& session) {
    for (auto const& [text, field, serious] : differences(launches))
        if (serious && !options.mixed)
            throw measure::UsageError(fmt::format("{} ({})", text, way_out(launches, "--mixed", "merge")));
        else
            session.warn(text);
    if (auto const why = why_apart(launches, !options.mixed); why && !options.join)
        throw measure::UsageError(fmt::format("{} ({})", *why, way_out(launches, "--join", "merge")));
}

}  // namespace

void declare_merge(program::Parser& parser, MergeOptions& options) {
    parser.heading("Merging");
    parser.option("--confidence", "P", "set the confidence level of intervals", options.confidence,
                  program::as::Number{.low = 0.5, .high = 0.9999});
    parser.flag("--mixed", "also merge launches with different options and MPI settings", options.mixed);
    parser.flag("--join", join_help, options.join);
}

void merge(std::span<Launch const> launches, MergeOptions const& options, program::Session& session) {
    compare(launches, options, session);
    warn_of_gaps(launches, session);
    auto const states = states_of_launches(launches);
    auto const merged = merged_launches(launches, states, options.confidence);
    session.begin(merged_run(launches, states, session.command()));
    session.text() << fmt::format("# {} of {}\n", counted(launches.size(), "launch", "launches"),
                                  printable(launches.front().record.run.program));
    if (states.are_several())
        session.text() << fmt::format("# machine states: {}; values are for the first\n", states_text(states));
    session.text() << table(merged);
    for (auto const& record : merged) {
        if (record.has_flag("missing_launches"))
            session.incomplete();
        session.point(record);
    }
}

}  // namespace measure::tool
