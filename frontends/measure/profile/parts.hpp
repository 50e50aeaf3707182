// SPDX-License-Identifier: BSD-3-Clause
/// Parts: turns the data of ranks that ended without MPI_Finalize into a record. Local.
#pragma once

#include <string>
#include <vector>

namespace measure::tool {

/// The files with parts of a run, in the folder and next to the record.
[[nodiscard]] std::vector<std::string> part_files(std::string const& folder, std::string const& record);

/// Joins the parts into a record. Parts of several launches become several runs. Parts that cannot be read are added to
/// `problems`. Empty if no part can be read.
/// \param exit_code  of the command, for the end line
[[nodiscard]] std::string record_of_parts(std::vector<std::string> const& files, int exit_code,
                                          std::vector<std::string>& problems);

}  // namespace measure::tool
