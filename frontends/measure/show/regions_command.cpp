// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"
#include "shared/inputs.hpp"
#include "shared/sources.hpp"
#include "show/regions.hpp"
#include "show/show.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace measure::tool {

namespace {

struct RegionsFiles {
    std::vector<std::string> files{};
};

void show_regions(RegionsFiles const& options, program::Session& session) {
    auto const sources = read_sources(options.files, session);
    for (auto const& source : sources)
        if (std::none_of(source.launches.begin(), source.launches.end(), has_regions))
            throw measure::UsageError(
                fmt::format("{} has no regions; set MEASURE_REGIONS=FILE to record them (see docs/regions.md)",
                            name_of_source(source.path)));
    char const* before = "";
    for (auto const& source : sources) {
        warn_of_gaps(source.launches, session);
        for (auto const& launch : source.launches) {
            if (!has_regions(launch))
                continue;
            session.text() << before << show_text(launch);
            before = "\n";
        }
    }
}

void check_regions(RegionsFiles const& options) { check_sources(options.files); }

void declare_regions(program::Parser& parser, RegionsFiles& options) {
    parser.arguments("FILE...", "record files written with MEASURE_REGIONS=FILE; - is standard input", options.files);
}

}  // namespace

program::Suite regions_command() {
    return local_suite(
        "measure regions",
        "Shows the regions of an application as a tree: number of entries, share of the time, and differences between "
        "ranks. measure FILE... shows them too.",
        program::prepared<RegionsFiles>(declare_regions, show_regions, checked_by<RegionsFiles>(check_regions)));
}

}  // namespace measure::tool
