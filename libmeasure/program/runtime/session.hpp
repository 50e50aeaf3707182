// SPDX-License-Identifier: BSD-3-Clause
/// Session: the interface of a suite's body to the run: ranks, common options, record, text, warnings, progress,
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

/// Made by `run_main`, one per run. Functions are local unless marked as collective. Functions that write act on the
/// root only, so a suite can call them on all ranks.
class Session {
public:
    /// Opens the record. Collective. \throws measure::UsageError on all ranks if it cannot be written
    Session(measure::Comm const& world, Agreement& agreement, Watchdog& watchdog, Suite const& suite,
            CommonOptions common, std::vector<std::string> command);
    ~Session();
    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;

    [[nodiscard]] measure::Comm const& world() const noexcept { return world_; }
    [[nodiscard]] CommonOptions const& common() const noexcept { return common_; }
    /// Whether the run will end with an error at the next `meet`.
    [[nodiscard]] bool has_failed() const noexcept { return failed_; }
    /// Writes every sample to the record, as with --raw. Local; call it before `begin`.
    void keep_samples() noexcept { common_.raw = true; }
    [[nodiscard]] std::vector<std::string> const& command() const noexcept { return command_; }

    /// Stream of the suite's own text: stdout, or stderr with `--json -`. Ranks other than the root drop the text.
    /// Erases the progress line first.
    [[nodiscard]] std::ostream& text() {
        erase_progress();
        return *text_;
    }
    /// Erases the progress line on a terminal. For code that keeps the stream of `text`.
    void erase_progress();

    /// Prints "PROGRAM: warning: TEXT" unless --quiet. Warnings before `begin` are also written to the run record.
    /// Repeated warnings are dropped. Call it on the root or on all ranks.
    void warn(std::string text);

    /// Prints remarks about the suite's text on stderr, after the text written so far. Nothing with --quiet. Call it on
    /// the root or on all ranks. \param lines  each with its newline
    void remark(std::string const& lines);

    /// Prints a permanent line on a terminal that shows the progress; nothing elsewhere. Local.
    void tell_watcher(std::string_view text);

    /// All warnings of this session, printed or not.
    [[nodiscard]] std::vector<std::string> const& warnings() const noexcept { return warnings_; }

    /// The value of a MEASURE_TEST_* variable, the same on every rank; warns when it is active. Collective.
    [[nodiscard]] std::optional<std::string> test_hook(std::string const& name);

    /// Adds a suite-specific field to the run line. Call it before `begin`.
    void add_to_run(std::string name, measure::Value value) { more_.emplace_back(std::move(name), std::move(value)); }

    /// Begins the record with its run line, then the other outputs. Until this call the files keep their old content.
    /// Collective; call it once, before the first point, after the suite has checked its options and opened its files.
    /// \param options  the suite's resolved options; the common options are added
    /// \param resume_at  > 0: resumes a run that was killed. A record file with at least this many bytes is truncated
    ///                   to this length and gets no second run line. The root's value is used.
    /// \return the environment, complete on the root
    /// \throws std::runtime_error on all ranks if a file cannot be truncated
    measure::Environment const& begin(measure::AnyTimer const& timer, measure::Value options,
                                      std::optional<measure::SyncReport> clock_sync = {}, std::int64_t resume_at = 0);

    /// Overload for programs that combine existing results: the run line is written as given, without the common
    /// options. Collective.
    measure::Environment const& begin(measure::Environment run);

    /// Writes buffered text to the file. A write error is a failure (`fail`).
    void flush(OutputFile& file);
    /// Finishes the file (`OutputFile::finish`). A write error is a failure (`fail`).
    void finish(OutputFile& file);

    /// Writes the record to the disk. \return its size in bytes on the root; 0 on other ranks and if it is not a file
    [[nodiscard]] std::int64_t sync_record();

    /// Writes a point to the record, flushes the text and counts the point for the progress. The run is incomplete if
    /// the point is skipped, has no valid samples, was cut short by the time budget or, with --strict, had inaccurate
    /// clocks. A crashed point makes the run fail at its end.
    void point(measure::Record const& record);
    /// Overload with the measurement of the point. If its data are wrong, this is a failed check.
    void point(measure::Record const& record, measure::Measurement const& m);
    /// Writes a second measurement of the same point, with synchronised starts, to `derived.synchronised` of its
    /// record. Its clock flags are added to the flags of the record. Without a valid sample the run is incomplete.
    /// Root. \param factor  multiplies its times
    void add_synchronised(measure::Record& record, measure::Measurement const& m, double factor = 1);
    /// Writes a point that the suite's rules skip. It does not make the run incomplete.
    void left_out(measure::Record const& record);
    void summary(measure::Summary const& summary);
    /// Sets the residual of the record's end line. \param residual  result of measure::residual
    void clock_sync_residual(std::optional<measure::Residual> residual) noexcept { residual_ = residual; }

    /// These determine the exit code, on which all ranks agree at the end.
    void incomplete() noexcept { incomplete_ = true; }      ///< 4: less was measured than requested
    void check_failed() noexcept { check_failed_ = true; }  ///< 3: a requested check failed
    /// For a program that starts another one: sets that program's exit code, used if no other error occurs.
    void ended_with(int code) noexcept { code_ = code; }
    /// 1: the run failed on this rank. Requests all ranks to stop at the next decision point, and returns. The first
    /// text is the error line.
    void fail(std::string text);

    /// Sets the number of points to come, for the progress. Call it again when a better number is known.
    /// \param things  plural noun for the counted units of a program without points
    void plan(std::int64_t points, std::string_view things = "points") { progress_.plan(points, things); }
    /// Counts one of these units as done. `point` calls it for points.
    void done() noexcept { progress_.done(); }
    /// Sets an intermediate result to show in the progress on a terminal: "Bcast 1 us".
    void found(std::string words) { progress_.found(std::move(words)); }
    /// Names the next measurement, for progress and watchdog: "Bcast bytes=8".
    void next(std::string const& what);
    /// Reports that a step is finished (a batch, a file operation): resets the watchdog and prints progress if it is
    /// due. `control` calls it automatically. The root is always watched. Other ranks are watched from this call, or
    /// from their first body, until the next `next` or `meet`.
    void alive();

    /// Changes the watchdog's limit, for suites whose options determine the allowed duration of a point. Do not call it
    /// if the user has given a limit. Call it on all ranks. \param limit  > 0
    void change_watchdog(measure::seconds limit);

    /// A decision point of all ranks, to be called between points. Collective over the world. Ranks without work wait
    /// in it; they do not spin, and the watchdog ignores them.
    /// \return true: the time budget is spent; record the remaining points as skipped
    /// \throws measure::Interrupted on all ranks, and Dismissed on ranks that wait while the others leave the run
    [[nodiscard]] bool meet();

    /// For measure::Plan: stop flag, watchdog, progress, deadline. Refers to this session, which must outlive it.
    [[nodiscard]] measure::Control control();

    // For `run_main`.

    /// The result of a body that has returned. On the root it is a failure if the suite's text could not be written.
    struct Result {
        int code = 0;
        std::string failure;  ///< the text given to `fail`
    };
    [[nodiscard]] Result result();
    /// Writes the record's end line and syncs the record to the disk, if there is a record. \throws std::runtime_error
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
    /// Updates the exit code from the status and the flags of a point.
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
    bool shows_progress_ = false;  ///< whether an erasable progress line is visible
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

/// Warns if ranks outnumber cores, then calls `warn_of_quota`. Call it before `Session::begin`. Collective.
void warn_of_oversubscription(Session& session);

/// Warns if control groups grant less processor time than the ranks of a host use. Call it before `Session::begin`.
/// Collective. \param busy  number of threads or processes per rank that compute at the same time
void warn_of_quota(Session& session, int busy = 1);

/// The callback of a sweep before each point: all ranks meet, and the session names the point (`next`).
[[nodiscard]] std::function<void(measure::Benchmark const&, measure::Point const&)> before_point(Session& session);

}  // namespace program
