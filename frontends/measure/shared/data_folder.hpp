// SPDX-License-Identifier: BSD-3-Clause
/// Data folder: default location of the user's runs and archive. Local.
#pragma once

#include <filesystem>
#include <string>

namespace measure::tool {

/// The folder measure in $XDG_DATA_HOME or in ~/.local/share; empty if neither is known.
[[nodiscard]] std::filesystem::path data_folder();

/// $MEASURE_ARCHIVE if it is set, otherwise archive.sqlite in the data folder; empty if neither is known.
[[nodiscard]] std::string usual_archive();

/// The file name of an archive in a folder.
inline constexpr char const* archive_name = "archive.sqlite";

}  // namespace measure::tool
