// SPDX-License-Identifier: BSD-3-Clause
/// Run files: the output file and the log of a run, which may take several starts: after a crash the program is simply
/// started again.
#pragma once

#include "program/runtime/file_lock.hpp"

#include <measure/journal.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skampi {

/// What a start has to do, by what the log says.
struct Start {
    bool resumes = false;
    measure::JournalRun run{};        ///< the new one, or the one that is gone on with
    measure::JournalExtent extent{};  ///< what is kept of its files
    std::vector<std::pair<std::string, int>>
        crashed{};                       ///< died in by the start before, with the number of crashes now
    std::vector<std::string> measure{};  ///< what is left, in order
    std::vector<std::string> abandon{};  ///< crashed ones that are given up
};

struct StartOptions {
    bool fresh = false;         ///< a new run, whatever the log says
    bool skip_crashed = false;  ///< crashed measurements are given up
};

/// What the text of a log says. Pure.
/// \throws measure::UsageError naming the path where it is no log, or where a line before the last makes no sense
[[nodiscard]] measure::JournalState state_of(std::string const& path, std::string_view text);

/// Pure. \param now  this run, were it new  \param names  of all measurements, in file order
/// \param output_size  bytes of the output file that the log names; nothing where there is none
/// \throws measure::UsageError where an unfinished run does not fit this one
[[nodiscard]] Start plan_start(measure::JournalState const& log, measure::JournalRun const& now,
                               std::span<std::string const> names, std::optional<std::int64_t> output_size,
                               StartOptions const& options);

/// The first of NAME, NAME.1, NAME.2 .. that does not exist. \throws measure::UsageError where NAME is a directory
[[nodiscard]] std::string unused_name(std::string const& name);

/// What stands in a file; nothing where there is none. \throws measure::UsageError where it cannot be read
[[nodiscard]] std::string text_of(std::string const& path);

/// \throws measure::UsageError where a file of that name could not be read and written
void require_writable(std::string const& path);

/// A file and what it is for: {"the log", "skampi.log"}.
using NamedFile = std::pair<std::string, std::string>;
/// \throws measure::UsageError where two of them are one file; without a name a file is not asked for
void require_different(std::span<NamedFile const> files);

/// The open files of a run; one process's. Every step is on the disk before the log says so. All functions throw
/// std::runtime_error when a file cannot be written.
class RunFiles {
public:
    /// Opens both, notes the run or its crashes in the log, and writes the head where there is none yet.
    RunFiles(std::string const& log, measure::JournalState const& state, Start const& start, std::string_view head);
    RunFiles(RunFiles const&) = delete;
    RunFiles& operator=(RunFiles const&) = delete;
    ~RunFiles();

    void begin(std::string_view name) { journal_.begin(name); }
    void point(std::string_view name, std::string_view text) { journal_.point(name, text); }
    void interrupt(std::string_view name) { journal_.interrupt(name); }

    /// How a measurement ended. \param record  bytes of the record
    void done(std::string_view name, std::string_view block, std::int64_t record);
    void skip(std::string_view name, std::string_view block, std::int64_t record, std::string_view reason);
    void abandon(std::string_view name, std::string_view block, std::int64_t record);

    /// Closes the run.
    void finish(std::string_view tail);
    /// All that the output file has so far.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    [[nodiscard]] measure::JournalExtent append(std::string_view text, std::int64_t record);
    void open(Start const& start);

    std::string path_;
    std::string id_;
    measure::Journal journal_;
    int output_ = -1;
    program::FileLock lock_{};  ///< of the output file
};

}  // namespace skampi
