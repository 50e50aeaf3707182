// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "analysis/runs/merged.hpp"
#include "shared/filter.hpp"
#include "shared/inputs.hpp"
#include "shared/sources.hpp"
#include "show/show.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace measure::tool {

namespace {

struct ShowOptions {
    std::vector<Condition> conditions{};
    std::vector<std::string> files{};
};

void show_files(ShowOptions const& options, program::Session& session) {
    auto sources = read_sources(options.files, session);
    auto const points = filter(sources, options.conditions);
    if (!options.conditions.empty())
        session.text() << fmt::format("# points selected from {} by --filter\n\n", points);
    char const* before = "";
    for (auto& source : sources) {
        warn_of_gaps(source.launches, session);
        for (auto& launch : source.launches) {
            sort_points(launch.record.points, launch.record.run);
            session.text() << before << show_text(launch);
            before = "\n";
        }
    }
}

void check_show(ShowOptions const& options) { check_sources(options.files); }

void declare_show(program::Parser& parser, ShowOptions& options) {
    parser.list("--filter", "CONDITION", filter_help, options.conditions, filter_from);
    parser.arguments("FILE...", "record files (--json) of any programs; - is standard input", options.files);
}

}  // namespace

program::Suite show_command() {
    return local_suite("measure show",
                       "Shows records as tables: values, their errors, and the reasons why measurements stopped. "
                       "measure FILE... does the same.",
                       program::prepared<ShowOptions>(declare_show, show_files, checked_by<ShowOptions>(check_show)));
}

}  // namespace measure::tool
