// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive.hpp"
#include "archive/command.hpp"
#include "archive/json.hpp"
#include "shared/destination.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Value;
using program::Parser;
using program::Session;

struct SearchOptions {
    std::string archive{};
    std::vector<std::string> conditions{};
    std::string csv{};
    std::string json{};
    std::string sql{};
    bool ids = false;
};

std::vector<Condition> conditions_of(SearchOptions const& options) {
    std::vector<Condition> conditions;
    for (auto const& text : options.conditions)
        conditions.push_back(condition_from(text));
    return conditions;
}

void declare_search(Parser& parser, SearchOptions& options) {
    declare_archive(parser, options.archive);
    parser.option("--csv", "FILE", "write comma-separated values; - is stdout, instead of the table", options.csv,
                  program::as::Text{});
    parser.option("--json", "FILE", "write a JSON document; - is stdout, instead of the table", options.json,
                  program::as::Text{});
}

void declare_conditions(Parser& parser, SearchOptions& options) {
    parser.arguments("CONDITION...", "NAME=VALUE: bytes>=1KiB 'mpi~Open MPI' started>=2025-06 tag=paper",
                     options.conditions);
    parser.closing(
        "Conditions: all must hold, those on points of one and the same point. Operators: = and != (one of several "
        "values, separated by commas), ~ and !~ (has it in it, in any letter case), < <= > >= (numbers, sizes, times, "
        "dates). An empty value means that there is none. A NAME is one of: " +
        fmt::format("{}", fmt::join(field_names(), ", ")) +
        "; or a coordinate of points, such as bytes (at.NAME is always one).");
}

void check_outputs(SearchOptions const& options) {
    if (options.csv == "-" && options.json == "-")
        throw measure::UsageError("--csv and --json cannot both go to stdout");
}

void check_ids(SearchOptions const& options) {
    if (options.ids && !(options.csv.empty() && options.json.empty()))
        throw measure::UsageError("--ids prints IDs only: it does not go together with --csv and --json");
}

void check_sql(SearchOptions const& options) {
    if (!options.sql.empty() && !options.conditions.empty())
        throw measure::UsageError("--sql and conditions exclude each other");
}

/// For both commands; neither has the other's options.
void check_search(SearchOptions const& options) {
    check_ids(options);
    check_sql(options);
    static_cast<void>(search_terms(conditions_of(options)));
    check_outputs(options);
}

/// What was found goes where it is asked for; to people, unless a program has their place.
void give(SearchOptions const& options, Session& session, Table const& for_people, Table const& for_programs,
          std::function<Value()> const& document) {
    program::note_input(options.archive);
    Destination csv{"--csv", options.csv, session};
    Destination json{"--json", options.json, session};
    if (!options.csv.empty())
        csv.write(csv_text(for_programs), std::cout);
    if (!options.json.empty())
        json.write(measure::json_text(document()) + "\n", std::cout);
    if (options.csv != "-" && options.json != "-")
        session.text() << table_text(for_people);
}

void list(SearchOptions const& options, Session& session) {
    auto const runs = Archive::reading(options.archive).runs(conditions_of(options));
    if (!options.ids)
        return give(options, session, short_table(runs), full_table(runs), [&] { return runs_json(runs); });
    for (auto const& run : runs)
        session.text() << run.id() << '\n';
}

/// SQL of the user's own, which can only read.
Table rows_of(std::string const& sql, Archive& archive) {
    auto rows = archive.database().prepare(sql);
    if (!rows.only_reads() || rows.columns() == 0)
        throw measure::UsageError("--sql: a statement that reads is wanted: SELECT ...");
    Table table;
    for (int i = 0; i < rows.columns(); ++i)
        table.columns.push_back(rows.name(i));
    while (rows.next()) {
        auto& row = table.rows.emplace_back();
        for (int i = 0; i < rows.columns(); ++i)
            row.push_back(rows.at(i));
    }
    return table;
}

void query(SearchOptions const& options, Session& session) {
    auto archive = Archive::reading(options.archive);
    if (!options.sql.empty()) {
        auto const table = rows_of(options.sql, archive);
        return give(options, session, table, table, [&] { return rows_json(table); });
    }
    auto const points = archive.points(conditions_of(options));
    give(options, session, short_table(points), full_table(points), [&] { return points_json(points); });
}

}  // namespace

program::Suite list_command() {
    return local_suite("measure archive list",
                       "Shows the runs of an archive, all or those for which the conditions hold.",
                       program::prepared<SearchOptions>(
                           [](Parser& parser, SearchOptions& options) {
                               declare_search(parser, options);
                               parser.flag("--ids", "only the IDs, one in a line, for other commands", options.ids);
                               declare_conditions(parser, options);
                           },
                           list, checked_by<SearchOptions>(check_search)));
}

program::Suite query_command() {
    return local_suite("measure archive query", "Shows the points of an archive for which the conditions hold.",
                       program::prepared<SearchOptions>(
                           [](Parser& parser, SearchOptions& options) {
                               declare_search(parser, options);
                               parser.option("--sql", "TEXT",
                                             "the rows of a SELECT of one's own on the archive's tables", options.sql,
                                             program::as::Text{});
                               declare_conditions(parser, options);
                           },
                           query, checked_by<SearchOptions>(check_search)));
}

}  // namespace measure::tool::archive
