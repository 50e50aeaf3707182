// SPDX-License-Identifier: BSD-3-Clause
/// The one-sided pattern: rank 0 accesses memory of its partner in one epoch, with each kind of synchronisation.
#include "skampi/routines/tables.hpp"

#include <array>

namespace skampi {
namespace {

/// One access and the fence that ends its epoch. This fence also begins the next epoch.
template <class A>
int fenced(Frame& f) {
    int const code = A::call(f.access, f.send, 0);
    return worse(code, f.window->fence());
}

int fence(Frame& f) { return f.window->fence(); }

template <class A>
int started(Frame& f) {
    MPI_Win const window = f.window->native();
    int code = MPI_Win_start(f.group, 0, window);
    code = worse(code, A::call(f.access, f.send, 0));
    return worse(code, MPI_Win_complete(window));
}

int post_and_wait(Frame& f) {
    MPI_Win const window = f.window->native();
    int const code = MPI_Win_post(f.group, 0, window);
    return worse(code, MPI_Win_wait(window));
}

template <class A>
int locked(Frame& f) {
    MPI_Win const window = f.window->native();
    int code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, f.access.target, 0, window);
    code = worse(code, A::call(f.access, f.send, 0));
    return worse(code, MPI_Win_unlock(f.access.target, window));
}

constexpr Routine line(std::string_view id, std::string_view text, OneSided calls) {
    bool const joins = calls.access == OneSided::Access::accumulate;
    return {.id = id,
            .pattern = Pattern::one_sided,
            .variations = "L",
            .origin = "new",
            .defaults = "",
            .text = text,
            .element = joins ? "MPI_INT" : "MPI_BYTE",
            .reduces = joins,
            .calls = calls};
}

template <class A>
constexpr OneSided by_fence(OneSided::Access access) {
    return {.origin = &fenced<A>, .target = &fence, .access = access, .fences = true};
}
template <class A>
constexpr OneSided by_start(OneSided::Access access) {
    return {.origin = &started<A>, .target = &post_and_wait, .access = access};
}
template <class A>
constexpr OneSided by_lock(OneSided::Access access) {
    return {.origin = &locked<A>, .target = nullptr, .access = access};
}

using Kind = OneSided::Access;

constexpr std::array accesses{
    line("MPI_Put-fence", "MPI_Put and MPI_Win_fence", by_fence<bodies::Put>(Kind::put)),
    line("MPI_Put-pscw", "MPI_Win_start, MPI_Put, MPI_Win_complete; the partner MPI_Win_post, MPI_Win_wait",
         by_start<bodies::Put>(Kind::put)),
    line("MPI_Put-lock", "MPI_Win_lock, MPI_Put, MPI_Win_unlock; the partner does nothing",
         by_lock<bodies::Put>(Kind::put)),
    line("MPI_Get-fence", "MPI_Get and MPI_Win_fence", by_fence<bodies::Get>(Kind::get)),
    line("MPI_Get-pscw", "MPI_Win_start, MPI_Get, MPI_Win_complete; the partner MPI_Win_post, MPI_Win_wait",
         by_start<bodies::Get>(Kind::get)),
    line("MPI_Get-lock", "MPI_Win_lock, MPI_Get, MPI_Win_unlock; the partner does nothing",
         by_lock<bodies::Get>(Kind::get)),
    line("MPI_Accumulate-fence", "MPI_Accumulate and MPI_Win_fence", by_fence<bodies::Accumulate>(Kind::accumulate)),
    line("MPI_Accumulate-pscw",
         "MPI_Win_start, MPI_Accumulate, MPI_Win_complete; the partner MPI_Win_post, MPI_Win_wait",
         by_start<bodies::Accumulate>(Kind::accumulate)),
    line("MPI_Accumulate-lock", "MPI_Win_lock, MPI_Accumulate, MPI_Win_unlock; the partner does nothing",
         by_lock<bodies::Accumulate>(Kind::accumulate)),
};

}  // namespace

std::span<Routine const> one_sided_routines() noexcept { return accesses; }

}  // namespace skampi
