// SPDX-License-Identifier: BSD-3-Clause
/// The blocking collectives of MPI 2.2, each as a type with its shape and its call, and the body that measures one.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/content.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bodies {

/// Size of a buffer in terms of the count c and the number of processes n.
enum class Extent {
    none,
    one,           ///< c elements
    each,          ///< c elements for each process: c n
    one_at_root,   ///< c elements on the root, nothing elsewhere
    each_at_root,  ///< c n elements on the root, nothing elsewhere
    share,         ///< this process's share of c elements in all
};

enum class Element { byte, real };

/// What the arrays of counts of the "v" and "w" calls say.
enum class Counts {
    none,
    equal,   ///< c for each process, packed one after another
    typed,   ///< the same with a type for each process: displacements are bytes
    spread,  ///< c in all, spread over the processes
};

struct Shape {
    Extent send = Extent::none;
    Extent receive = Extent::none;
    Element element = Element::byte;
    Counts counts = Counts::none;
    bool ignores_count = false;
};

/// Bytes of one element; 0 where the count is ignored. \param real  size of the numbers that are reduced
[[nodiscard]] constexpr measure::Bytes element_size(Shape const& shape, measure::Bytes real = sizeof(double)) noexcept {
    if (shape.ignores_count)
        return 0;
    return shape.element == Element::real ? real : 1;
}

/// Elements of each process where c are spread over n: floor(c / n), and of the remainder r one more at each of the
/// processes floor(j n / r), j < r, so that the longer shares lie evenly among the others.
/// \param n  >= 1
[[nodiscard]] inline std::vector<std::int64_t> spread(std::int64_t c, int n) {
    std::vector<std::int64_t> shares(static_cast<std::size_t>(n), c / n);
    std::int64_t const remainder = c % n;
    for (std::int64_t j = 0; j < remainder; ++j)
        ++shares[static_cast<std::size_t>(j * n / remainder)];
    return shares;
}

/// The same, with the longer shares first (PMB manual, Reduce_scatter). \param n  >= 1
[[nodiscard]] inline std::vector<std::int64_t> spread_first(std::int64_t c, int n) {
    std::vector<std::int64_t> shares(static_cast<std::size_t>(n), c / n);
    for (std::int64_t i = 0; i < c % n; ++i)
        ++shares[static_cast<std::size_t>(i)];
    return shares;
}

/// What suites define differently.
struct Convention {
    MPI_Datatype real = MPI_DOUBLE;  ///< of the numbers that are reduced
    measure::Bytes real_size = sizeof(double);
    MPI_Op op = MPI_SUM;
    MPI_Datatype moved = MPI_BYTE;  ///< of an element that is moved
    measure::Bytes moved_extent = 1;
    std::vector<std::int64_t> (*shares)(std::int64_t count, int processes) = spread;
};

/// Elements of a buffer on a process. \param mine  this process's share of `count`
[[nodiscard]] constexpr std::int64_t elements(Extent extent, std::int64_t count, std::int64_t n, bool is_root,
                                              std::int64_t mine) noexcept {
    switch (extent) {
    case Extent::none:
        return 0;
    case Extent::one:
        return count;
    case Extent::each:
        return count * n;
    case Extent::one_at_root:
        return is_root ? count : 0;
    case Extent::each_at_root:
        return is_root ? count * n : 0;
    case Extent::share:
        return mine;
    }
    return 0;
}

/// The arguments of a call that stay the same from iteration to iteration. \tparam Count  of elements
/// \tparam Displacement  of the "v" and "w" calls
template <class Count, class Displacement>
struct BasicArguments {
    static constexpr bool is_wide = sizeof(Count) > sizeof(int);
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    Count count = 0;
    MPI_Datatype type = MPI_BYTE;  ///< of an element
    MPI_Op op = MPI_SUM;
    std::vector<Count> counts{};                ///< [size], where the call takes counts
    std::vector<Displacement> displacements{};  ///< [size], in elements; in bytes where each has a type
    std::vector<MPI_Datatype> types{};          ///< [size], the element's
};

/// Whether this MPI library has functions with large counts.
inline constexpr bool has_wide_calls = MPI_VERSION >= 4;

using Arguments = BasicArguments<int, int>;
/// Of MPI's functions with large counts, MPI_Bcast_c; where there are none, never used.
using WideArguments = std::conditional_t<has_wide_calls, BasicArguments<MPI_Count, MPI_Aint>, Arguments>;

namespace detail {

template <bool wide, class Narrow, class Wide>
constexpr auto either(Narrow narrow, [[maybe_unused]] Wide large) noexcept {
    if constexpr (wide)
        return large;
    else
        return narrow;
}

/// \throws UsageError where an int is asked for that does not hold the value
template <class To>
[[nodiscard]] To checked(std::int64_t value, char const* what) {
    if constexpr (sizeof(To) > sizeof(int))
        return static_cast<To>(value);
    else
        return measure::to_int(value, what);
}

}  // namespace detail

/// The MPI function that takes arguments of type A.
#if MPI_VERSION >= 4
#define MEASURE_MPI(A, function) ::bodies::detail::either<A::is_wide>(function, function##_c)
#else
#define MEASURE_MPI(A, function) function
#endif

/// Checks that the numbers which the call hands to MPI fit an int. Pure.
/// \throws UsageError that names the number
inline void check_counts(Shape const& shape, std::string_view name, std::int64_t count, int processes) {
    if (shape.ignores_count)
        return;
    static_cast<void>(measure::to_int(count, (std::string{name} + ": count").c_str()));
    if (shape.counts == Counts::equal || shape.counts == Counts::typed)
        static_cast<void>(
            measure::to_int(count * (processes - 1), (std::string{name} + ": largest displacement").c_str()));
}

/// \throws UsageError for a number that does not fit the arguments' type
template <class A = Arguments>
[[nodiscard]] A arguments(Shape const& shape, measure::Comm const& comm, std::int64_t count,
                          Convention const& convention = {}) {
    using Count = decltype(A::count);
    using Displacement = typename decltype(A::displacements)::value_type;
    A a{.comm = comm.raw(), .rank = comm.rank(), .size = comm.size()};
    bool const spreads = shape.counts == Counts::spread;
    a.count = shape.ignores_count ? 0 : detail::checked<Count>(count, "count");
    a.type = shape.element == Element::real ? convention.real : convention.moved;
    a.op = convention.op;
    if (shape.counts == Counts::none)
        return a;
    auto const counts =
        spreads ? convention.shares(count, a.size) : std::vector<std::int64_t>(static_cast<std::size_t>(a.size), count);
    for (auto const c : counts)
        a.counts.push_back(detail::checked<Count>(c, "count"));
    std::int64_t const step = shape.counts == Counts::typed ? count * convention.moved_extent : count;
    for (std::int64_t i = 0; i < a.size && !spreads; ++i)
        a.displacements.push_back(detail::checked<Displacement>(i * step, "displacement"));
    a.types.assign(static_cast<std::size_t>(a.size), a.type);
    return a;
}

/// The root of rooted calls.
struct Root {
    int rank = 0;
    bool rotates = false;  ///< the root is the iteration's index modulo the number of processes instead
    [[nodiscard]] int at(measure::Iteration it, int size) const noexcept {
        return rotates ? static_cast<int>(it.index % size) : rank;
    }
};

/// Sizes of one process's buffers. A root that rotates makes every process a root. Pure.
/// \param count  elements, >= 0
[[nodiscard]] inline Sizes sizes(Shape const& shape, std::int64_t count, int rank, int processes, Root root,
                                 Convention const& convention = {}) {
    std::int64_t const mine =
        shape.counts == Counts::spread ? convention.shares(count, processes)[static_cast<std::size_t>(rank)] : 0;
    bool const is_root = root.rotates || rank == root.rank;
    auto const size = shape.element == Element::real ? convention.real_size : convention.moved_extent;
    return {size * elements(shape.send, count, processes, is_root, mine),
            size * elements(shape.receive, count, processes, is_root, mine)};
}

struct Allgather {
    static constexpr std::string_view name = "Allgather";
    static constexpr std::string_view text = "c bytes of each process to all";
    static constexpr Shape shape{Extent::one, Extent::each};
    static constexpr Content content = Content::gathered;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Allgather)(send, a.count, a.type, receive, a.count, a.type, a.comm);
    }
};

struct Allgatherv {
    static constexpr std::string_view name = "Allgatherv";
    static constexpr std::string_view text = "c bytes of each process to all, packed";
    static constexpr Shape shape{Extent::one, Extent::each, Element::byte, Counts::equal};
    static constexpr Content content = Content::gathered;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Allgatherv)(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(),
                                              a.type, a.comm);
    }
};

struct Allreduce {
    static constexpr std::string_view name = "Allreduce";
    static constexpr std::string_view text = "sum of c doubles";
    static constexpr Shape shape{Extent::one, Extent::one, Element::real};
    static constexpr Content content = Content::reduced;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Allreduce)(send, receive, a.count, a.type, a.op, a.comm);
    }
};

struct Alltoall {
    static constexpr std::string_view name = "Alltoall";
    static constexpr std::string_view text = "c bytes for each pair";
    static constexpr Shape shape{Extent::each, Extent::each};
    static constexpr Content content = Content::exchanged;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Alltoall)(send, a.count, a.type, receive, a.count, a.type, a.comm);
    }
};

struct Alltoallv {
    static constexpr std::string_view name = "Alltoallv";
    static constexpr std::string_view text = "c bytes for each pair, packed";
    static constexpr Shape shape{Extent::each, Extent::each, Element::byte, Counts::equal};
    static constexpr Content content = Content::exchanged;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Alltoallv)(send, a.counts.data(), a.displacements.data(), a.type, receive,
                                             a.counts.data(), a.displacements.data(), a.type, a.comm);
    }
};

struct Alltoallw {
    static constexpr std::string_view name = "Alltoallw";
    static constexpr std::string_view text = "c bytes for each pair, packed, MPI_BYTE each";
    static constexpr Shape shape{Extent::each, Extent::each, Element::byte, Counts::typed};
    static constexpr Content content = Content::exchanged;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Alltoallw)(send, a.counts.data(), a.displacements.data(), a.types.data(), receive,
                                             a.counts.data(), a.displacements.data(), a.types.data(), a.comm);
    }
};

struct Barrier {
    static constexpr std::string_view name = "Barrier";
    static constexpr std::string_view text = "the count is ignored";
    static constexpr Shape shape{.ignores_count = true};
    static constexpr Content content = Content::none;
    template <class A>
    static int call(A const& a, void*, void*, int) {
        return MPI_Barrier(a.comm);
    }
};

struct Bcast {
    static constexpr std::string_view name = "Bcast";
    static constexpr std::string_view text = "c bytes of the root";
    static constexpr Shape shape{Extent::one, Extent::none};
    static constexpr Content content = Content::root_everywhere;
    template <class A>
    static int call(A const& a, void* send, void*, int root) {
        return MEASURE_MPI(A, MPI_Bcast)(send, a.count, a.type, root, a.comm);
    }
};

struct Exscan {
    static constexpr std::string_view name = "Exscan";
    static constexpr std::string_view text = "exclusive prefix sum of c doubles";
    static constexpr Shape shape{Extent::one, Extent::one, Element::real};
    static constexpr Content content = Content::prefix_before;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Exscan)(send, receive, a.count, a.type, a.op, a.comm);
    }
};

struct Gather {
    static constexpr std::string_view name = "Gather";
    static constexpr std::string_view text = "c bytes of each process to the root";
    static constexpr Shape shape{Extent::one, Extent::each_at_root};
    static constexpr Content content = Content::gathered_at_root;
    template <class A>
    static int call(A const& a, void* send, void* receive, int root) {
        return MEASURE_MPI(A, MPI_Gather)(send, a.count, a.type, receive, a.count, a.type, root, a.comm);
    }
};

struct Gatherv {
    static constexpr std::string_view name = "Gatherv";
    static constexpr std::string_view text = "c bytes of each process to the root, packed";
    static constexpr Shape shape{Extent::one, Extent::each_at_root, Element::byte, Counts::equal};
    static constexpr Content content = Content::gathered_at_root;
    template <class A>
    static int call(A const& a, void* send, void* receive, int root) {
        return MEASURE_MPI(A, MPI_Gatherv)(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(),
                                           a.type, root, a.comm);
    }
};

struct Reduce {
    static constexpr std::string_view name = "Reduce";
    static constexpr std::string_view text = "sum of c doubles at the root";
    static constexpr Shape shape{Extent::one, Extent::one_at_root, Element::real};
    static constexpr Content content = Content::reduced_at_root;
    template <class A>
    static int call(A const& a, void* send, void* receive, int root) {
        return MEASURE_MPI(A, MPI_Reduce)(send, receive, a.count, a.type, a.op, root, a.comm);
    }
};

struct ReduceScatter {
    static constexpr std::string_view name = "Reduce_scatter";
    static constexpr std::string_view text = "sum of c doubles, spread over the processes";
    static constexpr Shape shape{Extent::one, Extent::share, Element::real, Counts::spread};
    static constexpr Content content = Content::reduced_share;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Reduce_scatter)(send, receive, a.counts.data(), a.type, a.op, a.comm);
    }
};

struct ReduceScatterBlock {
    static constexpr std::string_view name = "Reduce_scatter_block";
    static constexpr std::string_view text = "sum of c doubles for each process";
    static constexpr Shape shape{Extent::each, Extent::one, Element::real};
    static constexpr Content content = Content::reduced_block;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Reduce_scatter_block)(send, receive, a.count, a.type, a.op, a.comm);
    }
};

struct Scan {
    static constexpr std::string_view name = "Scan";
    static constexpr std::string_view text = "prefix sum of c doubles";
    static constexpr Shape shape{Extent::one, Extent::one, Element::real};
    static constexpr Content content = Content::prefix;
    template <class A>
    static int call(A const& a, void* send, void* receive, int) {
        return MEASURE_MPI(A, MPI_Scan)(send, receive, a.count, a.type, a.op, a.comm);
    }
};

struct Scatter {
    static constexpr std::string_view name = "Scatter";
    static constexpr std::string_view text = "c bytes of the root to each process";
    static constexpr Shape shape{Extent::each_at_root, Extent::one};
    static constexpr Content content = Content::scattered;
    template <class A>
    static int call(A const& a, void* send, void* receive, int root) {
        return MEASURE_MPI(A, MPI_Scatter)(send, a.count, a.type, receive, a.count, a.type, root, a.comm);
    }
};

struct Scatterv {
    static constexpr std::string_view name = "Scatterv";
    static constexpr std::string_view text = "c bytes of the root to each process, packed";
    static constexpr Shape shape{Extent::each_at_root, Extent::one, Element::byte, Counts::equal};
    static constexpr Content content = Content::scattered;
    template <class A>
    static int call(A const& a, void* send, void* receive, int root) {
        return MEASURE_MPI(A, MPI_Scatterv)(send, a.counts.data(), a.displacements.data(), a.type, receive, a.count,
                                            a.type, root, a.comm);
    }
};

/// The body: one call of C per iteration. False where MPI reports an error. It must not outlive the communicator; the
/// memory that it has (`Buffers`) dies with it, the memory that it borrows (`Borrowed`) must live longer.
template <class C, class Memory, class A = Arguments>
class Collective {
public:
    Collective(A arguments, Memory memory, Root root = {})
        : arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)} {}

    bool operator()(measure::Iteration it) const noexcept {
        return C::call(arguments_, memory_.send(it), memory_.receive(it), root_.at(it, arguments_.size)) == MPI_SUCCESS;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

private:
    A arguments_;
    Root root_;
    Memory memory_;
};

}  // namespace bodies
