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

/// The medians of joined starts are no starts' medians.
void refuse_joined(std::span<Launch const> launches) {
    auto const joined = std::find_if(launches.begin(), launches.end(), is_joined);
    if (joined != launches.end())
        throw measure::UsageError(
            fmt::format("'{}' is of several starts that are joined already: name the records of the "
                        "starts (measure launches --keep)",
                        joined->name));
}

void merge_files(MergeOptions const& options, std::vector<std::string> const& files, program::Session& session) {
    std::vector<Launch> launches;
    for (auto& source : read_sources(files, session))
        std::move(source.launches.begin(), source.launches.end(), std::back_inserter(launches));
    launches = each_once(std::move(launches), session);
    // The names of files may be in another order: start10 before start2.
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
    return {.name = "measure",
            .program = "measure merge",
            .summary = "Joins the records of several starts of a program, point by point: the median of the starts' "
                       "medians, with errors that hold between starts.",
            .common = {.measures = false, .aliases = {{"--json", "-o"}}},
            .uses_mpi = false,
            .prepare = program::prepared<Options>(
                [](program::Parser& parser, Options& options) {
                    declare_merge(parser, options.merge);
                    parser.arguments("FILE...",
                                     "record files (--json) of the starts; one may hold several; - is standard input",
                                     options.files);
                },
                [](Options const& options, program::Session& session) {
                    merge_files(options.merge, options.files, session);
                },
                checked_by<Options>([](Options const& options) { check_sources(options.files); }))};
}

}  // namespace measure::tool
