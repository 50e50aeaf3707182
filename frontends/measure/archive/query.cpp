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
    parser.option("--csv", "FILE", "write comma-separated values; - is stdout (replaces the table)", options.csv,
                  program::as::Text{});
    parser.option("--json", "FILE", "write a JSON document; - is stdout (replaces the table)", options.json,
                  program::as::Text{});
}

void declare_conditions(Parser& parser, SearchOptions& options) {
    parser.arguments("CONDITION...", "NAME=VALUE: bytes>=1KiB 'mpi~Open MPI' started>=2025-06 tag=paper",
                     options.conditions);
    parser.closing("A run or point must meet all conditions. A run needs one point that meets all conditions on "
                   "points. Operators: = and != (any of several values, separated by commas), ~ and !~ (contains, "
                   "ignoring case), < <= > >= (numbers, sizes, times, dates). An empty value matches a missing one. A "
                   "NAME is one of: " +
                   fmt::format("{}", fmt::join(field_names(), ", ")) +
                   "; or a coordinate of points, such as bytes (write at.NAME if a field has the same name).");
}

void check_outputs(SearchOptions const& options) {
    if (options.csv == "-" && options.json == "-")
        throw measure::UsageError("--csv and --json cannot both go to stdout");
}

void check_ids(SearchOptions const& options) {
    if (options.ids && !(options.csv.empty() && options.json.empty()))
        throw measure::UsageError("--ids prints only IDs and cannot be combined with --csv or --json");
}

void check_sql(SearchOptions const& options) {
    if (!options.sql.empty() && !options.conditions.empty())
        throw measure::UsageError("--sql and conditions cannot be combined");
}

/// The checks of both commands. An option that a command lacks has its default here.
void check_search(SearchOptions const& options) {
    check_ids(options);
    check_sql(options);
    static_cast<void>(search_terms(conditions_of(options)));
    check_outputs(options);
}

/// Writes the results to the outputs asked for. Prints the table for people unless CSV or JSON goes to stdout.
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

/// Runs a user's SQL statement, which may only read.
Table rows_of(std::string const& sql, Archive& archive) {
    auto rows = archive.database().prepare(sql);
    if (!rows.only_reads() || rows.columns() == 0)
        throw measure::UsageError("--sql: the statement must return rows and change nothing: SELECT ...");
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
                       "Lists the runs of an archive that meet the conditions; all runs if there are no conditions.",
                       program::prepared<SearchOptions>(
                           [](Parser& parser, SearchOptions& options) {
                               declare_search(parser, options);
                               parser.flag("--ids", "print only the IDs, one per line, as input for other commands",
                                           options.ids);
                               declare_conditions(parser, options);
                           },
                           list, checked_by<SearchOptions>(check_search)));
}

program::Suite query_command() {
    return local_suite("measure archive query", "Lists the points of an archive that meet the conditions.",
                       program::prepared<SearchOptions>(
                           [](Parser& parser, SearchOptions& options) {
                               declare_search(parser, options);
                               parser.option("--sql", "TEXT", "print the rows of this SELECT on the archive's tables",
                                             options.sql, program::as::Text{});
                               declare_conditions(parser, options);
                           },
                           query, checked_by<SearchOptions>(check_search)));
}

}  // namespace measure::tool::archive
