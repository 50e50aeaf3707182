// SPDX-License-Identifier: BSD-3-Clause
/// RunFolder: what a run keeps on disk, from its first start on. Local.
///
///     RUNS/NAME/command        the words of `measure run`, for those who go on with it
///     RUNS/NAME/starts.jsonl   the records of the complete starts, one after another
///     RUNS/NAME/start.log      what the last start printed
///     RUNS/NAME/merged.jsonl   the joined record, once there is one
///     RUNS/NAME/index.html     the page
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/file_lock.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool {

/// Where runs are kept: the folder that is given, or measure/runs in $XDG_DATA_HOME or in ~/.local/share.
/// \throws measure::UsageError where none is known
[[nodiscard]] std::filesystem::path runs_folder(std::string const& given);

/// In the folder of a run: what its last start printed, the record of a start that has not ended, and what
/// `measure doctor` printed.
inline constexpr char const* start_log = "start.log";
inline constexpr char const* start_file = "start.jsonl";
inline constexpr char const* doctor_file = "doctor.txt";
/// In the folder of all runs: the same of the last run that had no complete start.
inline constexpr char const* failed_log = ".failed.log";

class RunFolder {
public:
    /// A new one. \throws measure::UsageError where it exists and has a start, or cannot be written
    RunFolder(std::filesystem::path const& runs, std::string const& name, std::vector<std::string> const& command);
    /// One that is there; the latest for an empty name. What a start that was broken off has left is cut away.
    /// \throws measure::UsageError where there is none, or another process writes it
    RunFolder(std::filesystem::path const& runs, std::string const& name);

    [[nodiscard]] std::string const& name() const noexcept { return name_; }
    [[nodiscard]] std::filesystem::path file(std::string const& name) const { return path_ / name; }
    [[nodiscard]] std::filesystem::path starts() const { return file("starts.jsonl"); }
    /// The words of the command that began it.
    [[nodiscard]] std::vector<std::string> command() const;
    /// \throws std::runtime_error where no room is left: a start that failed may not have been able to say so
    void check_room() const;
    /// Adds the record of a start and brings it to the disk. \throws std::runtime_error
    void add(std::string const& record);
    /// Deletes what a run without a complete start has left, and the folder if nothing else is in it. One with complete
    /// starts stays as it is. \throws std::runtime_error where a file cannot be deleted
    void discard() const;

private:
    void lock();
    std::filesystem::path path_;
    std::string name_;
    std::optional<program::LockFile> lock_{};
};

/// Deletes a run with all that it has kept. \throws measure::UsageError where there is none of that name, or another
/// process writes it \throws std::runtime_error where a file cannot be deleted
void delete_run(std::filesystem::path const& runs, std::string const& name);

/// The complete starts of a run that is there, oldest first; none where it has none.
[[nodiscard]] std::vector<Launch> starts_in(std::filesystem::path const& file);

/// Names of the runs in a folder that have a start, the latest first.
[[nodiscard]] std::vector<std::string> run_names(std::filesystem::path const& runs);
/// The same with those that have none.
[[nodiscard]] std::vector<std::string> begun_run_names(std::filesystem::path const& runs);

}  // namespace measure::tool
