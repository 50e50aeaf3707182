// SPDX-License-Identifier: BSD-3-Clause
/// Files of MPI 2.2: an open file, and the transfer operations, each as a type with its call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bodies {

/// An open file whose errors are returned. Move-only. The destructor closes the file, which is collective over the
/// processes that opened it. If an exception is active, the other processes will not call it, and the file stays open.
class File {
public:
    File() = default;
    File(File&& other) noexcept : file_{std::exchange(other.file_, MPI_FILE_NULL)} {}
    File& operator=(File&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    File(File const&) = delete;
    File& operator=(File const&) = delete;
    ~File() {
        if (std::uncaught_exceptions() <= exceptions_)
            static_cast<void>(close());
    }

    /// Closes an open file, then opens `path`. Collective over `comm`. \param mode  MPI_MODE_..  \param info  hints
    /// \return MPI's code
    [[nodiscard]] int open(MPI_Comm comm, std::string const& path, int mode, MPI_Info info = MPI_INFO_NULL) noexcept {
        static_cast<void>(close());
        return MPI_File_open(comm, path.c_str(), mode, info, &file_);
    }
    /// Collective over the processes that opened the file. No effect without an open file. \return MPI's code
    [[nodiscard]] int close() noexcept { return file_ == MPI_FILE_NULL ? MPI_SUCCESS : MPI_File_close(&file_); }

    /// Releases the file without closing it. If another process could not open it, it cannot be closed. Local.
    void leave() noexcept { file_ = MPI_FILE_NULL; }

    [[nodiscard]] MPI_File native() const noexcept { return file_; }
    explicit operator bool() const noexcept { return file_ != MPI_FILE_NULL; }

private:
    MPI_File file_ = MPI_FILE_NULL;
    int exceptions_ = std::uncaught_exceptions();
};

/// The arguments of a transfer.
struct Piece {
    MPI_File file = MPI_FILE_NULL;
    MPI_Offset offset = 0;  ///< offset in units of the view; calls with a file pointer ignore it
    void* buffer = nullptr;
    int count = 0;  ///< number of elements
    MPI_Datatype type = MPI_BYTE;
    MPI_Status* status = MPI_STATUS_IGNORE;  ///< status of a blocking call, with the number of moved elements
};

// Shapes of calls. A read beyond the end of the file transfers fewer elements and reports no error.

/// With an individual or the shared file pointer.
template <auto Call>
struct AtPointer {
    static int call(Piece const& p) noexcept { return Call(p.file, p.buffer, p.count, p.type, p.status); }
};

/// At an explicit offset.
template <auto Call>
struct AtOffset {
    static int call(Piece const& p) noexcept { return Call(p.file, p.offset, p.buffer, p.count, p.type, p.status); }
};

/// Nonblocking: the caller must complete the request.
template <auto Call>
struct StartAtPointer {
    static int start(Piece const& p, MPI_Request& request) noexcept {
        return Call(p.file, p.buffer, p.count, p.type, &request);
    }
};

template <auto Call>
struct StartAtOffset {
    static int start(Piece const& p, MPI_Request& request) noexcept {
        return Call(p.file, p.offset, p.buffer, p.count, p.type, &request);
    }
};

/// Split collective: a file can have at most one operation between begin and end.
template <auto Begin, auto End>
struct SplitAtPointer {
    static int begin(Piece const& p) noexcept { return Begin(p.file, p.buffer, p.count, p.type); }
    static int end(Piece const& p) noexcept { return End(p.file, p.buffer, p.status); }
};

template <auto Begin, auto End>
struct SplitAtOffset {
    static int begin(Piece const& p) noexcept { return Begin(p.file, p.offset, p.buffer, p.count, p.type); }
    static int end(Piece const& p) noexcept { return End(p.file, p.buffer, p.status); }
};

// Noncollective and blocking.
using Write = AtPointer<MPI_File_write>;
using WriteAt = AtOffset<MPI_File_write_at>;
using WriteShared = AtPointer<MPI_File_write_shared>;
using Read = AtPointer<MPI_File_read>;
using ReadAt = AtOffset<MPI_File_read_at>;
using ReadShared = AtPointer<MPI_File_read_shared>;

// Collective and blocking. The ordered calls use the shared pointer, in rank order.
using WriteAll = AtPointer<MPI_File_write_all>;
using WriteAtAll = AtOffset<MPI_File_write_at_all>;
using WriteOrdered = AtPointer<MPI_File_write_ordered>;
using ReadAll = AtPointer<MPI_File_read_all>;
using ReadAtAll = AtOffset<MPI_File_read_at_all>;
using ReadOrdered = AtPointer<MPI_File_read_ordered>;

// Noncollective and nonblocking.
using IWrite = StartAtPointer<MPI_File_iwrite>;
using IWriteAt = StartAtOffset<MPI_File_iwrite_at>;
using IWriteShared = StartAtPointer<MPI_File_iwrite_shared>;
using IRead = StartAtPointer<MPI_File_iread>;
using IReadAt = StartAtOffset<MPI_File_iread_at>;
using IReadShared = StartAtPointer<MPI_File_iread_shared>;

// Split collective.
using SplitWriteAll = SplitAtPointer<MPI_File_write_all_begin, MPI_File_write_all_end>;
using SplitWriteAtAll = SplitAtOffset<MPI_File_write_at_all_begin, MPI_File_write_at_all_end>;
using SplitWriteOrdered = SplitAtPointer<MPI_File_write_ordered_begin, MPI_File_write_ordered_end>;
using SplitReadAll = SplitAtPointer<MPI_File_read_all_begin, MPI_File_read_all_end>;
using SplitReadAtAll = SplitAtOffset<MPI_File_read_at_all_begin, MPI_File_read_at_all_end>;
using SplitReadOrdered = SplitAtPointer<MPI_File_read_ordered_begin, MPI_File_read_ordered_end>;

/// Whether a page of this part of a file is in the page cache of this host. Local. \param bytes  0: the result is false
[[nodiscard]] bool is_in_page_cache(std::string const& path, std::int64_t offset, std::int64_t bytes);

/// Whether this process has the file open for direct I/O, without the page cache (O_DIRECT). Asks the kernel, because
/// MPI libraries may report hints that they do not follow. Local. \param path  path of an open file
[[nodiscard]] bool is_open_direct(std::string const& path);

/// Marks in the names of shared pointer files. ROMIO stores the shared pointer of the open file NAME in a hidden file
/// .NAME.shfp.NUMBER in the same folder. OMPIO uses NAME-NUMBER-NUMBER.lock if its ranks are on several hosts. The
/// library deletes the file when NAME is closed, but not after a signal.
inline constexpr std::string_view pointer_mark = ".shfp.";
inline constexpr std::string_view pointer_lock = ".lock";

/// The paths of the existing shared pointer files. Local. \param path  path of the data file
[[nodiscard]] std::vector<std::string> pointer_files(std::string const& path);

/// Writes the position 0 into ROMIO's shared pointer files, to detect a full disk. ROMIO reads an empty file as
/// position 0. At the first access it writes the file, and it aborts if that fails, regardless of error handlers.
/// Local; call it on a single process, after the file was opened and before the pointer is used. \param paths  result
/// of pointer_files()  \throws std::runtime_error if a file cannot be written
void begin_pointers(std::vector<std::string> const& paths);

}  // namespace bodies
