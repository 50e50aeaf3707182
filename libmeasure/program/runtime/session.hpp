// SPDX-License-Identifier: BSD-3-Clause
/// Session: what a suite's body gets of the run around it: ranks, common options, record, text, warnings, progress,
/// control.
#pragma once

#include "program/cli/options.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/progress.hpp"

#include <measure/benchmark.hpp>
#include <measure/clock_sync.hpp>
#include <measure/comm.hpp>
#include <measure/control.hpp>
#include <measure/environment.hpp>
#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/report.hpp>
#include <measure/timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace program {

class Agreement;
class Watchdog;
struct Suite;

/// Made by `run_main`, one per run. Functions are local unless they say "collective"; those that write act on the root
/// and do nothing on the other ranks, so that a suite calls them on all.
class Session {
public:
    /// Opens the record. Collective. \throws measure::UsageError on all ranks where it cannot be written
    Session(measure::Comm const& world, Agreement& agreement, Watchdog& watchdog, Suite const& suite,
            CommonOptions common, std::vector<std::string> command);
    ~Session();
    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;

    [[nodiscard]] measure::Comm const& world() const noexcept { return world_; }
    [[nodiscard]] CommonOptions const& common() const noexcept { return common_; }
    /// Whether the run is to end with an error, at the next meeting.
    [[nodiscard]] bool has_failed() const noexcept { return failed_; }
    /// Every sample goes into the record from now on, as with --raw. Local; to be called before `begin`.
    void keep_samples() noexcept { common_.raw = true; }
    [[nodiscard]] std::vector<std::string> const& command() const noexcept { return command_; }

    /// Where the suite's own text goes: stdout, or stderr with `--json -`. Dropped on other ranks than the root.
    /// What is shown of the progress is gone before.
    [[nodiscard]] std::ostream& text() {
        erase_progress();
        return *text_;
    }
    /// Takes the progress from a terminal; for those who keep the stream of `text`.
    void erase_progress();

    /// Prints "PROGRAM: warning: TEXT" unless --quiet. A warning that comes before `begin` stands in the run record
    /// too; one that was given already is not repeated. To be called on the root or on all ranks.
    void warn(std::string text);

    /// Lines about the suite's text that do not belong to it, each with its end: on stderr, after the text before them.
    /// Nothing with --quiet. To be called on the root or on all ranks.
    void remark(std::string const& lines);

    /// A line that stays on a terminal which shows the progress; nothing elsewhere. Local.
    void tell_watcher(std::string_view text);

    /// All warnings so far, printed or not.
    [[nodiscard]] std::vector<std::string> const& warnings() const noexcept { return warnings_; }

    /// The value of a MEASURE_TEST_* variable, the same on every rank; warns when it is active. Collective.
    [[nodiscard]] std::optional<std::string> test_hook(std::string const& name);

    /// Adds a field of the suite's own to the run line, before `begin`.
    void add_to_run(std::string name, measure::Value value) { more_.emplace_back(std::move(name), std::move(value)); }

    /// Begins the record with its run line, and then the other outputs, whose old content is kept until here.
    /// Collective; once, before the first point, after the suite has checked its options and opened its files.
    /// \param options  the suite's resolved options; the common ones are added
    /// \param resume_at  > 0: the run goes on with one that was killed: a record file that has at least so many bytes
    ///                   is cut back to them and gets no second run line; the root's number counts
    /// \return the environment, complete on the root
    /// \throws std::runtime_error on all ranks where a file cannot be cut
    measure::Environment const& begin(measure::AnyTimer const& timer, measure::Value options,
                                      std::optional<measure::SyncReport> clock_sync = {}, std::int64_t resume_at = 0);

    /// The same for a program that joins what others measured: the run line is as given, the common options are not
    /// added. Collective.
    measure::Environment const& begin(measure::Environment run);

    /// Writes out what is buffered. What cannot be written is a failure (`fail`).
    void flush(OutputFile& file);
    /// The same, and gives a file that appears when it is whole its name.
    void finish(OutputFile& file);

    /// Brings the record to the disk. \return its bytes on the root; 0 where it is no file, and on the other ranks
    [[nodiscard]] std::int64_t sync_record();

    /// Writes a point to the record, flushes the text and counts it for the progress. A point that is
    /// skipped, has no valid samples or was cut short by the time budget makes the run incomplete, with --strict also
    /// one whose clocks were not good enough; a crashed one makes it fail in the end.
    void point(measure::Record const& record);
    /// The same for what was measured with these options: one whose data are wrong is a failed check.
    void point(measure::Record const& record, measure::Measurement const& m);
    /// Puts a second measurement of the same point, with synchronised starts, into `derived.synchronised` of its
    /// record. Flags about the clocks are flags of the record too; without a valid sample the run is incomplete.
    /// Root. \param factor  by which its times are multiplied
    void add_synchronised(measure::Record& record, measure::Measurement const& m, double factor = 1);
    /// Writes a point that the suite's own rules leave out; it is not missed.
    void left_out(measure::Record const& record);
    void summary(measure::Summary const& summary);
    /// For the record's end line. \param residual  what measure::residual returned
    void clock_sync_residual(std::optional<measure::Residual> residual) noexcept { residual_ = residual; }

    /// Notes for the exit code, which all ranks agree on in the end.
    void incomplete() noexcept { incomplete_ = true; }      ///< 4: less than was asked for
    void check_failed() noexcept { check_failed_ = true; }  ///< 3: a requested check failed
    /// Of a program that starts another one: that one's exit code, where nothing else has gone wrong.
    void ended_with(int code) noexcept { code_ = code; }
    /// 1: the run failed on this rank. Asks all ranks to stop at the next decision point, and returns. The first text
    /// is the error line.
    void fail(std::string text);

    /// Number of points to come, for the progress. Once, or again when it is known better.
    /// \param things  what a program counts that has no points
    void plan(std::int64_t points, std::string_view things = "points") { progress_.plan(points, things); }
    /// One of those things is done. Points count by themselves (`point`).
    void done() noexcept { progress_.done(); }
    /// What has come out so far, for the progress on a terminal: "Bcast 1 us".
    void found(std::string words) { progress_.found(std::move(words)); }
    /// Names what is measured from now on, for progress and watchdog: "Bcast bytes=8".
    void next(std::string const& what);
    /// Something was finished (a batch, a file step): puts the watchdog off, prints progress where it is due. `control`
    /// does so by itself. The root is always watched; other ranks from here, or from their first body, to the next
    /// `next` or `meet`.
    void alive();

    /// Another limit for the watchdog, where a suite knows only from its options how long a point may rightly take; not
    /// to be called where the user has given one. On all ranks. \param limit  > 0
    void change_watchdog(measure::seconds limit);

    /// A decision point of all ranks, to be put between points. Collective over the world; ranks that have nothing to
    /// measure wait in it, without spinning and not watched.
    /// \return true: the time budget is spent, so the points that are left are to be recorded as skipped
    /// \throws measure::Interrupted on all ranks, and Dismissed on ranks that wait while the others leave the run
    [[nodiscard]] bool meet();

    /// For measure::Plan: stop flag, watchdog, progress, deadline. Refers to this session.
    [[nodiscard]] measure::Control control();

    // For `run_main`.

    /// How the body ended that has returned. Root: complains where the suite's text could not be written.
    struct Result {
        int code = 0;
        std::string failure;  ///< the text given to `fail`
    };
    [[nodiscard]] Result result();
    /// Writes the record's end line and brings it to the disk, if there is one. \throws std::runtime_error
    void end(int code, std::string const& message);

private:
    [[nodiscard]] measure::seconds elapsed() const noexcept;
    [[nodiscard]] bool budget_spent() const noexcept;
    void between_points();
    [[nodiscard]] std::string record_option() const;
    template <class Work>
    void all_ranks(Work work);
    void begin_outputs(std::int64_t resume_at);
    void begin_record(std::int64_t resume_at);
    void warn_of_outputs();
    [[nodiscard]] bool stopped_by_budget(measure::Record const& record) const;
    void close_record() noexcept;
    void note_failure(std::string text);
    using Line = std::function<void(measure::JsonLinesSink&)>;
    /// Sets the exit code by the status and the flags of a point.
    void judge(measure::Record const& record);
    void write_point(measure::Record const& record);
    void write_record(Line const& line);
    void write_line(Line const& line);

    measure::Comm const& world_;
    Agreement& agreement_;
    Watchdog& watchdog_;
    Suite const& suite_;
    CommonOptions common_;
    std::vector<std::string> command_;
    std::chrono::steady_clock::time_point started_ = measure::SteadyClock::now();
    std::ostream dropped_{nullptr};
    std::ostream* text_;
    Progress progress_;
    ProgressPlace progress_place_;
    bool shows_progress_ = false;  ///< a line that can be erased
    measure::Environment environment_{};
    std::vector<std::string> warnings_{};
    measure::Value::Object more_{};
    HeldOutputs outputs_{};
    OutputFile record_{};  ///< root only
    std::optional<measure::Residual> residual_{};
    bool incomplete_ = false;
    bool check_failed_ = false;
    int code_ = 0;
    bool failed_ = false;
    std::string failure_{};
};

/// Warns where ranks outnumber cores, and as `warn_of_quota`. Before the run's record begins. Collective.
void warn_of_oversubscription(Session& session);

/// Warns where control groups grant less processor time than the ranks of a host use. Before the run's record begins.
/// Collective. \param busy  threads or processes of each rank that compute at once
void warn_of_quota(Session& session, int busy = 1);

/// What a sweep does before each point: all ranks meet, progress and watchdog learn what is measured.
[[nodiscard]] std::function<void(measure::Benchmark const&, measure::Point const&)> before_point(Session& session);

}  // namespace program
