// SPDX-License-Identifier: BSD-3-Clause
#include "profile/wrap.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <pthread.h>

namespace measure::profile {

constinit State state;
thread_local constinit Thread thread;
constinit Own own{};

namespace {

/// Followed things, by the number of their handle. A thing lies near the place that its number gives. MPI may have
/// several requests with one number under way (messages that were sent at once): those that are alike share a place,
/// others are taken in turn.
constexpr std::size_t places = std::size_t{1} << 16U;
constexpr std::size_t near_enough = 64;
constexpr std::uint64_t nothing = 0;
constexpr std::uint64_t being_filled = 1;

constinit std::array<std::atomic<std::uint64_t>, places> handles{};
constinit std::array<std::atomic<std::uint32_t>, places> alike{};  ///< that share the place
constinit std::array<Followed, places> things{};

/// Never `nothing` nor `being_filled`.
std::uint64_t name_of(Thing thing, std::uint64_t handle) noexcept {
    return (handle << 4U) | 4U | static_cast<std::uint64_t>(thing) << 62U | 2U;
}

std::size_t place_of(std::uint64_t name) noexcept { return (name * 0x9e3779b97f4a7c15) >> 48U; }

/// The place of a thing of that name; `places` where there is none.
std::size_t find(std::uint64_t name) noexcept {
    std::size_t const first = place_of(name);
    for (std::size_t i = 0; i < near_enough; ++i)
        if (std::size_t const place = (first + i) % places; handles[place].load(std::memory_order_acquire) == name)
            return place;
    return places;
}

/// One more, or one less, of what shares a place; not where there is none any more. \return how many there were
std::uint32_t add_alike(std::size_t place, std::uint32_t one) noexcept {
    std::uint32_t n = alike[place].load(std::memory_order_relaxed);
    while (n > 0 && !alike[place].compare_exchange_weak(n, n + one, std::memory_order_acq_rel))
        continue;
    return n;
}

int ranks_of_group(MPI_Group group) noexcept {
    int size = 0;
    own.group_size(group, &size);
    own.group_free(&group);
    return size;
}

template <class H>
int ranks_of(Thing thing, H handle, int (*get_group)(H, MPI_Group*)) noexcept {
    Followed what;
    if (look(thing, number_of(handle), what))
        return what.ranks;
    MPI_Group group = MPI_GROUP_NULL;
    if (get_group(handle, &group) != MPI_SUCCESS)
        return 0;
    what.ranks = ranks_of_group(group);
    follow(thing, number_of(handle), what);
    return what.ranks;
}

pthread_key_t leaving;
pthread_once_t leaving_once = PTHREAD_ONCE_INIT;

/// A thread has ended: another one may go on with its table.
void leave(void* table) { static_cast<ThreadTable*>(table)->in_use.store(0, std::memory_order_release); }
void make_leaving() { pthread_key_create(&leaving, leave); }

}  // namespace

void follow(Thing thing, std::uint64_t handle, Followed const& what) noexcept {
    std::uint64_t const name = name_of(thing, handle);
    std::size_t const first = place_of(name);
    for (std::size_t i = 0; i < near_enough; ++i) {
        std::size_t const place = (first + i) % places;
        std::uint64_t there = handles[place].load(std::memory_order_acquire);
        if (there == name && things[place] == what && add_alike(place, 1) > 0)
            return;
        if (there == nothing &&
            handles[place].compare_exchange_strong(there, being_filled, std::memory_order_acquire)) {
            things[place] = what;
            alike[place].store(1, std::memory_order_relaxed);
            handles[place].store(name, std::memory_order_release);
            return;
        }
    }
    state.table->not_followed.fetch_add(1, std::memory_order_relaxed);
}

bool look(Thing thing, std::uint64_t handle, Followed& what) noexcept {
    std::size_t const place = find(name_of(thing, handle));
    if (place == places)
        return false;
    what = things[place];
    return true;
}

void forget(Thing thing, std::uint64_t handle) noexcept {
    std::size_t const place = find(name_of(thing, handle));
    if (place != places && add_alike(place, ~std::uint32_t{0}) == 1)
        handles[place].store(nothing, std::memory_order_release);
}

int ranks_of_window(MPI_Win win) noexcept { return ranks_of(Thing::window, win, own.win_get_group); }
int ranks_of_file(MPI_File file) noexcept { return ranks_of(Thing::file, file, own.file_get_group); }
int take_ranks_of_window(MPI_Win win) noexcept {
    int const size = ranks_of_window(win);
    forget(Thing::window, number_of(win));
    return size;
}
int take_ranks_of_file(MPI_File file) noexcept {
    int const size = ranks_of_file(file);
    forget(Thing::file, number_of(file));
    return size;
}

Degree degree(MPI_Comm comm) noexcept {
    int kind = MPI_UNDEFINED;
    int in = 0;
    int out = 0;
    int weighted = 0;
    own.topo_test(comm, &kind);
    if (kind == MPI_CART) {
        own.cartdim_get(comm, &in);
        in = out = 2 * in;
    } else if (kind == MPI_GRAPH) {
        own.graph_neighbors_count(comm, rank(comm), &in);
        out = in;
    } else if (kind == MPI_DIST_GRAPH) {
        own.dist_graph_neighbors_count(comm, &in, &out, &weighted);
    }
    return {static_cast<std::uint64_t>(in), static_cast<std::uint64_t>(out)};
}

std::uint64_t* scratch(std::size_t n) noexcept {
    thread_local constinit std::uint64_t* kept = nullptr;
    thread_local constinit std::size_t room = 0;
    if (n > room) {
        std::size_t const wanted = std::bit_ceil(n);
        auto* const more = static_cast<std::uint64_t*>(std::realloc(kept, wanted * sizeof(std::uint64_t)));
        if (more == nullptr)
            return nullptr;
        kept = more;
        room = wanted;
    }
    return kept;
}

ThreadTable* take_table() noexcept {
    pthread_once(&leaving_once, make_leaving);
    RankTable& table = *state.table;
    for (std::size_t i = 0; i < table.thread.size(); ++i) {
        ThreadTable& mine = table.thread[i];
        std::uint32_t free = 0;
        if (!mine.in_use.compare_exchange_strong(free, 1, std::memory_order_acquire))
            continue;
        // The file system of a table that is a file may be full: a page that is missing later would end the process.
        auto const number = static_cast<std::uint32_t>(i + 1);
        auto const place = reinterpret_cast<char*>(&mine) - reinterpret_cast<char*>(&table);
        if (table.threads.load(std::memory_order_relaxed) < number) {
            if (state.part >= 0 && ::posix_fallocate(state.part, place, sizeof mine) != 0) {
                mine.in_use.store(0, std::memory_order_release);
                return nullptr;
            }
            for (std::uint32_t seen = table.threads.load(); seen < number;)
                if (table.threads.compare_exchange_weak(seen, number))
                    break;
        }
        pthread_setspecific(leaving, &mine);
        thread.table = &mine;
        return &mine;
    }
    return nullptr;
}

}  // namespace measure::profile
