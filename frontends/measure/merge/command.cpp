// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "shared/inputs.hpp"
#include "shared/merging.hpp"
#include "shared/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace measure::tool {

namespace {

/// A merged record has medians over launches, which cannot be merged again as if they were single launches.
void refuse_joined(std::span<Launch const> launches) {
    auto const joined = std::find_if(launches.begin(), launches.end(), is_joined);
    if (joined != launches.end())
        throw measure::UsageError(
            fmt::format("'{}' is already merged from several launches; pass the records of the single launches "
                        "(measure launches --keep)",
                        joined->name));
}

void merge_files(MergeOptions const& options, std::vector<std::string> const& files, program::Session& session) {
    std::vector<Launch> launches;
    for (auto& source : read_sources(files, session))
        std::move(source.launches.begin(), source.launches.end(), std::back_inserter(launches));
    launches = each_once(std::move(launches), session);
    // A shell sorts file names differently from launches: launch10 before launch2.
    std::stable_sort(launches.begin(), launches.end(), [](Launch const& a, Launch const& b) {
        return started_at(a.record.run) < started_at(b.record.run);
    });
    refuse_joined(launches);
    merge(launches, options, session);
}

}  // namespace

program::Suite merge_command() {
    struct Options {
        MergeOptions merge{};
        std::vector<std::string> files{};
    };
    return {
        .name = "measure",
        .program = "measure merge",
        .summary = "Merges the records of several launches of a program, point by point: the median of the launches' "
                   "medians, with an error that includes the variation between launches.",
        .common = {.measures = false, .aliases = {{"--json", "-o"}}},
        .uses_mpi = false,
        .prepare = program::prepared<Options>(
            [](program::Parser& parser, Options& options) {
                declare_merge(parser, options.merge);
                parser.arguments(
                    "FILE...", "record files (--json) of the launches; a file may contain several; - is standard input",
                    options.files);
            },
            [](Options const& options, program::Session& session) {
                merge_files(options.merge, options.files, session);
            },
            checked_by<Options>([](Options const& options) { check_sources(options.files); }))};
}

}  // namespace measure::tool
