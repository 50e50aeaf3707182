// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/place.hpp"

#include "bodies/files.hpp"
#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace b_eff_io {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view stem = "b_eff_io_data_i";
constexpr std::string_view lock_name = "b_eff_io_data_lock";

/// The longest path that can be stored for removal on a signal, including the suffix that ROMIO adds to a name. Open
/// MPI 4.1 overruns a buffer if the path of a file has more than about 240 characters.
#ifdef OPEN_MPI
constexpr std::size_t longest_directory = 200;
#else
constexpr std::size_t longest_directory = 900;
#endif

/// Takes digits from the front. Returns whether there were at least this many.
bool take_digits(std::string_view& text, std::size_t at_least) noexcept {
    std::size_t const n = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(n);
    return n >= at_least;
}

bool take(std::string_view& text, std::string_view front) noexcept {
    if (!text.starts_with(front))
        return false;
    text.remove_prefix(front.size());
    return true;
}

/// Takes the name of a data file from the front.
bool take_name(std::string_view& text) noexcept {
    if (!take(text, stem) || text.size() < 2)
        return false;
    std::string_view const partition = text.substr(0, 2);
    if (partition.find_first_not_of("0123456789") != partition.npos)
        return false;
    text.remove_prefix(2);
    if (!take(text, "_") || !take_digits(text, 3) || !take(text, "_"))
        return false;
    if (take(text, "2."))
        return take_digits(text, 3);
    return take(text, "0") || take(text, "1") || take(text, "3") || take(text, "4") || take(text, "5");
}

measure::UsageError unusable(std::string const& directory, int error) {
    return measure::UsageError(fmt::format("-p: cannot use '{}': {}", directory, std::strerror(error)));
}

void refuse_foreign(std::string const& path) {
    struct ::stat status {};
    if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw measure::UsageError(fmt::format("-p: '{}' has the name of a data file, but is not a regular file", path));
}

/// The file system type that the kernel reports for a device number such as "8:1".
std::string mounted_type(std::string const& device) {
    std::ifstream mounts{"/proc/self/mountinfo"};
    std::string found;
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words{line};
        std::string id, parent, number;
        words >> id >> parent >> number;
        auto const mark = line.find(" - ");
        if (number == device && mark != line.npos)
            found = line.substr(mark + 3, line.find(' ', mark + 3) - mark - 3);
    }
    return found;
}

std::string type_of(std::string const& directory) {
    struct ::stat status {};
    if (::stat(directory.c_str(), &status) == 0)
        if (auto type = mounted_type(fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev))); !type.empty())
            return type;
    struct ::statfs system {};
    return ::statfs(directory.c_str(), &system) == 0 ? fmt::format("{:#x}", system.f_type) : "unknown";
}

/// The entries of the directory with the name of a data file, in order.
std::vector<std::string> data_files(std::string const& directory) {
    std::vector<std::string> names;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(directory, none))
        if (auto name = entry.path().filename().string(); is_data_name(name))
            names.push_back(std::move(name));
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string data_name(int partition, int processes, Type type, int rank) {
    auto name = fmt::format("{}{:02}_{:03}_{}", stem, partition, processes, index(type));
    return type == Type::separated ? fmt::format("{}.{:03}", name, rank) : name;
}

bool is_data_name(std::string_view name) noexcept {
    bool const hidden = take(name, ".");
    if (!take_name(name))
        return false;
    if (hidden)
        return take(name, bodies::pointer_mark) && take_digits(name, 1) && take(name, ".") && take_digits(name, 1) &&
               name.empty();
    return name.empty() || (take(name, "-") && take_digits(name, 1) && take(name, "-") && take_digits(name, 1) &&
                            name == bodies::pointer_lock);
}

std::string path_in(std::string const& directory, std::string_view name) {
    return (fs::path{directory} / name).string();
}

FileSystem inspect(std::string const& directory) {
    if (directory.size() > longest_directory)
        throw measure::UsageError(
            fmt::format("-p: the path has {} characters, at most {} are allowed", directory.size(), longest_directory));
    struct ::stat status {};
    if (::stat(directory.c_str(), &status) != 0)
        throw unusable(directory, errno);
    if (!S_ISDIR(status.st_mode))
        throw unusable(directory, ENOTDIR);
    if (::access(directory.c_str(), R_OK | W_OK | X_OK) != 0)
        throw unusable(directory, errno);
    struct ::statvfs space {};
    if (::statvfs(directory.c_str(), &space) != 0)
        throw unusable(directory, errno);
    return {type_of(directory), static_cast<measure::Bytes>(space.f_bavail * space.f_frsize)};
}

std::vector<std::string> remove_leftovers(std::string const& directory) {
    auto const names = data_files(directory);
    for (auto const& name : names)
        refuse_foreign(path_in(directory, name));
    for (auto const& name : names) {
        auto const path = path_in(directory, name);
        if (::unlink(path.c_str()) != 0 && errno != ENOENT)
            throw measure::UsageError(fmt::format("-p: cannot remove '{}': {}", path, std::strerror(errno)));
    }
    return names;
}

program::LockFile claim(std::string const& directory) {
    auto const path = path_in(directory, lock_name);
    refuse_foreign(path);
    return {path, fmt::format("-p: cannot use '{}'", directory)};
}

}  // namespace b_eff_io
