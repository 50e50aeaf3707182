// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/result_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace llcbench {

ResultFile::ResultFile(measure::Comm const& comm, std::string path) : path_{std::move(path)} {
    bool const is_folder = comm.is_root() && std::filesystem::is_directory(path_);
    if (comm.max(is_folder ? 1.0 : 0.0) > 0)
        throw measure::UsageError(fmt::format("cannot write '{}': it is a directory", path_));
    std::string const part = path_ + ".part";
    if (comm.is_root())
        part_.emplace(part);
    file_ = frontend::open_file(comm, part);
}

void ResultFile::keep() {
    if (!part_)
        return;
    file_.flush();
    std::filesystem::rename(part_->path(), path_);
    part_.reset();
}

std::string beside(std::string const& path, std::string const& extension) {
    return std::filesystem::path{path}.replace_extension(extension).string();
}

}  // namespace llcbench
