// SPDX-License-Identifier: BSD-3-Clause
/// Semantics: what a collective does with messages, whoever measures it: of which kind it is, what its size is the size
/// of, and who sends how many bytes to whom. All of it follows from the row of the table. Pure.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/collectives.hpp"
#include "bodies/content.hpp"

#include <measure/semantics.hpp>
#include <measure/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bodies {

/// Independent of sizes.
struct Semantics {
    std::string_view operation;  ///< MPI's name of the blocking call, the same for all relatives
    measure::OperationKind kind = measure::OperationKind::collective;
    measure::SizeOf size = measure::SizeOf::whole;
    bool is_rooted = false;
    bool is_reduction = false;
};

[[nodiscard]] constexpr Semantics semantics(Collective const& of) noexcept {
    using measure::OperationKind;
    using measure::SizeOf;
    auto const has_blocks = [](Extent extent) { return extent == Extent::each || extent == Extent::each_at_root; };
    bool const is_block = has_blocks(of.shape.send) || has_blocks(of.shape.receive);
    if (of.content == Content::none)
        return {.operation = of.name, .kind = OperationKind::barrier};
    return {.operation = of.name,
            .kind = of.content == Content::added ? OperationKind::local : OperationKind::collective,
            .size = is_block ? SizeOf::block : SizeOf::whole,
            .is_rooted = is_rooted(of.content),
            .is_reduction = of.shape.element == Element::real};
}

/// A point of a collective: what its traffic depends on.
struct Occasion {
    std::int64_t count = 0;  ///< elements, as in the call
    int ranks = 1;
    int root = 0;
    Convention convention{};
};

/// Bytes that `from` has and `to` needs for its result; 0 for the process itself.
/// \param from, to  ranks
[[nodiscard]] inline measure::Bytes needed(Collective const& of, Occasion const& at, int from, int to) {
    if (from == to)
        return 0;
    auto const size = of.shape.element == Element::real ? at.convention.real_size : at.convention.moved_extent;
    measure::Bytes const bytes = at.count * size;
    switch (of.content) {
    case Content::root_everywhere:
    case Content::scattered:
        return from == at.root ? bytes : 0;
    case Content::gathered_at_root:
    case Content::reduced_at_root:
        return to == at.root ? bytes : 0;
    case Content::prefix:
    case Content::prefix_before:
        return from < to ? bytes : 0;
    case Content::gathered:
    case Content::exchanged:
    case Content::reduced:
    case Content::reduced_block:
        return bytes;
    case Content::reduced_share:
        return size * at.convention.shares(at.count, at.ranks)[static_cast<std::size_t>(to)];
    case Content::none:
    case Content::added:
    case Content::neighbours:
    case Content::transposed:
        break;
    }
    return 0;
}

/// Bytes of one process in one execution, whatever the algorithm.
struct Traffic {
    measure::Bytes sent = 0;      ///< of its data that others need; what several need counts once
    measure::Bytes received = 0;  ///< of its result that needs data of others
    friend bool operator==(Traffic const&, Traffic const&) = default;
};

/// \param rank  0 .. at.ranks - 1
[[nodiscard]] inline Traffic traffic(Collective const& of, Occasion const& at, int rank) {
    // Others need the same bytes, unless each has a part of its own; what they send is joined to one result, or lies
    // side by side.
    bool const has_parts =
        of.shape.send == Extent::each || of.shape.send == Extent::each_at_root || of.shape.counts == Counts::spread;
    bool const is_joined = of.shape.element == Element::real;
    auto const add = [](measure::Bytes& total, measure::Bytes bytes, bool is_sum) {
        total = is_sum ? total + bytes : std::max(total, bytes);
    };
    Traffic result;
    for (int other = 0; other < at.ranks; ++other) {
        add(result.sent, needed(of, at, rank, other), has_parts);
        add(result.received, needed(of, at, other, rank), !is_joined);
    }
    return result;
}

}  // namespace bodies
