// SPDX-License-Identifier: BSD-3-Clause
/// Place: the directory of the data files: their names, what is known of its file system, and what earlier runs have
/// left there. Local; the root alone looks.
#pragma once

#include "catalogue.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/units.hpp>

#include <optional>
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

/// A directory that belongs to this run alone, so that no other one takes its data files for leftovers: a lock on a
/// file there, which is removed in the end. The lock of a killed run is gone with it. Local; the root alone has one.
class Claim {
public:
    /// \throws measure::UsageError where another run has the directory, or the file cannot be created
    explicit Claim(std::string const& directory);
    Claim(Claim const&) = delete;
    Claim& operator=(Claim const&) = delete;
    ~Claim();

    /// Why files of this directory cannot be locked at all; empty: they can. Nothing is claimed then.
    [[nodiscard]] std::string const& obstacle() const noexcept { return obstacle_; }

private:
    [[nodiscard]] bool take(std::string const& path, std::string const& directory);
    int file_ = -1;
    std::string obstacle_{};
    std::optional<program::TemporaryFile> temporary_{};
};

}  // namespace b_eff_io
