// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "analysis/runs/merged.hpp"
#include "archive/keep.hpp"
#include "launching/folder.hpp"
#include "launching/launcher.hpp"
#include "launching/resume.hpp"
#include "launching/start.hpp"
#include "page/html.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/child.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/temporary_folder.hpp"
#include "run/answer.hpp"
#include "run/base.hpp"
#include "run/campaign.hpp"
#include "run/control.hpp"
#include "run/expect.hpp"
#include "run/listing.hpp"
#include "run/options.hpp"
#include "run/page.hpp"
#include "run/screen.hpp"
#include "run/sweep.hpp"
#include "shared/data_folder.hpp"
#include "shared/destination.hpp"
#include "shared/gate.hpp"
#include "shared/launched.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

namespace fs = std::filesystem;
using runs::RunOptions;

std::string plan_text(RunOptions const& options, runs::Plan const& plan) {
    std::string text =
        fmt::format("Launcher    {}\nBudget      at most {}: 3 pilot launches, which decide the number of launches "
                    "(at least {}) and of samples\n",
                    plan.launcher_note, program::duration_text(options.budget), runs::fewest_starts);
    for (auto const& note : plan.notes)
        text += fmt::format("Note        {}\n", note);
    if (!plan.doctor.empty())
        text += fmt::format("Check       {}\n", fmt::join(plan.doctor, " "));
    for (auto const& side : plan.sides)
        text += fmt::format("{}Each launch {} --json FILE\n",
                            side.label.empty() ? "" : fmt::format("Side        {}\n", side.label),
                            fmt::join(runs::start_words(side, plan, 1, runs::pilot_samples, options.budget, {}), " "));
    return text;
}

/// The tests in mpiperf's own spelling, which the schedule needs. Unchanged if mpiperf cannot list its tests; the first
/// launch then reports the error.
/// \param option  option that names the tests  \throws measure::UsageError for a test that mpiperf does not list
std::vector<std::string> listed_tests(std::string_view option, std::vector<std::string> const& calls,
                                      std::string const& mpiperf) {
    if (calls.empty())
        return calls;
    program::TemporaryFolder const folder{"measure-run"};
    auto const list = folder.file("tests");
    constexpr measure::seconds limit{5};
    if (program::run_child({.command = {mpiperf, "-q"}, .log = list, .limit = limit}) != 0)
        return calls;
    std::map<std::string, std::string> spelling;
    std::vector<std::string> names;
    for (auto const& line : program::split(program::file_text(list), '\n')) {
        auto const test = line.substr(0, line.find(' '));
        names.push_back(program::lower(test));
        spelling[names.back()] = test;
    }
    std::vector<std::string> tests;
    for (auto const& call : calls) {
        auto const found = spelling.find(program::lower(call));
        if (found == spelling.end()) {
            auto const near = program::closest(program::lower(call), names);
            auto const hint = near.empty() ? "" : fmt::format(" (did you mean '{}'?)", spelling[near]);
            throw measure::UsageError(
                fmt::format("{}: '{}' is not a test{}; run mpiperf -q for the list", option, call, hint));
        }
        if (std::find(tests.begin(), tests.end(), found->second) == tests.end())
            tests.push_back(found->second);
    }
    return tests;
}

/// The merged record of the launches that count.
/// \param interrupted  signal that interrupted the run; 0: not interrupted
std::string merged_record(runs::Answer const& answer, std::vector<std::string> const& command, int interrupted) {
    auto text = measure::json_line(merged_run(answer.in_states, answer.states_of_merged, command)) + "\n";
    for (auto const& record : answer.merged)
        text += measure::json_line(record) + "\n";
    measure::EndRecord end;
    if (interrupted != 0)
        end = {.status = "interrupted", .exit_code = 128 + interrupted};
    return text + measure::json_line(end) + "\n";
}

/// One use of `measure run`: folder, plan, campaign and results.
class Run {
public:
    Run(RunOptions& options, program::Session& session)
        : o_{options}, session_{session}, all_{runs_folder(options.folder)} {}

    void go() {
        if (!is_launched_once(session_, "measure run"))
            return;
        if (o_.list) {
            session_.text() << runs::listing(all_);
            return;
        }
        if (!o_.remove.empty()) {
            runs::delete_runs(all_, o_.remove);
            return;
        }
        measure();
    }

private:
    void measure() {
        auto const begin = runs::Campaign::Clock::now();
        if (o_.resume) {
            folder_.emplace(all_, *o_.resume);
            go_on();
        }
        auto const name = folder_ ? folder_->name() : o_.name.empty() ? new_campaign() : o_.name;
        auto const mpiperf = program_path("mpiperf", o_.program, "--program");
        o_.calls = listed_tests("--calls", o_.calls, mpiperf);
        auto plan = runs::plan_of(o_, surroundings(), name, all_);
        runs::check_base(all_, o_.compare);
        auto const limits = o_.expect.empty() ? std::optional<runs::Limits>{} : runs::limits_from(o_.expect);
        std::vector<std::string> limited;
        for (auto const& limit : limits.value_or(runs::Limits{}))
            limited.push_back(limit.operation);
        static_cast<void>(listed_tests("--expect", limited, mpiperf));
        if (o_.plan) {
            session_.text() << plan_text(o_, plan);
            return;
        }
        if (!o_.write_expect.empty())
            expected_.emplace("--write-expect", o_.write_expect, session_);
        if (!o_.junit.empty())
            junit_.emplace("--junit", o_.junit, session_);
        if (!folder_) {
            auto const& words = session_.command();
            folder_.emplace(all_, name, std::vector<std::string>(std::next(words.begin()), words.end()));
        }
        auto const side = plan.sides.size() > 1 ? plan.sides.back().label : "";
        launcher_ = plan.launcher_note;
        auto outcome = runs::Campaign{o_, std::move(plan), *folder_, session_, begin}.run();
        if (outcome.launches.front().empty())
            leave_without_launch(outcome);
        finish(outcome, side, limits);
    }

    /// Restores the options of the resumed run. Only the budget may differ.
    void go_on() {
        auto begun = options_of<RunOptions>(*folder_, "measure run", runs::declare);
        if (o_.is_budget_given)
            begun.budget = o_.budget;
        begun.resume = o_.resume;
        begun.folder = o_.folder;
        o_ = std::move(begun);
    }

    /// A run without a complete launch leaves no folder. The output of its last launch is kept next to the runs.
    [[noreturn]] void leave_without_launch(runs::Outcome const& outcome) {
        auto const log = all_ / failed_log;
        std::error_code code;
        fs::rename(folder_->file(launch_log), log, code);
        folder_->discard();
        if (outcome.interrupted != 0)
            throw measure::Interrupted(outcome.interrupted);
        if (outcome.failures.empty())
            throw std::runtime_error("no launch completed");
        // Otherwise an older report would remain and show success.
        if (junit_)
            junit_->write(
                junit_text("measure run", std::array{GateResult{"run", "launches", GateResult::Kind::undecided,
                                                                outcome.failures.front()}}),
                session_.text());
        auto const why = fmt::format("{} ({}{})", outcome.failures.front(), launcher_,
                                     code ? "" : fmt::format("; see its output in '{}'", log.string()));
        if (outcome.is_refused)
            throw measure::UsageError(why);
        throw std::runtime_error(why);
    }

    void finish(runs::Outcome& outcome, std::string const& side, std::optional<runs::Limits> const& limits) {
        auto const& launches = outcome.launches.front();
        program::put_off_exit();
        runs::OwnRun const own{.runs = all_, .name = folder_->name(), .launches = launches, .session = &session_};
        auto const base = base_of(own, outcome, side);
        program::put_off_exit();
        // Two sides are compared only with each other, not with earlier runs.
        bool const has_history = side.empty() && o_.compare != "none";
        auto const answer =
            runs::answer(launches, base.run, has_history ? runs::runs_before(own) : std::vector<Launch>{});
        program::put_off_exit();
        warn_of_few(answer, outcome);
        auto const nothing = nothing_compared(answer, base);
        if (!nothing.empty() && o_.fail_on.empty() && (base.run || o_.compare != "last")) {
            session_.warn(nothing);
            session_.incomplete();
        }
        runs::ScreenNotes notes{.notes = outcome.notes,
                                .warnings = outcome.warnings,
                                .colours = shows_colour(STDOUT_FILENO),
                                .columns = columns_of(STDOUT_FILENO)};
        for (auto& note : runs::page_cache_notes(launches))
            notes.notes.push_back(std::move(note));
        if (base.other_settings > 0)
            notes.notes.push_back(fmt::format("not compared: {} with other MPI settings (use --compare NAME)",
                                              counted(base.other_settings, "earlier run", "earlier runs")));
        if (outcome.interrupted != 0)
            notes.notes.push_back(fmt::format("interrupted; continue with measure run --resume {}", folder_->name()));
        try {
            keep(answer, notes, outcome);
        } catch (std::exception const& error) {
            session_.fail(measure::error_text(error));
        }
        session_.text() << runs::screen(answer, notes);
        check(answer, nothing, limits);
        if (outcome.interrupted != 0)
            throw measure::Interrupted(outcome.interrupted);
        if (outcome.has_failed)
            throw std::runtime_error(fmt::format("the run ended early: {}", outcome.failures.back()));
        if (outcome.is_short || answer.launches < static_cast<std::size_t>(runs::fewest_starts) ||
            !outcome.failures.empty())
            session_.incomplete();
    }

    /// \param side  label of side B; empty if there is only one side
    [[nodiscard]] runs::Base base_of(runs::OwnRun const& own, runs::Outcome const& outcome,
                                     std::string const& side) const {
        if (!side.empty())
            return {.run = runs::Opponent{.name = side, .launches = outcome.launches.back(), .is_side = true}};
        if (o_.compare == "none")
            return {};
        return o_.compare == "last" ? runs::latest_base(own) : runs::named_base(own, o_.compare);
    }

    /// The reason for the lack of a comparison; empty if there is one, or none was requested.
    [[nodiscard]] std::string nothing_compared(runs::Answer const& answer, runs::Base const& base) const {
        if (answer.comparison || (o_.compare == "none" && !base.run))
            return {};
        if (base.run)
            return fmt::format("no comparison: '{}' has no point in common with this run", base.run->name);
        if (o_.compare != "last")
            return fmt::format("no comparison: run '{0}' has no complete launch whose campaign is '{0}'", o_.compare);
        return fmt::format("no comparison: no earlier run has the settings and a point of this run{}",
                           base.other_settings == 0
                               ? ""
                               : fmt::format(" ({} with other settings)", counted(base.other_settings, "run", "runs")));
    }

    /// Notes that there are too few launches for any difference to be found.
    static void warn_of_few(runs::Answer const& answer, runs::Outcome& outcome) {
        if (!answer.comparison)
            return;
        auto const launches = std::min(answer.compared.size(), answer.others.size());
        if (auto why = runs::too_few_launches(launches, answer.comparison->operations.size()))
            outcome.notes.insert(outcome.notes.begin(), std::move(*why));
    }

    void keep(runs::Answer const& answer, runs::ScreenNotes& notes, runs::Outcome const& outcome) {
        auto const record = merged_record(answer, session_.command(), outcome.interrupted);
        program::write_file(session_.world(), folder_->file("merged.jsonl"), record);
        program::write_file(session_.world(), folder_->file("index.html"),
                            page::html_text(runs::page_of(answer, notes)));
        notes.places.emplace_back("Page", folder_->file("index.html").string());
        notes.places.emplace_back("Records", folder_->launches().string());
        // An interrupted run may be resumed, so it is not archived yet.
        if (outcome.interrupted == 0 && archive::is_built())
            keep_in_archive(record, outcome, answer.is_beside, notes);
    }

    /// The merged record of side B. The machine states are found from both sides together.
    [[nodiscard]] std::string record_of_other(runs::Outcome const& outcome) const {
        runs::Opponent const a{.launches = outcome.launches.front(), .is_side = true};
        return merged_record(runs::answer(outcome.launches.back(), a), session_.command(), 0);
    }

    /// If archiving fails, the run is still complete on disk, so this is a warning and exit code 4.
    /// \param has_sides  whether the run has a side B
    void keep_in_archive(std::string const& record, runs::Outcome const& outcome, bool has_sides,
                         runs::ScreenNotes& notes) {
        auto const file = o_.folder.empty() ? usual_archive() : (all_ / archive_name).string();
        try {
            archive::keep(file, record, folder_->name());
            if (has_sides)
                archive::keep(file, record_of_other(outcome), folder_->name() + "-other");
            notes.places.emplace_back("Archive", file);
        } catch (std::exception const& error) {
            session_.warn(fmt::format("not archived: {}", measure::error_text(error)));
            session_.incomplete();
        }
    }

    /// The results of --fail-on and --expect. \param nothing  the reason for the lack of a comparison
    [[nodiscard]] std::vector<GateResult> gates(runs::Answer const& answer, std::string const& nothing,
                                                std::optional<runs::Limits> const& limits) const {
        std::vector<GateResult> results;
        if (!o_.fail_on.empty() && answer.comparison)
            results = gate_results(o_.fail_on, *answer.comparison, CompareRules{}.threshold);
        else if (!o_.fail_on.empty())
            results.push_back({"--fail-on", "comparison", GateResult::Kind::undecided, nothing});
        if (limits)
            for (auto& result : runs::limit_results(*limits, answer))
                results.push_back(std::move(result));
        return results;
    }

    void check(runs::Answer const& answer, std::string const& nothing, std::optional<runs::Limits> const& limits) {
        auto const results = gates(answer, nothing, limits);
        report_gates(results, session_);
        if (junit_)
            junit_->write(junit_text("measure run", results), session_.text());
        if (expected_)
            write_limits(answer);
        if (!o_.strict || answer.trust != runs::Trust::poor)
            return;
        session_.warn(fmt::format("--strict: trust is poor: {}", answer.doubts.front()));
        session_.incomplete();
    }

    /// Limits from a run with poor trust would be so wide that everything passes.
    void write_limits(runs::Answer const& answer) {
        if (answer.trust == runs::Trust::poor && !o_.force) {
            session_.warn(
                fmt::format("--write-expect: no limits are written, because trust is poor: {} (use --force to write "
                            "them anyway)",
                            answer.doubts.front()));
            session_.incomplete();
            return;
        }
        expected_->write(runs::limits_text(answer), session_.text());
        if (runs::has_limits(answer))
            return;
        session_.warn("--write-expect: no limits are written, because no value has an interval; use a longer --budget");
        session_.incomplete();
    }

    RunOptions& o_;
    program::Session& session_;
    fs::path all_;
    std::optional<RunFolder> folder_{};
    std::string launcher_{};                 ///< launcher and number of ranks, for messages
    std::optional<Destination> expected_{};  ///< file of --write-expect, opened before the measurement
    std::optional<Destination> junit_{};     ///< file of --junit, opened before the measurement
};

/// Checks that need neither the machine nor other runs.
void check_run(RunOptions const& options, program::CommonOptions const&, program::Supposed const& supposed) {
    static_cast<void>(runs::words_of("--against", options.against));
    if (!options.expect.empty())
        static_cast<void>(runs::limits_from_text(program::supposed_file(supposed, options.expect), options.expect));
}

}  // namespace

program::Suite run_command() {
    auto suite = local_suite(
        "measure run",
        "Measures the speed of MPI on this machine. Launches mpiperf repeatedly until the budget is spent, and reports "
        "the values, their uncertainty, and changes since the last run.",
        program::prepared<RunOptions>(
            runs::declare,
            [](RunOptions& options, program::Session& session) {
                Run{options, session}.go();
            },
            check_run));
    // A launch may take longer than any fixed limit. mpiperf has its own watchdog.
    suite.common.defaults.watchdog = measure::seconds{0};
    return suite;
}

}  // namespace measure::tool
