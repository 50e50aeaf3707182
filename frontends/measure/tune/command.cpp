// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "launching/launcher.hpp"
#include "launching/resume.hpp"
#include "launching/start.hpp"
#include "program/runtime/files.hpp"
#include "shared/destination.hpp"
#include "shared/launched.hpp"
#include "shared/plain_text.hpp"
#include "tune/campaign.hpp"
#include "tune/earlier.hpp"
#include "tune/report.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

namespace measure::tool {

namespace {

using namespace tune;
namespace fs = std::filesystem;

/// The path of a file in the folder must be one word of `env $(cat tuned.env)` and of a typed command.
void check_words(fs::path const& folder) {
    constexpr std::string_view signs = " \t\n\"'`\\*?[$&;|<>()";
    if (folder.string().find_first_of(signs) != std::string::npos)
        throw measure::UsageError(
            fmt::format("'{}' has a blank or a character that is special to a shell, so tuned.env would not work; "
                        "choose another folder",
                        folder.string()));
}

/// Checks the folders given in the options.
void check_folders(TuneOptions const& options) {
    if (!options.prove.empty())
        check_words(fs::absolute(options.prove));
    for (auto const* const path : {&options.resume, &options.folder})
        if (!path->empty())
            check_words(fs::absolute(*path).lexically_normal());
}

RunFolder folder_of(TuneOptions& options, program::Session& session) {
    auto const split = [](std::string const& path) {
        auto const whole = fs::absolute(path).lexically_normal();
        auto const bare = whole.has_filename() ? whole : whole.parent_path();
        return std::pair{bare.parent_path(), bare.filename().string()};
    };
    if (options.resume.empty()) {
        std::error_code code;
        if (!options.prove.empty() && fs::equivalent(options.folder, options.prove, code))
            throw measure::UsageError(
                fmt::format("--prove and -o are the same folder '{}'; give the proof another one", options.folder));
        if (options.folder.empty())
            options.folder = (fs::path{options.prove} / ("proof-" + new_campaign())).string();
        auto const [parent, name] = split(options.folder);
        auto const& words = session.command();
        return {parent, name, {std::next(words.begin()), words.end()}};
    }
    auto const [parent, name] = split(options.resume);
    RunFolder folder{parent, name};
    auto begun = options_of<TuneOptions>(folder, "measure tune", declare);
    begun.resume = options.resume;
    begun.folder = options.resume;
    // The campaign keeps its budget unless a new one is given.
    begun.is_budget_new = options.budget.count() > 0;
    if (begun.is_budget_new)
        begun.budget = options.budget;
    begun.json = options.json;
    options = std::move(begun);
    return folder;
}

void write_document(Destination& json, Outcome const& outcome, TuneOptions const& options, program::Session& session) {
    if (!options.json.empty())
        json.write(measure::json_text(document_of(outcome, options)) + "\n", session.text());
}

/// Lists the algorithms, with a launch in a temporary folder.
void list(TuneOptions const& options, program::Session& session) {
    auto const parent = fs::temp_directory_path();
    auto const name = "measure-tune." + new_campaign();
    struct Removed {
        fs::path path;
        ~Removed() {
            std::error_code code;
            fs::remove_all(path, code);
        }
    } const removed{parent / name};
    RunFolder folder{parent, name, {}};
    Launches launches{options, folder, name, Launches::Clock::now()};
    auto const& launched = launches.run({.phase = Phase::list});
    if (!launched.failure.empty())
        throw std::runtime_error(fmt::format("a launch {}", launched.failure));
    auto facts = facts_of(launched.record);
    keep(facts, options.collectives);
    for (auto const& text : unknown_names(facts))
        session.warn(text);
    Destination json{"--json", options.json, session};
    write_document(json, {.facts = facts, .costs = launches.costs(), .is_complete = true}, options, session);
    (options.json == "-" ? std::cerr : session.text()) << printable_lines(listing(facts));
}

/// Files that a campaign reads.
struct Inputs {
    std::string base{};
    std::optional<EarlierTuning> earlier{};
};

Inputs inputs_of(TuneOptions const& options) {
    Inputs inputs;
    if (!options.base.empty()) {
        inputs.base = program::file_text(options.base);
        check_tree(inputs.base, options.collectives);
    }
    if (!options.prove.empty())
        inputs.earlier = earlier_tuning(options.prove);
    return inputs;
}

void run_tune(TuneOptions& options, program::Session& session) {
    if (!is_launched_once(session, "measure tune"))
        return;
    auto const begin = Launches::Clock::now();
    if (options.list) {
        check_program(options.launcher.front(), "LAUNCHER");
        list(options, session);
        return;
    }
    Destination json{"--json", options.json, session};
    if (options.resume.empty())
        check_program(options.launcher.front(), "LAUNCHER");
    // Unreadable files are refused before the folder is created.
    auto inputs = inputs_of(options);
    auto folder = folder_of(options, session);
    if (!options.resume.empty())
        inputs = inputs_of(options);
    if (inputs.earlier)
        options.no_han = inputs.earlier->no_han;
    Launches launches{options, folder, folder.name() + "-" + new_campaign(), begin};
    Campaign campaign{options, launches, folder, inputs.base, session};
    auto const outcome = inputs.earlier ? campaign.prove(*inputs.earlier) : campaign.run();
    auto const files = write_files(outcome, options, folder, session);
    write_document(json, outcome, options, session);
    (options.json == "-" ? std::cerr : session.text()) << printable_lines(screen_text(outcome, files));
    if (outcome.has_slower)
        session.check_failed();
    if (!outcome.is_complete || !outcome.missing.empty())
        session.incomplete();
}

void check_tune(TuneOptions const& options, program::CommonOptions const&, program::Supposed const& supposed) {
    check_folders(options);
    if (!options.base.empty())
        check_tree(program::supposed_file(supposed, options.base), options.collectives);
}

}  // namespace

program::Suite tune_command() {
    auto suite = local_suite("measure tune",
                             "Finds the fastest algorithm of the MPI library for each collective, proves its gain in "
                             "separate launches, and writes a file with which the library chooses it.",
                             program::prepared<TuneOptions>(tune::declare, run_tune, check_tune));
    // A launch may take any time. The ranks have their own watchdog.
    suite.common.defaults.watchdog = measure::seconds{0};
    return suite;
}

}  // namespace measure::tool
