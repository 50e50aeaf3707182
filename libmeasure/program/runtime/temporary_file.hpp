// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFile: a file that is gone when the program is, also when a signal ends it; SIGKILL and a crash leave it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace program {

/// Who unlinks a temporary file when all goes well.
enum class Unlinks {
    here,       ///< this process
    elsewhere,  ///< another process that has it too; this one only where it ends the job, or a signal ends it
};

/// Owns the name of a file, not the open file, or that of a folder that is empty in the end: it is unlinked by the
/// destructor, by the signal handlers that end the process, and where a process that is lost alone ends the job.
/// Move-only. Local.
class TemporaryFile {
public:
    static constexpr std::size_t longest_path = 1023;  ///< bytes
    /// Does not create the file. \throws std::length_error for a path that is longer, std::runtime_error when there are
    /// 128 such files already
    explicit TemporaryFile(std::string path, Unlinks unlinks = Unlinks::here);
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&& other) noexcept;
    TemporaryFile(TemporaryFile const&) = delete;
    TemporaryFile& operator=(TemporaryFile const&) = delete;
    ~TemporaryFile();

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// The file stays: it is no longer a temporary one.
    void keep() noexcept;

private:
    void release() noexcept;
    std::string path_;
    Unlinks unlinks_;
    int slot_ = -1;
};

/// To be called before anything is made or measured. \param more  bytes that the names of temporary files have beyond
/// the path  \throws measure::UsageError "COMPLAINT: File name too long" where these names are too long
void check_length(std::string_view complaint, std::string_view path, std::size_t more = 0);

/// Unlinks every temporary file of this process, and then its folders. Async-signal-safe.
void unlink_temporary_files() noexcept;

}  // namespace program
