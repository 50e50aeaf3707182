// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/file_lock.hpp"

#include "analysis/core/writer_lock.hpp"
#include "program/runtime/stderr_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace program {

namespace {

bool is_same_file(struct ::stat const& a, struct ::stat const& b) noexcept {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

constexpr char const* in_use = "another run is writing it";

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

FileLock::FileLock(std::string const& path, Links links) {
    // Another run may remove or replace the file before it is locked. The lock is then useless, and another attempt
    // follows.
    constexpr int most_attempts = 100;
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
                if (errno == EAGAIN || errno == EACCES)
                    throw FileInUse(in_use);
                obstacle_ = std::strerror(errno);
            } else {
                is_locked_ = true;
            }
            has_name = ::stat(path.c_str(), &named) == 0 && is_same_file(mine, named);
        }
    } catch (...) {
        close();
        throw;
    }
}

FileLock::FileLock(int descriptor) : descriptor_{::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)} {
    if (descriptor_ < 0)
        fail();
}

FileLock::FileLock(FileLock&& other) noexcept { *this = std::move(other); }

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    if (this != &other) {
        close();
        descriptor_ = std::exchange(other.descriptor_, -1);
        is_locked_ = std::exchange(other.is_locked_, false);
        is_new_ = std::exchange(other.is_new_, false);
        obstacle_ = std::move(other.obstacle_);
    }
    return *this;
}

FileLock::~FileLock() { close(); }

void FileLock::open(std::string const& path, Links links) {
    int const flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (links == Links::refused ? O_NOFOLLOW : 0);
    // A file that exists at the first open may be removed before the second.
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

/// Unlocks explicitly, so that a descriptor inherited by another process does not keep the lock.
void FileLock::close() noexcept {
    if (descriptor_ < 0)
        return;
    auto lock = measure::writer_lock();
    lock.l_type = F_UNLCK;
    if (is_locked_)
        ::fcntl(descriptor_, F_OFD_SETLK, &lock);
    ::close(descriptor_);
    descriptor_ = -1;
    is_locked_ = false;
}

std::string unlocked_text(std::string const& path, std::string const& obstacle) {
    return fmt::format("'{}' cannot be locked: {}; other runs that write it are not detected", path, obstacle);
}

namespace {

std::string host_name() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return host.data();
}

}  // namespace

std::string owner_in(std::string const& path) {
    std::string owner;
    std::getline(std::ifstream{path}, owner);
    return owner;
}

bool is_of_this_host(std::string const& owner) { return owner.ends_with(" on " + host_name()); }

namespace {

/// Whether the process in the line belonged to this host and has ended. Then programs that it started hold the lock.
bool is_gone(std::string const& owner) {
    constexpr std::string_view before = ", process ";
    auto const at = owner.rfind(before);
    if (at == std::string::npos || !is_of_this_host(owner))
        return false;
    auto const process = std::atoi(owner.c_str() + at + before.size());
    return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

LockFile::LockFile(std::string const& path, std::string const& complaint)
    : lock_{[&] {
          // Checked first, so that an error leaves no file.
          check_length(fmt::format("{}: cannot create '{}'", complaint, path), path);
          try {
              return FileLock{path, FileLock::Links::refused};
          } catch (FileInUse const& error) {
              auto const owner = owner_in(path);
              throw FileInUse(fmt::format("{}: {}{}{}{}", complaint, error.what(), owner.empty() ? "" : ": ",
                                          printable(owner), is_gone(owner) ? ", or a program that it started" : ""));
          } catch (std::system_error const& error) {
              throw measure::UsageError(
                  fmt::format("{}: cannot create '{}': {}", complaint, path, error.code().message()));
          }
      }()},
      name_{path} {
    auto const owner = fmt::format("{}, process {} on {}\n", program_invocation_short_name, ::getpid(), host_name());
    // Existing text is from a killed run. If the disk is full, the lock works without the owner's name.
    if (::ftruncate(lock_.descriptor(), 0) == 0)
        static_cast<void>(::write(lock_.descriptor(), owner.data(), owner.size()) > 0);
    ::fcntl(lock_.descriptor(), F_SETFD, 0);
}

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
        throw FileInUse(in_use);
}

}  // namespace program
