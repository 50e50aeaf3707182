// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/result_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace llcbench {

namespace {

/// Where there is a device, a pipe or a link it is written to: a rename would put a file in its place.
bool is_replaceable(std::string const& path) {
    std::error_code error;
    auto const found = std::filesystem::symlink_status(path, error);
    return !std::filesystem::exists(found) || std::filesystem::is_regular_file(found);
}

}  // namespace

ResultFile::ResultFile(measure::Comm const& comm, std::string path) : path_{std::move(path)} {
    std::error_code error;
    bool const is_folder = comm.is_root() && std::filesystem::is_directory(path_, error);
    if (comm.max(is_folder ? 1.0 : 0.0) > 0)
        throw measure::UsageError(fmt::format("cannot write '{}': it is a directory", path_));
    if (comm.is_root() && is_replaceable(path_))
        part_.emplace(path_ + ".part");
    file_ = frontend::open_file(comm, part_ ? part_->path() : path_);
}

void ResultFile::keep() {
    file_.flush();
    if (!part_)
        return;
    std::filesystem::rename(part_->path(), path_);
    part_.reset();
}

std::string beside(std::string const& path, std::string const& extension) {
    return std::filesystem::path{path}.replace_extension(extension).string();
}

}  // namespace llcbench
