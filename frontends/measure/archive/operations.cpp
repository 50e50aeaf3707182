// SPDX-License-Identifier: BSD-3-Clause
#include "archive/operations.hpp"

#include "analysis/runs/common_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Record;

/// The operations of a run, split by benchmark and method, and its controls.
std::vector<SiteRun> parts_by_method(SiteRun const& run) {
    std::map<std::string, SiteRun> parts;
    auto const& of = run.launch.record.run;
    auto const& points = run.launch.record.points;
    for (auto& [common, record] : in_common_terms(of, points)) {
        if (is_control_of(of, *record))
            continue;
        auto const name = fmt::format("{} {}", of.program, measured_with(of, points, *record));
        auto const [part, is_new] = parts.try_emplace(name);
        if (is_new) {
            part->second = {.entry = run.entry,
                            .launch = {run.launch.name, {.run = of}, run.launch.file},
                            .measured_with = name,
                            .method = method_of(of, *record)};
            part->second.entry.suite = several_programs;
        }
        part->second.launch.record.points.push_back(std::move(common));
    }
    std::vector<Record> controls;
    for (auto const& record : points)
        if (is_control_of(of, record))
            controls.push_back(record);
    std::vector<SiteRun> result;
    for (auto& [name, part] : parts) {
        auto& of_part = part.launch.record.points;
        of_part.insert(of_part.end(), controls.begin(), controls.end());
        result.push_back(std::move(part));
    }
    return result;
}

}  // namespace

std::vector<SiteRun> runs_of_operations(std::span<SiteRun const> runs) {
    std::vector<SiteRun> result;
    std::map<std::string, std::set<std::string>> suites;
    for (auto const& run : runs)
        for (auto& part : parts_by_method(run)) {
            for (auto const& point : part.launch.record.points)
                suites[point.benchmark].insert(run.entry.suite);
            result.push_back(std::move(part));
        }
    auto const is_of_one = [&](SiteRun const& run, Record const& point) {
        return !is_control_of(run.launch.record.run, point) && suites[point.benchmark].size() < 2;
    };
    for (auto& run : result)
        std::erase_if(run.launch.record.points, [&](Record const& point) { return is_of_one(run, point); });
    std::erase_if(result, [](SiteRun const& run) {
        auto const& points = run.launch.record.points;
        return std::all_of(points.begin(), points.end(),
                           [&](Record const& point) { return is_control_of(run.launch.record.run, point); });
    });
    return result;
}

}  // namespace measure::tool::archive
