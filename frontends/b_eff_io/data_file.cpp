// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/data_file.hpp"

#include "b_eff_io/data.hpp"
#include "b_eff_io/hints.hpp"

#include <measure/mpi_error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace b_eff_io {

std::string agreed_text(measure::Comm const& team, program::DeferredError const& trouble) {
    auto const told = program::agree(team, trouble);
    return told ? fmt::format("rank {}: {}", told->rank, told->text) : "";
}

RowType::RowType(int processes, int owner, measure::Bytes chunk) {
    int const elements = measure::to_int(chunk / element_size, "elements of a chunk");
    std::array const sizes{processes, elements};
    std::array const row{1, elements};
    std::array const start{owner, 0};
    measure::check(MPI_Type_create_subarray(2, sizes.data(), row.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE, &type_),
                   "MPI_Type_create_subarray");
    measure::check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

int DataFile::mode(Access access) const noexcept {
    int const unique = setting_.unique_open ? MPI_MODE_UNIQUE_OPEN : 0;
    switch (access) {
    case Access::write:
        return unique | MPI_MODE_CREATE | MPI_MODE_RDWR;
    case Access::rewrite:
        return unique | MPI_MODE_RDWR;
    case Access::read:
        break;
    }
    return unique | MPI_MODE_RDONLY | (setting_.keep ? 0 : MPI_MODE_DELETE_ON_CLOSE);
}

void DataFile::look(Access access, bool looks) noexcept {
    bool const creates = access == Access::write;
    auto const folder = std::filesystem::path{path_}.parent_path();
    auto const& looked_at = creates ? folder.string() : path_;
    int const mode = creates ? W_OK | X_OK : access == Access::read ? R_OK : W_OK;
    if (looks && ::access(looked_at.c_str(), mode) != 0)
        trouble_.note(fmt::format("cannot {} '{}': {}", creates ? "create" : "open", path_, std::strerror(errno)));
}

void DataFile::open(Access access, MPI_Info info, measure::Bytes segment) noexcept {
    MPI_Comm const comm = own() ? MPI_COMM_SELF : team_.native();
    if (!trouble_.ok(file_.open(comm, path_, mode(access), info), "MPI_File_open"))
        return;
    if (setting_.direct)
        look_whether_direct();
    if (strided())
        return;
    auto const begin = is_segmented(type_) ? MPI_Offset{segment} * owner_ : 0;
    trouble_.ok(MPI_File_set_view(file_.native(), begin, MPI_DOUBLE, MPI_DOUBLE, "native", info), "MPI_File_set_view");
    if (!shared_pointer())
        return;
    MPI_Offset at = 0;
    trouble_.ok(MPI_File_get_position_shared(file_.native(), &at), "MPI_File_get_position_shared");
}

/// Neither check suffices alone: OMPIO keeps all hints, while ROMIO keeps those that its file system driver knows, and
/// its driver for XFS uses an O_DIRECT descriptor in any case. If both succeed, I/O is direct.
void DataFile::look_whether_direct() {
    auto const used = hints_in_use(file_.native());
    bool const kept = std::all_of(direct_hints.begin(), direct_hints.end(), [&](char const* key) {
        return std::find(used.begin(), used.end(), HintList::value_type{key, "true"}) != used.end();
    });
    if (!kept)
        trouble_.note(
            fmt::format("'{}': the MPI library does not know the hints {}", path_, fmt::join(direct_hints, " and ")));
    else if (!bodies::is_open_direct(path_))
        trouble_.note(fmt::format("'{}': the MPI library keeps the hints {} but opens the file without O_DIRECT", path_,
                                  fmt::join(direct_hints, " and ")));
}

void DataFile::view(measure::Bytes displacement, RowType const& rows, MPI_Info info) noexcept {
    trouble_.ok(MPI_File_set_view(file_.native(), displacement, MPI_DOUBLE, rows.native(), "native", info),
                "MPI_File_set_view");
}

void DataFile::seek(measure::Bytes position) noexcept {
    MPI_Offset const element = position / element_size;
    if (shared_pointer())
        trouble_.ok(MPI_File_seek_shared(file_.native(), element, MPI_SEEK_SET), "MPI_File_seek_shared");
    else
        trouble_.ok(MPI_File_seek(file_.native(), element, MPI_SEEK_SET), "MPI_File_seek");
}

Transfer DataFile::transfer(Access access) const noexcept {
    bool const reads = access == Access::read;
    if (shared_pointer())
        return reads ? Transfer{bodies::ReadOrdered::call, "MPI_File_read_ordered"}
                     : Transfer{bodies::WriteOrdered::call, "MPI_File_write_ordered"};
    if (type_ == Type::random)
        return reads ? Transfer{bodies::ReadAt::call, "MPI_File_read_at"}
                     : Transfer{bodies::WriteAt::call, "MPI_File_write_at"};
    if (type_ == Type::separated || type_ == Type::segmented)
        return reads ? Transfer{bodies::Read::call, "MPI_File_read"} : Transfer{bodies::Write::call, "MPI_File_write"};
    return reads ? Transfer{bodies::ReadAll::call, "MPI_File_read_all"}
                 : Transfer{bodies::WriteAll::call, "MPI_File_write_all"};
}

}  // namespace b_eff_io
