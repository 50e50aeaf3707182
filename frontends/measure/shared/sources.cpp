// SPDX-License-Identifier: BSD-3-Clause
#include "shared/sources.hpp"

#include "program/runtime/files.hpp"
#include "shared/inputs.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <utility>

namespace measure::tool {

std::string text_of_source(std::string const& path) {
    try {
        if (path != "-")
            program::note_input(path);
        return program::file_text(path, program::Limit::line);
    } catch (measure::UsageError const& error) {
        throw program::ParseErrors{{{.file = name_of_source(path), .text = error.what()}}};
    }
}

std::string name_of_source(std::string const& path) { return path == "-" ? std::string{"standard input"} : path; }

void check_standard_input(std::span<std::string const> files) {
    if (std::count(files.begin(), files.end(), "-") > 1)
        throw measure::UsageError("- is given several times, but standard input can be read only once");
}

void check_sources(std::span<std::string const> files) {
    if (files.empty())
        throw measure::UsageError(
            "no input files given; pass record files (--json of any program), or - for standard input");
    check_standard_input(files);
}

void remove_controls(std::vector<Source>& sources) {
    for (auto& source : sources)
        for (auto& launch : source.launches) {
            auto const is_one = [&](measure::Record const& point) { return is_control_of(launch.record.run, point); };
            auto& points = launch.record.points;
            if (!std::all_of(points.begin(), points.end(), is_one))
                std::erase_if(points, is_one);
        }
}

std::vector<Source> read_sources(std::span<std::string const> files, program::Session& session) {
    check_sources(files);
    std::vector<Source> sources;
    std::vector<program::ParseError> faults;
    for (auto const& file : files)
        program::gather(faults, [&] {
            auto launches = launches_of(text_of_source(file), name_of_source(file));
            sources.push_back({file, each_once(std::move(launches), session)});
        });
    program::throw_any(std::move(faults));
    return sources;
}

}  // namespace measure::tool
