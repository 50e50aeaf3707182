// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/result_file.hpp"

#include "program/runtime/on_root.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace program {

namespace {

/// Where there is a device, a pipe or a link it is written to: a rename would put a file in its place.
bool is_replaceable(std::string const& path) {
    std::error_code error;
    auto const found = std::filesystem::symlink_status(path, error);
    return !std::filesystem::exists(found) || std::filesystem::is_regular_file(found);
}

}  // namespace

ResultFile::ResultFile(measure::Comm const& comm, std::string path) : path_{std::move(path)} {
    on_root(comm, [&] {
        std::error_code error;
        if (std::filesystem::is_directory(path_, error))
            throw measure::UsageError(fmt::format("cannot write '{}': it is a directory", path_));
        if (is_replaceable(path_))
            part_.emplace(path_ + ".part");
    });
    file_ = open_file(comm, part_ ? part_->path() : path_);
}

void ResultFile::keep() {
    file_.flush();
    if (!part_)
        return;
    std::filesystem::rename(part_->path(), path_);
    part_.reset();
}

}  // namespace program
