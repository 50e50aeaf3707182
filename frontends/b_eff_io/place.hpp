// SPDX-License-Identifier: BSD-3-Clause
/// Place: the directory of the data files: their names, the facts about its file system, and leftovers of earlier runs.
/// Local; only the root accesses it.
#pragma once

#include "b_eff_io/catalogue.hpp"
#include "program/runtime/file_lock.hpp"

#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace b_eff_io {

/// Returns "b_eff_io_data_i00_002_1" or, for type separated, where each rank has its own file,
/// "b_eff_io_data_i00_002_2.001".
[[nodiscard]] std::string data_name(int partition, int processes, Type type, int rank);

/// Whether a file name follows the scheme, or names the file in which ROMIO or OMPIO keeps the shared pointer of such a
/// file.
[[nodiscard]] bool is_data_name(std::string_view name) noexcept;

/// Returns DIRECTORY/NAME.
[[nodiscard]] std::string path_in(std::string const& directory, std::string_view name);

struct FileSystem {
    std::string type{};  ///< "ext4", or a number if the name is unknown
    measure::Bytes free = 0;
};

/// \throws measure::UsageError with path and reason, if the directory is missing, is not a directory or cannot be
/// written
[[nodiscard]] FileSystem inspect(std::string const& directory);

/// Removes files with names of this program. Nothing is removed if one of them is not a regular file. Links are not
/// followed.
/// \returns the names, in order \throws measure::UsageError for such a file, or for one that cannot be removed
std::vector<std::string> remove_leftovers(std::string const& directory);

/// Locks a directory for this run, so that no other run takes its data files for leftovers.
/// \throws measure::UsageError if another run uses the directory, or if it cannot be written
[[nodiscard]] program::LockFile claim(std::string const& directory);

}  // namespace b_eff_io
