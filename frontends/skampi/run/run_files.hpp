// SPDX-License-Identifier: BSD-3-Clause
/// Run files: the output file and the log of a run. A run can take several launches: after a crash, the same command
/// resumes it.
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

/// The tasks of a launch according to the log.
struct Start {
    bool resumes = false;
    measure::JournalRun run{};        ///< the new run, or the run that is resumed
    measure::JournalExtent extent{};  ///< length of its files that is kept
    std::vector<std::pair<std::string, int>>
        crashed{};  ///< measurements in which the previous launch died, with their number of crashes
    std::vector<std::string> measure{};  ///< measurements to make, in order
    std::vector<std::string> abandon{};  ///< crashed measurements to skip
};

struct StartOptions {
    bool fresh = false;         ///< start a new run even if the log has an unfinished one
    bool skip_crashed = false;  ///< skip crashed measurements
};

/// Reads the state of a run from the text of a log. Pure.
/// \throws measure::UsageError with the path, if the file is not a log or a line before the last one is invalid
[[nodiscard]] measure::JournalState state_of(std::string const& path, std::string_view text);

/// Decides what this launch does. Pure. \param now  this run, if it is new  \param names  of all measurements, in file
/// order
/// \param output_size  bytes of the output file named in the log, or nothing if it does not exist
/// \throws measure::UsageError if an unfinished run does not match this one
[[nodiscard]] Start plan_start(measure::JournalState const& log, measure::JournalRun const& now,
                               std::span<std::string const> names, std::optional<std::int64_t> output_size,
                               StartOptions const& options);

/// Returns the first of NAME, NAME.1, NAME.2 .. that does not exist. \throws measure::UsageError if NAME is a directory
[[nodiscard]] std::string unused_name(std::string const& name);

/// Returns the content of a file, empty if it does not exist. \throws measure::UsageError if it cannot be read
[[nodiscard]] std::string text_of(std::string const& path);

/// \throws measure::UsageError if a file of this name cannot be read and written
void require_writable(std::string const& path);

/// A description and the name of a file: {"the log", "skampi.log"}.
using NamedFile = std::pair<std::string, std::string>;
/// Files without a name are ignored. \throws measure::UsageError if two names refer to the same file
void require_different(std::span<NamedFile const> files);

/// The open files of a run, owned by one process. Each step is on the disk before the log mentions it. All functions
/// throw std::runtime_error if a file cannot be written.
class RunFiles {
public:
    /// Opens both files, logs the new run or the crashes, and writes the head if the file has none.
    RunFiles(std::string const& log, measure::JournalState const& state, Start const& start, std::string_view head);
    RunFiles(RunFiles const&) = delete;
    RunFiles& operator=(RunFiles const&) = delete;
    ~RunFiles();

    void begin(std::string_view name) { journal_.begin(name); }
    void point(std::string_view name, std::string_view text) { journal_.point(name, text); }
    void interrupt(std::string_view name) { journal_.interrupt(name); }

    /// Logs the end of a measurement and appends its block. \param record  length of the record in bytes
    void done(std::string_view name, std::string_view block, std::int64_t record);
    void skip(std::string_view name, std::string_view block, std::int64_t record, std::string_view reason);
    void abandon(std::string_view name, std::string_view block, std::int64_t record);

    /// Appends the tail and closes the run in the log.
    void finish(std::string_view tail);
    /// Returns the current content of the output file.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    [[nodiscard]] measure::JournalExtent append(std::string_view text, std::int64_t record);
    void open(Start const& start);

    std::string path_;
    std::string id_;
    measure::Journal journal_;
    int output_ = -1;
    program::FileLock lock_{};  ///< lock on the output file
};

}  // namespace skampi
