// SPDX-License-Identifier: BSD-3-Clause
/// Wrap: building blocks of the wrappers of MPI's functions. They run inside any application, so they do not throw, do
/// not allocate during a call, and do not need the C++ library.
#pragma once

#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif

#include "profile/table.hpp"

#include <mpi.h>
#include <time.h>

#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// In Open MPI these handles are objects. Processes without MPI do not have them, but must start anyway.
#ifdef OPEN_MPI
#pragma weak ompi_message_no_proc
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_group_null
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_op_min
#pragma weak ompi_mpi_op_no_op
#pragma weak ompi_message_null
#pragma weak ompi_request_null
#endif

// Return address of the wrapper that contains it.
#define MEASURE_PROFILE_SITE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))  // NOLINT

// Marks the exported functions that replace functions of MPI.
#define MEASURE_PROFILE_PUBLIC [[gnu::visibility("default")]]

namespace measure::profile {

/// Address range of a mapped file.
struct AddressRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    [[nodiscard]] bool has(std::uint64_t address) const noexcept { return begin <= address && address < end; }
};

/// Settings and table of the process. They do not change while the application runs.
struct State {
    std::atomic<bool> on{false};
    bool counts_only = false;
    bool waits = false;
    bool sites = false;
    bool tsc = false;
    std::uint64_t scale = 0;  ///< nanoseconds per tick, times 2^32
    RankTable* table = nullptr;
    int part = -1;  ///< descriptor of the table's file; -1: the table is not a file
    std::array<AddressRange, 8> mpi_libraries{};
};
extern constinit State state;

/// State of the calling thread.
struct Thread {
    int depth = 0;  ///< number of active MPI calls; calls that MPI makes internally do not count
    ThreadTable* table = nullptr;
    std::uint64_t* scratch = nullptr;  ///< see `scratch`
    std::size_t room = 0;              ///< size of `scratch` in elements
};
[[gnu::tls_model("initial-exec")]] extern thread_local constinit Thread thread;

/// The next definition of an MPI function after this library, in another tool or in MPI itself; nullptr if there is no
/// other definition.
[[nodiscard]] void* find_next(char const* name) noexcept;

template <class F>
[[nodiscard]] inline F* next_of(F*& found, char const* name) noexcept {
    if (__builtin_expect(found == nullptr, 0)) {
        void* const address = find_next(name);
        if (address == nullptr)
            std::abort();  // unreachable: the application could not have been started
        found = reinterpret_cast<F*>(address);
    }
    return found;
}

/// MPI's own functions, invisible to other tools. Found when recording begins.
struct Own {
    decltype(&PMPI_Iallreduce) iallreduce;
    decltype(&PMPI_Test) test;
    decltype(&PMPI_Bcast) bcast;
    decltype(&PMPI_Barrier) barrier;
    decltype(&PMPI_Comm_rank) comm_rank;
    decltype(&PMPI_Comm_size) comm_size;
    decltype(&PMPI_Comm_remote_size) comm_remote_size;
    decltype(&PMPI_Comm_test_inter) comm_test_inter;
    decltype(&PMPI_Type_size_x) type_size;
    decltype(&PMPI_Get_elements_x) get_elements;
    decltype(&PMPI_Win_get_group) win_get_group;
    decltype(&PMPI_File_get_group) file_get_group;
    decltype(&PMPI_File_f2c) file_f2c;
#ifdef OPEN_MPI
    decltype(&PMPI_Comm_f2c) comm_f2c;
    decltype(&PMPI_Message_f2c) message_f2c;
    decltype(&PMPI_Op_f2c) op_f2c;
    decltype(&PMPI_Request_f2c) request_f2c;
    decltype(&PMPI_Type_f2c) type_f2c;
    decltype(&PMPI_Win_f2c) win_f2c;
#endif
    decltype(&PMPI_Group_size) group_size;
    decltype(&PMPI_Group_free) group_free;
    decltype(&PMPI_Topo_test) topo_test;
    decltype(&PMPI_Cartdim_get) cartdim_get;
    decltype(&PMPI_Graph_neighbors_count) graph_neighbors_count;
    decltype(&PMPI_Dist_graph_neighbors_count) dist_graph_neighbors_count;
};
extern constinit Own own;

[[nodiscard]] inline std::uint64_t monotonic() noexcept {
    ::timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

/// A time stamp; 0 if only calls are counted.
[[nodiscard]] inline std::uint64_t now() noexcept {
    if (state.counts_only)
        return 0;
#if defined(__x86_64__)
    if (state.tsc)
        return __builtin_ia32_rdtsc();
#endif
    return monotonic();
}

[[nodiscard]] inline std::uint64_t nanoseconds(std::uint64_t begin, std::uint64_t end) noexcept {
    std::uint64_t const stamps = end > begin ? end - begin : 0;
    if (!state.tsc)
        return stamps;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(stamps) * state.scale + (Wide{1} << 31U)) >> 32U);
}

/// The call site in the application. MPI's Fortran bindings call its C functions, so if the caller is in an MPI
/// library, its own callers are searched for the first one outside.
[[nodiscard]] std::uint64_t application_site(std::uint64_t caller) noexcept;
/// Loads in advance what the first call of `application_site` would load.
void prepare_sites() noexcept;

/// Reserves a table for the calling thread; nullptr if all are in use.
[[nodiscard]] ThreadTable* take_table() noexcept;

/// One MPI call of the application, from entry to exit.
class Scope {
public:
    explicit Scope(std::uint64_t site) noexcept : site_{site} {
        counts_ = ++thread.depth == 1 && state.on.load(std::memory_order_relaxed);
        if (counts_)
            site_ = state.sites ? application_site(site) : 0;
    }
    ~Scope() { --thread.depth; }
    Scope(Scope const&) = delete;
    Scope& operator=(Scope const&) = delete;

    [[nodiscard]] bool counts() const noexcept { return counts_; }

    /// With --waiting, waits in a barrier for all ranks. \return begin of the call
    [[nodiscard]] std::uint64_t meet(MPI_Comm comm) noexcept {
        if (!state.waits)
            return now();
        std::uint64_t const begin = now();
        own.barrier(comm);
        std::uint64_t const end = now();
        waited_ = nanoseconds(begin, end);
        went_back_ = end < begin;
        return end;
    }

    /// \param bytes  size for the key  \param moved  bytes sent and received by this call
    void record(std::uint16_t call, std::uint64_t bytes, Traffic moved, int ranks, std::uint64_t begin) const noexcept {
        record(call, bytes, moved, ranks, begin, now());
    }
    void record(std::uint16_t call, std::uint64_t bytes, Traffic moved, int ranks, std::uint64_t begin,
                std::uint64_t end) const noexcept {
        ThreadTable* table = thread.table;
        if (__builtin_expect(table == nullptr, 0) && (table = take_table()) == nullptr) {
            state.table->unrecorded.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        if (__builtin_expect(went_back_ || end < begin, 0)) {
            state.table->backward.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        Entry& entry = table->find({.call = call, .size_class = size_class_of(bytes), .ranks = ranks, .site = site_},
                                   state.table->keys);
        if (state.counts_only)
            entry.count(moved);
        else
            entry.add(moved, nanoseconds(begin, end), waited_);
    }

private:
    std::uint64_t site_;
    std::uint64_t waited_ = 0;
    bool went_back_ = false;  ///< the clock went back during the barrier
    bool counts_;
};

/// Converts a handle to a number: it is an integer in MPICH and a pointer in Open MPI.
template <class H>
[[nodiscard]] inline std::uint64_t number_of(H handle) noexcept {
    if constexpr (sizeof(H) == sizeof(std::uint64_t))
        return std::bit_cast<std::uint64_t>(handle);
    else
        return std::bit_cast<std::uint32_t>(handle);
}

[[nodiscard]] inline int ranks(MPI_Comm comm) noexcept {
    int size = 0;
    return comm != MPI_COMM_NULL && own.comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}
[[nodiscard]] inline std::uint64_t members(MPI_Comm comm) noexcept { return static_cast<std::uint64_t>(ranks(comm)); }
[[nodiscard]] inline int rank(MPI_Comm comm) noexcept {
    int mine = 0;
    own.comm_rank(comm, &mine);
    return mine;
}
[[nodiscard]] inline bool is_inter(MPI_Comm comm) noexcept {
    int inter = 0;
    own.comm_test_inter(comm, &inter);
    return inter != 0;
}
/// Number of ranks in the group that a rank exchanges data with.
[[nodiscard]] inline std::uint64_t peers(MPI_Comm comm) noexcept {
    int size = 0;
    if (is_inter(comm))
        own.comm_remote_size(comm, &size);
    else
        own.comm_size(comm, &size);
    return static_cast<std::uint64_t>(size);
}
/// Number of ranks in the group of a window or an open file. Cached until it is taken.
/// \{
[[nodiscard]] int ranks_of_window(MPI_Win win) noexcept;
[[nodiscard]] int ranks_of_file(MPI_File file) noexcept;
[[nodiscard]] int take_ranks_of_window(MPI_Win win) noexcept;
[[nodiscard]] int take_ranks_of_file(MPI_File file) noexcept;
/// \}

[[nodiscard]] inline bool in_place(void const* buffer) noexcept { return buffer == MPI_IN_PLACE; }

/// Whether this rank is the root. For an inter-communicator, the root argument says so.
[[nodiscard]] inline bool is_root(int root, MPI_Comm comm) noexcept {
    return root < 0 ? root == MPI_ROOT : !is_inter(comm) && rank(comm) == root;
}

/// Size in bytes of `count` elements of a type.
template <class Count>
[[nodiscard]] inline std::uint64_t size(Count count, MPI_Datatype type) noexcept {
    MPI_Count bytes = 0;
    if (count <= 0 || own.type_size(type, &bytes) != MPI_SUCCESS || bytes < 0)
        return 0;
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
}

/// A size that is computed only when needed, because the arguments are not significant on all ranks.
template <class Count>
struct size_of {
    size_of(Count c, MPI_Datatype t) noexcept : count{c}, type{t} {}
    Count count;
    MPI_Datatype type;
};
template <class Count>
[[nodiscard]] inline std::uint64_t sends_to_root(int root, size_of<Count> what) noexcept {
    return root < 0 ? 0 : size(what.count, what.type);
}

/// Traffic of data that the root sends to all other ranks.
template <class Count>
[[nodiscard]] inline Traffic broadcast(int root, MPI_Comm comm, size_of<Count> what) noexcept {
    if (root < 0 && root != MPI_ROOT)
        return {};
    std::uint64_t const bytes = size(what.count, what.type);
    return is_root(root, comm) ? Traffic{bytes, 0} : Traffic{0, bytes};
}

/// Bytes to or from another rank; 0 for MPI_PROC_NULL.
template <class Count>
[[nodiscard]] inline std::uint64_t to(int other, Count count, MPI_Datatype type) noexcept {
    return other == MPI_PROC_NULL ? 0 : size(count, type);
}

/// Total bytes of a call with a separate count for each rank.
/// \{
template <class Count>
[[nodiscard]] inline std::uint64_t sum(Count const* counts, std::uint64_t n, MPI_Datatype type) noexcept {
    std::uint64_t elements = 0;
    for (std::uint64_t i = 0; i < n; ++i)
        elements += static_cast<std::uint64_t>(counts[i]);
    return size(static_cast<std::int64_t>(elements), type);
}
template <class Count, class Types>
requires(!std::same_as<Types, MPI_Datatype>) [[nodiscard]] inline std::uint64_t
    sum(Count const* counts, std::uint64_t n, Types types) noexcept {
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < n; ++i)
        bytes += size(counts[i], types[i]);
    return bytes;
}
/// \}

/// Number of neighbours in a topology.
struct Degree {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
};
[[nodiscard]] Degree degree(MPI_Comm comm) noexcept;

/// Bytes of a received message, by its status.
[[nodiscard]] inline std::uint64_t arrived(MPI_Status const* status, int source) noexcept {
    MPI_Count bytes = 0;
    bool const known = source != MPI_PROC_NULL && own.get_elements(status, MPI_BYTE, &bytes) == MPI_SUCCESS;
    return known && bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

[[nodiscard]] inline bool is_ignored(MPI_Status const* status) noexcept { return status == MPI_STATUS_IGNORE; }

/// Data stored with a request, a probed message, a window or a file while it exists.
struct Followed {
    Traffic traffic{};
    int ranks = 0;
    friend bool operator==(Followed const&, Followed const&) = default;
};

/// Type of a handle. Handles of different types may have the same number.
enum class Thing : std::uint64_t { request = 0, message = 1, window = 2, file = 3 };

/// Table of active requests, messages, windows and files. It has a fixed size for all threads together. Objects that do
/// not fit are counted, and their data are unknown later.
/// \{
void follow(Thing thing, std::uint64_t handle, Followed const& what) noexcept;
[[nodiscard]] bool look(Thing thing, std::uint64_t handle, Followed& what) noexcept;
void forget(Thing thing, std::uint64_t handle) noexcept;
/// \}

inline void follow(MPI_Request request, Traffic traffic, int ranks) noexcept {
    if (request != MPI_REQUEST_NULL)
        follow(Thing::request, number_of(request), {traffic, ranks});
}
inline void message_of(MPI_Message message, MPI_Comm comm) noexcept {
    if (message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC)
        follow(Thing::message, number_of(message), {{}, ranks(comm)});
}
[[nodiscard]] inline int ranks_of_message(MPI_Message message) noexcept {
    Followed what;
    if (!look(Thing::message, number_of(message), what))
        return 0;
    forget(Thing::message, number_of(message));
    return what.ranks;
}

/// Buffer for a copy of handles. It grows as needed and is freed at the end of the thread. nullptr if out of memory.
[[nodiscard]] std::uint64_t* scratch(std::size_t n) noexcept;

/// The requests of a call, in their state before the call. \tparam Handles  a pointer or FortranHandles
template <class Handles>
class Requests {
public:
    template <class Count>
    Requests(Count n, Handles requests) noexcept
        : n_{n > 0 ? static_cast<std::size_t>(n) : 0}, requests_{requests}, before_{n_ > 1 ? scratch(n_) : &single_} {
        for (std::size_t i = 0; i < n_; ++i) {
            if (before_ != nullptr)
                before_[i] = number_of(requests[i]);
            Followed one;
            if (requests[i] == MPI_REQUEST_NULL || !look(Thing::request, number_of(requests[i]), one))
                continue;
            traffic_.sent += one.traffic.sent;
            traffic_.received += one.traffic.received;
            ranks_ = ranks_ == 0 ? one.ranks : ranks_;
        }
    }
    Requests(Requests const&) = delete;
    Requests& operator=(Requests const&) = delete;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return traffic_.both(); }
    [[nodiscard]] Traffic traffic() const noexcept { return traffic_; }
    /// Size of the first request's communicator.
    [[nodiscard]] int ranks() const noexcept { return ranks_; }

    /// Forgets completed requests, which MPI has set to MPI_REQUEST_NULL. Persistent requests remain.
    void forget() const noexcept {
        if (before_ == nullptr)
            return;
        for (std::size_t i = 0; i < n_; ++i)
            if (requests_[i] == MPI_REQUEST_NULL && before_[i] != number_of(MPI_Request{MPI_REQUEST_NULL}))
                profile::forget(Thing::request, before_[i]);
    }

private:
    std::size_t n_;
    Handles requests_;
    std::uint64_t single_ = 0;
    std::uint64_t* before_;
    Traffic traffic_{};
    int ranks_ = 0;
};

/// Conversion of Fortran handles. They are integers; in MPICH they equal the C handles, except for files.
/// \{
template <class H>
[[nodiscard]] inline H from_fortran(MPI_Fint handle) noexcept {
    if constexpr (std::same_as<H, MPI_File>)
        return own.file_f2c(handle);
#ifdef OPEN_MPI
    else if constexpr (std::same_as<H, MPI_Comm>)
        return own.comm_f2c(handle);
    else if constexpr (std::same_as<H, MPI_Message>)
        return own.message_f2c(handle);
    else if constexpr (std::same_as<H, MPI_Op>)
        return own.op_f2c(handle);
    else if constexpr (std::same_as<H, MPI_Request>)
        return own.request_f2c(handle);
    else if constexpr (std::same_as<H, MPI_Datatype>)
        return own.type_f2c(handle);
    else if constexpr (std::same_as<H, MPI_Win>)
        return own.win_f2c(handle);
    else
        return H{};  // other types do not influence any count
#else
    else
        return handle;
#endif
}

template <class H>
class FortranHandles {
public:
    explicit FortranHandles(void const* first) noexcept : first_{static_cast<MPI_Fint const*>(first)} {}
    [[nodiscard]] H operator[](std::size_t i) const noexcept { return from_fortran<H>(first_[i]); }
    [[nodiscard]] H operator*() const noexcept { return (*this)[0]; }

private:
    MPI_Fint const* first_;
};
/// \}

#ifdef OPEN_MPI
extern "C" {
[[gnu::weak]] extern char mpi_fortran_in_place_;       // NOLINT: names of the MPI library
[[gnu::weak]] extern char mpi_fortran_status_ignore_;  // NOLINT
}
/// Translates Fortran's MPI_IN_PLACE.
[[nodiscard]] inline void const* buffer_of(void const* fortran) noexcept {
    return fortran == &mpi_fortran_in_place_ ? MPI_IN_PLACE : fortran;
}
#endif

}  // namespace measure::profile
