// SPDX-License-Identifier: BSD-3-Clause
/// Scratch: the files that the file benchmarks work on.
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
    common,  ///< one file of all processes of the team
    own,     ///< each process has its own
};

/// BASE, BASE_<world rank>, BASE_g<group>, BASE_g<group>_<world rank>.
[[nodiscard]] std::string scratch_name(Files const& files, Sharing sharing, int world_rank);

/// How a file is seen: as bytes, or as this process's block in each record.
struct View {
    Portion block{};
    measure::Bytes record = 0;  ///< length of a record; 0: bytes
};

/// A scratch file and this process's handle of it. Its owner - each process, or the first of the team - creates it and,
/// unless files are kept, deletes it at the end, be that a signal. What MPI refuses is kept until the team agrees on
/// it. Neither copied nor moved.
class ScratchFile {
public:
    /// Local. Deletes what has that name. \param task  lives longer
    ScratchFile(Task const& task, Sharing sharing);
    ScratchFile(ScratchFile const&) = delete;
    ScratchFile& operator=(ScratchFile const&) = delete;

    /// The owner creates the file with a size. Local.
    void create(measure::Bytes size);
    /// The owner writes the elements of rank 0, numbered through the file, up to an offset. Local.
    void fill_up_to(measure::Bytes end);

    /// Opens the file and sets the view; a common file is open on all processes of the team or on none. Collective over
    /// the team.
    void open(View const& view);
    /// The shared file pointer is itself a file in many libraries, made when it is first used: uses it, so that no
    /// repetition pays for that. Collective over the team.
    void open_shared_pointer();
    /// Collective over the team; nothing where the file is not open.
    void close();

    /// Collective over those who opened. All that was written is on the file system.
    bool sync() noexcept { return ok(MPI_File_sync(file_.native()), "MPI_File_sync"); }
    /// The own file pointer to the beginning. Local.
    void rewind() noexcept;
    /// The shared one. Collective over the team.
    void rewind_shared();
    /// Forgets the content, keeps the size. Collective over those who opened.
    void wipe() noexcept;

    /// Opens the file once more, for reading: what is there, whatever the view. Local.
    void inspect(std::function<void(ReadAt const&)> const& look);

    [[nodiscard]] MPI_File native() const noexcept { return file_.native(); }
    [[nodiscard]] MPI_Comm comm() const noexcept { return own_ ? MPI_COMM_SELF : task_.team.native(); }
    [[nodiscard]] bool is_owner() const noexcept { return own_ || task_.team.is_root(); }
    /// Whether a call on this file succeeded. Local.
    bool ok(int code, char const* call) noexcept { return trouble_.ok(code, call); }
    /// Collective over the team. \throws KernelError on all its processes where anything failed on any
    void agree() { pmb::agree(task_.team, path_, trouble_); }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    void set_view(View const& view);
    /// Local: the owner's alone.
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
