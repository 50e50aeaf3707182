// SPDX-License-Identifier: BSD-3-Clause
/// FileLock: an open file that this run alone writes.
#pragma once

#include "program/runtime/temporary_file.hpp"

#include <measure/error.hpp>

#include <string>

namespace program {

/// Another run has the file: "another run is writing it".
class FileInUse : public measure::UsageError {
public:
    using measure::UsageError::UsageError;
};

/// Opens a file for writing and locks it. The content is unchanged.
///
/// The lock belongs to the file, whichever name it is opened by, and not to its name. The kernel holds it (an open file
/// description lock of fcntl) and releases it when the process ends, however it ends; programs that this one starts do
/// not inherit it. It holds between hosts where the file system supports locks between hosts. Only regular files are
/// locked. Move-only. Local.
class FileLock {
public:
    enum class Links { followed, refused };  ///< where the name is that of a symbolic link

    /// No file.
    FileLock() = default;
    /// Creates the file where it is missing. \throws FileInUse, std::system_error where it cannot be opened
    explicit FileLock(std::string const& path, Links links = Links::followed);
    /// A duplicate of a descriptor of this process, which is not locked. \throws std::system_error
    explicit FileLock(int descriptor);
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(FileLock const&) = delete;
    FileLock& operator=(FileLock const&) = delete;
    ~FileLock();

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }  ///< -1: no file
    [[nodiscard]] bool is_new() const noexcept { return is_new_; }         ///< created by the constructor
    /// Why files of this file system cannot be locked at all; empty: they can. The file is open, but not locked then.
    [[nodiscard]] std::string const& obstacle() const noexcept { return obstacle_; }

private:
    void open(std::string const& path, Links links);
    void close() noexcept;
    int descriptor_ = -1;
    bool is_locked_ = false;
    bool is_new_ = false;
    std::string obstacle_{};
};

/// The warning that a file cannot be locked: "'PATH' cannot be locked: OBSTACLE; ...".
[[nodiscard]] std::string unlocked_text(std::string const& path, std::string const& obstacle);

/// A file that exists only to be locked, and names its owner. Whoever holds it owns what it stands for, such as a
/// folder. It is removed in the end; the file of a killed run is taken over. Programs that this one starts inherit the
/// lock, so that it holds until they have ended too. Move-only. Local.
class LockFile {
public:
    /// Symbolic links are refused. \param complaint  what the lock stands for, for the error: "cannot use 'DIR'"
    /// \throws "COMPLAINT: REASON": FileInUse where another run has the lock, which it names ("...: another run is
    /// writing it: mpiperf, process 17 on node3"), measure::UsageError where the file cannot be created
    LockFile(std::string const& path, std::string const& complaint);
    [[nodiscard]] std::string const& obstacle() const noexcept { return lock_.obstacle(); }  ///< as FileLock has it

private:
    FileLock lock_;
    TemporaryFile name_;  ///< removed before the next run can have the lock
};

/// The line that the owner of a `LockFile` has written, "measure, process 17 on node3"; empty without one.
[[nodiscard]] std::string owner_in(std::string const& path);
[[nodiscard]] bool is_of_this_host(std::string const& owner);

/// Throws FileInUse where another run has locked the file; a file that is missing is not locked. Local.
void check_unlocked(std::string const& path);

}  // namespace program
