// SPDX-License-Identifier: BSD-3-Clause
/// Storage: bodies that pass over a process's own memory, or transfer a file by MPI-IO or directly.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/files.hpp"
#include "mpiperf/operations/memory_kernels.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/comm.hpp>
#include <measure/keep.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace mpiperf {

/// Reads memory of this process from the first byte to the last.
class MemoryRead {
public:
    MemoryRead(measure::Bytes bytes, bodies::Buffers memory)
        : bytes_{static_cast<std::size_t>(bytes)}, memory_{std::move(memory)} {}

    void operator()(measure::Iteration it) const noexcept {
        auto const sum = kernels_.read(static_cast<std::byte const*>(memory_.send(it)), bytes_);
        measure::keep(sum);
    }

private:
    std::size_t bytes_;
    MemoryKernels kernels_ = memory_kernels().back();
    bodies::Buffers memory_;
};

/// The triad of STREAM: a = b + s c. The receive buffer holds a, the send buffer holds b and c.
class MemoryTriad {
public:
    /// Bytes per element in a, b and c together. The cache's read of a before the write is not counted.
    static constexpr measure::Bytes element = 3 * sizeof(double);

    MemoryTriad(measure::Bytes bytes, bodies::Buffers memory)
        : elements_{static_cast<std::size_t>(bytes / element)}, memory_{std::move(memory)} {}

    void operator()(measure::Iteration it) const noexcept {
        constexpr double factor = 3;
        auto const* const b = static_cast<double const*>(memory_.send(it));
        auto* const a = static_cast<double*>(memory_.receive(it));
        kernels_.triad(a, b, b + elements_, factor, elements_);
        measure::keep(a);
    }

private:
    std::size_t elements_;
    MemoryKernels kernels_ = memory_kernels().back();
    bodies::Buffers memory_;
};

/// Writes memory with memset.
class MemoryWrite {
public:
    MemoryWrite(measure::Bytes bytes, bodies::Buffers memory)
        : bytes_{static_cast<std::size_t>(bytes)}, memory_{std::move(memory)} {}

    void operator()(measure::Iteration it) const noexcept {
        measure::keep(std::memset(memory_.receive(it), static_cast<int>(it.index), bytes_));
    }

private:
    std::size_t bytes_;
    bodies::Buffers memory_;
};

enum class FileUse { write, read };

/// Each process writes its part of a shared file and flushes it to the disk, or reads it. The file is deleted with the
/// body, also if a signal ends the process. Move-only.
class FileAccess {
public:
    /// Collective over the team. For reading, the file is written first.
    /// \param folder  of the file  \param bytes  of each process's part
    /// \throws measure::SkipPoint on all ranks if the file cannot be opened or written
    FileAccess(measure::Comm const& team, std::string const& folder, FileUse use, measure::Bytes bytes,
               bodies::Buffers memory);

    /// Whether any process reads its part from its host's page cache. Collective over the team.
    [[nodiscard]] bool is_cached(measure::Comm const& team) const;

    /// \returns false if MPI reports an error or moves less data
    bool operator()(measure::Iteration it) const noexcept {
        return use_ == FileUse::write ? write(it) : moves<bodies::ReadAt>(memory_.receive(it));
    }

private:
    template <class Transfer>
    [[nodiscard]] bool moves(void* buffer) const noexcept {
        MPI_Status status;
        int moved = 0;
        return Transfer::call({file_.native(), offset_, buffer, bytes_, MPI_BYTE, &status}) == MPI_SUCCESS &&
               MPI_Get_count(&status, MPI_BYTE, &moved) == MPI_SUCCESS && moved == bytes_;
    }
    [[nodiscard]] bool write(measure::Iteration it) const noexcept {
        bool const written = moves<bodies::WriteAt>(memory_.send(it));
        return MPI_File_sync(file_.native()) == MPI_SUCCESS && written;
    }

    FileUse use_;
    int bytes_;
    MPI_Offset offset_;
    bodies::Buffers memory_;
    std::string path_{};
    std::optional<program::TemporaryFile> name_{};  ///< outlives the open file
    bodies::File file_{};
};

/// An open file descriptor. Move-only.
struct Descriptor {
    explicit Descriptor(int opened = -1) noexcept : number{opened} {}
    Descriptor(Descriptor&& other) noexcept : number{std::exchange(other.number, -1)} {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number, other.number);
        return *this;
    }
    ~Descriptor() {
        if (number >= 0)
            ::close(number);
    }
    int number;  ///< -1: no file
};

/// Bypasses the page cache: each process calls pwrite or pread on a file opened with O_DIRECT. MPI-IO does so only
/// with some hints and file systems. Move-only.
class DirectAccess {
public:
    /// Unit of addresses, sizes and offsets in bytes; large enough for all common file systems.
    static constexpr measure::Bytes block = 4096;

    /// As for `FileAccess`. \param memory  aligned to multiples of `block`
    /// \throws measure::SkipPoint on all ranks, also if the file system refuses O_DIRECT or bytes are not whole blocks
    DirectAccess(measure::Comm const& team, std::string const& folder, FileUse use, measure::Bytes bytes,
                 bodies::Buffers memory);
    /// Whether any process reads its part from memory despite O_DIRECT, because a file system such as tmpfs has no
    /// device. Collective over the team.
    [[nodiscard]] bool is_cached(measure::Comm const& team) const;

    /// \returns false if the system reports an error or moves less data
    bool operator()(measure::Iteration it) const noexcept {
        return use_ == FileUse::write ? write(it)
                                      : ::pread(file_.number, memory_.receive(it), bytes_, offset_) == moved();
    }

private:
    [[nodiscard]] ::ssize_t moved() const noexcept { return static_cast<::ssize_t>(bytes_); }
    [[nodiscard]] bool write(measure::Iteration it) const noexcept {
        bool const written = ::pwrite(file_.number, memory_.send(it), bytes_, offset_) == moved();
        return ::fdatasync(file_.number) == 0 && written;
    }

    FileUse use_;
    std::size_t bytes_;
    ::off_t offset_;
    bodies::Buffers memory_;
    std::string path_{};
    std::optional<program::TemporaryFile> name_{};
    Descriptor file_{};
};

}  // namespace mpiperf
