// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "archive/keep.hpp"
#include "launches/start.hpp"
#include "merge/merge.hpp"
#include "page/html.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/signals.hpp"
#include "run/answer.hpp"
#include "run/between_runs.hpp"
#include "run/campaign.hpp"
#include "run/control.hpp"
#include "run/expect.hpp"
#include "run/folder.hpp"
#include "run/launcher.hpp"
#include "run/options.hpp"
#include "run/page.hpp"
#include "run/screen.hpp"
#include "run/sweep.hpp"
#include "shared/destination.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace measure_tool {

namespace {

namespace fs = std::filesystem;
using runs::RunOptions;

/// The words of the command that are its own: what goes on is the same run.
void read_again(RunOptions& options, std::vector<std::string> const& words) {
    auto const other_budget = options.is_budget_given ? std::optional{options.budget} : std::nullopt;
    auto const resume = options.resume;
    auto const folder = options.folder;
    options.resume.reset();
    program::Parser parser{"measure run", ""};
    runs::declare(parser, options);
    program::CommonOptions common;
    program::declare(parser, {.measures = false}, common);
    static_cast<void>(parser.parse(words));
    if (other_budget)
        options.budget = *other_budget;
    options.resume = resume;
    options.folder = folder;
}

std::string plan_text(RunOptions const& options, runs::Plan const& plan) {
    std::string text =
        fmt::format("Launcher    {}\nBudget      {} at most: 3 pilot starts, which tell how many starts of "
                    "how many samples follow, at least {}\n",
                    plan.launcher_note, program::duration_text(options.budget), runs::fewest_starts);
    if (!plan.doctor.empty())
        text += fmt::format("Look        {}\n", fmt::join(plan.doctor, " "));
    for (auto const& side : plan.sides)
        text += fmt::format("{}Each start  {} --json FILE\n",
                            side.label.empty() ? "" : fmt::format("Side        {}\n", side.label),
                            fmt::join(runs::start_words(side, plan, 1, runs::pilot_samples, options.budget, {}), " "));
    return text;
}

bool has_common_point(Launch const& a, Launch const& b) {
    std::set<runs::SweptPoint> points;
    for (auto const& record : a.record.points)
        if (!is_control(record.benchmark))
            points.insert(runs::point_of(record));
    return std::any_of(b.record.points.begin(), b.record.points.end(),
                       [&](auto const& record) { return points.contains(runs::point_of(record)); });
}

/// The starts of another run, or its joined one; none where the file is damaged, which is no reason to lose this run.
std::vector<Launch> starts_of_other(fs::path const& file, program::Session& session) {
    try {
        return runs::starts_in(file);
    } catch (measure::UsageError const& error) {
        session.warn(fmt::format("left out, because a file is damaged: {}", error.what()));
        return {};
    }
}

/// Whether a run has ended by itself.
bool has_ended(fs::path const& run, program::Session& session) {
    auto const joined = starts_of_other(run / "merged.jsonl", session);
    return joined.size() == 1 && joined.front().record.end->status == "complete";
}

/// Joined runs of the same machine, MPI library and settings with something of what that one measured, latest first.
std::vector<Launch> earlier_runs(fs::path const& all, std::span<std::string const> names, Launch const& like,
                                 program::Session& session) {
    constexpr std::size_t most = 10;
    std::vector<Launch> earlier;
    for (auto const& name : names) {
        auto run = starts_of_other(all / name / "merged.jsonl", session);
        if (run.size() == 1 && run.front().record.end->status == "complete" && runs::is_same_kind(run.front(), like) &&
            has_common_point(run.front(), like))
            earlier.push_back(std::move(run.front()));
        if (earlier.size() == most)
            break;
    }
    return earlier;
}

/// The run that is compared with. The last one is of the same ranks on the same hosts, has ended, and has starts enough
/// and something of what this one measured.
std::optional<runs::Opponent> opponent_of(RunOptions const& options, fs::path const& all, std::string const& own,
                                          std::vector<Launch> const& starts, program::Session& session) {
    if (options.compare == "none")
        return std::nullopt;
    auto const names = runs::run_names(all);
    bool const is_last = options.compare == "last";
    // The latest comes first: only those that began before this one.
    auto const own_place = static_cast<std::size_t>(std::find(names.begin(), names.end(), own) - names.begin());
    for (std::size_t i = is_last ? own_place + 1 : 0; i < names.size(); ++i) {
        auto const& name = names[i];
        if (name == own || (!is_last && name != options.compare) || (is_last && !has_ended(all / name, session)))
            continue;
        auto older = starts_of_other(all / name / "starts.jsonl", session);
        // Of a run of two sides the first one.
        std::erase_if(older, [&](Launch const& start) {
            return !start.record.run.campaign || start.record.run.campaign->id != name;
        });
        if (older.empty())
            continue;
        bool const fits = runs::counting_starts(older).main.size() >= static_cast<std::size_t>(runs::fewest_starts) &&
                          runs::is_same_place(older.front(), starts.front()) &&
                          has_common_point(older.front(), starts.front());
        if (!fits && is_last)
            continue;
        runs::Opponent opponent{.name = name, .started = older.front().record.run.started};
        for (auto& run : earlier_runs(all, std::span{names}.subspan(i + 1), older.front(), session))
            opponent.earlier.push_back({std::move(run)});
        opponent.starts = std::move(older);
        return opponent;
    }
    return std::nullopt;
}

/// A run that is named has to be there, and whole.
void check_compared(RunOptions const& options, fs::path const& all) {
    if (options.compare == "last" || options.compare == "none")
        return;
    auto const names = runs::run_names(all);
    if (std::find(names.begin(), names.end(), options.compare) == names.end())
        throw measure::UsageError(
            fmt::format("--compare: there is no run '{}' in '{}'", options.compare, all.string()));
    static_cast<void>(runs::starts_in(all / options.compare / "starts.jsonl"));
}

/// The joined record of the starts that count.
/// \param interrupted  signal that broke the run off; 0: none
std::string merged_record(runs::Answer const& answer, std::vector<std::string> const& command, int interrupted) {
    auto text = measure::json_line(merged_run(answer.in_states, answer.states_of_merged, command)) + "\n";
    for (auto const& record : answer.merged)
        text += measure::json_line(record) + "\n";
    measure::EndRecord end;
    if (interrupted != 0)
        end = {.status = "interrupted", .exit_code = 128 + interrupted};
    return text + measure::json_line(end) + "\n";
}

/// Folder, plan and campaign of a command that starts something.
class Run {
public:
    Run(RunOptions& options, program::Session& session)
        : o_{options}, session_{session}, all_{runs::runs_folder(options.folder)} {}

    void go() {
        auto const begin = runs::Campaign::Clock::now();
        if (o_.resume) {
            folder_.emplace(all_, *o_.resume);
            read_again(o_, folder_->command());
        }
        auto const name = folder_ ? folder_->name() : o_.name.empty() ? new_campaign() : o_.name;
        auto plan = runs::plan_of(o_, runs::surroundings(), name, all_);
        check_compared(o_, all_);
        auto const limits = o_.expect.empty() ? std::optional<runs::Limits>{} : runs::limits_from(o_.expect);
        if (o_.plan) {
            session_.text() << plan_text(o_, plan);
            return;
        }
        if (!o_.write_expect.empty())
            expected_.emplace("--write-expect", o_.write_expect, session_);
        if (!folder_) {
            auto const& words = session_.command();
            folder_.emplace(all_, name, std::vector<std::string>(std::next(words.begin()), words.end()));
        }
        auto const side = plan.sides.size() > 1 ? plan.sides.back().label : "";
        launcher_ = plan.launcher_note;
        auto outcome = runs::Campaign{o_, std::move(plan), *folder_, session_, begin}.run();
        finish(outcome, side, limits);
    }

private:
    void finish(runs::Outcome& outcome, std::string const& side, std::optional<runs::Limits> const& limits) {
        auto const& starts = outcome.starts.front();
        if (starts.empty()) {
            if (outcome.interrupted != 0)
                throw measure::Interrupted(outcome.interrupted);
            if (outcome.failures.empty())
                throw std::runtime_error("no start was complete");
            auto const why = fmt::format("{} ({}; what it printed is in '{}')", outcome.failures.front(), launcher_,
                                         folder_->file("start.log").string());
            if (outcome.is_refused)
                throw measure::UsageError(why);
            throw std::runtime_error(why);
        }
        auto const opponent =
            side.empty()
                ? opponent_of(o_, all_, folder_->name(), starts, session_)
                : std::optional{runs::Opponent{.name = side, .starts = outcome.starts.back(), .is_side = true}};
        program::put_off_exit();
        auto const answer = runs::answer(starts, opponent, alike_before(starts.front(), side));
        program::put_off_exit();
        warn_of_few(answer, outcome);
        if (opponent && !answer.comparison) {
            session_.warn(fmt::format("'{}' has no point that this run has: nothing is compared", opponent->name));
            session_.incomplete();
        } else if (!opponent && o_.compare != "last" && o_.compare != "none") {
            session_.warn(fmt::format("run '{}' has no complete start of that name: nothing is compared", o_.compare));
            session_.incomplete();
        } else if (!opponent && !o_.fail_on.empty()) {
            session_.warn("--fail-on: there is no earlier run to compare with");
        }
        runs::ScreenNotes notes{
            .notes = outcome.notes, .warnings = outcome.warnings, .colours = shows_colour(STDOUT_FILENO)};
        if (outcome.interrupted != 0)
            notes.notes.push_back(fmt::format("broken off; measure run --resume {} goes on", folder_->name()));
        try {
            keep(answer, notes, outcome.interrupted);
        } catch (std::exception const& error) {
            session_.fail(measure::error_text(error));
        }
        session_.text() << runs::screen(answer, notes);
        check(answer, limits);
        if (outcome.interrupted != 0)
            throw measure::Interrupted(outcome.interrupted);
        if (outcome.has_failed)
            throw std::runtime_error(fmt::format("the run ended early: {}", outcome.failures.back()));
        if (outcome.is_short || answer.starts < static_cast<std::size_t>(runs::fewest_starts) ||
            !outcome.failures.empty())
            session_.incomplete();
    }

    /// What intervals are to contain: of two sides nothing but the sides, and nothing where no other run is wanted.
    [[nodiscard]] std::vector<Launch> alike_before(Launch const& start, std::string const& side) const {
        if (!side.empty() || o_.compare == "none")
            return {};
        auto const names = runs::run_names(all_);
        auto const own = std::find(names.begin(), names.end(), folder_->name());
        return earlier_runs(all_, {own == names.end() ? own : own + 1, names.end()}, start, session_);
    }

    /// A comparison that could find nothing says nothing.
    static void warn_of_few(runs::Answer const& answer, runs::Outcome& outcome) {
        if (!answer.comparison)
            return;
        auto const starts = std::min(answer.compared.size(), answer.others.size());
        if (auto why = runs::too_few_starts(starts, answer.comparison->operations.size()))
            outcome.notes.insert(outcome.notes.begin(), std::move(*why));
    }

    /// \param interrupted  as of `merged_record`: somebody may go on with such a run
    void keep(runs::Answer const& answer, runs::ScreenNotes& notes, int interrupted) {
        auto const record = merged_record(answer, session_.command(), interrupted);
        program::write_file(session_.world(), folder_->file("merged.jsonl"), record);
        program::write_file(session_.world(), folder_->file("index.html"),
                            page::html_text(runs::page_of(answer, notes)));
        notes.places.emplace_back("Page", folder_->file("index.html").string());
        notes.places.emplace_back("Records", folder_->starts().string());
        if (interrupted == 0)
            keep_in_archive(record, notes);
    }

    /// What cannot be archived is still there: a warning, and less than was asked for.
    void keep_in_archive(std::string const& record, runs::ScreenNotes& notes) {
        if (!archive::is_built())
            return;
        auto const file = ((o_.folder.empty() ? all_.parent_path() : all_) / "archive.sqlite").string();
        try {
            archive::keep(file, record, folder_->name());
            notes.places.emplace_back("Archive", file);
        } catch (std::exception const& error) {
            session_.warn(fmt::format("not archived: {}", measure::error_text(error)));
            session_.incomplete();
        }
    }

    /// A change that the machine explains is no failure, but shows nothing to be in order either.
    void check_comparison(runs::Answer const& answer) {
        if (!answer.comparison)
            return;
        if (auto text = undecided(*answer.comparison); text && !o_.fail_on.empty()) {
            session_.incomplete();
            session_.warn(std::move(*text));
        }
        for (auto const& rule : o_.fail_on) {
            if (auto text = failure(rule, *answer.comparison)) {
                session_.check_failed();
                session_.warn(std::move(*text));
            }
        }
    }

    void check(runs::Answer const& answer, std::optional<runs::Limits> const& limits) {
        check_comparison(answer);
        if (limits)
            for (auto& text : runs::outside(*limits, answer)) {
                session_.check_failed();
                session_.warn(std::move(text));
            }
        if (expected_)
            write_limits(answer);
        if (o_.strict && answer.trust == runs::Trust::poor)
            session_.incomplete();
    }

    void write_limits(runs::Answer const& answer) {
        expected_->write(runs::limits_text(answer), session_.text());
        if (runs::has_limits(answer))
            return;
        session_.warn("--write-expect: no limit is written, because no value has an interval: give a longer --budget");
        session_.incomplete();
    }

    RunOptions& o_;
    program::Session& session_;
    fs::path all_;
    std::optional<runs::RunFolder> folder_{};
    std::string launcher_{};                 ///< what starts it, and how many ranks
    std::optional<Destination> expected_{};  ///< opened before anything is measured
};

/// Nothing is known here of the machine or of other runs.
void check_run(RunOptions const& options, program::CommonOptions const&, program::Supposed const& supposed) {
    static_cast<void>(runs::words_of("--against", options.against));
    if (!options.expect.empty())
        static_cast<void>(runs::limits_from_text(program::supposed_file(supposed, options.expect), options.expect));
}

}  // namespace

program::Suite run_command() {
    auto suite = local_suite(
        "measure run",
        "Measures MPI here: starts mpiperf again and again until the budget is spent, and says how good it is, how "
        "sure that is, and what has changed since last time.",
        program::prepared<RunOptions>(
            runs::declare,
            [](RunOptions& options, program::Session& session) {
                Run{options, session}.go();
            },
            check_run));
    // A start may rightly take longer than any limit: the program has its own.
    suite.common.defaults.watchdog = measure::seconds{0};
    return suite;
}

}  // namespace measure_tool
