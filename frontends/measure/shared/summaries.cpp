// SPDX-License-Identifier: BSD-3-Clause
#include "shared/summaries.hpp"

#include "analysis/core/text.hpp"
#include "shared/plots.hpp"

#include <measure/report.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace measure::tool {

namespace {

using measure::Quantity;
using measure::Record;
using measure::Summary;
using measure::Value;

bool is_headline(Summary const& summary, measure::Environment const& run) { return summary.name == run.suite; }

/// The summaries that are drawn: one for each number of processes if the headline is the best of them, otherwise the
/// headline alone.
std::vector<Summary const*> headline_members(std::span<Summary const* const> summaries) {
    auto const& headline = *summaries.front();
    auto const ranks = headline.derived.number({"ranks"});
    std::vector<Summary const*> members{&headline};
    if (!ranks)
        return members;
    auto const best = std::find_if(summaries.begin() + 1, summaries.end(), [&](Summary const* s) {
        return s->value == headline.value && s->unit == headline.unit && s->derived.number({"ranks"}) == ranks;
    });
    if (best == summaries.end())
        return members;
    members.clear();
    std::set<double> known;
    for (auto const* const s : summaries)
        if (s->name == (*best)->name && known.insert(s->derived.number({"ranks"}).value_or(0)).second)
            members.push_back(s);
    return members;
}

/// The headlines of a series as points. \param of  receives the name of their summaries
std::vector<Record> headline_points(Series const& series, std::span<ChosenOption const> options, std::string& of) {
    constexpr char const* invalid = "not_valid";
    std::vector<Record> points;
    std::map<std::string, std::vector<double>> values;
    for (auto const* const launch : series.launches) {
        auto const summaries = in_order(launch->record);
        auto const& run = launch->record.run;
        if (summaries.empty() || !run.mpi_library)
            continue;
        for (auto const* const summary : headline_members(summaries)) {
            auto const quantity = quantity_of_unit(*summary);
            if (!summary->value || !quantity)
                continue;
            Record record{
                .benchmark = summaries.front()->name, .at = place_of_summary(*summary), .quantity = *quantity};
            if (!record.at.has("ranks"))
                record.at.set("ranks", std::int64_t{run.ranks});
            for (auto const& option : options)
                if (auto const value = run.options.number({option.name}))
                    record.at.set(option.name, *value);
            if (is_invalid(*summary))
                record.flags.emplace_back(invalid);
            of = summary->name;
            auto& all = values[record.at.text()];
            if (all.empty())
                points.push_back(std::move(record));
            all.push_back(*summary->value);
        }
    }
    for (auto& point : points)
        point.value = measure::median(values[point.at.text()]);
    return points;
}

/// The options of a command line with their arguments: "-T 60", "-T=60".
std::vector<std::pair<std::string, std::string>> arguments_of(measure::Environment const& run) {
    std::vector<std::pair<std::string, std::string>> all;
    for (std::size_t i = 1; i < run.command.size(); ++i) {
        auto const& word = run.command[i];
        if (auto const equal = word.find('='); word.starts_with('-') && equal != word.npos)
            all.emplace_back(word.substr(0, equal), word.substr(equal + 1));
        else if (word.starts_with('-') && i + 1 < run.command.size())
            all.emplace_back(word, run.command[i + 1]);
    }
    return all;
}

/// For each series, the index of the first series of its system.
std::vector<std::size_t> systems_of(std::span<Series const> series, std::string const& x) {
    std::vector<std::size_t> groups;
    std::map<std::size_t, std::set<double>> places;
    for (std::size_t i = 0; i < series.size(); ++i) {
        auto const first =
            std::find_if(series.begin(), series.end(), [&](auto const& s) { return s.of == series[i].of; });
        groups.push_back(static_cast<std::size_t>(first - series.begin()));
        for (auto const& point : series[i].points)
            places[groups.back()].insert(number(point, x).value_or(0));
    }
    std::set<double> all;
    bool is_one = true;
    for (auto const& [group, of] : places) {
        is_one = is_one && of.size() == 1 && all.insert(*of.begin()).second;
        auto const& run = series[group].run();
        auto const& other = series[places.begin()->first].run();
        is_one = is_one && host_names(run) == host_names(other) && run.mpi_library == other.mpi_library;
    }
    if (is_one && !places.empty())
        std::fill(groups.begin(), groups.end(), places.begin()->first);
    return groups;
}

HeadlinePlot plot_over(std::span<Series const> series, std::string const& x) {
    auto const family = family_over(series, x, systems_of(series, x));
    HeadlinePlot result{.plot = plot_of(family), .differing = family.differing};
    for (std::size_t i = 0; i < family.curves.size(); ++i)
        for (std::size_t k = 0; k < family.curves[i].points.size(); ++k)
            if (!family.curves[i].points[k].record->flags.empty()) {
                result.plot.curves[i].points[k].marked = true;
                result.plot.mark = "not valid";
            }
    return result;
}

}  // namespace

std::optional<Quantity> quantity_of_unit(Summary const& summary) {
    for (Quantity const quantity :
         {Quantity::time, Quantity::bandwidth, Quantity::rate, Quantity::flops, Quantity::memory})
        if (summary.unit == measure::unit(quantity))
            return quantity;
    return std::nullopt;
}

bool is_invalid(Summary const& summary) {
    auto const* const valid = summary.derived.get<bool>("valid");
    return valid != nullptr && !*valid;
}

std::vector<Summary const*> in_order(measure::RunRecord const& record) {
    std::map<std::string, std::pair<std::size_t, std::size_t>> kinds;  // number of summaries, and index of the first
    std::vector<Summary const*> all;
    for (auto const& summary : record.summaries) {
        ++kinds.try_emplace(summary.name, 0, all.size()).first->second.first;
        all.push_back(&summary);
    }
    std::stable_sort(all.begin(), all.end(), [&](Summary const* a, Summary const* b) {
        return std::pair{!is_headline(*a, record.run), kinds[a->name]} <
               std::pair{!is_headline(*b, record.run), kinds[b->name]};
    });
    return all;
}

measure::Point place_of_summary(Summary const& summary) {
    measure::Point at;
    auto const* const derived = std::get_if<Value::Object>(&summary.derived.data());
    if (derived == nullptr)
        return at;
    for (auto const& [name, value] : *derived) {
        if (auto const* const text = std::get_if<std::string>(&value.data()))
            at.set(name, *text);
        else if (auto const ranks = summary.derived.number({name}); ranks && name == "ranks")
            at.set(name, static_cast<std::int64_t>(*ranks));
    }
    return at;
}

void SummaryNames::add(measure::RunRecord const& record) {
    for (auto const& summary : record.summaries) {
        auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](Kind const& k) { return k.name == summary.name; });
        if (kind == kinds_.end())
            kind = kinds_.insert(kind, Kind{.name = summary.name, .is_headline = is_headline(summary, record.run)});
        kind->all.push_back(place_of_summary(summary));
    }
}

std::string SummaryNames::of(Summary const& summary) const {
    auto const kind = std::find_if(kinds_.begin(), kinds_.end(), [&](Kind const& k) { return k.name == summary.name; });
    auto label = summary.name;
    if (kind == kinds_.end() || kind->is_headline)
        return label;
    auto const at = place_of_summary(summary);
    for (auto const& [name, value] : at.coordinates()) {
        bool const varies =
            std::any_of(kind->all.begin(), kind->all.end(), [&, &key = name, &own = value](auto const& one) {
                auto const* const other = one.find(key);
                return other == nullptr || *other != own;
            });
        if (varies)
            label += ", " + coordinate_label(name, value);
    }
    return label;
}

std::vector<SummaryRow> summary_rows(std::span<Series const> series) {
    SummaryNames names;
    for (auto const& one : series)
        for (auto const* const launch : one.launches)
            names.add(launch->record);
    std::vector<SummaryRow> rows;
    for (std::size_t i = 0; i < series.size(); ++i) {
        std::map<std::string, std::vector<double>> values;
        for (auto const* const launch : series[i].launches) {
            std::map<std::string, int> seen;
            for (auto const* const summary : in_order(launch->record)) {
                auto name = names.of(*summary);
                if (int const number = ++seen[name]; number > 1)
                    name += fmt::format(" ({})", number);
                auto row = std::find_if(rows.begin(), rows.end(),
                                        [&](SummaryRow const& r) { return r.name == name && r.unit == summary->unit; });
                if (row == rows.end())
                    row = rows.insert(row, {name, summary->unit, std::vector<std::optional<double>>(series.size()),
                                            std::vector<bool>(series.size())});
                if (!summary->value)
                    continue;
                auto& all = values[name];
                all.push_back(*summary->value);
                row->values[i] = measure::median(all);
                row->invalid[i] = row->invalid[i] || is_invalid(*summary);
            }
        }
    }
    return rows;
}

std::vector<ChosenOption> chosen_options(std::span<Series const> series) {
    std::vector<ChosenOption> chosen;
    if (series.empty())
        return chosen;
    auto const* const options = std::get_if<Value::Object>(&series.front().run().options.data());
    for (auto const& [name, ignored] : options != nullptr ? *options : Value::Object{}) {
        if (!series.front().run().options.number({name}) ||
            may_differ(name, *series.front().launches.front(), *series.back().launches.front()))
            continue;
        std::set<double> values;
        std::map<std::string, bool>
            words;  // word before a number: whether the number is the option's value on all command lines
        for (auto const& one : series) {
            auto const value = one.run().options.number({name});
            if (!value)
                continue;
            values.insert(*value);
            auto const text = fmt::format("{}", *value);
            for (auto const& [word, argument] : arguments_of(one.run()))
                words.try_emplace(word, true).first->second &= argument == text;
        }
        auto const word = std::find_if(words.begin(), words.end(), [](auto const& entry) { return entry.second; });
        if (values.size() > 1 && word != words.end())
            chosen.push_back({name, word->first});
    }
    return chosen;
}

std::vector<HeadlinePlot> headline_plots(std::span<Series const> series) {
    auto const options = chosen_options(series);
    std::vector<std::string> benchmarks;
    std::vector<Series> all;
    std::map<std::string, std::string> of;
    for (auto const& one : series) {
        std::string members;
        auto points = headline_points(one, options, members);
        if (points.empty())
            continue;
        of[points.front().benchmark] = members;
        detail::add_once(benchmarks, points.front().benchmark);
        all.push_back({.label = one.label, .of = one.of, .launches = one.launches, .points = std::move(points)});
    }
    std::vector<HeadlinePlot> plots;
    for (auto const& benchmark : benchmarks) {
        std::vector<Series> mine;
        for (auto const& one : all)
            if (one.points.front().benchmark == benchmark)
                mine.push_back(one);
        std::vector<ChosenOption> axes{{"ranks", ""}};
        axes.insert(axes.end(), options.begin(), options.end());
        for (auto const& axis : axes) {
            auto found = plot_over(mine, axis.name);
            std::size_t points = 0;
            for (auto const& curve : found.plot.curves)
                points += curve.points.size();
            if (points < 2)
                continue;
            found.of = of[benchmark];
            if (axis.name != "ranks")
                found.plot.x.label = fmt::format("{} ({})", axis.name, axis.word);
            found.plot.title = fmt::format("{} over {}", benchmark, found.plot.x.label);
            plots.push_back(std::move(found));
        }
    }
    return plots;
}

}  // namespace measure::tool
