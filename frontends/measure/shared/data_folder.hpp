// SPDX-License-Identifier: BSD-3-Clause
/// Data folder: where this user's runs and archive are, unless options name other places. Local.
#pragma once

#include <filesystem>
#include <string>

namespace measure::tool {

/// The folder measure in $XDG_DATA_HOME or in ~/.local/share; empty where neither is known.
[[nodiscard]] std::filesystem::path data_folder();

/// What $MEASURE_ARCHIVE names, else archive.sqlite in the data folder; empty where neither is known.
[[nodiscard]] std::string usual_archive();

/// The name of an archive in a folder.
inline constexpr char const* archive_name = "archive.sqlite";

}  // namespace measure::tool
