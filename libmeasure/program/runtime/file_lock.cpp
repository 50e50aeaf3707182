// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/file_lock.hpp"

#include "analysis/core/writer_lock.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/file_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

namespace program {

namespace fs = std::filesystem;

namespace {

bool is_same_file(struct ::stat const& a, struct ::stat const& b) noexcept {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string content(fs::path const& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool is_number(std::string_view text) noexcept {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether a process of /proc has locked the file.
bool has_locked(fs::path const& process, struct ::stat const& file) {
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(process / "fd", none)) {
        struct ::stat open {};
        if (::stat(entry.path().c_str(), &open) == 0 && is_same_file(open, file) &&
            content(process / "fdinfo" / entry.path().filename()).find("\nlock:") != std::string::npos)
            return true;
    }
    return false;
}

/// "2026-01-31T12:00:00Z"; empty where it is not known.
std::string start_of(fs::path const& process) {
    // The name, which may have blanks and parentheses, ends at the last parenthesis; the start is the 20th word behind.
    auto const text = content(process / "stat");
    std::istringstream words{text.substr(std::min(text.rfind(')') + 1, text.size()))};
    std::string word;
    for (int i = 0; i < 20; ++i)
        words >> word;
    ::timespec now{};
    ::timespec since_boot{};
    long const ticks = ::sysconf(_SC_CLK_TCK);
    if (!is_number(word) || ticks <= 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0 ||
        ::clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
        return {};
    auto const seconds = [](::timespec const& t) {
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    // The same second whenever it is asked.
    double const started = std::strtod(word.c_str(), nullptr) / static_cast<double>(ticks);
    return utc_text(static_cast<std::time_t>(seconds(now) - seconds(since_boot) + started));
}

/// Who has locked a file: a process of this host that this user may look at; empty for somebody else.
std::string holder(struct ::stat const& file) {
    std::error_code none;
    for (auto const& entry : fs::directory_iterator("/proc", none)) {
        auto const process = entry.path().filename().string();
        if (!is_number(process) || !has_locked(entry.path(), file))
            continue;
        std::array<char, 256> host{};
        ::gethostname(host.data(), host.size() - 1);
        auto name = content(entry.path() / "comm");
        name.erase(std::min(name.find('\n'), name.size()));
        auto const start = start_of(entry.path());
        return fmt::format("another run is writing it: {}, process {} on {}{}", name, process, host.data(),
                           start.empty() ? "" : ", since " + start);
    }
    return {};
}

/// A run that ends has the lock a little longer than files in /proc.
void wait_for_an_ending_run() noexcept {
    constexpr ::timespec pause{.tv_sec = 0, .tv_nsec = 10'000'000};
    ::nanosleep(&pause, nullptr);
}

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

FileLock::FileLock(std::string const& path, Links links) {
    // Whoever had the file may have removed or replaced it meanwhile: then its lock protects nothing.
    constexpr int most_attempts = 100;
    constexpr int most_looks = 10;  // for an unknown holder
    int looks = 0;
    try {
        bool has_name = false;
        for (int attempt = 0; attempt < most_attempts && !has_name; ++attempt) {
            close();
            open(path, links);
            struct ::stat mine {};
            struct ::stat named {};
            if (::fstat(descriptor_, &mine) != 0)
                fail();
            if (!S_ISREG(mine.st_mode))
                return;
            auto lock = measure::writer_lock();
            if (::fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) {
                if (errno == EAGAIN || errno == EACCES) {
                    if (auto const known = holder(mine); !known.empty())
                        throw FileInUse(known);
                    if (++looks == most_looks)
                        throw FileInUse("another run is writing it, on another host or of another user");
                    wait_for_an_ending_run();
                    continue;
                }
                obstacle_ = std::strerror(errno);
            }
            has_name = ::stat(path.c_str(), &named) == 0 && is_same_file(mine, named);
        }
    } catch (...) {
        close();
        throw;
    }
}

FileLock::FileLock(FileLock&& other) noexcept { *this = std::move(other); }

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    if (this != &other) {
        close();
        descriptor_ = std::exchange(other.descriptor_, -1);
        is_new_ = std::exchange(other.is_new_, false);
        obstacle_ = std::move(other.obstacle_);
    }
    return *this;
}

FileLock::~FileLock() { close(); }

void FileLock::open(std::string const& path, Links links) {
    int const flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (links == Links::refused ? O_NOFOLLOW : 0);
    // A file that is there when it is to be created may be gone when it is to be opened.
    for (int attempt = 0; attempt < 100; ++attempt) {
        descriptor_ = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
        is_new_ = descriptor_ >= 0;
        if (!is_new_ && errno == EEXIST)
            descriptor_ = ::open(path.c_str(), flags);
        else if (!is_new_)
            fail();
        if (descriptor_ >= 0)
            return;
        if (errno != ENOENT)
            fail();
    }
    fail();
}

void FileLock::close() noexcept {
    if (descriptor_ >= 0)
        ::close(descriptor_);
    descriptor_ = -1;
}

std::string unlocked_text(std::string const& path, std::string const& obstacle) {
    return fmt::format("'{}' cannot be locked: {}; another run that writes it is not noticed", path, obstacle);
}

LockFile::LockFile(std::string const& path, std::string const& complaint)
    : lock_{[&] {
          // Before there is a file that this would leave.
          check_length(fmt::format("{}: cannot create '{}'", complaint, path), path);
          try {
              return FileLock{path, FileLock::Links::refused};
          } catch (FileInUse const& error) {
              throw FileInUse(fmt::format("{}: {}", complaint, error.what()));
          } catch (std::system_error const& error) {
              throw measure::UsageError(
                  fmt::format("{}: cannot create '{}': {}", complaint, path, error.code().message()));
          }
      }()},
      name_{[&] {
          file_guard::hold(lock_.descriptor());
          return TemporaryFile{path};
      }()} {}

void check_unlocked(std::string const& path) {
    int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return;
    struct ::stat status {};
    auto lock = measure::writer_lock();
    bool const is_locked = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                           ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    ::close(file);
    if (is_locked)
        throw FileInUse(holder(status));
}

}  // namespace program
