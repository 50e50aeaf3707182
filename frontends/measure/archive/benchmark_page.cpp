// SPDX-License-Identifier: BSD-3-Clause
#include "archive/benchmark_page.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/merged.hpp"
#include "analysis/runs/states.hpp"
#include "archive/history.hpp"
#include "archive/html.hpp"
#include "archive/operations.hpp"
#include "archive/run_page.hpp"
#include "page/escape.hpp"
#include "page/html.hpp"
#include "page/svg.hpp"
#include "shared/plots.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Record;

/// The largest number of curves that a reader can distinguish.
constexpr std::size_t most_curves = 8;

bool has_values(SiteRun const& run, std::string_view benchmark) {
    auto const& points = run.launch.record.points;
    return std::any_of(points.begin(), points.end(),
                       [&](Record const& point) { return point.benchmark == benchmark && point.value; });
}

/// Settings by name; only "not recorded" if the record has no settings.
using Settings = std::map<std::string, std::string>;

Settings settings_of(SiteRun const& run) {
    auto const& of_run = run.launch.record.run;
    if (!of_run.mpi_settings)
        return {{"MPI settings", "not recorded"}};
    Settings settings;
    for (auto const& [name, value] : *of_run.mpi_settings)
        settings[name] = value;
    return settings;
}

/// The settings and rank counts that vary for one library on one machine.
struct Varied {
    std::set<std::int64_t> ranks{};
    std::set<Settings> settings{};
};

/// ", MPIR_CVAR_X=1": the settings that differ from the settings of other runs.
std::string differing_text(Settings const& settings, std::set<Settings> const& all) {
    std::set<std::string> names;
    for (auto const& others : all)
        for (auto const& [name, value] : others)
            if (auto const found = settings.find(name); found == settings.end() || found->second != value)
                names.insert(name);
            else if (std::any_of(all.begin(), all.end(),
                                 [&, &key = name](auto const& some) { return !some.contains(key); }))
                names.insert(name);
    std::string text;
    for (auto const& name : names)
        if (auto const found = settings.find(name); found != settings.end())
            text += fmt::format(", {}={}", name, found->second);
        else if (!settings.contains("MPI settings") && name != "MPI settings")
            text += fmt::format(", {} unset", name);
    return text;
}

/// A part of a benchmark's series that fits into one plot per coordinate.
struct Part {
    std::string title{};
    std::vector<Series> series{};
    std::size_t left_out = 0;
};

/// Groups the series by the name that `name_of` returns, and keeps the newest series of each group.
template <class NameOf>
void add_parts(std::vector<Part>& parts, std::vector<Series> const& series, NameOf name_of) {
    std::map<std::string, Part> named;
    for (auto const& one : series)
        named[name_of(one)].series.push_back(one);
    for (auto& [name, part] : named) {
        part.title = fmt::format("Comparison: {}", name);
        part.left_out = part.series.size() - std::min(part.series.size(), most_curves);
        part.series.erase(part.series.begin(), part.series.begin() + static_cast<std::ptrdiff_t>(part.left_out));
        if (part.series.size() > 1)
            parts.push_back(std::move(part));
    }
}

using Entries = std::map<Launch const*, SiteRun const*>;

/// All series if they are few; otherwise one part for each library (all machines) and each machine (all libraries).
std::vector<Part> parts_of(std::vector<Series> const& series, Entries const& entries) {
    if (series.size() <= most_curves)
        return {{"Comparison", series}};
    std::vector<Part> parts;
    auto const entry_of = [&](Series const& one) -> RunEntry const& { return entries.at(one.launches.back())->entry; };
    add_parts(parts, series, [&](Series const& one) { return library_of(entry_of(one)); });
    add_parts(parts, series, [&](Series const& one) { return entry_of(one).machine; });
    return parts;
}

/// The plot of a family, with notes on curves that are left out.
struct Picture {
    page::Plot plot{};
    std::string title{};
    std::string notes{};
};

std::vector<Picture> pictures_of(Part const& part) {
    std::vector<Picture> result;
    for (auto const& family : families(part.series)) {
        Picture picture{.plot = plot_of(family)};
        picture.title = fmt::format("{} of {} over {}{}", measure::name(family.quantity), family.benchmark, family.x,
                                    family.common.empty() ? "" : fmt::format(" ({})", family.common));
        if (auto const all = picture.plot.curves.size(); all > most_curves) {
            picture.plot.curves.resize(most_curves);
            picture.notes =
                fmt::format(" Shows the first {} of {} curves; the table has all values.", most_curves, all);
        }
        if (part.left_out > 0)
            picture.notes += fmt::format(" Shows the {} newest configurations; {} older ones are in the table.",
                                         part.series.size(), part.left_out);
        result.push_back(std::move(picture));
    }
    return result;
}

/// \param numbers  says where the numbers are \param number  counts the pictures on the page
std::string figures_html(std::vector<Picture> const& pictures, std::string_view numbers, std::size_t& number) {
    std::string html;
    for (auto const& [plot, title, notes] : pictures)
        if (auto const picture = page::svg_text(plot, number + 1, numbers); !picture.empty()) {
            ++number;
            html += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", picture,
                                page::html_escaped(title + "." + notes));
        }
    return html.empty() ? html : fmt::format("<div class=\"figures\">\n{}</div>\n", html);
}

std::string part_html(Part const& part, std::size_t& number) {
    auto const html = figures_html(pictures_of(part), "The numbers are in the table below.", number);
    return html.empty() ? html : heading_html(part.title) + html;
}

/// History of a benchmark that was measured at several times.
std::string history_html(std::vector<Configuration> all, std::string_view benchmark, std::size_t& number) {
    std::string notes = " A circle marks a value that measure compare finds different from the previous one. It finds "
                        "no differences between single launches.";
    if (all.size() > most_curves) {
        notes += fmt::format(" Shows the {} newest of {} configurations.", most_curves, all.size());
        all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most_curves));
    }
    std::vector<Picture> pictures;
    for (auto& [plot, title] : history_of(all, benchmark))
        pictures.push_back({std::move(plot), std::move(title), notes});
    auto const html = figures_html(pictures, "The numbers are on the pages of the runs.", number);
    return html.empty() ? html : heading_html("History") + html;
}

/// The text of a coordinate, with its number as sort key.
SiteCell coordinate_cell(Record const& record, std::string const& name) {
    auto const as_number = number(record, name);
    auto text = coordinate_at(record, name);
    return as_number ? SiteCell{std::move(text), *as_number} : SiteCell{std::move(text)};
}

/// A sentence about the differences between the methods of several programs.
std::string methods_html(Runs const& runs) {
    std::vector<Method> methods;
    for (auto const* const run : runs)
        detail::add_once(methods, run->method);
    auto const differing = differing_methods(methods);
    auto text = std::string{
        "All times are for one operation and all sizes for one block, regardless of what the programs print."};
    if (!differing.empty())
        text += fmt::format(" The methods differ: {}. This may cause differences between the curves.", differing);
    return paragraph_html(text);
}

std::string values_table(std::vector<Series> const& series, Entries const& entries) {
    std::vector<std::string> names;
    for (auto const& one : series)
        for (auto const& point : one.points)
            for (auto const& name : point.at.names())
                detail::add_once(names, name);
    SiteTable table{.columns = {"measured with", "machine", "library", "run", "runs joined"}};
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    for (auto const* const name : {"quantity", "value", "interval", "verdict", "flags"})
        table.columns.emplace_back(name);
    for (auto const& one : series)
        for (auto const& point : one.points) {
            auto const& run = *entries.at(one.launches.back());
            auto const& entry = run.entry;
            std::vector<SiteCell> row{run.measured_with,
                                      {entry.machine, machine_page(entry.machine)},
                                      {library_of(entry), library_page(library_of(entry))},
                                      {entry.id(), run_page(entry)},
                                      counted(one.launches.size())};
            for (auto const& name : names)
                row.push_back(coordinate_cell(point, name));
            auto const cells = value_cells(point, interval_of(point));
            row.emplace_back(std::string{measure::name(point.quantity)});
            row.insert(row.end(), cells.begin(), cells.end());
            table.rows.push_back(std::move(row));
        }
    return table_html("", table);
}

}  // namespace

std::vector<Configuration> configurations(std::span<SiteRun const> runs, std::string_view suite,
                                          std::string_view benchmark) {
    std::map<std::tuple<std::string, std::string, std::int64_t, Settings, std::string>, Runs> groups;
    for (auto const& run : runs)
        if (run.entry.suite == suite && has_values(run, benchmark))
            groups[{run.entry.machine, run.entry.mpi, run.entry.ranks, settings_of(run), run.measured_with}].push_back(
                &run);
    std::map<std::pair<std::string, std::string>, Varied> varied;
    for (auto const& [key, group] : groups) {
        auto& [ranks, settings] = varied[{std::get<0>(key), std::get<1>(key)}];
        ranks.insert(std::get<std::int64_t>(key));
        settings.insert(std::get<Settings>(key));
    }
    std::vector<Configuration> result;
    for (auto const& [key, group] : groups) {
        auto const& [machine, mpi, ranks, settings, measured_with] = key;
        auto const& all = varied[{machine, mpi}];
        auto label = fmt::format("{}{}{}, {}", measured_with, measured_with.empty() ? "" : ", ", machine,
                                 library_of(group.back()->entry));
        if (all.ranks.size() > 1)
            label += fmt::format(", {} ranks", ranks);
        result.push_back({label + differing_text(settings, all.settings), group});
    }
    std::stable_sort(result.begin(), result.end(), [](Configuration const& a, Configuration const& b) {
        return a.runs.back()->entry.started < b.runs.back()->entry.started;
    });
    return result;
}

std::vector<Series> compared(std::span<SiteRun const> runs, std::string_view suite, std::string_view benchmark,
                             bool join) {
    std::vector<Series> result;
    for (auto const& [label, group] : configurations(runs, suite, benchmark)) {
        auto const& newest = *group.back();
        Series series{.label = label};
        std::vector<Launch> launches;
        for (auto const* const run : group)
            if (run == &newest || are_alike(newest.launch, run->launch, join)) {
                series.launches.push_back(&run->launch);
                launches.push_back(run->launch);
            }
        // The controls, which reveal the states, are separate benchmarks.
        auto const states = states_of_launches(launches);
        for (auto& launch : launches)
            std::erase_if(launch.record.points, [&](Record const& point) { return point.benchmark != benchmark; });
        series.points =
            launches.size() > 1 ? merged_launches(launches, states) : std::move(launches.front().record.points);
        if (states.are_several())
            series.states = states_text(states, "launches");
        result.push_back(std::move(series));
    }
    return result;
}

SiteFile benchmark_page_of(std::string const& suite, std::string const& name, Runs const& runs,
                           std::span<SiteRun const> all, SiteOptions const& options) {
    bool const join = options.join;
    auto const series = compared(all, suite, name, join);
    Entries entries;
    for (auto const* const run : runs)
        entries.emplace(&run->launch, run);
    std::string body;
    if (suite == several_programs)
        body += methods_html(runs);
    std::size_t drawn = 0;
    if (options.plots) {
        for (auto const& part : parts_of(series, entries))
            body += part_html(part, drawn);
        body += history_html(configurations(all, suite, name), name, drawn);
    }
    body += paragraph_html(fmt::format(
        "Suite {}. For each machine, library, set of MPI settings and number of ranks, the values are from the newest "
        "run, joined with {} that have the same program, options and software. Values of joined runs are the median of "
        "the runs' medians.",
        suite, join ? "all earlier runs" : "earlier runs of its campaign, or of the same command within 24 hours,"));
    body += paragraph_html(
        "The interval of a single run describes the uncertainty within that launch. It does not include the "
        "differences between launches, which are often larger. Joined runs show the interval of the median over "
        "launches if there are at least six; intervals of measure run also account for earlier runs.");
    if (!series.empty())
        body += heading_html("Values") + values_table(series, entries);
    body += heading_html("Runs") + runs_table(runs);
    return {benchmark_page(suite, name), page_html(fmt::format("{}: {}", suite, name), options.title, body)};
}

}  // namespace measure::tool::archive
