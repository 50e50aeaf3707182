// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/operations/scratch.hpp"

#include "bodies/made_type.hpp"

#include <measure/mpi_error.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>

namespace pmb {

using measure::Bytes;

namespace {

/// The block of a process within a record, repeated through the file. An empty block is viewed as bytes.
std::optional<bodies::MadeType> block_type(View const& view) {
    if (view.record == 0 || view.block.size == 0)
        return std::nullopt;
    int const size = measure::to_int(view.block.size, "bytes of a block");
    auto const begin = static_cast<MPI_Aint>(view.block.begin);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    measure::check(MPI_Type_create_hindexed(1, &size, &begin, MPI_BYTE, &block), "MPI_Type_create_hindexed");
    MPI_Type_create_resized(block, 0, static_cast<MPI_Aint>(view.record), &made);
    MPI_Type_free(&block);
    return std::optional<bodies::MadeType>{made};
}

}  // namespace

std::string scratch_name(Files const& files, Sharing sharing, int world_rank) {
    std::string name = files.base;
    if (files.group >= 0)
        name.append("_g").append(std::to_string(files.group));
    if (sharing == Sharing::own)
        name.append("_").append(std::to_string(world_rank));
    return name;
}

ScratchFile::ScratchFile(Task const& task, Sharing sharing)
    : task_{task}, own_{sharing == Sharing::own}, path_{scratch_name(task.files, sharing, task.world_rank)} {
    // Usually there is no file to delete.
    if (is_owner())
        static_cast<void>(MPI_File_delete(path_.c_str(), MPI_INFO_NULL));
    try {
        if (!task.files.keep)
            temporary_.emplace(path_, is_owner() ? program::Unlinks::here : program::Unlinks::elsewhere);
    } catch (std::exception const& e) {
        trouble_.note(e.what());
    }
}

void ScratchFile::create(Bytes size) {
    size_ = size;
    bodies::File file;
    if (!is_owner() || !open_alone(file, MPI_MODE_CREATE | MPI_MODE_RDWR))
        return;
    ok(MPI_File_set_size(file.native(), size), "MPI_File_set_size");
    ok(file.close(), "MPI_File_close");
}

void ScratchFile::fill_up_to(Bytes end) {
    bodies::File file;
    if (end <= filled_ || !is_owner() || !open_alone(file, MPI_MODE_RDWR))
        return;
    std::vector<std::byte> piece(static_cast<std::size_t>(measure::mebi));
    bool written = true;
    for (Bytes at = filled_ / element * element; at < end && written; at += measure::mebi) {
        auto const size = static_cast<int>(std::min(measure::mebi, end - at));
        fill(std::span{piece}, [at](std::int64_t i) { return file_value(0, at / element + i); });
        written = ok(bodies::WriteAt::call({file.native(), at, piece.data(), size}), "MPI_File_write_at");
    }
    ok(MPI_File_sync(file.native()), "MPI_File_sync");
    ok(file.close(), "MPI_File_close");
    filled_ = end;
}

bool ScratchFile::open_alone(bodies::File& file, int mode) {
    return ok(file.open(MPI_COMM_SELF, path_, mode), "MPI_File_open");
}

void ScratchFile::open(View const& view) {
    int const mode = MPI_MODE_CREATE | MPI_MODE_RDWR | (own_ ? MPI_MODE_UNIQUE_OPEN : 0);
    bool const opened = ok(file_.open(comm(), path_, mode), "MPI_File_open");
    // All processes continue with a shared file, or none, because the next calls are collective.
    if (own_ ? opened : task_.team.max(opened ? 0 : 1) <= 0)
        set_view(view);
    else
        file_.leave();
}

void ScratchFile::set_view(View const& view) {
    auto const type = block_type(view);
    ok(MPI_File_set_view(file_.native(), 0, MPI_BYTE, type ? type->handle() : MPI_BYTE, "native", MPI_INFO_NULL),
       "MPI_File_set_view");
}

void ScratchFile::open_shared_pointer() {
    if (!file_)
        return;
    MPI_Offset at = 0;
    ok(MPI_File_get_position_shared(file_.native(), &at), "MPI_File_get_position_shared");
    task_.team.barrier();
    try {
        if (is_owner()) {
            auto const names = bodies::pointer_files(path_);
            for (auto const& name : names)
                temporary_pointers_.emplace_back(name);
            bodies::begin_pointers(names);
        }
    } catch (std::exception const& e) {
        trouble_.note(e.what());
    }
}

void ScratchFile::close() {
    ok(file_.close(), "MPI_File_close");
    temporary_pointers_.clear();
}

void ScratchFile::rewind() noexcept { ok(MPI_File_seek(file_.native(), 0, MPI_SEEK_SET), "MPI_File_seek"); }

void ScratchFile::rewind_shared() {
    ok(MPI_File_seek_shared(file_.native(), 0, MPI_SEEK_SET), "MPI_File_seek_shared");
    task_.team.barrier();
}

void ScratchFile::wipe() noexcept {
    ok(MPI_File_set_size(file_.native(), 0), "MPI_File_set_size");
    ok(MPI_File_set_size(file_.native(), size_), "MPI_File_set_size");
}

void ScratchFile::inspect(std::function<void(ReadAt const&)> const& look) {
    bodies::File file;
    if (!open_alone(file, MPI_MODE_RDONLY))
        return;
    look([&](Bytes at, std::span<std::byte> into) {
        bodies::Piece const piece{file.native(), at, into.data(),
                                  measure::to_int(static_cast<Bytes>(into.size()), "bytes")};
        ok(bodies::ReadAt::call(piece), "MPI_File_read_at");
    });
    ok(file.close(), "MPI_File_close");
}

}  // namespace pmb
