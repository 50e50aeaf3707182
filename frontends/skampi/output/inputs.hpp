// SPDX-License-Identifier: BSD-3-Clause
/// Inputs: the output files that a program reads, and what it read as a record.
#pragma once

#include "program/runtime/session.hpp"
#include "skampi/output/output.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace skampi {

/// Of a merged file: the key of its runs, one a line.
inline constexpr char const* merged_run = "MERGED_RUN";

/// An output file and where it is from.
struct Input {
    std::string path{};
    Output output{};
};

/// The text of a file. \throws measure::UsageError where it cannot be read
using ReadFile = std::function<std::string(std::string const& path)>;

/// Reads the files. \throws measure::UsageError where there is none, program::ParseErrors with the faults of all
[[nodiscard]] std::vector<Input> read_inputs(std::vector<std::string> const& paths, ReadFile const& read);

/// The same for files of the file system; warns of those that belong to an unfinished run.
[[nodiscard]] std::vector<Input> read_inputs(program::Session& session, std::vector<std::string> const& paths);

/// The runs that a file is of; none where it does not say.
[[nodiscard]] std::vector<std::string> runs(Input const& input);

/// A run that counts twice would outweigh the others.
/// \throws measure::UsageError where a file is given twice, or two files hold the same run
void demand_different_runs(std::span<Input const> inputs);

/// The run line of a record of all files: of their source, without a start where they have different ones.
/// \throws measure::UsageError for files of several machines, MPI libraries or numbers of processes, and as
/// `environment_of`
[[nodiscard]] measure::Environment environment_of(std::span<Input const> inputs);

/// The head of each file, for a run record's options.
[[nodiscard]] measure::Value heads(std::span<Input const> inputs);

/// Writes one point for each row and one summary for each measurement.
/// \param file  where several files are on one record: the coordinate `file`; empty: none
void write_record(program::Session& session, Output const& output, std::string const& file = {});

}  // namespace skampi
