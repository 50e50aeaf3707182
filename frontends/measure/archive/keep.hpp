// SPDX-License-Identifier: BSD-3-Clause
/// Keep: puts a run into an archive, from other commands than `measure archive`. Local.
#pragma once

#include <string>

namespace measure::tool::archive {

/// Whether this build has archives.
[[nodiscard]] bool is_built() noexcept;

/// Adds the runs of a record's text, under a label; the archive is made where there is none. A joined run takes place
/// and marks of one with this label that has some of its starts. Nothing in a build without archives. \throws
/// std::runtime_error, measure::UsageError where it cannot be written
void keep(std::string const& path, std::string const& record, std::string const& label);

}  // namespace measure::tool::archive
