// SPDX-License-Identifier: BSD-3-Clause
#include "profile/report.hpp"

#include "analysis/models/models.hpp"
#include "page/columns.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>

namespace measure::tool {

namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string size_class(CallCost const& cost) { return size_text(static_cast<double>(cost.low)); }

/// The total time in MPI, as a sentence.
std::string overview(Profile const& profile) {
    auto const& ranks = profile.recorded;
    auto const which =
        ranks.empty() ? "no rank" : (ranks.find_first_of("-,") == ranks.npos ? "rank " : "ranks ") + ranks;
    std::string text = fmt::format("{:.0f} MPI calls on {} of {}", profile.calls, which, profile.world);
    if (profile.counts_only)
        return text + ", counted only";
    if (profile.share && profile.time)
        text += fmt::format("; in MPI: {} of {} on average, at most {} (rank {})", percent(profile.share->mean),
                            short_time(profile.time->mean), percent(profile.share->most), profile.share->most_rank);
    return text;
}

/// A sentence about the rank that makes the others wait, if the totals show one.
std::string late_text(Profile const& profile) {
    constexpr double clearly = 1.25;
    constexpr double worth_telling = 0.01;  // of the time
    if (!profile.in_mpi || !profile.time || profile.world < 2)
        return {};
    auto const& in_mpi = *profile.in_mpi;
    if (in_mpi.mean < clearly * in_mpi.least || in_mpi.mean - in_mpi.least < worth_telling * profile.time->mean)
        return {};
    return fmt::format(
        "Rank {} spends the least time in MPI: {}, compared with a mean of {}. The others probably wait for it.",
        in_mpi.least_rank, short_time(in_mpi.least), short_time(in_mpi.mean));
}

double whole(CallCost const& cost) { return cost.total.sum + (cost.waiting ? cost.waiting->sum : 0); }

/// Share of a key in the time of all ranks; "-" if unknown.
std::string share_text(CallCost const& cost, Profile const& profile) {
    if (!profile.time || !(profile.time->sum > 0) || !cost.mean)
        return "-";
    return percent(whole(cost) / profile.time->sum);
}

/// The verdict in the table, explained by the sentences below it.
std::string word(JudgedCost const& judged, Profile const& profile) {
    switch (judged.verdict) {
    case CostVerdict::expected:
        return "as measured";
    case CostVerdict::waiting:
        return judged.late_rank >= 0 && profile.world > 1 ? fmt::format("waiting for {}", judged.late_rank) : "waiting";
    case CostVerdict::slower:
        return "slower";
    case CostVerdict::unknown:
        break;
    }
    return {};
}

/// Function names may be longer than a line.
std::string cut(std::string text) {
    constexpr std::size_t most = 26;
    if (text.size() > most)
        text.replace(most - 2, std::string::npos, "..");
    return text;
}

/// A row of the table: a key's cost and its verdict.
struct KeyRow {
    CallCost const& cost;
    JudgedCost const* judged = nullptr;  ///< with --against

    [[nodiscard]] std::string time(std::optional<double> seconds) const {
        return cost.mean && seconds && std::isfinite(*seconds) ? short_time(*seconds) : "-";
    }
};

/// A terminal is too narrow for both the spread of times and the comparison.
page::Columns<KeyRow> cost_columns(ProfileReport const& report, bool is_page) {
    auto const& profile = report.profile;
    auto const any = [&](auto has) { return std::any_of(profile.costs.begin(), profile.costs.end(), has); };
    bool const is_compared = !report.judged.empty();
    bool const has_sites = any([](auto const& cost) { return !cost.site.empty(); });
    page::Columns<KeyRow> columns;
    auto const add = [&](bool has, page::Columns<KeyRow> const& more) {
        if (has)
            columns.insert(columns.end(), more.begin(), more.end());
    };
    add(true, {{"call", [](KeyRow const& row) { return row.cost.call; }},
               {"ranks", [](KeyRow const& row) { return row.cost.ranks > 0 ? std::to_string(row.cost.ranks) : "-"; }},
               {"bytes", [](KeyRow const& row) { return size_class(row.cost); }},
               {"calls", [](KeyRow const& row) { return fmt::format("{:.0f}", row.cost.calls); }}});
    add(!profile.counts_only, {{"share", [&](KeyRow const& row) { return share_text(row.cost, profile); }},
                               {"mean", [](KeyRow const& row) { return row.time(row.cost.mean); }}});
    add(!profile.counts_only && (is_page || !is_compared),
        {{"median", [](KeyRow const& row) { return row.time(row.cost.median); }},
         {"min mean", [](KeyRow const& row) { return row.time(row.cost.least_mean); }},
         {"max mean", [](KeyRow const& row) { return row.time(row.cost.most_mean); }}});
    add(!profile.counts_only && !is_compared && !has_sites,
        {{"+-", [](KeyRow const& row) { return row.time(row.cost.error); }},
         {"most in", [](KeyRow const& row) { return fmt::format("rank {}", row.cost.total.most_rank); }}});
    add(any([](auto const& cost) { return cost.waiting.has_value(); }),
        {{"waited", [](KeyRow const& row) {
              return row.cost.waiting ? short_time(row.cost.waiting->sum / row.cost.calls) : "-";
          }}});
    add(is_compared,
        {{"here", [](KeyRow const& row) { return row.judged->here ? short_time(row.judged->here->time) : "-"; }},
         {"ratio",
          [](KeyRow const& row) { return row.judged->ratio ? fmt::format("{:.3g}", *row.judged->ratio) : "-"; }},
         {"verdict", [&](KeyRow const& row) {
              page::Cell verdict{word(*row.judged, profile)};
              verdict.tone = row.judged->verdict == CostVerdict::slower ? page::Tone::bad : page::Tone::plain;
              return verdict;
          }}});
    add(has_sites, {{"called from", [&](KeyRow const& row) {
                         auto const& site = row.cost.site;
                         auto const found = report.sites.find(site);
                         return cut(found != report.sites.end() ? found->second : site.substr(site.rfind('/') + 1));
                     }}});
    return columns;
}

page::Table cost_table(ProfileReport const& report, bool is_page) {
    auto const& costs = report.profile.costs;
    std::size_t const shown = std::min(report.top, costs.size());
    std::vector<KeyRow> rows;
    for (std::size_t i = 0; i < shown; ++i)
        rows.push_back({costs[i], report.judged.empty() ? nullptr : &report.judged[i]});
    return page::table_of({.caption = shown < costs.size()
                                          ? fmt::format("The {} most expensive of {} keys", shown, costs.size())
                                          : "All keys"},
                          rows, cost_columns(report, is_page));
}

/// A table of the ranks: all, or the ranks with the least and the most time in MPI.
page::Table rank_table(Profile const& profile) {
    constexpr std::size_t most_rows = 16;
    auto ranks = profile.ranks;
    using Rank = std::remove_cvref_t<decltype(ranks.front())>;
    page::Table table{.caption = "Ranks"};
    if (ranks.size() > most_rows) {
        table.caption = fmt::format("The {0} ranks with the least and the {0} with the most time in MPI, of {1}",
                                    most_rows / 2, ranks.size());
        std::stable_sort(ranks.begin(), ranks.end(), [](auto const& a, auto const& b) { return a.in_mpi < b.in_mpi; });
        ranks.erase(ranks.begin() + most_rows / 2, ranks.end() - most_rows / 2);
    }
    page::Columns<Rank> columns{
        {"rank", [](Rank const& rank) { return std::to_string(rank.rank); }},
        {"time", [](Rank const& rank) { return rank.time && *rank.time > 0 ? short_time(*rank.time) : "-"; }},
        {"in MPI", [](Rank const& rank) { return short_time(rank.in_mpi); }},
        {"share",
         [](Rank const& rank) { return rank.time && *rank.time > 0 ? percent(rank.in_mpi / *rank.time) : "-"; }}};
    if (profile.ranks.front().waiting)
        columns.push_back({"waited", [](Rank const& rank) { return short_time(rank.waiting.value_or(0)); }});
    return page::table_of(std::move(table), ranks, columns);
}

/// Bars that divide the time of each rank.
page::Figure rank_figure(Profile const& profile) {
    page::Plot plot{.stem = "ranks",
                    .title = "Time of the ranks",
                    .x = {.label = "rank"},
                    .y = {.label = "time", .unit = page::Unit::seconds},
                    .bars = true,
                    .curves = {{.label = "computing"}, {.label = "waiting"}, {.label = "MPI"}}};
    for (auto const& rank : profile.ranks) {
        auto const x = static_cast<double>(rank.rank);
        double const waiting = rank.waiting.value_or(0);
        if (rank.time)
            plot.curves[0].points.push_back({x, std::max(*rank.time - rank.in_mpi, 0.0)});
        if (rank.waiting)
            plot.curves[1].points.push_back({x, waiting});
        plot.curves[2].points.push_back({x, rank.in_mpi - waiting});
    }
    return {.plot = std::move(plot),
            .caption = "Time of each rank: computing, waiting in barriers before calls (--waiting), and MPI"};
}

/// A sentence about a verdict: its meaning, the number of keys that have it, and the possible gain.
std::string summary(CostVerdict verdict, ProfileReport const& report) {
    auto const& profile = report.profile;
    std::size_t n = 0;
    double to_win = 0;
    JudgedCost const* first = nullptr;
    CallCost const* cost = nullptr;
    for (std::size_t i = 0; i < report.judged.size(); ++i) {
        if (report.judged[i].verdict != verdict)
            continue;
        ++n;
        to_win += report.judged[i].to_win;
        if (first == nullptr) {
            first = &report.judged[i];
            cost = &profile.costs[i];
        }
    }
    if (n == 0)
        return {};
    auto text = fmt::format("{}: {}", name(verdict), counted(n, "key", "keys"));
    if (verdict == CostVerdict::expected)
        return text + fmt::format(" (up to {:.0f} % more)", cost_tolerance * 100);
    if (verdict == CostVerdict::waiting)
        text = fmt::format("waiting (others come late): {}", counted(n, "key", "keys"));
    text += fmt::format(", first {} of {}", cost->call, size_class(*cost));
    if (first->late_rank >= 0 && profile.world > 1)
        text += fmt::format(", where rank {} comes last", first->late_rank);
    text += fmt::format("; possible gain: {}, sum over ranks", short_time(to_win));
    if (profile.time && profile.time->sum > 0)
        text += fmt::format(" ({} of the time)", percent(to_win / profile.time->sum));
    return text;
}

std::vector<std::string> findings(ProfileReport const& report) {
    std::vector<std::string> items;
    if (!report.judged.empty()) {
        auto const known = std::count_if(report.judged.begin(), report.judged.end(),
                                         [](auto const& judged) { return judged.here.has_value(); });
        items.push_back(fmt::format("here: cost of such a call from the records, which cover {} of {} keys", known,
                                    report.judged.size()));
    }
    auto const few = std::count_if(report.judged.begin(), report.judged.end(), [](auto const& judged) {
        return judged.here && judged.verdict == CostVerdict::unknown;
    });
    if (few > 0)
        items.push_back(fmt::format("no verdict for {} that {} fewer than {:.0f} calls",
                                    counted(static_cast<std::size_t>(few), "key", "keys"), few == 1 ? "has" : "have",
                                    least_calls));
    for (auto const verdict : {CostVerdict::expected, CostVerdict::waiting, CostVerdict::slower})
        if (auto text = summary(verdict, report); !text.empty())
            items.push_back(std::move(text));
    for (auto const& check : report.violated)
        items.push_back(
            fmt::format("a violated guideline that affects this application: {} at {}, {} ranks: {:.2f} times the time",
                        check.guideline, size_text(static_cast<double>(check.size)), check.ranks, check.factor));
    return items;
}

page::Table matrix(Profile const& profile) {
    std::map<std::string, std::map<measure::Bytes, double>> cells;
    std::set<measure::Bytes> sizes;
    for (auto const& cost : profile.costs) {
        cells[cost.call][cost.low] += profile.counts_only ? cost.calls : whole(cost);
        sizes.insert(cost.low);
    }
    page::Table table{.caption = profile.counts_only ? "Calls by size class" : "Time by size class, s, sum over ranks",
                      .columns = {"call"},
                      .row_headings = true};
    for (auto const size : sizes)
        table.columns.push_back(size_text(static_cast<double>(size)));
    for (auto const& [call, by_size] : cells) {
        std::vector<page::Cell> row{call};
        for (auto const size : sizes)
            row.emplace_back(by_size.contains(size) ? fmt::format("{:.3g}", by_size.at(size)) : std::string{});
        table.rows.push_back(std::move(row));
    }
    return table;
}

page::Document document_of(ProfileReport const& report, bool is_page) {
    auto const& profile = report.profile;
    page::Document document{.title = fmt::format("Profile of {}", profile.run.program)};
    auto& elements = document.elements;
    elements.emplace_back(page::Paragraph{overview(profile)});
    if (auto const late = late_text(profile); !late.empty())
        elements.emplace_back(page::Paragraph{late});
    std::vector<std::string> warnings = profile.run.warnings;
    if (profile.run.oversubscribed)
        warnings.emplace_back("more ranks than cores: times include waiting for a core");
    for (auto const& [name, value] :
         {std::pair{"waiting", "a barrier preceded each blocking collective, which changed the run"}})
        if (auto const* const option = profile.run.options.find(name);
            option != nullptr && std::holds_alternative<bool>(option->data()) && std::get<bool>(option->data()))
            warnings.emplace_back(value);
    if (!warnings.empty())
        elements.emplace_back(page::List{.items = std::move(warnings), .warning = true});
    if (!profile.ranks.empty())
        elements.emplace_back(rank_table(profile));
    if (!profile.costs.empty())
        elements.emplace_back(cost_table(report, is_page));
    if (auto items = findings(report); !items.empty())
        elements.emplace_back(page::List{.items = std::move(items)});
    return document;
}

}  // namespace

page::Document profile_document(ProfileReport const& report) { return document_of(report, false); }

page::Document profile_page(ProfileReport const& report) {
    auto document = document_of(report, true);
    constexpr std::size_t most_bars = 256;
    if (auto const ranks = report.profile.ranks.size(); ranks > 0 && ranks <= most_bars)
        document.elements.emplace_back(rank_figure(report.profile));
    if (!report.profile.costs.empty())
        document.elements.emplace_back(matrix(report.profile));
    return document;
}

}  // namespace measure::tool
