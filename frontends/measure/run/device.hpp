// SPDX-License-Identifier: BSD-3-Clause
/// Device: whether files in a folder reach a device past the page cache. Local.
#pragma once

#include <measure/units.hpp>

#include <filesystem>

namespace measure::tool::runs {

/// Bytes that direct access (O_DIRECT) moves: sizes, addresses and places in files are multiples of it.
inline constexpr measure::Bytes direct_block = 4096;

/// Whether a new file there takes a block by direct access; it is removed at once. False where files are in memory
/// (tmpfs). \param folder  where it is missing, the nearest one above it is tried
[[nodiscard]] bool has_direct_access(std::filesystem::path folder);

}  // namespace measure::tool::runs
