// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/core/text.hpp"
#include "analysis/runs/launch.hpp"
#include "analysis/runs/unknown.hpp"
#include "report/report.hpp"
#include "shared/summaries.hpp"

#include <measure/report.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace measure::tool {

namespace {

using measure::Environment;
using measure::Value;

/// Longer texts make a table unreadable.
constexpr std::size_t longest_cell = 300;

std::string shortened(std::string text) {
    if (text.size() > longest_cell) {
        std::size_t end = longest_cell;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
            --end;
        text.erase(end);
        text += " ...";
    }
    return text;
}

bool is_texts(Value const& value) {
    auto const* const list = std::get_if<Value::Array>(&value.data());
    return list != nullptr && std::all_of(list->begin(), list->end(), [](Value const& entry) {
               return std::holds_alternative<std::string>(entry.data());
           });
}

bool is_plain(Value const& value) {
    return !std::holds_alternative<Value::Object>(value.data()) &&
           (!std::holds_alternative<Value::Array>(value.data()) || is_texts(value));
}

/// A value as text. Objects keep their numbers and texts; arrays are details and left out, unless they contain only
/// texts.
std::string plain(Value const& value) {
    if (auto const* const text = std::get_if<std::string>(&value.data()))
        return *text;
    if (auto const* const number = std::get_if<double>(&value.data()))
        return *number == std::floor(*number) && std::abs(*number) < 1e15 ? fmt::format("{:.0f}", *number)
                                                                          : fmt::format("{:.6g}", *number);
    if (auto const* const list = std::get_if<Value::Array>(&value.data()); list != nullptr) {
        if (list->empty())
            return "none";
        std::vector<std::string> parts;
        for (Value const& entry : *list)
            if (!std::holds_alternative<Value::Array>(entry.data()) &&
                !std::holds_alternative<Value::Object>(entry.data()))
                parts.push_back(plain(entry));
        if (parts.size() == list->size())
            return fmt::format("{}", fmt::join(parts, ", "));
    }
    auto const* const object = std::get_if<Value::Object>(&value.data());
    if (object == nullptr)
        return value.is_null() ? "" : measure::json_text(value);
    std::vector<std::string> parts;
    for (auto const& [name, member] : *object)
        if (is_plain(member))
            parts.push_back(fmt::format("{}: {}", name, plain(member)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string text_of(measure::Host const& host) {
    return fmt::format("{}: ranks {}{}{}{}", host.name, host.ranks,
                       host.cores > 0 ? fmt::format(" on {} cores", host.cores) : "", host.cpu ? ", " : "",
                       host.cpu.value_or(""));
}

std::string hosts_text(Environment const& run) {
    constexpr std::size_t most = 4;
    std::vector<std::string> texts;
    if (auto const machine = named_machine(run); !machine.empty())
        texts.push_back(machine);
    for (auto const& host : run.hosts)
        if (texts.size() < most)
            texts.push_back(text_of(host));
    if (run.hosts.size() > most)
        texts.push_back(fmt::format("and {} more hosts", run.hosts.size() - most));
    return or_unknown(fmt::format("{}", fmt::join(texts, "; ")));
}

std::string settings_text(Environment const& run) {
    if (!run.mpi_settings)
        return run.mpi_library ? "not recorded" : "none";
    std::vector<std::string> texts;
    for (auto const& [name, value] : *run.mpi_settings)
        texts.push_back(fmt::format("{}={}", name, value));
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::string timer_text(measure::TimerInfo const& timer) {
    auto const known = [](measure::seconds time) {
        return time > measure::seconds{0} ? measure::text(time) : std::string{measure::not_named};
    };
    return timer.name == measure::not_named ? timer.name
                                            : fmt::format("{}: step {}, cost of a reading {}", timer.name,
                                                          known(timer.resolution), known(timer.overhead));
}

std::string end_text(Series const& series) {
    struct Ends {
        std::size_t count = 0;
        std::vector<double> times{};
    };
    std::map<std::string, Ends> ends;
    for (auto const* const launch : series.launches) {
        auto const& end = launch->record.end;
        auto& alike = ends[end ? fmt::format("{}, exit code {}", end->status, end->exit_code) : "no end"];
        ++alike.count;
        if (end && end->elapsed)
            alike.times.push_back(*end->elapsed);
    }
    std::vector<std::string> texts;
    for (auto const& [text, alike] : ends) {
        texts.push_back(ends.size() > 1 ? fmt::format("{} of {} {}", alike.count, series.launches.size(), text) : text);
        if (alike.times.empty())
            continue;
        auto const [least, most] = std::minmax_element(alike.times.begin(), alike.times.end());
        texts.back().append(", ").append(measure::text(measure::seconds{*least}));
        if (*most > *least)
            texts.back().append(" .. ").append(measure::text(measure::seconds{*most}));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::string started_text(Series const& series) {
    auto const first = or_unknown(series.run().started);
    auto const last = or_unknown(series.launches.back()->record.run.started);
    return series.launches.size() == 1
               ? first
               : fmt::format("{} ({} launches, the last {})", first, series.launches.size(), last);
}

struct Row {
    std::string name;
    std::function<std::string(Series const&)> text;
    bool may_differ = false;  ///< is expected to differ between runs
    bool of_machine = false;  ///< must be equal in all runs; otherwise only in runs of one suite
    std::function<std::string(Series const&)> compared{};  ///< the part that must be equal; empty: the text
};

std::vector<Row> rows() {
    auto const run = [](auto get) { return [get](Series const& s) { return get(s.run()); }; };
    return {
        {"started", started_text, true},
        {.name = "program",
         .text = run([](Environment const& e) {
             return fmt::format("{}{}", program_text(e), e.suite == e.program ? "" : " (" + e.suite + ")");
         }),
         // Programs of one suite (PMB-EXT, PMB-IO) have different names because they measure different operations. The
         // points show that.
         .compared = run([](Environment const& e) { return e.version; })},
        {"command", run([](Environment const& e) { return fmt::format("{}", fmt::join(e.command, " ")); }), true},
        {"ranks", run([](Environment const& e) {
             return fmt::format("{}{}", e.ranks, e.oversubscribed ? ", more than processing units" : "");
         })},
        {"hosts", run(hosts_text)},
        {"MPI", run([](Environment const& e) {
             return e.mpi_library ? fmt::format("{}, MPI {}", *e.mpi_library, or_unknown(e.mpi_standard)) : "none";
         })},
        {"MPI settings", run(settings_text)},
        {"campaign", run([](Environment const& e) { return e.campaign ? e.campaign->id : std::string{"none"}; }), true},
        {"kernel", run([](Environment const& e) { return e.kernel.value_or("unknown"); }), false, true},
        {"clock source", run([](Environment const& e) { return e.clocksource.value_or("unknown"); }), false, true},
        {"frequency governor", run([](Environment const& e) { return e.governor.value_or("unknown"); }), false, true},
        {"compiler", run([](Environment const& e) { return or_unknown(e.compiler); }), false, true},
        {"timer", run([](Environment const& e) { return timer_text(e.timer); }), true},
        {"end", end_text, true},
    };
}

/// Names of the members of all runs' objects, in the order of their first appearance.
template <class Get>
std::vector<std::string> names_in(std::span<Series const> series, Get object) {
    std::vector<std::string> names;
    for (auto const& one : series)
        for (auto const& [name, value] : object(one.run()))
            detail::add_once(names, name);
    return names;
}

/// The first series of the same suite, with which a series is compared.
Series const& first_like(std::span<Series const> series, Series const& one) {
    return *std::find_if(series.begin(), series.end(),
                         [&](Series const& s) { return s.run().suite == one.run().suite; });
}

/// Adds a row. Cells that differ from the first series of the suite are marked.
void add_row(page::Table& table, std::span<Series const> series, Row const& row) {
    std::vector<page::Cell> cells{row.name};
    for (auto const& one : series) {
        auto const& compared = row.compared ? row.compared : row.text;
        auto const& first = row.of_machine ? series.front() : first_like(series, one);
        cells.emplace_back(shortened(row.text(one)), !row.may_differ && compared(one) != compared(first));
    }
    table.rows.push_back(std::move(cells));
}

page::Table table_for(std::span<Series const> series) {
    page::Table table{.columns = {""}, .row_headings = true};
    for (auto const& one : series)
        table.columns.push_back(one.label);
    return table;
}

page::Table environment_table(std::span<Series const> series) {
    auto table = table_for(series);
    for (Row const& row : rows())
        add_row(table, series, row);
    return table;
}

bool is_marked(std::vector<page::Cell> const& row) {
    return std::any_of(row.begin(), row.end(), [](page::Cell const& cell) { return cell.marked; });
}

bool has_marks(page::Table const& table) { return std::any_of(table.rows.begin(), table.rows.end(), is_marked); }

Value::Object options_of(Environment const& run) {
    auto const* const object = std::get_if<Value::Object>(&run.options.data());
    return object == nullptr ? Value::Object{} : *object;
}

std::string member_text(Value::Object const& object, std::string_view name) {
    for (auto const& [key, value] : object)
        if (key == name)
            return plain(value);
    return {};
}

/// Whether the program determines the value, instead of the user.
bool is_fact(std::string_view name) { return name == "noise" || name == "launches"; }

/// A row for each option and for each fact that a program records. Two runs differ only if both have the option or
/// fact.
page::Table options_table(std::span<Series const> series) {
    auto table = table_for(series);
    auto const add = [&](auto get) {
        for (auto const& name : names_in(series, get)) {
            std::vector<page::Cell> cells{name};
            for (auto const& one : series) {
                auto const text = member_text(get(one.run()), name);
                auto const& like = first_like(series, one);
                auto const first = member_text(get(like.run()), name);
                bool const is_free = is_fact(name) || may_differ(name, *like.launches.front(), *one.launches.front());
                cells.emplace_back(shortened(text), !is_free && !text.empty() && !first.empty() && text != first);
            }
            bool const is_empty =
                std::all_of(cells.begin() + 1, cells.end(), [](page::Cell const& cell) { return cell.text.empty(); });
            if (!is_empty)
                table.rows.push_back(std::move(cells));
        }
    };
    add(options_of);
    add([](Environment const& run) { return run.more; });
    return table;
}

}  // namespace

std::vector<std::string> differing_names(std::span<Series const> series) {
    std::vector<std::string> names;
    for (auto const& table : {environment_table(series), options_table(series)})
        for (auto const& row : table.rows)
            if (is_marked(row))
                names.push_back(row.front().text);
    return names;
}

page::Section environment_section(std::span<Series const> series) {
    constexpr std::size_t most_open = 5;  // runs in one table
    page::Section section{.title = "Environment",
                          .fold = series.size() > most_open ? page::Fold::closed : page::Fold::none};
    if (series.empty())
        return section;
    auto const table = environment_table(series);
    auto const options = options_table(series);
    auto differing = options;
    std::erase_if(differing.rows, [](auto const& row) { return !is_marked(row); });
    if (has_marks(table) || has_marks(options))
        section.elements.emplace_back(page::Paragraph{"A marked cell differs from the first run of the same suite. "
                                                      "This may be the reason why the results of these runs differ."});
    auto const add = [&](page::Table const& whole) {
        for (auto& part : in_columns(whole))
            section.elements.emplace_back(std::move(part));
    };
    add(table);
    if (!differing.rows.empty()) {
        differing.caption = "Options that differ";
        add(differing);
    }
    if (!options.rows.empty()) {
        section.elements.emplace_back(page::Heading{2, "Options and facts of the programs", page::Fold::closed});
        add(options);
    }
    return section;
}

std::pair<std::string, std::string> summary_text(measure::Summary const& summary) {
    if (!summary.value)
        return {"-", summary.unit};
    if (auto const quantity = quantity_of_unit(summary)) {
        measure::UnitText const unit{*quantity, *summary.value};
        return {unit.text(*summary.value), std::string{unit.unit()}};
    }
    return {fmt::format("{:.5g}", *summary.value), summary.unit};
}

namespace {

/// The summaries of each launch, with the members of `derived`.
page::Table table_of_summaries(std::span<Series const> series) {
    bool const several = series.size() > 1;
    page::Table table{.columns = {"name", "details", "value", "unit"}};
    if (several)
        table.columns.insert(table.columns.begin(), "run");
    SummaryNames names;
    for (auto const& one : series)
        for (auto const* const launch : one.launches)
            names.add(launch->record);
    for (auto const& one : series)
        for (auto const* const launch : one.launches)
            for (auto const* const summary : in_order(launch->record)) {
                auto const [value, unit] = summary_text(*summary);
                std::vector<page::Cell> row{names.of(*summary), shortened(plain(summary->derived)),
                                            page::Cell{value, is_invalid(*summary)}, unit};
                if (several)
                    row.insert(row.begin(), page::Cell{one.launches.size() > 1 ? launch->name : one.label});
                table.rows.push_back(std::move(row));
            }
    return table;
}

/// The summaries with a column for each series.
page::Table side_by_side(std::span<Series const> series) {
    page::Table table{
        .caption = "Side by side; series of several launches show the median", .columns = {""}, .row_headings = true};
    for (auto const& one : series)
        table.columns.push_back(one.label);
    for (auto const& row : summary_rows(series)) {
        std::vector<page::Cell> cells{row.name};
        for (std::size_t i = 0; i < series.size(); ++i) {
            auto const [value, unit] = summary_text({.name = row.name, .value = row.values[i], .unit = row.unit});
            cells.emplace_back(row.values[i] ? fmt::format("{} {}", value, unit) : std::string{}, row.invalid[i]);
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace

page::Section summary_section(std::span<Series const> series) {
    page::Section section{.title = "Results of whole runs"};
    auto table = table_of_summaries(series);
    if (table.rows.empty())
        return section;
    section.elements.emplace_back(
        page::Paragraph{"The program computes these values from many points by its own rules, which give no error. The "
                        "variation between runs is therefore unknown. A marked value is not valid by these rules."});
    if (series.size() > 1) {
        for (auto& part : in_columns(side_by_side(series)))
            section.elements.emplace_back(std::move(part));
        section.elements.emplace_back(page::Heading{3, "All values of each run", page::Fold::closed});
    }
    section.elements.emplace_back(std::move(table));
    return section;
}

}  // namespace measure::tool
