// SPDX-License-Identifier: BSD-3-Clause
/// Inputs: reads the output files of a program and converts them to a record.
#pragma once

#include "program/runtime/session.hpp"
#include "skampi/output/output.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace skampi {

/// The key of a merged file that lists its runs, one in each line.
inline constexpr char const* merged_run = "MERGED_RUN";

/// An output file and its path.
struct Input {
    std::string path{};
    Output output{};
};

/// Returns the text of a file. \throws measure::UsageError if it cannot be read
using ReadFile = std::function<std::string(std::string const& path)>;

/// Reads the files. \throws measure::UsageError if there is no path, program::ParseErrors with the errors in all files
[[nodiscard]] std::vector<Input> read_inputs(std::vector<std::string> const& paths, ReadFile const& read);

/// Reads the files from the file system and warns of unfinished runs.
[[nodiscard]] std::vector<Input> read_inputs(program::Session& session, std::vector<std::string> const& paths);

/// Returns the identifiers of the runs in a file; empty if the file has none.
[[nodiscard]] std::vector<std::string> runs(Input const& input);

/// Checks that no run is used twice, because it would have more weight than the others.
/// \throws measure::UsageError if a file is given twice, or if two files hold the same run
void demand_different_runs(std::span<Input const> inputs);

/// Makes the run line of a record of all files. It has no start time if the files have different ones.
/// \throws measure::UsageError for files of different machines, MPI libraries or numbers of processes, and as
/// `environment_of`
[[nodiscard]] measure::Environment environment_of(std::span<Input const> inputs);

/// Returns the head of each file, for the options in the run line.
[[nodiscard]] measure::Value heads(std::span<Input const> inputs);

/// Writes one point for each row and one summary for each measurement.
/// \param file  value of the coordinate `file`, if a record holds several files; empty: no coordinate
void write_record(program::Session& session, Output const& output, std::string const& file = {});

}  // namespace skampi
