// SPDX-License-Identifier: BSD-3-Clause
#include "shared/inputs.hpp"

#include "converters/convert.hpp"
#include "program/cli/parse_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace measure::tool {

std::vector<Launch> launches_of(std::string const& text, std::string const& path) {
    std::vector<Launch> launches;
    auto const converted = convert::converted(text, path);
    try {
        for (auto& run : measure::read_records(converted ? *converted : text))
            launches.push_back({path, std::move(run), path});
    } catch (measure::RecordFault const& fault) {
        throw program::ParseErrors{{{.file = path, .line = fault.line(), .text = fault.what()}}};
    }
    if (launches.size() > 1)
        for (std::size_t i = 0; i < launches.size(); ++i)
            launches[i].name += fmt::format(":{}", i + 1);
    return launches;
}

void warn_of_others(measure::RunRecord const& record, std::string const& file, program::Session& session) {
    if (record.others.empty())
        return;
    auto const& first = record.others.front();
    auto text = first.text;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    session.warn(fmt::format("{}:{}: {}: {}", file, first.number,
                             record.others.size() > 1
                                 ? fmt::format("this line and {} more are not records", record.others.size() - 1)
                                 : std::string{"this line is not a record"},
                             text));
}

void warn_of_gaps(std::span<Launch const> launches, program::Session& session) {
    for (auto const& [name, record, file] : launches) {
        warn_of_others(record, file, session);
        if (!record.end)
            session.warn(fmt::format("'{}' has no end line: the run was killed or is still running", name));
        else if (record.end->status != "complete")
            session.warn(fmt::format("'{}' is the record of a run that was {}", name, record.end->status));
    }
}

void warn_of_crowd(std::span<Launch const> launches, program::Session& session) {
    if (is_crowded(launches))
        session.warn(
            "there were more ranks than cores, so times include waiting for a core and do not show the speed of MPI");
}

std::vector<Launch> each_once(std::vector<Launch> launches, program::Session& session) {
    std::vector<Launch> result;
    std::string first;
    std::size_t repeated = 0;
    for (auto& launch : launches) {
        auto const found =
            std::find_if(result.begin(), result.end(), [&](Launch const& other) { return is_same_run(launch, other); });
        if (found == result.end()) {
            result.push_back(std::move(launch));
            continue;
        }
        if (launch.record.points.size() > found->record.points.size())
            std::swap(launch, *found);
        if (repeated++ == 0)
            first = fmt::format("'{}' is the same run as '{}'", launch.name, found->name);
    }
    if (repeated > 0)
        session.warn(
            fmt::format("{}{}; each run counts once", first,
                        repeated > 1 ? fmt::format(" (and {} more duplicates)", repeated - 1) : std::string{}));
    return result;
}

}  // namespace measure::tool
