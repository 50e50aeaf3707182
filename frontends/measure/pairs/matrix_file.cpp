// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/matrix.hpp"
#include "shared/sha256.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace measure::tool::pairs {

void check_matrix() {}

std::string write_matrix(measure::Comm const& world, std::string const& path, Result const& result) {
    auto const head = matrix_head(result);
    int failed = 0;  // MPI's first code
    auto const note = [&](int code) { failed = failed == 0 ? code : failed; };
    MPI_File file = MPI_FILE_NULL;
    note(MPI_File_open(world.native(), path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    // Where some could not open it, nobody can close it.
    bool const is_open = world.max(failed == 0 ? 0 : 1) <= 0;
    auto const write = [&](std::size_t at, std::string const& bytes) {
        if (is_open && failed == 0)
            note(MPI_File_write_at(file, static_cast<MPI_Offset>(at), bytes.data(), static_cast<int>(bytes.size()),
                                   MPI_BYTE, MPI_STATUS_IGNORE));
    };
    if (world.is_root())
        write(0, head);
    auto const& share = result.tournaments.front().values.share();
    for (int node = share.first; node < share.first + share.count; ++node) {
        std::size_t matrix = 0;
        for (auto const& bytes : row_bytes(result, node))
            write(head.size() + (matrix++ * result.nodes.size() + index(node)) * bytes.size(), bytes);
    }
    if (is_open)
        note(MPI_File_close(&file));
    if (world.max(failed == 0 ? 0 : 1) > 0)
        throw std::runtime_error(fmt::format("cannot write '{}'", path));
    return world.is_root() ? sha256_of_file(path) : std::string{};
}

}  // namespace measure::tool::pairs
