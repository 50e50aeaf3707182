// SPDX-License-Identifier: BSD-3-Clause
#include "profile/wrap.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <execinfo.h>
#include <pthread.h>

namespace measure::profile {

constinit State state;
thread_local constinit Thread thread;
constinit Own own{};

namespace {

bool is_in_mpi(std::uint64_t address) noexcept {
    return std::any_of(state.mpi_libraries.begin(), state.mpi_libraries.end(),
                       [&](AddressRange const& library) { return library.has(address); });
}

/// Hash table of tracked objects by the number of their handle, with linear probing. MPI may use one number for several
/// active requests (messages that were sent immediately). Requests with equal data share a slot with a counter; others
/// use separate slots, which are consumed in probing order.
struct Slot {
    /// Key and counter of a slot, in one word, so that they change atomically together.
    std::atomic<std::uint64_t> word{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};
    std::atomic<int> ranks{0};

    [[nodiscard]] Followed what() const noexcept {
        return {.traffic = {.sent = sent.load(std::memory_order_relaxed),
                            .received = received.load(std::memory_order_relaxed)},
                .ranks = ranks.load(std::memory_order_relaxed)};
    }
};
constexpr std::size_t places = std::size_t{1} << 16U;
constexpr std::size_t near_enough = 64;
constinit std::array<Slot, places> slots{};

constexpr unsigned count_bits = 14;
constexpr std::uint64_t most_alike = (std::uint64_t{1} << count_bits) - 1;
constexpr std::uint64_t nothing = 0;
constexpr std::uint64_t being_filled = std::uint64_t{1} << count_bits;  // counter 0: the slot of no object

/// Key of an object. A handle has 48 bits, like an address.
std::uint64_t name_of(Thing thing, std::uint64_t handle) noexcept {
    return (handle & 0xffffffffffff) | static_cast<std::uint64_t>(thing) << 48U;
}
std::uint64_t alike(std::uint64_t word) noexcept { return word & most_alike; }
bool is_of(std::uint64_t word, std::uint64_t name) noexcept { return word >> count_bits == name && alike(word) > 0; }

/// The i-th slot for a key.
Slot& slot_of(std::uint64_t name, std::size_t i) noexcept {
    return slots[(((name * 0x9e3779b97f4a7c15) >> 48U) + i) % places];
}

/// Increments the counter. \return whether the slot has that key
bool one_more(Slot& slot, std::uint64_t name) noexcept {
    std::uint64_t word = slot.word.load(std::memory_order_acquire);
    while (is_of(word, name) && alike(word) < most_alike)
        if (slot.word.compare_exchange_weak(word, word + 1, std::memory_order_acquire))
            return true;
    return false;
}
/// Decrements the counter; at 0 the slot is free. \return whether the slot has that key
bool one_less(Slot& slot, std::uint64_t name) noexcept {
    std::uint64_t word = slot.word.load(std::memory_order_acquire);
    while (is_of(word, name))
        if (slot.word.compare_exchange_weak(word, alike(word) == 1 ? nothing : word - 1, std::memory_order_release,
                                            std::memory_order_acquire))
            return true;
    return false;
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

/// End of a thread: another thread may continue with its table. If the thread calls MPI again, it starts over.
void leave(void*) {
    if (thread.table != nullptr)
        thread.table->in_use.store(0, std::memory_order_release);
    std::free(thread.scratch);
    thread.table = nullptr;
    thread.scratch = nullptr;
    thread.room = 0;
}
void make_leaving() { pthread_key_create(&leaving, leave); }

/// Registers `leave` for the calling thread.
void note_leaving() noexcept {
    pthread_once(&leaving_once, make_leaving);
    pthread_setspecific(leaving, &thread);
}

}  // namespace

void follow(Thing thing, std::uint64_t handle, Followed const& what) noexcept {
    std::uint64_t const name = name_of(thing, handle);
    for (std::size_t i = 0; i < near_enough; ++i) {
        Slot& slot = slot_of(name, i);
        std::uint64_t word = slot.word.load(std::memory_order_acquire);
        if (is_of(word, name) && slot.what() == what && one_more(slot, name)) {
            // The slot may have been freed and refilled for the same key before the increment; now it cannot change.
            if (slot.what() == what)
                return;
            forget(thing, handle);
        } else if (word == nothing &&
                   slot.word.compare_exchange_strong(word, being_filled, std::memory_order_acquire)) {
            slot.sent.store(what.traffic.sent, std::memory_order_relaxed);
            slot.received.store(what.traffic.received, std::memory_order_relaxed);
            slot.ranks.store(what.ranks, std::memory_order_relaxed);
            slot.word.store(name << count_bits | 1, std::memory_order_release);
            return;
        }
    }
    state.table->not_followed.fetch_add(1, std::memory_order_relaxed);
}

bool look(Thing thing, std::uint64_t handle, Followed& what) noexcept {
    std::uint64_t const name = name_of(thing, handle);
    for (std::size_t i = 0; i < near_enough; ++i) {
        Slot const& slot = slot_of(name, i);
        if (!is_of(slot.word.load(std::memory_order_acquire), name))
            continue;
        what = slot.what();
        std::atomic_thread_fence(std::memory_order_acquire);
        if (is_of(slot.word.load(std::memory_order_relaxed), name))
            return true;
    }
    return false;
}

void forget(Thing thing, std::uint64_t handle) noexcept {
    std::uint64_t const name = name_of(thing, handle);
    // A slot that was already passed may become free and get this key while another thread takes a later slot, so
    // search twice.
    for (std::size_t i = 0; i < 2 * near_enough; ++i)
        if (one_less(slot_of(name, i % near_enough), name))
            return;
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
    if (n > thread.room) {
        std::size_t const wanted = std::bit_ceil(n);
        auto* const more = static_cast<std::uint64_t*>(std::realloc(thread.scratch, wanted * sizeof(std::uint64_t)));
        if (more == nullptr)
            return nullptr;
        thread.scratch = more;
        thread.room = wanted;
        note_leaving();
    }
    return thread.scratch;
}

std::uint64_t application_site(std::uint64_t caller) noexcept {
    if (!is_in_mpi(caller))
        return caller;
    std::array<void*, 32> frames{};
    int const found = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    bool is_above = false;
    for (int i = 0; i < found; ++i) {
        auto const address = reinterpret_cast<std::uint64_t>(frames[static_cast<std::size_t>(i)]);
        is_above = is_above || address == caller;
        if (is_above && !is_in_mpi(address))
            return address;
    }
    return caller;
}

void prepare_sites() noexcept {
    void* frame = nullptr;
    static_cast<void>(::backtrace(&frame, 1));
}

ThreadTable* take_table() noexcept {
    RankTable& table = *state.table;
    for (std::size_t i = 0; i < table.thread.size(); ++i) {
        ThreadTable& mine = table.thread[i];
        std::uint32_t free = 0;
        if (!mine.in_use.compare_exchange_strong(free, 1, std::memory_order_acquire))
            continue;
        // The file system of the table may be full: a missing page would end the process later.
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
        thread.table = &mine;
        note_leaving();
        return &mine;
    }
    return nullptr;
}

}  // namespace measure::profile
