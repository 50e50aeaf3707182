// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "analysis/runs/merged.hpp"
#include "export/export.hpp"
#include "shared/destination.hpp"
#include "shared/filter.hpp"
#include "shared/inputs.hpp"
#include "shared/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace measure::tool {

namespace {

struct ExportOptions {
    bool join = false;
    Exporter exporter = nullptr;
    std::vector<Condition> conditions{};
    std::string output = "-";
    std::vector<std::string> files{};
};

void warn_of_left_out(Exported const& exported, program::Session& session) {
    std::size_t total = 0;
    std::vector<std::string> parts;
    for (auto const& [reason, points] : exported.left_out) {
        total += points;
        parts.push_back(fmt::format("{} {}", points, reason));
    }
    if (total > 0)
        session.warn(fmt::format("{} of {} points cannot be represented in this format: {}", total,
                                 total + exported.carried, fmt::join(parts, ", ")));
}

void check_export(ExportOptions const& options) {
    if (options.exporter == nullptr)
        throw measure::UsageError("no format; choose one with --format (osu, imb, google-benchmark, junit, fom)");
    check_sources(options.files);
}

void run_export(ExportOptions const& options, program::Session& session) {
    auto sources = read_sources(options.files, session);
    filter(sources, options.conditions);
    remove_controls(sources);
    for (auto& source : sources)
        for (auto& launch : source.launches)
            sort_points(launch.record.points, launch.record.run);
    Destination output{"-o", options.output, session};
    auto const series = series_of(sources, {}, 0.95, options.join);
    for (auto const& source : sources)
        warn_of_gaps(source.launches, session);
    auto const exported = options.exporter(series);
    warn_of_left_out(exported, session);
    output.write(exported.text, session.text());
}

void declare_export(program::Parser& parser, ExportOptions& options) {
    parser.option("--format", "NAME", "choose the format: osu, imb, google-benchmark, junit or fom", options.exporter,
                  program::as::Choice<Exporter>{{{"osu", export_osu},
                                                 {"imb", export_imb},
                                                 {"google-benchmark", export_google_benchmark},
                                                 {"junit", export_junit},
                                                 {"fom", export_fom}}});
    parser.list("--filter", "CONDITION", filter_help, options.conditions, filter_from);
    parser.flag("--join", join_help, options.join);
    parser.option("-o,--output", "FILE", "write to this file; - is stdout", options.output, program::as::Text{});
    parser.arguments("FILE...", "record files (--json) of any programs; - is standard input", options.files);
}

}  // namespace

program::Suite record_export_command() {
    return local_suite(
        "measure export",
        "Converts records to a format that other tools read. Launches of one program in one file become one result.",
        program::prepared<ExportOptions>(declare_export, run_export, checked_by<ExportOptions>(check_export)));
}

}  // namespace measure::tool
