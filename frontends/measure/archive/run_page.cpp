// SPDX-License-Identifier: BSD-3-Clause
#include "archive/run_page.hpp"

#include "analysis/runs/unknown.hpp"
#include "archive/site_pages.hpp"
#include "shared/summaries.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Record;
using measure::RunRecord;

using Facts = std::vector<std::pair<std::string, SiteCell>>;

std::string command_text(std::vector<std::string> const& words) { return fmt::format("{}", fmt::join(words, " ")); }

Facts facts_of(SiteRun const& site) {
    auto const& [run, points, summaries, end, torn, begin, others] = site.launch.record;
    Facts facts{
        {"label", site.entry.label},
        {"note", site.entry.note},
        {"tags", fmt::format("{}", fmt::join(site.entry.tags, ", "))},
        {"program", fmt::format("{} {} of suite {}", run.program, run.version, run.suite)},
        {"command", command_text(run.command)},
        {"started", or_unknown(run.started)},
        {"machine", site.entry.machine},
        {"MPI", run.mpi_library ? fmt::format("{} (MPI {})", *run.mpi_library, or_unknown(run.mpi_standard)) : ""},
        {"ranks", fmt::format("{}{}", run.ranks, run.oversubscribed ? ", more than cores" : "")},
        {"kernel", run.kernel.value_or("")},
        {"clock source", run.clocksource.value_or("")},
        {"governor", run.governor.value_or("")},
        {"compiler", or_unknown(run.compiler)},
        {"timer", run.timer.name},
        {"clock synchronisation", run.clock_sync ? run.clock_sync->algorithm : ""},
        {"status", site.entry.status}};
    if (end) {
        facts.emplace_back("exit code", fmt::format("{}", end->exit_code));
        facts.emplace_back("message", end->message);
    }
    if (run.mpi_settings)
        for (auto const& [name, value] : *run.mpi_settings)
            facts.emplace_back("MPI setting " + name, value);
    if (run.campaign)
        facts.emplace_back("campaign", fmt::format("{}, launch {}", run.campaign->id, run.campaign->launch));
    for (auto const& warning : run.warnings)
        facts.emplace_back("warning", warning);
    for (auto const& [name, value] : run.more)
        facts.emplace_back(name, measure::json_text(value));
    facts.emplace_back("record", SiteCell{site.entry.hash + ".jsonl", record_file(site.entry)});
    return facts;
}

std::string hosts_html(RunRecord const& record) {
    SiteTable table{.columns = {"host", "ranks", "cores", "processor"}};
    for (auto const& host : record.run.hosts)
        table.rows.push_back({host.name, host.ranks,
                              host.cores > 0 ? SiteCell{fmt::format("{}", host.cores), static_cast<double>(host.cores)}
                                             : SiteCell{measure::not_named},
                              host.cpu.value_or("")});
    return table.rows.empty() ? "" : heading_html("Hosts") + table_html("", table);
}

std::string options_html(RunRecord const& record) {
    SiteTable table{.columns = {"option", "value"}};
    if (auto const* const options = std::get_if<measure::Value::Object>(&record.run.options.data()))
        for (auto const& [name, value] : *options)
            table.rows.push_back({name, measure::json_text(value)});
    return table.rows.empty() ? "" : heading_html("Options") + table_html("", table);
}

std::string summaries_html(RunRecord const& record) {
    SiteTable table{.columns = {"summary", "value", "unit"}};
    SummaryNames names;
    names.add(record);
    for (auto const* const summary : in_order(record))
        table.rows.push_back(
            {names.of(*summary),
             summary->value ? SiteCell{fmt::format("{:.6g}", *summary->value), *summary->value} : SiteCell{},
             summary->unit});
    return table.rows.empty() ? "" : heading_html("Summaries") + table_html("", table);
}

std::string points_html(RunRecord const& record) {
    SiteTable table{.columns = {"benchmark", "at", "quantity", "value", "interval", "verdict", "flags"}};
    for (auto const& point : record.points) {
        std::vector<SiteCell> row{point.benchmark, point.at.text(), std::string{measure::name(point.quantity)}};
        auto const cells = value_cells(point, interval_of(point));
        row.insert(row.end(), cells.begin(), cells.end());
        table.rows.push_back(std::move(row));
    }
    return table.rows.empty() ? "" : heading_html("Points") + table_html("", table);
}

}  // namespace

std::vector<SiteCell> value_cells(Record const& point, std::optional<measure::Interval> const& interval) {
    std::vector<SiteCell> cells(2);
    if (point.value && std::isfinite(*point.value)) {
        measure::UnitText const unit{point.quantity, *point.value};
        cells[0] = {fmt::format("{} {}", unit.text(*point.value), unit.unit()), *point.value};
        if (interval)
            cells[1] = fmt::format("{} .. {}", unit.text(interval->first), unit.text(interval->second));
    }
    auto const reason = point.message.empty() ? "" : fmt::format(": {}", point.message);
    cells.emplace_back(fmt::format("{}{}", measure::name(point.status), reason));
    cells.emplace_back(fmt::format("{}", fmt::join(point.flags, ", ")));
    return cells;
}

std::string run_page_text(SiteRun const& run, std::string const& site) {
    auto const& record = run.launch.record;
    auto const title = run.entry.label.empty() ? fmt::format("Run {}: {} of {}", run.entry.id(), run.entry.program,
                                                             or_unknown(run.entry.started))
                                               : fmt::format("Run {}: {}", run.entry.id(), run.entry.label);
    return page_html(title, site,
                     facts_html(facts_of(run)) + hosts_html(record) + options_html(record) + summaries_html(record) +
                         points_html(record));
}

}  // namespace measure::tool::archive
