// SPDX-License-Identifier: BSD-3-Clause
/// RunFolder: the files of a run on disk. Local.
///
///     RUNS/NAME/command        the command line of `measure run`, for --resume
///     RUNS/NAME/launches.jsonl   the records of the complete launches, in order
///     RUNS/NAME/launch.log      the output of the last launch
///     RUNS/NAME/merged.jsonl   the merged record, written at the end
///     RUNS/NAME/index.html     the page
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/file_lock.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool {

/// The folder of all runs: the given folder, otherwise measure/runs in $XDG_DATA_HOME or in ~/.local/share.
/// \throws measure::UsageError if neither is known
[[nodiscard]] std::filesystem::path runs_folder(std::string const& given);

/// Files in the folder of a run: records of the complete launches, output of the last launch, record of an unfinished
/// launch, and output of `measure doctor`.
inline constexpr char const* launches_file = "launches.jsonl";
inline constexpr char const* launch_log = "launch.log";
inline constexpr char const* launch_file = "launch.jsonl";
inline constexpr char const* doctor_file = "doctor.txt";
/// File in the folder of all runs: output of the last launch of the latest run without a complete launch.
inline constexpr char const* failed_log = ".failed.log";

class RunFolder {
public:
    /// Creates a new run. \throws measure::UsageError if it exists and has a complete launch, or cannot be written
    RunFolder(std::filesystem::path const& runs, std::string const& name, std::vector<std::string> const& command);
    /// Opens an existing run; the latest one for an empty name. Removes the partial record of an interrupted launch.
    /// \throws measure::UsageError if the run does not exist, or another process is writing it
    RunFolder(std::filesystem::path const& runs, std::string const& name);

    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    [[nodiscard]] std::filesystem::path file(std::string const& name) const { return path_ / name; }
    [[nodiscard]] std::filesystem::path launches() const { return file(launches_file); }
    /// The command line that began the run.
    [[nodiscard]] std::vector<std::string> command() const;
    /// \throws std::runtime_error if the disk is full, which a failed launch may not have been able to report
    void check_room() const;
    /// Appends the record of a launch and flushes it to disk. \throws std::runtime_error
    void add(std::string const& record);
    /// Deletes the files of a run without a complete launch, and the folder if it is then empty. A run with complete
    /// launches is not changed. \throws std::runtime_error if a file cannot be deleted
    void discard() const;

private:
    void lock();
    std::filesystem::path path_;
    std::string name_;
    std::optional<program::LockFile> lock_{};
};

/// Deletes the folder of a run. \throws measure::UsageError if the run does not exist, or another process is writing it
/// \throws std::runtime_error if a file cannot be deleted
void delete_run(std::filesystem::path const& runs, std::string const& name);

/// The complete launches in a record file, oldest first; none if the file does not exist.
[[nodiscard]] std::vector<Launch> launches_in(std::filesystem::path const& file);

/// Names of the runs that have a file of launches, the latest first.
[[nodiscard]] std::vector<std::string> run_names(std::filesystem::path const& runs);
/// Names of all runs that were begun, even without launches, the latest first.
[[nodiscard]] std::vector<std::string> begun_run_names(std::filesystem::path const& runs);

}  // namespace measure::tool
