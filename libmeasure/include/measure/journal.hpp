// SPDX-License-Identifier: BSD-3-Clause
/// Journal: what a run began, finished and crashed in, so that a later start goes on where it was killed. Local;
/// written by one process.
///
/// A text file, one event per line, fields separated by a blank. Control characters and '%' stand as %XX, and so does a
/// blank inside a field that is not the last:
///
///     RUN <id> <format> procs=<P> config=<text> out=<file> date=<ISO 8601>
///     BEGIN <unit>
///     POINT <unit> <text>                                       progress, for people
///     DONE <unit> offset=<bytes> record=<bytes>
///     SKIP <unit> offset=<bytes> record=<bytes> <reason>
///     ABANDON <unit> offset=<bytes> record=<bytes>
///     INTERRUPT <unit>
///     CRASH <unit> <count>
///     END <id>
///
/// A unit is whatever is measured whole or not at all. Later runs append to the same file; what stands after the last
/// RUN counts. `replay` turns the text into a state; what follows from the state is the caller's decision.
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

/// The line that opens a run.
struct JournalRun {
    std::string id{};             ///< names the run; not empty
    int format = 1;               ///< version of the journal's format
    int processes = 1;            ///< ranks
    std::string configuration{};  ///< hash or text of everything that decides what is measured
    std::string output{};         ///< name of the run's output file
    std::string date{};           ///< ISO 8601
    friend bool operator==(JournalRun const&, JournalRun const&) = default;  ///< in all fields
};

/// How long the run's files were when a unit was finished, bytes: a later start cuts them back to this.
struct JournalExtent {
    std::int64_t output = 0;                                                       ///< of the run's output file
    std::int64_t record = 0;                                                       ///< 0 where no record is written
    friend bool operator==(JournalExtent const&, JournalExtent const&) = default;  ///< in both lengths
};

/// What became of a unit. One that is interrupted or crashed may be begun again; `finished` ones are not.
///
///     BEGIN --> open -- DONE, SKIP, ABANDON -->                     done, skipped, abandoned
///               open -- INTERRUPT -->                               interrupted -- BEGIN --> open
///               open -- the process dies; CRASH by the next -->     crashed     -- BEGIN --> open
///     not open -- SKIP, ABANDON -->                                 skipped, abandoned
struct JournalUnit {
    /// By the last line that names the unit.
    enum class State {
        open,         ///< begun and not closed: the process died in it
        done,         ///< finished, with what it measured
        skipped,      ///< finished without a measurement, for a reason
        abandoned,    ///< finished: given up after its crashes
        interrupted,  ///< stopped by a signal, not by its own fault
        crashed,      ///< closed by a later start
    };
    std::string name{};                            ///< unique in the run
    State state = State::open;                     ///< by its last line
    int crashes = 0;                               ///< how often it crashed in this run, an open one not counted
    std::string reason{};                          ///< of a skipped one
    [[nodiscard]] bool finished() const noexcept;  ///< done, skipped or abandoned: not to be begun again
};

/// What a journal says about its last run.
struct JournalState {
    std::optional<JournalRun> run{};   ///< nothing in an empty journal
    bool ended = false;                ///< its END line is there
    std::vector<JournalUnit> units{};  ///< in the order in which they were first named
    JournalExtent extent{};            ///< after the unit that was finished last; zero where none was
    std::size_t intact = 0;            ///< bytes of the text before a torn last line

    /// A run was begun and not ended.
    [[nodiscard]] bool unfinished() const noexcept { return run && !ended; }
    /// The unit of that name, or nullptr.
    [[nodiscard]] JournalUnit const* find(std::string_view name) const noexcept;
    /// Names of the units that the last process died in: each deserves a CRASH line before anything else is written.
    [[nodiscard]] std::vector<std::string> open() const;
};

/// Reads a journal. A pure function of its text. A last line that has no line end or makes no sense was torn by a crash
/// and is left out; `intact` says where it begins.
/// \throws UsageError naming line and fault for an earlier line that makes no sense
[[nodiscard]] JournalState replay(std::string_view journal);

/// 16 hexadecimal digits that stand for a text: for `JournalRun::configuration`.
[[nodiscard]] std::string fingerprint(std::string_view text);

/// Why a run cannot be gone on with, "4 processes in the journal, 2 now"; nothing where format, processes and
/// configuration agree. (Identifier, date and output file are the old run's in any case.)
[[nodiscard]] std::optional<std::string> difference(JournalRun const& before, JournalRun const& now);

/// What is left to do, in the order in which a recovery does it (SKaMPI paper): units that never crashed as given, then
/// the crashed ones, fewest crashes first. An open unit counts as crashed. \param units  all units, in file order
[[nodiscard]] std::vector<std::string> remaining(JournalState const& state, std::span<std::string const> units);

/// Writes a journal. Each event is one write(2); it is on the disk when the call returns (but for progress), so that
/// the journal is never behind the step that it announces. Whoever calls `done`, `skip` or `abandon` has synced the
/// files whose extent it names. All calls throw std::system_error when the line cannot be written, and UsageError for
/// an empty name, text or reason. Move-only.
class Journal {
public:
    /// Opens or creates the file, cuts it back to the intact part and appends from there on.
    /// \param before  what `replay` made of the file's text; a default state for a file that does not exist
    Journal(std::string const& path, JournalState const& before);
    /// What is moved from has no file: only to be destroyed or assigned to.
    Journal(Journal&& other) noexcept;
    /// The two change files.
    Journal& operator=(Journal&& other) noexcept;
    Journal(Journal const&) = delete;
    Journal& operator=(Journal const&) = delete;
    /// Closes the file. Without `end` the run stays unfinished.
    ~Journal();

    void run(JournalRun const& run);    ///< RUN: opens a run
    void begin(std::string_view unit);  ///< BEGIN: the unit is measured from now on
    /// Progress inside a unit. Not synced: `replay` does not need it.
    void point(std::string_view unit, std::string_view text);
    /// DONE: the unit is finished, and the files are so long now.
    void done(std::string_view unit, JournalExtent const& extent);
    /// SKIP: the unit is finished without a measurement.
    void skip(std::string_view unit, JournalExtent const& extent, std::string_view reason);
    /// ABANDON: the unit is given up after its crashes.
    void abandon(std::string_view unit, JournalExtent const& extent);
    void interrupt(std::string_view unit);  ///< INTERRUPT: a signal stopped the unit
    /// CRASH: the unit was open when the last process died.
    /// \param count  how often the unit has crashed now, this time included
    void crash(std::string_view unit, int count);
    void end(std::string_view id);  ///< END: the run of that identifier is complete

private:
    void line(std::string const& text) const;
    void synced_line(std::string const& text) const;
    void release() noexcept;

    int descriptor_ = -1;
};

}  // namespace measure
#pragma GCC visibility pop
