// SPDX-License-Identifier: BSD-3-Clause
/// Arguments: the buffer sizes of a collective, and the arguments that are the same in all iterations.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/numbers.hpp"

#include <measure/comm.hpp>
#include <measure/mpi_error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bodies {

/// Size of a buffer in terms of the count c and the number of processes n.
enum class Extent {
    none,
    one,           ///< c elements
    each,          ///< c elements for each process: c n
    one_at_root,   ///< c elements on the root, none elsewhere
    each_at_root,  ///< c n elements on the root, none elsewhere
    share,         ///< this process's share of c elements in total
};

enum class Element { byte, real };

/// Content of the count arrays of the "v" and "w" calls.
enum class Counts {
    none,
    equal,   ///< c for each process, packed without gaps
    typed,   ///< as `equal`, with a type for each process; displacements are in bytes
    spread,  ///< c in total, spread over the processes
};

struct Shape {
    Extent send = Extent::none;
    Extent receive = Extent::none;
    Element element = Element::byte;
    Counts counts = Counts::none;
    bool ignores_count = false;
};

/// Bytes of an element; 0 if the count is ignored. \param real  bytes of a reduced number
[[nodiscard]] constexpr measure::Bytes element_size(Shape const& shape, measure::Bytes real = sizeof(double)) noexcept {
    if (shape.ignores_count)
        return 0;
    return shape.element == Element::real ? real : 1;
}

/// Spreads c elements over n processes: each gets floor(c / n). The remainder r is distributed evenly, one element to
/// each of the processes floor(j n / r), j < r.
/// \param n  >= 1
[[nodiscard]] inline std::vector<std::int64_t> spread(std::int64_t c, int n) {
    std::vector<std::int64_t> shares(static_cast<std::size_t>(n), c / n);
    std::int64_t const remainder = c % n;
    for (std::int64_t j = 0; j < remainder; ++j)
        ++shares[static_cast<std::size_t>(j * n / remainder)];
    return shares;
}

/// Like `spread`, but the first processes get the longer shares (PMB manual, Reduce_scatter). \param n  >= 1
[[nodiscard]] inline std::vector<std::int64_t> spread_first(std::int64_t c, int n) {
    std::vector<std::int64_t> shares(static_cast<std::size_t>(n), c / n);
    for (std::int64_t i = 0; i < c % n; ++i)
        ++shares[static_cast<std::size_t>(i)];
    return shares;
}

/// Settings that differ between suites.
struct Convention {
    MPI_Datatype real = MPI_DOUBLE;  ///< type of the reduced numbers
    measure::Bytes real_size = sizeof(double);
    NumberKind number = NumberKind::real64;  ///< the kind of `real`
    MPI_Op op = MPI_SUM;
    MPI_Datatype moved = MPI_BYTE;  ///< type of a moved element
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

/// The arguments of a call that are the same in all iterations. A part is the data for one process or one neighbour.
/// \tparam CountType  counts of elements  \tparam DisplacementType  displacements of parts, in elements
/// \tparam OffsetType  displacements of parts, in bytes
template <class CountType, class DisplacementType, class OffsetType>
struct BasicArguments {
    using Count = CountType;
    using Displacement = DisplacementType;
    using Offset = OffsetType;
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    Count count = 0;
    MPI_Datatype type = MPI_BYTE;  ///< type of an element
    MPI_Op op = MPI_SUM;
    std::vector<Count> counts{};                ///< [parts], if the call takes counts
    std::vector<Displacement> displacements{};  ///< [parts], if all parts have the same type
    std::vector<Offset> offsets{};              ///< [parts], if each part has its own type
    std::vector<MPI_Datatype> types{};          ///< [parts], if each part has its own type; all are `type`
};

/// Whether this MPI library has functions with large counts.
inline constexpr bool has_wide_calls = MPI_VERSION >= 4;

using Arguments = BasicArguments<int, int, int>;
/// Arguments of MPI's functions with large counts, such as MPI_Bcast_c. Not used if the library lacks these functions.
using WideArguments = std::conditional_t<has_wide_calls, BasicArguments<MPI_Count, MPI_Aint, MPI_Aint>, Arguments>;
/// Arguments of neighbourhood collectives.
using NeighbourArguments = BasicArguments<int, int, MPI_Aint>;

namespace detail {

/// Converts the value. \throws UsageError if `To` is int and cannot hold it
template <class To>
[[nodiscard]] To checked(std::int64_t value, char const* what) {
    if constexpr (sizeof(To) > sizeof(int))
        return static_cast<To>(value);
    else
        return measure::to_int(value, what);
}

}  // namespace detail

/// Checks that the numbers that the call passes to MPI fit an int. Pure. \throws UsageError with the number
inline void check_counts(Shape const& shape, std::string_view name, std::int64_t count, int processes) {
    if (shape.ignores_count)
        return;
    static_cast<void>(measure::to_int(count, (std::string{name} + ": count").c_str()));
    if (shape.counts == Counts::equal || shape.counts == Counts::typed)
        static_cast<void>(
            measure::to_int(count * (processes - 1), (std::string{name} + ": largest displacement").c_str()));
}

/// The arguments of a call. \param parts  number of processes that the call sends to or receives from
/// \throws UsageError for a number that does not fit the arguments' type
template <class A>
[[nodiscard]] A arguments_of_parts(Shape const& shape, measure::Comm const& comm, std::int64_t count,
                                   Convention const& convention, int parts) {
    A a{.comm = comm.native(), .rank = comm.rank(), .size = comm.size()};
    a.count = shape.ignores_count ? 0 : detail::checked<typename A::Count>(count, "count");
    a.type = shape.element == Element::real ? convention.real : convention.moved;
    a.op = convention.op;
    if (shape.counts == Counts::spread)
        for (auto const share : convention.shares(count, parts))
            a.counts.push_back(detail::checked<typename A::Count>(share, "count"));
    bool const is_typed = shape.counts == Counts::typed;
    if (is_typed || shape.counts == Counts::equal)
        a.counts.assign(static_cast<std::size_t>(parts), a.count);
    for (std::int64_t i = 0; i < parts && shape.counts == Counts::equal; ++i)
        a.displacements.push_back(detail::checked<typename A::Displacement>(i * count, "displacement"));
    for (std::int64_t i = 0; i < parts && is_typed; ++i)
        a.offsets.push_back(detail::checked<typename A::Offset>(i * count * convention.moved_extent, "displacement"));
    if (is_typed)
        a.types.assign(static_cast<std::size_t>(parts), a.type);
    return a;
}

/// The arguments of a call with all processes.
template <class A = Arguments>
[[nodiscard]] A arguments(Shape const& shape, measure::Comm const& comm, std::int64_t count,
                          Convention const& convention = {}) {
    return arguments_of_parts<A>(shape, comm, count, convention, comm.size());
}

/// The root of rooted calls.
struct Root {
    int rank = 0;
    bool rotates = false;  ///< true: the root is the iteration's index modulo the number of processes
    [[nodiscard]] int at(measure::Iteration it, int size) const noexcept {
        return rotates ? static_cast<int>(it.index % size) : rank;
    }
};

/// Buffer sizes of a process. If the root rotates, every process has the buffers of a root. Pure.
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

}  // namespace bodies
