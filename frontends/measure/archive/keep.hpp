// SPDX-License-Identifier: BSD-3-Clause
/// Keep: lets commands other than `measure archive` put a run into an archive. Local.
#pragma once

#include <string>

namespace measure::tool::archive {

/// Whether this build supports archives.
[[nodiscard]] bool is_built() noexcept;

/// Adds the runs of a record under a label and creates the archive if it does not exist. A joined run replaces an
/// archived run of the same label that has some of its launches, and takes over its marks. Does nothing in a build
/// without archives. \throws std::runtime_error, measure::UsageError if the archive cannot be written
void keep(std::string const& path, std::string const& record, std::string const& label);

}  // namespace measure::tool::archive
