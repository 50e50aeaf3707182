// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace bodies {

bool is_open_direct(std::string const& path) {
    struct ::stat wanted {};
    if (::stat(path.c_str(), &wanted) != 0)
        return false;
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
        int const descriptor = std::atoi(entry.path().filename().c_str());
        struct ::stat found {};
        bool const same =
            ::fstat(descriptor, &found) == 0 && found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
        if (same && (::fcntl(descriptor, F_GETFL) & O_DIRECT) != 0)
            return true;
    }
    return false;
}

bool is_in_page_cache(std::string const& path, std::int64_t offset, std::int64_t bytes) {
    if (bytes <= 0)
        return false;
    std::int64_t const page = ::sysconf(_SC_PAGESIZE);
    std::int64_t const begin = offset / page * page;
    auto const length = static_cast<std::size_t>(offset + bytes - begin);
    int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    // Mapping a page does not read it.
    void* const memory = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file, begin);
    ::close(file);
    if (memory == MAP_FAILED)
        return false;
    std::vector<unsigned char> pages((length - 1) / static_cast<std::size_t>(page) + 1);
    bool const known = ::mincore(memory, length, pages.data()) == 0;
    ::munmap(memory, length);
    return known && std::any_of(pages.begin(), pages.end(), [](unsigned char each) { return (each & 1U) != 0; });
}

std::vector<std::string> pointer_files(std::string const& path) {
    namespace fs = std::filesystem;
    fs::path const file{path};
    auto const name = file.filename().string();
    auto const hidden = std::string{"."}.append(name).append(pointer_mark);
    auto const numbered = name + "-";
    std::vector<std::string> paths;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(file.has_parent_path() ? file.parent_path() : ".", none))
        if (auto const other = entry.path().filename().string();
            other.starts_with(hidden) || (other.starts_with(numbered) && other.ends_with(pointer_lock)))
            paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

void begin_pointers(std::vector<std::string> const& paths) {
    MPI_Offset const position = 0;
    errno = ENOSPC;  // reason of a short write
    for (auto const& path : paths) {
        if (path.find(pointer_mark) == std::string::npos)
            continue;
        int const file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        bool const written = file >= 0 && ::write(file, &position, sizeof position) == sizeof position;
        int const error = errno;
        // A network file system may report an error only in close.
        if ((file >= 0 && ::close(file) != 0) || !written)
            throw std::runtime_error(
                fmt::format("cannot write '{}': {}", path, std::strerror(written ? errno : error)));
    }
}

}  // namespace bodies
