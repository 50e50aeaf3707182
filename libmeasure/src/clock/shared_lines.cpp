// SPDX-License-Identifier: BSD-3-Clause
#include "clock/shared_lines.hpp"

#include "measure/mpi_error.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <new>
#include <string_view>

namespace measure::detail {

namespace {

/// Ranks of a simulator share memory only because they are one process; transfers in that memory take no simulated
/// time.
bool is_simulated() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return std::string_view{text, static_cast<std::size_t>(length)}.find("SMPI") != std::string_view::npos;
}

/// Whether the memory really exists. If /dev/shm is full, a window can be allocated, but the first access kills the
/// program. A system call that accesses the memory fails instead.
bool is_there(void* memory, std::size_t bytes) {
    int const zeros = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (zeros < 0)
        return false;
    auto const touched = ::read(zeros, memory, bytes);
    ::close(zeros);
    return touched == static_cast<ssize_t>(bytes);
}

}  // namespace

void give_way(Comm const& comm) {
    comm.progress();
    sched_yield();
}

SharedLines const* SharedLines::of(Comm const& comm) {
    if (comm.lines_ == nullptr && comm.size() > 1)
        comm.lines_ = new SharedLines(comm);
    return made(comm);
}

SharedLines const* SharedLines::made(Comm const& comm) noexcept {
    return comm.lines_ != nullptr && comm.lines_->lines_ != nullptr ? comm.lines_ : nullptr;
}

SharedLines::SharedLines(Comm const& comm) : node_{comm.node()} {
    if (node_.size() == 1 || is_simulated())
        return;
    check(MPI_Comm_group(comm.native(), &all_), "MPI_Comm_group");
    check(MPI_Comm_group(node_.native(), &here_), "MPI_Comm_group");
    auto const bytes = static_cast<MPI_Aint>(sizeof(SharedLine)) * (node_.is_root() ? node_.size() : 0);
    void* base = nullptr;
    int const made =
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node_.native(), static_cast<void*>(&base), &window_);
    // If a rank has no window, the others cannot free theirs, because MPI_Win_free is collective.
    if (node_.max(made == MPI_SUCCESS ? 0 : 1) != 0) {
        window_ = MPI_WIN_NULL;
        return;
    }
    MPI_Aint size = 0;
    int unit = 0;
    bool fine = MPI_Win_shared_query(window_, 0, &size, &unit, static_cast<void*>(&base)) == MPI_SUCCESS;
    auto* const lines = static_cast<SharedLine*>(base);
    if (fine && node_.is_root()) {
        fine = is_there(lines, static_cast<std::size_t>(bytes));
        for (int i = 0; fine && i < node_.size(); ++i)
            new (lines + i) SharedLine;
    }
    // If one rank fails, all ranks of its host use messages. The call also ensures that the lines are initialised.
    if (node_.max(fine ? 0 : 1) == 0)
        lines_ = lines;
}

SharedLines::~SharedLines() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0)
        return;
    for (MPI_Group* const group : {&all_, &here_})
        if (*group != MPI_GROUP_NULL)
            MPI_Group_free(group);
    if (window_ != MPI_WIN_NULL)
        MPI_Win_free(&window_);
}

int SharedLines::local(int rank) const {
    int here = MPI_UNDEFINED;
    check(MPI_Group_translate_ranks(all_, 1, &rank, here_, &here), "MPI_Group_translate_ranks");
    return here;
}

std::optional<SharedLink> SharedLines::link(Comm const& comm, int client, int peer) const {
    if (local(peer) == MPI_UNDEFINED)
        return std::nullopt;
    return SharedLink{comm, lines_[local(client)], peer};
}

}  // namespace measure::detail
