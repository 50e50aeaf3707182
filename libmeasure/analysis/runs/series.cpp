// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/series.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/merged.hpp"
#include "analysis/runs/states.hpp"

#include <measure/error.hpp>
#include <measure/launches.hpp>
#include <measure/report.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace measure {

namespace {

using Coordinate = Point::Coordinate;
using Values = std::vector<std::optional<Coordinate>>;

/// A point and the index of its series.
struct Placed {
    Record const* record;
    std::size_t series;
};

std::optional<Coordinate> value_of(Record const& record, std::string_view name) {
    auto const* const found = record.at.find(name);
    return found == nullptr ? std::nullopt : std::optional{*found};
}

std::set<std::optional<Coordinate>> distinct(std::span<Placed const> points, std::string_view name) {
    std::set<std::optional<Coordinate>> values;
    for (auto const& [record, series] : points)
        values.insert(value_of(*record, name));
    return values;
}

std::vector<std::string> names_of(std::span<Placed const> points) {
    std::vector<std::string> names;
    for (auto const& [record, series] : points)
        for (auto const& name : record->at.names())
            detail::add_once(names, name);
    return names;
}

bool is_numeric(std::span<Placed const> points, std::string_view name) {
    return std::all_of(points.begin(), points.end(), [&](Placed const& p) { return number(*p.record, name); });
}

Values values_of(Record const& record, std::span<std::string const> names) {
    Values values;
    for (auto const& name : names)
        values.push_back(value_of(record, name));
    return values;
}

/// Whether a coordinate varies within a series but is determined by the others.
bool follows(std::span<Placed const> points, std::string const& name, std::vector<std::string> others) {
    std::map<std::pair<std::size_t, Values>, std::optional<Coordinate>> known;
    std::map<std::size_t, std::optional<Coordinate>> first;
    bool varies = false;
    for (auto const& [record, series] : points) {
        auto const value = value_of(*record, name);
        varies = varies || first.try_emplace(series, value).first->second != value;
        if (known.try_emplace({series, values_of(*record, others)}, value).first->second != value)
            return false;
    }
    return varies;
}

/// Coordinates that distinguish curves. They vary and do not follow from other coordinates. Coordinates with the most
/// values are the first candidates for removal, the number of ranks is the last.
std::vector<std::string> dividing(std::span<Placed const> points, std::string const& x) {
    std::vector<std::string> names;
    for (auto const& name : names_of(points))
        if (name != x && distinct(points, name).size() > 1)
            names.push_back(name);
    auto candidates = names;
    std::stable_sort(candidates.begin(), candidates.end(), [&](auto const& a, auto const& b) {
        return std::pair{a == "ranks", distinct(points, b).size()} <
               std::pair{b == "ranks", distinct(points, a).size()};
    });
    for (auto const& name : candidates) {
        auto others = names;
        std::erase(others, name);
        auto known = others;
        known.push_back(x);
        if (follows(points, name, known))
            names = std::move(others);
    }
    return names;
}

std::string common_text(std::span<Placed const> points, std::string const& x) {
    std::vector<std::string> parts;
    for (auto const& name : names_of(points))
        if (auto const values = distinct(points, name); name != x && values.size() == 1)
            parts.push_back(coordinate_label(name, **values.begin()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// For each series, the first series that shares its curves over the number of ranks.
std::vector<std::size_t> shared_over_ranks(std::span<Placed const> points, std::span<Series const> series) {
    std::map<std::size_t, std::set<std::optional<Coordinate>>> ranks;
    std::set<std::optional<Coordinate>> all;
    for (auto const& [record, of] : points) {
        ranks[of].insert(value_of(*record, "ranks"));
        all.insert(value_of(*record, "ranks"));
    }
    bool const one_each = all.size() == ranks.size() && std::all_of(ranks.begin(), ranks.end(), [](auto const& entry) {
                              return entry.second.size() == 1;
                          });
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < series.size(); ++i) {
        auto const first =
            std::find_if(series.begin(), series.end(), [&](Series const& s) { return s.label == series[i].label; });
        groups.push_back(one_each ? 0 : static_cast<std::size_t>(first - series.begin()));
    }
    return groups;
}

/// A launch without its points, to avoid copying them for a comparison.
Launch without_points(Launch const& launch) { return {launch.name, RunRecord{.run = launch.record.run}}; }

/// Fields in which series with a shared curve differ, except the number of ranks and what follows from it.
std::vector<std::string> differing_in(std::span<Placed const> points, std::span<Series const> series,
                                      std::span<std::size_t const> groups, std::string const& x) {
    std::set<std::string> const expected{"ranks", "options.ranks", "hosts", "oversubscribed", "options." + x};
    std::map<std::size_t, std::set<std::size_t>> members;
    for (auto const& point : points)
        members[groups[point.series]].insert(point.series);
    std::vector<std::string> fields;
    for (auto const& [group, of] : members) {
        std::vector<Launch> launches;
        for (std::size_t const i : of)
            launches.push_back(without_points(*series[i].launches.front()));
        for (auto const& difference : differences(launches))
            if (!expected.contains(difference.field))
                detail::add_once(fields, difference.field);
    }
    return fields;
}

/// \param groups  for each series the first one that shares its curves; empty: each series has separate curves
Family family(std::vector<Placed> points, std::span<Series const> series, std::string const& x,
              std::span<std::size_t const> groups) {
    auto const& first = *points.front().record;
    Family result{.benchmark = first.benchmark, .quantity = first.quantity, .x = x, .common = common_text(points, x)};
    if (!groups.empty()) {
        result.differing = differing_in(points, series, groups, x);
        for (auto& point : points)
            point.series = groups[point.series];
    }
    std::set<std::size_t> used;
    for (auto const& point : points)
        used.insert(point.series);
    auto const names = dividing(points, x);
    std::map<std::pair<std::size_t, Values>, std::size_t> places;
    for (auto const& [record, of] : points) {
        auto const at = number(*record, x);
        if (!at)
            continue;
        auto const values = values_of(*record, names);
        auto const [place, is_new] = places.try_emplace({of, values}, result.curves.size());
        if (is_new) {
            std::vector<std::string> parts;
            if (used.size() > 1)
                parts.push_back(series[of].label);
            for (std::size_t i = 0; i < names.size(); ++i)
                if (values[i])
                    parts.push_back(coordinate_label(names[i], *values[i]));
            result.curves.push_back({.label = fmt::format("{}", fmt::join(parts, ", ")), .series = of});
        }
        result.curves[place->second].points.push_back({*at, record});
    }
    for (auto& curve : result.curves)
        std::stable_sort(curve.points.begin(), curve.points.end(),
                         [](CurvePoint const& a, CurvePoint const& b) { return a.x < b.x; });
    return result;
}

/// The coordinates over which a group of points is plotted.
std::vector<std::string> axes_of(std::span<Placed const> points) {
    std::vector<std::string> names;
    for (char const* const name : {"bytes", "ranks"})
        if (is_numeric(points, name) && distinct(points, name).size() > 1)
            names.emplace_back(name);
    if (!names.empty())
        return names;
    for (auto const& name : names_of(points))
        if (is_numeric(points, name) && distinct(points, name).size() > 1)
            return {name};
    return {};
}

/// Length of the common leading folders of all paths.
std::size_t common_folders(std::span<Source const> sources) {
    auto const& first = sources.front().path;
    std::size_t length = first.rfind('/') == std::string::npos ? 0 : first.rfind('/') + 1;
    for (auto const& source : sources)
        while (length > 0 && source.path.compare(0, length, first, 0, length) != 0)
            length =
                length < 2 || first.rfind('/', length - 2) == std::string::npos ? 0 : first.rfind('/', length - 2) + 1;
    return length;
}

std::vector<std::string> names_of_files(std::span<Source const> sources) {
    std::vector<std::string> names;
    if (sources.empty())
        return names;
    std::size_t const folders = common_folders(sources);
    for (auto const& source : sources) {
        std::string name = source.path == "-" ? "standard input" : source.path.substr(folders);
        for (std::string_view const suffix : {".jsonl", ".json"})
            if (name.size() > suffix.size() && name.ends_with(suffix))
                name.erase(name.size() - suffix.size());
        // Series with equal names would be confused, for example if a file is given twice, or "a.json" next to
        // "a.jsonl".
        auto const bare = name;
        for (int number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number)
            name = fmt::format("{} ({})", bare, number);
        names.push_back(std::move(name));
    }
    return names;
}

/// Groups the runs of a file into launches of one program.
std::vector<std::vector<Launch const*>> groups_of(Source const& source, bool join) {
    std::vector<std::vector<Launch const*>> groups;
    for (auto const& launch : source.launches) {
        auto const found = std::find_if(groups.begin(), groups.end(),
                                        [&](auto const& group) { return are_alike(*group.front(), launch, join); });
        if (found == groups.end())
            groups.push_back({&launch});
        else
            found->push_back(&launch);
    }
    return groups;
}

/// Sets the points of a series from its launches.
void join_points(Series& series, double confidence) {
    if (series.launches.size() == 1) {
        series.points = series.launches.front()->record.points;
        sort_points(series.points, series.run());
        return;
    }
    std::vector<Launch> starts;
    for (auto const* const launch : series.launches)
        starts.push_back(*launch);
    auto const states = states_of_launches(starts);
    series.points = merged_launches(starts, states, confidence);
    if (states.are_several())
        series.states = states_text(states, "launches");
}

}  // namespace

void check_labels(std::span<std::string const> labels, std::size_t files) {
    if (!labels.empty() && labels.size() != files)
        throw UsageError(fmt::format("--labels: got {} for {} files, one per file is needed", labels.size(), files));
}

std::vector<Series> series_of(std::span<Source const> sources, std::span<std::string const> labels, double confidence,
                              bool join) {
    check_labels(labels, sources.size());
    auto const names =
        labels.empty() ? names_of_files(sources) : std::vector<std::string>(labels.begin(), labels.end());
    std::vector<Series> result;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        std::size_t number = 0;
        for (auto& group : groups_of(sources[i], join)) {
            ++number;
            result.push_back({.label = number == 1 ? names[i] : fmt::format("{}:{}", names[i], number),
                              .of = names[i],
                              .launches = std::move(group)});
            join_points(result.back(), confidence);
        }
    }
    return result;
}

std::optional<Interval> interval_of(Record const& record) {
    auto const own = estimate_to_show(record);
    auto const interval = own ? interval_to_show(*own) : std::nullopt;
    bool const is_finite = interval && std::isfinite(interval->first) && std::isfinite(interval->second);
    return is_finite ? interval : std::nullopt;
}

std::optional<double> number(Record const& record, std::string_view coordinate) {
    auto const* const value = record.at.find(coordinate);
    if (value == nullptr)
        return std::nullopt;
    if (auto const* const integer = std::get_if<std::int64_t>(value))
        return static_cast<double>(*integer);
    auto const* const real = std::get_if<double>(value);
    return real != nullptr && std::isfinite(*real) ? std::optional{*real} : std::nullopt;
}

std::string coordinate_at(Record const& record, std::string_view name) {
    auto const* const value = record.at.find(name);
    return value != nullptr ? coordinate_text(*value) : std::string{};
}

std::string coordinate_label(std::string_view name, Coordinate const& value) {
    if (auto const* const bytes = std::get_if<std::int64_t>(&value); bytes != nullptr && name == "bytes")
        return text_bytes(*bytes);
    if (auto const* const text = std::get_if<std::string>(&value))
        return *text;
    return fmt::format("{}={}", name, coordinate_text(value));
}

std::vector<Family> families(std::span<Series const> series) {
    std::vector<std::vector<Placed>> groups;
    std::map<std::pair<std::string, Quantity>, std::size_t> places;
    for (std::size_t i = 0; i < series.size(); ++i)
        for (auto const& record : series[i].points) {
            if (!record.value || !std::isfinite(*record.value))
                continue;
            auto const [place, is_new] = places.try_emplace({record.benchmark, record.quantity}, groups.size());
            if (is_new)
                groups.emplace_back();
            groups[place->second].push_back({&record, i});
        }
    std::vector<Family> result;
    for (auto const& group : groups)
        for (auto const& x : axes_of(group))
            result.push_back(
                family(group, series, x, x == "ranks" ? shared_over_ranks(group, series) : std::vector<std::size_t>{}));
    return result;
}

Family family_over(std::span<Series const> series, std::string const& x, std::span<std::size_t const> groups) {
    std::vector<Placed> points;
    for (std::size_t i = 0; i < series.size(); ++i)
        for (auto const& record : series[i].points)
            points.push_back({&record, i});
    return family(points, series, x, groups);
}

}  // namespace measure
