// SPDX-License-Identifier: BSD-3-Clause
/// Place: the directory of the data files: their names, what is known of its file system, and what earlier runs have
/// left there. Local; the root alone looks.
#pragma once

#include "b_eff_io/catalogue.hpp"
#include "program/runtime/file_lock.hpp"

#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace b_eff_io {

/// "b_eff_io_data_i00_002_1", "b_eff_io_data_i00_002_2.001": of type separated each rank has its own.
[[nodiscard]] std::string data_name(int partition, int processes, Type type, int rank);

/// Whether a file name follows the scheme, or is that of the file in which ROMIO or OMPIO keeps a shared pointer to
/// one.
[[nodiscard]] bool is_data_name(std::string_view name) noexcept;

/// DIRECTORY/NAME.
[[nodiscard]] std::string path_in(std::string const& directory, std::string_view name);

struct FileSystem {
    std::string type{};  ///< "ext4"; a number where it has no known name
    measure::Bytes free = 0;
};

/// \throws measure::UsageError for a directory that is missing, is none or cannot be written, with path and reason
[[nodiscard]] FileSystem inspect(std::string const& directory);

/// Removes what has our names. Nothing is removed where one of them is not a regular file; links are not followed.
/// \return the names, in order \throws measure::UsageError for such a file, or one that cannot be removed
std::vector<std::string> remove_leftovers(std::string const& directory);

/// Makes a directory this run's own, so that no other one takes its data files for leftovers.
/// \throws measure::UsageError where another run has the directory, or it cannot be written
[[nodiscard]] program::LockFile claim(std::string const& directory);

}  // namespace b_eff_io
