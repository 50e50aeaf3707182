// SPDX-License-Identifier: BSD-3-Clause
/// FileLock: an open file that only this run writes.
#pragma once

#include "program/runtime/temporary_file.hpp"

#include <measure/error.hpp>

#include <string>

namespace program {

/// Another run has locked the file: "another run is writing it".
class FileInUse : public measure::UsageError {
public:
    using measure::UsageError::UsageError;
};

/// Opens a file for writing and locks it. The content is unchanged.
///
/// The lock belongs to the file itself, not to one of its names. The kernel holds it (an open file description lock of
/// fcntl) and releases it when the process ends, even after SIGKILL. Programs that this one starts do not inherit it.
/// It works between hosts if the file system supports locks between hosts. Only regular files are locked. Move-only.
/// Local.
class FileLock {
public:
    enum class Links { followed, refused };  ///< treatment of a path that is a symbolic link

    /// An object without file.
    FileLock() = default;
    /// Creates the file if it does not exist. \throws FileInUse, or std::system_error if it cannot be opened
    explicit FileLock(std::string const& path, Links links = Links::followed);
    /// Duplicates a descriptor of this process without locking it. \throws std::system_error
    explicit FileLock(int descriptor);
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(FileLock const&) = delete;
    FileLock& operator=(FileLock const&) = delete;
    ~FileLock();

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }  ///< -1: no file
    [[nodiscard]] bool is_new() const noexcept { return is_new_; }         ///< whether the constructor created it
    /// The reason why this file system does not support locks. The file is then open but not locked. Empty: it is
    /// locked.
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

/// A file that exists only to be locked and that names its owner. Its lock protects a resource, such as a folder. The
/// destructor removes the file. The file of a killed run is reused. Programs that this one starts inherit the lock, so
/// it lasts until they have ended. Move-only. Local.
class LockFile {
public:
    /// Symbolic links are refused. \param complaint  start of the error text: "cannot use 'DIR'"
    /// \throws "COMPLAINT: REASON": FileInUse if another run holds the lock, with its name ("...: another run is
    ///         writing it: mpiperf, process 17 on node3"); measure::UsageError if the file cannot be created
    LockFile(std::string const& path, std::string const& complaint);
    [[nodiscard]] std::string const& obstacle() const noexcept { return lock_.obstacle(); }  ///< see FileLock

private:
    FileLock lock_;
    TemporaryFile name_;  ///< declared last, so that the file is removed before the lock is released
};

/// The line that the owner of a `LockFile` has written, "measure, process 17 on node3"; empty without an owner.
[[nodiscard]] std::string owner_in(std::string const& path);
[[nodiscard]] bool is_of_this_host(std::string const& owner);

/// Throws FileInUse if another run has locked the file. A missing file is not locked. Local.
void check_unlocked(std::string const& path);

}  // namespace program
