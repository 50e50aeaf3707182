// SPDX-License-Identifier: BSD-3-Clause
#include "archive/keep.hpp"

#include "analysis/runs/launch.hpp"
#include "archive/archive.hpp"

#include <measure/read.hpp>
#include <measure/record.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace measure::tool::archive {

namespace {

using measure::Value;

/// Campaign and time of each launch in a joined run.
using LaunchKeys = std::set<std::pair<std::string, std::string>>;

LaunchKeys launch_keys(measure::Environment const& run) {
    LaunchKeys keys;
    if (auto const* const launches = run.options.get<Value::Array>("launches"))
        for (auto const& launch : *launches)
            if (auto const campaign = launch.text("campaign"); !campaign.empty())
                keys.emplace(campaign, launch.text("started"));
    return keys;
}

/// Archived runs that have launches in common with this one, which has since grown. Keeping them would count these
/// launches twice.
std::vector<RunEntry> earlier_states(Archive const& archive, ArchivedRun const& run, std::string const& label) {
    auto const own = launch_keys(run.record.run);
    // Earlier versions archived a joined run under the name of the program that had joined it.
    auto entries =
        archive.runs({{.name = "label", .op = "=", .values = {label}},
                      {.name = "program", .op = "=", .values = {program_of(run.record.run), run.record.run.program}}});
    std::erase_if(entries, [&](RunEntry const& entry) {
        auto const others = launch_keys(measure::read_records(archive.content(entry)).front().run);
        return std::none_of(others.begin(), others.end(), [&](auto const& launch) { return own.contains(launch); });
    });
    return entries;
}

}  // namespace

bool is_built() noexcept { return true; }

void keep(std::string const& path, std::string const& record, std::string const& label) {
    auto archive = Archive::creating(path);
    auto transaction = archive.transaction();
    for (auto const& run : archived_runs(record, label)) {
        Marks marks{.label = label};
        for (auto& state : earlier_states(archive, run, label)) {
            archive.remove(state.row);
            marks.note = std::move(state.note);
            marks.machine = std::move(state.machine);
            marks.tags = std::move(state.tags);
        }
        static_cast<void>(archive.add(run, marks));
    }
    transaction.commit();
}

}  // namespace measure::tool::archive
