// SPDX-License-Identifier: BSD-3-Clause
/// Folder of a site: its files are written, and those of an earlier site taken away, but never anything else. Local.
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

/// The list of a site's files with their hashes, which `sha256sum -c` reads.
inline constexpr std::string_view list_name = "site.sha256";

/// name -> the hashes under which it may stand there.
using FileList = std::map<std::string, std::set<std::string>>;

/// \throws measure::UsageError for a text that is no such list. Names that could lead out of the folder are left out.
[[nodiscard]] FileList file_list_from(std::string_view text, std::string const& path);
[[nodiscard]] std::string file_list_text(FileList const& list);

struct FolderChanges {
    std::size_t written = 0;  ///< new or different from what was there
    std::size_t removed = 0;
};

/// Makes the folder, if there is none. What is the same already is not touched. A file of an earlier site that was
/// changed since is left where it is, with a warning, unless it is replaced.
/// \throws measure::UsageError, before anything is written, where a file stands in the way that is of no earlier site
FolderChanges write_folder(std::string const& folder, std::vector<SiteFile> const& files, program::Session& session);

}  // namespace measure::tool::archive
