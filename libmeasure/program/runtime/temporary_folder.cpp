// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/temporary_folder.hpp"

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

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view stem) : name_{made_folder(stem)} {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(name_.path(), none);
}

std::string TemporaryFolder::file(std::string_view name) const { return fmt::format("{}/{}", name_.path(), name); }

}  // namespace program
