// SPDX-License-Identifier: BSD-3-Clause
/// Files of MPI 2.2: an open file, and the transfers, each as a type with its call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bodies {

/// An open file, whose errors are returned. Move-only. The destructor closes, which is collective over those who
/// opened; but where an exception leads there the others will not come, and the file is left open.
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

    /// Collective over `comm`. Closes what was open. \param mode  MPI_MODE_.. \param info  hints \return MPI's code
    [[nodiscard]] int open(MPI_Comm comm, std::string const& path, int mode, MPI_Info info = MPI_INFO_NULL) noexcept {
        static_cast<void>(close());
        return MPI_File_open(comm, path.c_str(), mode, info, &file_);
    }
    /// Collective over those who opened; nothing where no file is open. \return MPI's code
    [[nodiscard]] int close() noexcept { return file_ == MPI_FILE_NULL ? MPI_SUCCESS : MPI_File_close(&file_); }

    /// Forgets the file, which stays open: where others could not open it, nobody can close it. Local.
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
    MPI_Offset offset = 0;  ///< in units of the view; calls with a file pointer go by that instead
    void* buffer = nullptr;
    int count = 0;  ///< of elements
    MPI_Datatype type = MPI_BYTE;
    MPI_Status* status = MPI_STATUS_IGNORE;  ///< where a blocking call tells how many elements it moved
};

// Shapes of calls. A read that meets the end of the file transfers less and reports no error.

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

/// Nonblocking: the request is to be waited for.
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

/// Split collective: at most one per file is between its two halves.
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

// Collective and blocking; ordered: with the shared pointer, in the order of the ranks.
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

/// Whether pages of a part of a file are in the page cache of this host, so that they are read from there. Local.
/// \param bytes  false where it is 0
[[nodiscard]] bool is_in_page_cache(std::string const& path, std::int64_t offset, std::int64_t bytes);

/// Whether this process holds a file open for direct I/O, past the page cache (O_DIRECT), as the kernel says: what MPI
/// libraries say of their hints need not be so. Local. \param path  of an open file
[[nodiscard]] bool is_open_direct(std::string const& path);

/// ROMIO keeps the shared pointer of the open file NAME in a hidden file .NAME.shfp.NUMBER beside it, and OMPIO, if its
/// ranks have several hosts, in NAME-NUMBER-NUMBER.lock; it deletes that when the file is closed. A signal would leave
/// it behind.
inline constexpr std::string_view pointer_mark = ".shfp.";
inline constexpr std::string_view pointer_lock = ".lock";

/// The paths of these files that are there now. Local. \param path  of the file
[[nodiscard]] std::vector<std::string> pointer_files(std::string const& path);

/// Writes the position 0 into those of these files that are ROMIO's, which takes an empty one for that. The first
/// access would have to write there, and ROMIO aborts where it cannot, whatever the error handlers say: a disk that is
/// full shows here, where it can be told. Local; on one process, after the file was opened and before the pointer is
/// used. \param paths  what pointer_files() found \throws std::runtime_error where one cannot be written
void begin_pointers(std::vector<std::string> const& paths);

}  // namespace bodies
