// SPDX-License-Identifier: BSD-3-Clause
/// Folder of a site: writes its files and removes files of an earlier site, but never any other file. Local.
#pragma once

#include "archive/site.hpp"
#include "program/runtime/session.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// The list of a site's files with their hashes, readable by `sha256sum -c`.
inline constexpr std::string_view list_name = "site.sha256";

/// Maps a file name to the hashes that the file may have.
using FileList = std::map<std::string, std::set<std::string>>;

/// \throws measure::UsageError if the text is not such a list. Names that could lead out of the folder are skipped.
[[nodiscard]] FileList file_list_from(std::string_view text, std::string const& path);
[[nodiscard]] std::string file_list_text(FileList const& list);

struct FolderChanges {
    std::size_t written = 0;  ///< new files, and files that differed
    std::size_t removed = 0;
};

/// Creates the folder if necessary. Unchanged files are not touched. An obsolete file of an earlier site is kept, with
/// a warning, if it was changed since.
/// \throws measure::UsageError, before anything is written, if a file that does not belong to an earlier site is in the
/// way
FolderChanges write_folder(std::string const& folder, std::vector<SiteFile> const& files, program::Session& session);

}  // namespace measure::tool::archive
