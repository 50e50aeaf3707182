// SPDX-License-Identifier: BSD-3-Clause
/// Journal: a log of started, finished and crashed units. With it, a later launch resumes an interrupted run. Local.
/// Written by one process.
///
/// A text file with one event per line and fields separated by a blank. Control characters and '%', and blanks in all
/// fields except the last, are written as %XX:
///
///     RUN <id> <format> procs=<P> config=<text> out=<file> date=<ISO 8601>
///     BEGIN <unit>
///     POINT <unit> <text>                                       progress, for readers only
///     DONE <unit> offset=<bytes> record=<bytes>
///     SKIP <unit> offset=<bytes> record=<bytes> <reason>
///     ABANDON <unit> offset=<bytes> record=<bytes>
///     INTERRUPT <unit>
///     CRASH <unit> <count>
///     END <id>
///
/// A unit is a part of the run that is measured completely or not at all. Later runs append to the same file. Only the
/// text from the last RUN line on counts. `replay` converts the text to a state, and the caller decides what to do with
/// this state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// The line that begins a run.
struct JournalRun {
    std::string id{};             ///< identifier of the run; not empty
    int format = 1;               ///< version of the journal's format
    int processes = 1;            ///< number of ranks
    std::string configuration{};  ///< hash or text of all settings that decide what is measured
    std::string output{};         ///< name of the run's output file
    std::string date{};           ///< ISO 8601
    friend bool operator==(JournalRun const&, JournalRun const&) = default;  ///< compares all members
};

/// Sizes of the run's files in bytes when a unit was finished. A later launch truncates the files to these sizes.
struct JournalExtent {
    std::int64_t output = 0;  ///< size of the run's output file, bytes
    std::int64_t record = 0;  ///< size of the record, bytes; 0 if no record is written
    friend bool operator==(JournalExtent const&, JournalExtent const&) = default;  ///< compares both sizes
};

/// State of a unit. Interrupted and crashed units may be begun again, `finished` units may not.
///
///     BEGIN --> open -- DONE, SKIP, ABANDON -->                     done, skipped, abandoned
///               open -- INTERRUPT -->                               interrupted -- BEGIN --> open
///               open -- the process dies; next launch: CRASH -->    crashed     -- BEGIN --> open
///     not open -- SKIP, ABANDON -->                                 skipped, abandoned
struct JournalUnit {
    /// State by the last line that names the unit.
    enum class State {
        open,         ///< begun and not closed: the process died in it
        done,         ///< finished with a result
        skipped,      ///< finished without a measurement; there is a reason
        abandoned,    ///< given up after crashes
        interrupted,  ///< stopped by a signal
        crashed,      ///< the process died in it, and a later launch wrote the CRASH line
    };
    std::string name{};         ///< name, unique in the run
    State state = State::open;  ///< state by its last line
    int crashes = 0;            ///< crashes in this run, by the last CRASH line; an open unit is not counted
    std::string reason{};       ///< reason of a skipped unit
    [[nodiscard]] bool finished() const noexcept;  ///< done, skipped or abandoned: must not be begun again
};

/// Contents of a journal, for its last run.
struct JournalState {
    std::optional<JournalRun> run{};   ///< the last run; empty for an empty journal
    bool ended = false;                ///< whether the run's END line exists
    std::vector<JournalUnit> units{};  ///< in the order in which they were first named
    JournalExtent extent{};            ///< sizes after the last finished unit; zero if no unit is finished
    std::size_t intact = 0;            ///< bytes of the text before an incomplete last line

    /// Whether a run was begun and not ended.
    [[nodiscard]] bool unfinished() const noexcept { return run && !ended; }
    /// The unit of that name, or nullptr.
    [[nodiscard]] JournalUnit const* find(std::string_view name) const noexcept;
    /// Names of the units that were open when the last process died. Write a CRASH line for each of them before any
    /// other line.
    [[nodiscard]] std::vector<std::string> open() const;
};

/// Reads a journal. A pure function of its text. A last line without line end, or with an invalid event, was cut off by
/// a crash. It is ignored, and `intact` is its position.
/// \throws UsageError with line and error if an earlier line is invalid
[[nodiscard]] JournalState replay(std::string_view journal);

/// Hash of a text as 16 hexadecimal digits, for `JournalRun::configuration`.
[[nodiscard]] std::string fingerprint(std::string_view text);

/// Reason why a run cannot be resumed, such as "4 processes in the journal, 2 now". Empty if format, processes and
/// configuration agree. (Identifier, date and output file are always taken from the old run.)
[[nodiscard]] std::optional<std::string> difference(JournalRun const& before, JournalRun const& now);

/// Units that remain to be measured, in the order of recovery (SKaMPI paper): first the units that never crashed, in
/// the given order, then the crashed units, in ascending order of their crashes. An open unit counts as crashed.
/// \param units  all units, in file order
[[nodiscard]] std::vector<std::string> remaining(JournalState const& state, std::span<std::string const> units);

/// Writes a journal. Each event is one write(2). When the call returns, the event is on the disk (except progress), so
/// that the journal is always written before the step that it announces. The caller must sync the files before `done`,
/// `skip` or `abandon` writes their sizes. All calls throw std::system_error if the line cannot be written, and
/// UsageError for an empty name, text or reason. Move-only.
class Journal {
public:
    /// Opens or creates the file, truncates it to its intact part and appends to it.
    /// \param before  result of `replay` for the file's text; a default state if the file does not exist
    Journal(std::string const& path, JournalState const& before);
    /// Takes over the file. The moved-from object can only be destroyed or assigned to.
    Journal(Journal&& other) noexcept;
    /// Swaps the files of both objects.
    Journal& operator=(Journal&& other) noexcept;
    Journal(Journal const&) = delete;
    Journal& operator=(Journal const&) = delete;
    /// Closes the file. The run stays unfinished unless `end` was called.
    ~Journal();

    void run(JournalRun const& run);    ///< RUN: begins a run
    void begin(std::string_view unit);  ///< BEGIN: the measurement of the unit begins
    /// POINT: progress inside a unit. Not synced, because `replay` does not need it.
    void point(std::string_view unit, std::string_view text);
    /// DONE: the unit is finished, and the files have these sizes.
    void done(std::string_view unit, JournalExtent const& extent);
    /// SKIP: the unit is finished without a measurement.
    void skip(std::string_view unit, JournalExtent const& extent, std::string_view reason);
    /// ABANDON: the unit is abandoned after crashes.
    void abandon(std::string_view unit, JournalExtent const& extent);
    void interrupt(std::string_view unit);  ///< INTERRUPT: a signal stopped the unit
    /// CRASH: the unit was open when the last process died.
    /// \param count  number of crashes of the unit, including this one
    void crash(std::string_view unit, int count);
    void end(std::string_view id);  ///< END: the run with that identifier is complete

private:
    void line(std::string const& text) const;
    void synced_line(std::string const& text) const;
    void release() noexcept;

    int descriptor_ = -1;
};

}  // namespace measure
#pragma GCC visibility pop
