// SPDX-License-Identifier: BSD-3-Clause
#include "run/device.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <linux/magic.h>
#include <stdlib.h>
#include <string>
#include <system_error>

namespace measure::tool::runs {

namespace {

/// Some kernels accept O_DIRECT on tmpfs, but then only copy memory.
bool is_in_memory(std::filesystem::path const& folder) {
    struct ::statfs about {};
    return ::statfs(folder.c_str(), &about) == 0 && about.f_type == TMPFS_MAGIC;
}

/// Some file systems accept the open, and refuse only the write.
bool takes_block(int file) {
    alignas(direct_block) std::array<char, direct_block> const block{};
    return ::pwrite(file, block.data(), block.size(), 0) == std::ssize(block);
}

}  // namespace

bool has_direct_access(std::filesystem::path folder) {
    std::error_code code;
    while (!std::filesystem::is_directory(folder, code) && folder.has_relative_path())
        folder = folder.parent_path();
    if (is_in_memory(folder))
        return false;
    auto path = (folder / "measure-run.XXXXXX").string();
    int const made = ::mkstemp(path.data());
    if (made < 0)
        return false;
    ::close(made);
    int const file = ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
    ::unlink(path.c_str());
    if (file < 0)
        return false;
    bool const is_taken = takes_block(file);
    ::close(file);
    return is_taken;
}

}  // namespace measure::tool::runs
