// SPDX-License-Identifier: BSD-3-Clause
#include "archive/command.hpp"
#include "archive/site.hpp"
#include "archive/site_folder.hpp"
#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace measure::tool::archive {

namespace {

struct Site {
    std::string archive{};
    std::string title = "Measurements";
    bool no_plots = false;
    bool join = false;
    std::vector<std::string> arguments{};  ///< folder, then conditions
};

void check_folder(Site const& options) {
    if (options.arguments.empty() || options.arguments.front().empty())
        throw measure::UsageError("no folder; use measure archive site DIR [CONDITION...]");
}

std::vector<Condition> conditions_of(Site const& options) {
    std::vector<Condition> conditions;
    for (std::size_t i = 1; i < options.arguments.size(); ++i)
        conditions.push_back(condition_from(options.arguments[i]));
    return conditions;
}

void check_site(Site const& options) {
    check_folder(options);
    static_cast<void>(search_terms(conditions_of(options)));
}

/// Reads everything in one transaction, because another process may be adding runs.
std::vector<SiteRun> runs_of(Site const& options, program::Session& session) {
    auto const conditions = conditions_of(options);
    auto archive = Archive::reading(options.archive);
    archive.database().execute("BEGIN");
    std::vector<SiteRun> runs;
    for (auto& entry : archive.runs(conditions)) {
        static_cast<void>(session.meet());
        auto content = archive.content(entry);
        auto found = archived_runs(content, fmt::format("{}:{}", options.archive, entry.id()));
        runs.push_back({std::move(entry), {found.front().name, std::move(found.front().record)}, std::move(content)});
    }
    if (runs.empty())
        throw measure::UsageError(fmt::format("'{}': no runs for a site", options.archive));
    return runs;
}

void write_site(Site const& options, program::Session& session) {
    auto const runs = runs_of(options, session);
    auto const files = site_files(runs, {options.title, !options.no_plots, options.join});
    auto const& folder = options.arguments.front();
    auto const changes = write_folder(folder, files, session);
    session.text() << fmt::format("{}/index.html: {} runs, {} files ({} written, {} removed)\n", printable(folder),
                                  runs.size(), files.size(), changes.written, changes.removed);
}

void declare_site(program::Parser& parser, Site& options) {
    declare_archive(parser, options.archive);
    parser.option("--title", "TEXT", "set the title of the site", options.title, program::as::Text{});
    parser.flag("--no-plots", "write tables without plots", options.no_plots);
    parser.flag("--join", join_help, options.join);
    parser.arguments("DIR [CONDITION...]",
                     "folder to write, and conditions that select runs, as for 'measure archive list'",
                     options.arguments);
}

}  // namespace

program::Suite site_command() {
    return local_suite("measure archive site",
                       "Writes a web site of an archive. It lists machines, MPI libraries and suites, and has a page "
                       "for each benchmark that compares them, a page for each run, and the records.",
                       program::prepared<Site>(declare_site, write_site, checked_by<Site>(check_site)));
}

}  // namespace measure::tool::archive
