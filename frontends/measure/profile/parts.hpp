// SPDX-License-Identifier: BSD-3-Clause
/// Parts: what ranks leave that end without MPI_Finalize, as a record. Local.
#pragma once

#include <string>
#include <vector>

namespace measure::tool {

/// The parts of a run: those in the folder, and those beside the record.
[[nodiscard]] std::vector<std::string> part_files(std::string const& folder, std::string const& record);

/// The record of what the parts hold, joined; parts of several starts become several runs. What cannot be read is added
/// to `problems`. Empty where no part can be.
/// \param exit_code  of the command, for the end line
[[nodiscard]] std::string record_of_parts(std::vector<std::string> const& files, int exit_code,
                                          std::vector<std::string>& problems);

}  // namespace measure::tool
