// SPDX-License-Identifier: BSD-3-Clause
/// Device: tests whether a folder supports direct access (O_DIRECT), which bypasses the page cache. Local.
#pragma once

#include <measure/units.hpp>

#include <filesystem>

namespace measure::tool::runs {

/// Block size of direct access (O_DIRECT), in bytes: sizes, addresses and file offsets are multiples of it.
inline constexpr measure::Bytes direct_block = 4096;

/// Whether a block can be written to a new file by direct access. Removes the file. False for files in memory (tmpfs).
/// \param folder  if it does not exist, its nearest existing parent is tested
[[nodiscard]] bool has_direct_access(std::filesystem::path folder);

}  // namespace measure::tool::runs
