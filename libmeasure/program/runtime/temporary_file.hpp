// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFile: a file that is removed when the program ends, even by a signal. SIGKILL and a crash leave it behind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace program {

/// The process that unlinks a temporary file at a regular end.
enum class Unlinks {
    here,       ///< this process
    elsewhere,  ///< another process that owns it too; this process only if it aborts the job or a signal ends it
};

/// Owns the name of a file (not the open file) or of a folder that will be empty at the end. The destructor unlinks it,
/// and so do the signal handlers that end the process and `run_main` before MPI_Abort. Move-only. Local.
class TemporaryFile {
public:
    static constexpr std::size_t longest_path = 1023;  ///< bytes
    /// Registers the file; does not create it. \throws std::length_error for a longer path, std::runtime_error if there
    /// are already 128 such files
    explicit TemporaryFile(std::string path, Unlinks unlinks = Unlinks::here);
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&& other) noexcept;
    TemporaryFile(TemporaryFile const&) = delete;
    TemporaryFile& operator=(TemporaryFile const&) = delete;
    ~TemporaryFile();

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Releases the file: it will not be removed.
    void keep() noexcept;

private:
    void release() noexcept;
    std::string path_;
    Unlinks unlinks_;
    int slot_ = -1;
};

/// Checks the length of a path before files are created. \param more  bytes that the names of temporary files add to
/// the path  \throws measure::UsageError "COMPLAINT: File name too long"
void check_length(std::string_view complaint, std::string_view path, std::size_t more = 0);

/// Unlinks every temporary file of this process, then its temporary folders. Async-signal-safe.
void unlink_temporary_files() noexcept;

}  // namespace program
