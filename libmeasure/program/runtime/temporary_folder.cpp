// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/temporary_folder.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <stdlib.h>
#include <system_error>

namespace program {
namespace {

/// \return the path of a new folder of mode 0700
std::string made_folder(std::string_view stem) {
    std::error_code error;
    auto path = (std::filesystem::temp_directory_path(error) / fmt::format("{}.XXXXXX", stem)).string();
    if (!error && ::mkdtemp(path.data()) == nullptr)
        error = {errno, std::generic_category()};
    if (error)
        throw std::runtime_error(
            fmt::format("cannot make a folder for temporary files: {}: see TMPDIR", error.message()));
    return path;
}

constexpr char const* lock_name = "lock";

/// Folders of runs that were killed: nobody has their locks any more. An empty lock file is about to be locked.
void remove_orphans(std::filesystem::path const& parent, std::string const& prefix) {
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator(parent, none)) {
        auto const lock = entry.path() / lock_name;
        std::error_code missing;
        if (!entry.path().filename().string().starts_with(prefix) || std::filesystem::file_size(lock, missing) == 0 ||
            missing)
            continue;
        try {
            LockFile const owned{lock.string(), ""};
            if (owned.obstacle().empty())
                std::filesystem::remove_all(entry.path(), none);
        } catch (measure::UsageError const&) {
            // It is another run's, or another user's.
        }
    }
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view stem)
    : name_{made_folder(stem)}, lock_{file(lock_name), "cannot make a folder for temporary files"} {
    remove_orphans(std::filesystem::path{name_.path()}.parent_path(), fmt::format("{}.", stem));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(name_.path(), none);
}

std::string TemporaryFolder::file(std::string_view name) const { return fmt::format("{}/{}", name_.path(), name); }

}  // namespace program
