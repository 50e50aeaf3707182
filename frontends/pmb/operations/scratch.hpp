// SPDX-License-Identifier: BSD-3-Clause
/// Scratch: the files of the file benchmarks.
#pragma once

#include "bodies/files.hpp"
#include "pmb/kernel.hpp"
#include "pmb/operations/file_check.hpp"
#include "program/runtime/temporary_file.hpp"

#include <measure/units.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pmb {

enum class Sharing {
    common,  ///< one file shared by all processes of the team
    own,     ///< one file for each process
};

/// BASE, BASE_<world rank>, BASE_g<group>, BASE_g<group>_<world rank>.
[[nodiscard]] std::string scratch_name(Files const& files, Sharing sharing, int world_rank);

/// The view of a file: bytes, or this process's block in each record.
struct View {
    Portion block{};
    measure::Bytes record = 0;  ///< length of a record; 0: bytes
};

/// A scratch file and this process's handle to it. Its owner (each process, or the first process of the team) creates
/// it and deletes it at the end, also after a signal, unless files are kept. MPI errors are stored until the team
/// agrees on them. Not copyable or movable.
class ScratchFile {
public:
    /// Local. Deletes an existing file of that name. \param task  must outlive the object
    ScratchFile(Task const& task, Sharing sharing);
    ScratchFile(ScratchFile const&) = delete;
    ScratchFile& operator=(ScratchFile const&) = delete;

    /// Creates the file with that size on its owner. Local.
    void create(measure::Bytes size);
    /// Writes the elements of rank 0, numbered through the file, up to an offset. Owner only, local.
    void fill_up_to(measure::Bytes end);

    /// Opens the file and sets the view. A shared file is open on all processes of the team or on none. Collective
    /// over the team.
    void open(View const& view);
    /// In many libraries the shared file pointer is itself a file, created on first use. This function uses the
    /// pointer once, so that no repetition includes the creation. Collective over the team.
    void open_shared_pointer();
    /// Collective over the team. Does nothing if the file is not open.
    void close();

    /// Flushes written data to the file system. Collective over the processes that opened the file.
    bool sync() noexcept { return ok(MPI_File_sync(file_.native()), "MPI_File_sync"); }
    /// Moves the individual file pointer to the beginning. Local.
    void rewind() noexcept;
    /// Moves the shared file pointer to the beginning. Collective over the team.
    void rewind_shared();
    /// Discards the content but keeps the size. Collective over the processes that opened the file.
    void wipe() noexcept;

    /// Opens the file again for reading, as bytes regardless of the view. Local.
    void inspect(std::function<void(ReadAt const&)> const& look);

    [[nodiscard]] MPI_File native() const noexcept { return file_.native(); }
    [[nodiscard]] MPI_Comm comm() const noexcept { return own_ ? MPI_COMM_SELF : task_.team.native(); }
    [[nodiscard]] bool is_owner() const noexcept { return own_ || task_.team.is_root(); }
    /// Whether a call on this file succeeded; stores a failure. Local.
    bool ok(int code, char const* call) noexcept { return trouble_.ok(code, call); }
    /// Collective over the team. \throws KernelError on all processes of the team if a call failed on any
    void agree() { pmb::agree(task_.team, path_, trouble_); }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    void set_view(View const& view);
    /// Local, on the owner only.
    [[nodiscard]] bool open_alone(bodies::File& file, int mode);

    Task const& task_;
    bool own_;
    std::string path_;
    measure::Bytes size_ = 0;
    measure::Bytes filled_ = 0;
    std::optional<program::TemporaryFile> temporary_{};
    std::vector<program::TemporaryFile> temporary_pointers_{};
    bodies::File file_{};
    program::DeferredError trouble_{};
};

}  // namespace pmb
