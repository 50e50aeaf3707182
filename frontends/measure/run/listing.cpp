// SPDX-License-Identifier: BSD-3-Clause
#include "run/listing.hpp"

#include "launching/folder.hpp"
#include "run/sweep.hpp"
#include "shared/plain_text.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

namespace measure::tool::runs {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view row_format = "{:<26} {:<16} {:>8} {:>10} {:>5}  {:<18} {}\n";

/// "complete" or "interrupted"; "unfinished" if the run has no merged record.
std::string ending_of(fs::path const& run) {
    auto const joined = launches_in(run / "merged.jsonl");
    return joined.empty() ? "unfinished" : joined.front().record.end->status;
}

std::size_t operations_of(std::span<Launch const> launches) {
    std::set<std::string> names;
    for (auto const& launch : launches)
        for (auto const& record : launch.record.points)
            if (!is_control(record.benchmark))
                names.insert(record.benchmark);
    return names.size();
}

std::string row_of(fs::path const& run) {
    auto const name = run.filename().string();
    try {
        auto launches = launches_in(run / launches_file);
        // Only the launches of side A are counted.
        std::erase_if(launches, [&](Launch const& launch) {
            return launch.record.run.campaign && launch.record.run.campaign->id == campaign_of_side_b(name);
        });
        if (launches.empty())
            return fmt::format("{:<26} no complete launch\n", name);
        auto const& first = launches.front().record.run;
        // "2026-11-28T13:34:11Z" becomes "2026-11-28 13:34".
        auto time = first.started.substr(0, 16);
        std::replace(time.begin(), time.end(), 'T', ' ');
        return fmt::format(row_format, name, time, launches.size(), operations_of(launches), first.ranks,
                           first.mpi_library.value_or("no MPI"), ending_of(run));
    } catch (measure::UsageError const& error) {
        return fmt::format("{:<26} damaged: {}\n", name, error.what());
    }
}

}  // namespace

std::string listing(fs::path const& runs) {
    auto const names = begun_run_names(runs);
    if (names.empty())
        return fmt::format("No runs in '{}'.\n", printable(runs.string()));
    auto text =
        fmt::format(row_format, "run", "started (UTC)", "launches", "operations", "ranks", "MPI library", "end");
    for (auto const& name : names)
        text += row_of(runs / name);
    return text;
}

void delete_runs(fs::path const& runs, std::span<std::string const> names) {
    auto const all = begun_run_names(runs);
    for (auto const& name : names)
        if (std::find(all.begin(), all.end(), name) == all.end())
            throw measure::UsageError(fmt::format("--delete: no run '{}' in '{}'", name, runs.string()));
    for (auto const& name : names)
        delete_run(runs, name);
}

}  // namespace measure::tool::runs
