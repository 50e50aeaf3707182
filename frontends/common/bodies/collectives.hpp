// SPDX-License-Identifier: BSD-3-Clause
/// Collectives: the table of MPI's collectives, one row per collective with all its variants, and the body that
/// measures a blocking collective.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/buffers.hpp"
#include "bodies/calls.hpp"
#include "bodies/content.hpp"

#include <measure/operation.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace bodies {

#ifdef BODIES_HAVE_PERSISTENT
inline constexpr bool have_persistent = true;
#define BODIES_PERSISTENT(function) function
#else
inline constexpr bool have_persistent = false;
#define BODIES_PERSISTENT(function) nullptr
#endif
#if MPI_VERSION >= 4
#define BODIES_WIDE(function) function
#else
#define BODIES_WIDE(function) nullptr
#endif

/// MPI's functions for one collective. All take the arguments S. Null if a function does not exist.
template <class S>
struct Functions {
    using Call = S;
    template <class A, class... Tail>
    using Pointer = typename S::template Function<A, Tail...>*;
    Pointer<Arguments> blocking = nullptr;
    Pointer<WideArguments> wide = nullptr;  ///< blocking, with large counts
    Pointer<Arguments, MPI_Request*> nonblocking = nullptr;
    Pointer<Arguments, MPI_Info, MPI_Request*> persistent = nullptr;
    Pointer<NeighbourArguments> neighbours = nullptr;
    Pointer<NeighbourArguments, MPI_Request*> nonblocking_neighbours = nullptr;
};

/// The functions of a collective. Each alternative has its own list of arguments.
using AnyFunctions =
    std::variant<Functions<BarrierCall>, Functions<BroadcastCall>, Functions<UniformCall>, Functions<RootedCall>,
                 Functions<GathervCall>, Functions<RootedGathervCall>, Functions<RootedScattervCall>,
                 Functions<AlltoallvCall>, Functions<AlltoallwCall>, Functions<ReduceCall>, Functions<RootedReduceCall>,
                 Functions<ReduceScatterCall>, Functions<LocalReduceCall>>;

/// The variant of a collective.
enum class Relative { blocking, nonblocking, persistent, neighbours, nonblocking_neighbours };

/// A collective. Shape and content apply to all its variants. For neighbourhood collectives "each" is each neighbour.
struct Collective {
    std::string_view name;  ///< MPI's name without the prefix
    std::string_view text;  ///< readable description of its arguments; c is the count
    Shape shape{};
    Content content = Content::none;
    AnyFunctions functions{};
    std::string_view neighbours_text{};  ///< description of the neighbourhood variants; empty without such variants
};

/// The functions of a collective, by MPI's naming rule.
#define BODIES_FUNCTIONS(Name, name)                                                                                   \
    MPI_##Name, BODIES_WIDE(MPI_##Name##_c), MPI_I##name, BODIES_PERSISTENT(MPI_##Name##_init)
#define BODIES_NEIGHBOURS(name) MPI_Neighbor_##name, MPI_Ineighbor_##name

/// The collectives, in the order of lists. A new collective needs only a new row.
inline constexpr std::array collectives{
    Collective{"Allgather",
               "c bytes of each process to all",
               {Extent::one, Extent::each},
               Content::gathered,
               Functions<UniformCall>{BODIES_FUNCTIONS(Allgather, allgather), BODIES_NEIGHBOURS(allgather)},
               "c bytes of each process to its neighbours"},
    Collective{"Allgatherv",
               "c bytes of each process to all, packed",
               {Extent::one, Extent::each, Element::byte, Counts::equal},
               Content::gathered,
               Functions<GathervCall>{BODIES_FUNCTIONS(Allgatherv, allgatherv), BODIES_NEIGHBOURS(allgatherv)},
               "c bytes of each process to its neighbours, packed"},
    Collective{"Allreduce",
               "sum of c doubles",
               {Extent::one, Extent::one, Element::real},
               Content::reduced,
               Functions<ReduceCall>{BODIES_FUNCTIONS(Allreduce, allreduce)}},
    Collective{"Alltoall",
               "c bytes for each pair",
               {Extent::each, Extent::each},
               Content::exchanged,
               Functions<UniformCall>{BODIES_FUNCTIONS(Alltoall, alltoall), BODIES_NEIGHBOURS(alltoall)},
               "c bytes for each neighbour"},
    Collective{"Alltoallv",
               "c bytes for each pair, packed",
               {Extent::each, Extent::each, Element::byte, Counts::equal},
               Content::exchanged,
               Functions<AlltoallvCall>{BODIES_FUNCTIONS(Alltoallv, alltoallv), BODIES_NEIGHBOURS(alltoallv)},
               "c bytes for each neighbour, packed"},
    Collective{"Alltoallw",
               "c bytes for each pair, packed, MPI_BYTE each",
               {Extent::each, Extent::each, Element::byte, Counts::typed},
               Content::exchanged,
               Functions<AlltoallwCall>{BODIES_FUNCTIONS(Alltoallw, alltoallw), BODIES_NEIGHBOURS(alltoallw)},
               "c bytes for each neighbour, packed, MPI_BYTE each"},
    Collective{"Barrier",
               "the count is ignored",
               {.ignores_count = true},
               Content::none,
               Functions<BarrierCall>{MPI_Barrier, nullptr, MPI_Ibarrier, BODIES_PERSISTENT(MPI_Barrier_init)}},
    Collective{"Bcast",
               "c bytes of the root",
               {Extent::one, Extent::none},
               Content::root_everywhere,
               Functions<BroadcastCall>{BODIES_FUNCTIONS(Bcast, bcast)}},
    Collective{"Exscan",
               "exclusive prefix sum of c doubles",
               {Extent::one, Extent::one, Element::real},
               Content::prefix_before,
               Functions<ReduceCall>{BODIES_FUNCTIONS(Exscan, exscan)}},
    Collective{"Gather",
               "c bytes of each process to the root",
               {Extent::one, Extent::each_at_root},
               Content::gathered_at_root,
               Functions<RootedCall>{BODIES_FUNCTIONS(Gather, gather)}},
    Collective{"Gatherv",
               "c bytes of each process to the root, packed",
               {Extent::one, Extent::each_at_root, Element::byte, Counts::equal},
               Content::gathered_at_root,
               Functions<RootedGathervCall>{BODIES_FUNCTIONS(Gatherv, gatherv)}},
    Collective{"Reduce",
               "sum of c doubles at the root",
               {Extent::one, Extent::one_at_root, Element::real},
               Content::reduced_at_root,
               Functions<RootedReduceCall>{BODIES_FUNCTIONS(Reduce, reduce)}},
    Collective{"Reduce_local",
               "sum of two buffers of c doubles, on each process alone",
               {Extent::one, Extent::one, Element::real},
               Content::added,
               Functions<LocalReduceCall>{MPI_Reduce_local, BODIES_WIDE(MPI_Reduce_local_c)}},
    Collective{"Reduce_scatter",
               "sum of c doubles, spread over the processes",
               {Extent::one, Extent::share, Element::real, Counts::spread},
               Content::reduced_share,
               Functions<ReduceScatterCall>{BODIES_FUNCTIONS(Reduce_scatter, reduce_scatter)}},
    Collective{"Reduce_scatter_block",
               "sum of c doubles for each process",
               {Extent::each, Extent::one, Element::real},
               Content::reduced_block,
               Functions<ReduceCall>{BODIES_FUNCTIONS(Reduce_scatter_block, reduce_scatter_block)}},
    Collective{"Scan",
               "prefix sum of c doubles",
               {Extent::one, Extent::one, Element::real},
               Content::prefix,
               Functions<ReduceCall>{BODIES_FUNCTIONS(Scan, scan)}},
    Collective{"Scatter",
               "c bytes of the root to each process",
               {Extent::each_at_root, Extent::one},
               Content::scattered,
               Functions<RootedCall>{BODIES_FUNCTIONS(Scatter, scatter)}},
    Collective{"Scatterv",
               "c bytes of the root to each process, packed",
               {Extent::each_at_root, Extent::one, Element::byte, Counts::equal},
               Content::scattered,
               Functions<RootedScattervCall>{BODIES_FUNCTIONS(Scatterv, scatterv)}},
};

#undef BODIES_NEIGHBOURS
#undef BODIES_FUNCTIONS
#undef BODIES_WIDE
#undef BODIES_PERSISTENT

/// The index of the row with that name, which must exist.
[[nodiscard]] consteval std::size_t row(std::string_view name) {
    std::size_t i = 0;
    while (collectives.at(i).name != name)
        ++i;
    return i;
}

/// MPI's functions of a row as a constant, so that the compiler can call them directly.
template <std::size_t index>
inline constexpr auto functions_of = std::get<collectives[index].functions.index()>(collectives[index].functions);

/// The row with that name, which must exist.
[[nodiscard]] consteval Collective const& collective(std::string_view name) { return collectives[row(name)]; }

/// Whether the MPI standard and this MPI library have this variant.
[[nodiscard]] constexpr bool has(Collective const& of, Relative relative) {
    return std::visit(
        [relative](auto const& functions) {
            switch (relative) {
            case Relative::blocking:
                return functions.blocking != nullptr;
            case Relative::nonblocking:
                return functions.nonblocking != nullptr;
            case Relative::persistent:
                return functions.persistent != nullptr;
            case Relative::neighbours:
                return functions.neighbours != nullptr;
            case Relative::nonblocking_neighbours:
                return functions.nonblocking_neighbours != nullptr;
            }
            return false;
        },
        of.functions);
}

/// The variant's MPI name without the prefix: "Ineighbor_alltoall" for "Alltoall".
[[nodiscard]] inline std::string relative_name(std::string_view name, Relative relative) {
    std::string const lower{static_cast<char>(name.front() - 'A' + 'a')};
    std::string const rest{name.substr(1)};
    switch (relative) {
    case Relative::blocking:
        break;
    case Relative::nonblocking:
        return "I" + lower + rest;
    case Relative::persistent:
        return std::string{name} + "_init";
    case Relative::neighbours:
        return "Neighbor_" + lower + rest;
    case Relative::nonblocking_neighbours:
        return "Ineighbor_" + lower + rest;
    }
    return std::string{name};
}

/// A function that calls a function of a row, so that bodies are independent of its list of arguments.
/// \return MPI's code
template <class A, class... Tail>
using Invoke = int (*)(Collective const& of, A const& a, void* send, void* receive, int root, Tail... tail);

/// The body: one call per iteration. Returns false if MPI reports an error. It must not outlive the communicator. It
/// owns memory of type `Buffers`; memory of type `Borrowed` must outlive it. \tparam S  the list of arguments
template <class S, class Memory = Buffers, class A = Arguments>
class Blocking {
public:
    using Function = typename S::template Function<A>*;

    Blocking(Function function, A arguments, Memory memory, Root root = {})
        : function_{function}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)} {}

    bool operator()(measure::Iteration it) const noexcept {
        return S::call(function_, arguments_, memory_.send(it), memory_.receive(it), root_.at(it, arguments_.size)) ==
               MPI_SUCCESS;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

private:
    Function function_;
    A arguments_;
    Root root_;
    Memory memory_;
};

/// The call of the row's blocking variant, which must exist. \tparam A  NeighbourArguments for the neighbourhood
/// variant
template <class A = Arguments>
[[nodiscard]] Invoke<A> call_of(Collective const& of) {
    return std::visit(
        []<class S>(Functions<S> const&) -> Invoke<A> {
            return [](Collective const& row, A const& a, void* send, void* receive, int root) {
                auto const& functions = *std::get_if<Functions<S>>(&row.functions);
                if constexpr (std::is_same_v<A, NeighbourArguments>)
                    return S::call(functions.neighbours, a, send, receive, root);
                else
                    return S::call(functions.blocking, a, send, receive, root);
            };
        },
        of.functions);
}

/// The body of any row: like `Blocking`, but the call is a run-time value, which costs about 1 ns.
template <class A = Arguments, class Memory = Buffers>
class AnyBlocking {
public:
    AnyBlocking(Collective const& of, A arguments, Memory memory, Root root = {})
        : row_{&of}, call_{call_of<A>(of)}, arguments_{std::move(arguments)}, root_{root}, memory_{std::move(memory)} {}

    bool operator()(measure::Iteration it) const {
        return call_(*row_, arguments_, memory_.send(it), memory_.receive(it), root_.at(it, arguments_.size)) ==
               MPI_SUCCESS;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

private:
    Collective const* row_;
    Invoke<A> call_;
    A arguments_;
    Root root_;
    Memory memory_;
};

/// Buffers for calls with MPI_IN_PLACE, which replaces the buffer that MPI allows for this content. Rooted collectives
/// use it on the root only. The receive buffer must hold the data to send.
class InPlaceBuffers {
public:
    InPlaceBuffers(Buffers buffers, Content content, int rank, int size, Root root)
        : buffers_{std::move(buffers)}, content_{content}, rank_{rank}, size_{size}, root_{root} {}

    [[nodiscard]] void* send(measure::Iteration it) const noexcept {
        return content_ != Content::scattered && is_root(it) ? MPI_IN_PLACE : buffers_.send(it);
    }
    [[nodiscard]] void* receive(measure::Iteration it) const noexcept {
        return content_ == Content::scattered && is_root(it) ? MPI_IN_PLACE : buffers_.receive(it);
    }
    [[nodiscard]] measure::Bytes blocks() const noexcept { return buffers_.blocks(); }

private:
    [[nodiscard]] bool is_root(measure::Iteration it) const noexcept {
        return !is_rooted(content_) || root_.at(it, size_) == rank_;
    }

    Buffers buffers_;
    Content content_;
    int rank_;
    int size_;
    Root root_;
};

}  // namespace bodies
