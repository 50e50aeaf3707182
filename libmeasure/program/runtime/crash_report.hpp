// SPDX-License-Identifier: BSD-3-Clause
/// Crash report: the error line and the record's end line, written by a process that must end at once, inside a signal
/// handler or while it exits: a signal has interrupted it, it hangs, or the MPI library has called exit. A crash
/// (SIGSEGV, SIGABRT ..) is left to the system: a rank that dies of it writes nothing.
///
/// State of the process in static storage. The functions marked so are async-signal-safe: they compose in a local
/// buffer and use write(2) and nothing else.
#pragma once

#include <string_view>

namespace program::crash_report {

/// Who speaks. Starts the clock of the end line's `elapsed`. Names are cut to 63 bytes.
void introduce(std::string_view program, int rank) noexcept;

/// Descriptor of the record; -1: there is none.
void record_to(int descriptor) noexcept;

/// Takes the record away from the crash report. \return false where there was none, or its end line is written
[[nodiscard]] bool take_record() noexcept;

/// While one exists, the record has half a line at its end and no end line is added.
class WritingRecord {
public:
    WritingRecord() noexcept;
    ~WritingRecord();
    WritingRecord(WritingRecord const&) = delete;
    WritingRecord& operator=(WritingRecord const&) = delete;
    /// false: there is no record, or a handler has ended it.
    [[nodiscard]] static bool open() noexcept;
};

/// What is measured now: "Bcast bytes=8". Cut to 255 bytes.
void place(std::string_view text) noexcept;

/// Whether this rank is inside the samples of a stage. Async-signal-safe.
void in_body(bool inside) noexcept;
/// Whether this rank is not the root, and outside of a body. Async-signal-safe.
[[nodiscard]] bool waits_for_root() noexcept;

/// The watchdog's limit as text: "10 min". Cut to 63 bytes.
void limit(std::string_view text) noexcept;

/// Root: the line "PROGRAM: error: interrupted by SIGTERM", the end line of an interrupted run. Async-signal-safe.
void interrupted(int signal) noexcept;

/// Any rank: the line "PROGRAM: error: TEXT"; root: the end line of a failed run. Async-signal-safe.
void failed(char const* text) noexcept;

/// Any rank: the line "PROGRAM: error: the MPI library has called exit: rank 3 at Bcast bytes=8"; root: the end line of
/// a failed run. Async-signal-safe.
void ended_by_exit() noexcept;

/// Root and ranks inside a body: the line "PROGRAM: error: no progress for 10 min: rank 3 in the body of Bcast
/// bytes=8"; root: the end line of a failed run. Async-signal-safe.
void no_progress() noexcept;

/// Root: the line that MPI_Finalize does not return and that the results are complete. Async-signal-safe.
void not_finalized() noexcept;

/// Time from the crash report to _exit, about one second, so that all ranks can speak before a launcher kills them: up
/// to a whole second of the wall clock, so that all leave together and hydra sees their code and not that of those it
/// has killed. Async-signal-safe.
[[nodiscard]] double exit_grace_seconds() noexcept;

/// "SIGINT". Async-signal-safe.
[[nodiscard]] char const* signal_name(int signal) noexcept;

}  // namespace program::crash_report
