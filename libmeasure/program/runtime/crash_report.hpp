// SPDX-License-Identifier: BSD-3-Clause
/// Crash report: writes the error line and the record's end line when a process must end at once, in a signal handler
/// or in exit. The reasons are a signal, a hang, or an MPI library that calls exit. A crash (SIGSEGV, SIGABRT ..) is
/// left to the system: a crashed rank writes nothing.
///
/// The state is per process, in static storage. Functions marked as async-signal-safe compose text in a local buffer
/// and only call write(2).
#pragma once

#include <string_view>

namespace program::crash_report {

/// Sets the program's name and the rank for the lines, and starts the clock of the end line's `elapsed`. Names are cut
/// to 63 bytes.
void introduce(std::string_view program, int rank) noexcept;

/// Sets the descriptor of the record; -1: no record.
void record_to(int descriptor) noexcept;

/// Detaches the record from the crash report. \return false without a record, or if its end line is already written
[[nodiscard]] bool take_record() noexcept;

/// While an object exists, the record may end with an incomplete line, so the crash report adds no end line.
class WritingRecord {
public:
    WritingRecord() noexcept;
    ~WritingRecord();
    WritingRecord(WritingRecord const&) = delete;
    WritingRecord& operator=(WritingRecord const&) = delete;
    /// Whether the record can be written. false: no record, or a handler has written its end line.
    [[nodiscard]] static bool open() noexcept;
};

/// Sets the current measurement: "Bcast bytes=8". Cut to 255 bytes.
void place(std::string_view text) noexcept;

/// Sets whether this rank is inside the samples of a stage. Async-signal-safe.
void in_body(bool inside) noexcept;
/// Whether this rank is not the root, and outside of a body. Async-signal-safe.
[[nodiscard]] bool waits_for_root() noexcept;

/// Sets the watchdog's limit as text: "10 min". Cut to 63 bytes.
void limit(std::string_view text) noexcept;

/// On the root, writes the line "PROGRAM: error: interrupted by SIGTERM" and the end line of an interrupted run.
/// Async-signal-safe.
void interrupted(int signal) noexcept;

/// Writes the line "PROGRAM: error: TEXT"; on the root, also the end line of a failed run. Async-signal-safe.
void failed(char const* text) noexcept;

/// Writes the line "PROGRAM: error: the MPI library has called exit: rank 3 at Bcast bytes=8"; on the root, also the
/// end line of a failed run. Async-signal-safe.
void ended_by_exit() noexcept;

/// On the root and on ranks inside a body, writes the line "PROGRAM: error: no progress for 10 min: rank 3 in the body
/// of Bcast bytes=8"; on the root, also the end line of a failed run. Async-signal-safe.
void no_progress() noexcept;

/// On the root, writes a line saying that MPI_Finalize does not return and that the results are complete.
/// Async-signal-safe.
void not_finalized() noexcept;

/// Time from the crash report to _exit, about one second, so that all ranks can write before a launcher kills them. It
/// ends at a whole second of the wall clock: all ranks exit together, and hydra sees their exit code instead of the
/// code of ranks that it killed. Async-signal-safe.
[[nodiscard]] double exit_grace_seconds() noexcept;

/// "SIGINT". Async-signal-safe.
[[nodiscard]] char const* signal_name(int signal) noexcept;

}  // namespace program::crash_report
