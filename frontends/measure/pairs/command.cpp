// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "page/html.hpp"
#include "pairs/campaign.hpp"
#include "pairs/groups.hpp"
#include "pairs/options.hpp"
#include "pairs/page.hpp"
#include "pairs/reference.hpp"
#include "pairs/report.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/output_file.hpp"
#include "shared/plain_text.hpp"

#include <measure/agree.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <iostream>
#include <ostream>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

struct Outputs {
    program::OutputFile csv{};
    program::OutputFile page{};
};

/// Only on the root.
void report(pairs::Result const& result, pairs::RowOf const& rows, program::Session& session, Outputs& outputs) {
    pairs::each_record(result, rows, [&](measure::Record const& record) { session.point(record); });
    session.summary(pairs::summary_of(result));
    if (result.options.csv == "-") {
        pairs::write_csv(std::cout, result, rows);
        std::cout << std::flush;
    } else if (!result.options.csv.empty()) {
        pairs::write_csv(outputs.csv.stream(), result, rows);
        session.finish(outputs.csv);
    }
    (result.options.csv == "-" ? std::cerr : session.text())
        << printable_lines(pairs::text_of(result, rows)) << std::flush;
    if (!result.options.page.empty()) {
        outputs.page.stream() << page::html_text(pairs::page_of(result, rows));
        session.finish(outputs.page);
    }
    if (result.has_finding())
        session.check_failed();
}

/// Collective: each rank supplies the row of its node.
void report_run(pairs::Result& result, program::Session& session, Outputs& outputs) {
    session.next("report");
    pairs::count_measured(session.world(), result);
    pairs::show_rows(session.world(), result, [&](pairs::RowOf const& rows) {
        auto const alive = [&](pairs::Part const& part, int node) {
            session.alive();
            return rows(part, node);
        };
        report(result, alive, session, outputs);
    });
}

/// \param runs  the pairs of the two runs given in the options
pairs::Result compared_runs(std::vector<std::vector<pairs::KnownPair>> const& runs, pairs::Options const& options) {
    try {
        return pairs::compared(runs[0], runs[1], options);
    } catch (measure::UsageError const& error) {
        throw measure::UsageError(fmt::format("'{}' and '{}': {}", options.runs[0], options.runs[1], error.what()));
    }
}

/// Compares two earlier runs on the root. The other ranks wait for the end of the run.
pairs::Result comparison(pairs::Options const& options, program::Session& session) {
    std::vector<std::vector<pairs::KnownPair>> runs;
    for (auto const& file : options.runs)
        program::read_on_root(session.world(), file, program::Limit::line,
                              [&](std::string const& text) { runs.push_back(pairs::known_pairs(text, file)); });
    pairs::Result result;
    measure::on_root(session.world(), [&] { result = compared_runs(runs, options); });
    result.where = fmt::format("{}, after {}", options.runs[1], options.runs[0]);
    measure::Value fields = measure::Value::Object{};
    pairs::option_table().describe(options, fields);
    fields["runs"] = measure::Value::Array{options.runs[0], options.runs[1]};
    session.begin(measure::timer_from(session.common().timer, session.world(), session.common().seed),
                  std::move(fields));
    return result;
}

void check_stdout(pairs::Options const& options, program::CommonOptions const& common) {
    if (options.csv == "-" && common.json == "-")
        throw measure::UsageError("--csv - and --json - cannot be combined: both write to stdout");
}

void check_pairs(pairs::Options const& options, program::CommonOptions const& common,
                 program::Supposed const& supposed) {
    check_stdout(options, common);
    auto const known = [&](std::string const& file) {
        return pairs::known_pairs(program::supposed_file(supposed, file), file);
    };
    if (options.compare) {
        static_cast<void>(compared_runs({known(options.runs[0]), known(options.runs[1])}, options));
        return;
    }
    pairs::check_ranks(static_cast<std::size_t>(supposed.ranks));
    if (!options.groups.empty())
        static_cast<void>(pairs::groups_in(program::supposed_file(supposed, options.groups), options.groups));
    if (!options.reference.empty())
        static_cast<void>(known(options.reference));
}

void run_pairs(pairs::Options const& options, program::Session& session) {
    if (session.common().list) {
        pairs::list(options, session);
        return;
    }
    Outputs outputs;
    if (!options.csv.empty() && options.csv != "-")
        outputs.csv = program::open_file(session.world(), options.csv, "--csv");
    if (!options.page.empty())
        outputs.page = program::open_file(session.world(), options.page, "--output", program::Appears::when_whole);
    if (options.compare) {
        auto const result = comparison(options, session);
        if (session.world().is_root())
            report(result, pairs::own_rows(result), session, outputs);
        return;
    }
    pairs::Result result;
    try {
        pairs::measure_pairs(options, session, result);
    } catch (measure::Interrupted const&) {
        result.is_interrupted = true;
        report_run(result, session, outputs);
        throw;
    }
    report_run(result, session, outputs);
}

}  // namespace

program::Suite pairs_command() {
    return {.name = "pairs",
            .program = "measure pairs",
            .summary =
                "Measures every pair of nodes (hosts or ranks), and reports links and nodes that are slower than "
                "comparable ones. Example: mpiexec -n 16 measure pairs. Exits with code 3 if there are findings.",
            .common = {.seed = true, .list = true, .ranks = false},
            .prepare = program::prepared<pairs::Options>(pairs::declare, run_pairs, check_pairs)};
}

}  // namespace measure::tool
