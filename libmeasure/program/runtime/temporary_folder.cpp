// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/temporary_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
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
            fmt::format("cannot create a folder for temporary files: {}: check TMPDIR", error.message()));
    return path;
}

constexpr char const* lock_name = "lock";

/// Whether this user's run on this host created the folder. Locks of other hosts may not be visible here.
bool may_be_removed(std::filesystem::path const& folder) {
    struct ::stat status {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
           is_of_this_host(owner_in((folder / lock_name).string()));
}

/// Removes the folders of killed runs, which are no longer locked.
void remove_orphans(std::filesystem::path const& parent, std::string const& prefix) {
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator(parent, none)) {
        if (!entry.path().filename().string().starts_with(prefix) || !may_be_removed(entry.path()))
            continue;
        try {
            FileLock const free{(entry.path() / lock_name).string(), FileLock::Links::refused};
            if (free.obstacle().empty())
                std::filesystem::remove_all(entry.path(), none);
        } catch (std::exception const&) {
            // Another run uses it.
        }
    }
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view stem)
    : name_{made_folder(stem)}, lock_{file(lock_name), "cannot create a folder for temporary files"} {
    remove_orphans(std::filesystem::path{name_.path()}.parent_path(), fmt::format("{}.", stem));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(name_.path(), none);
}

std::string TemporaryFolder::file(std::string_view name) const { return fmt::format("{}/{}", name_.path(), name); }

}  // namespace program
