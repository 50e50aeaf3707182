// SPDX-License-Identifier: BSD-3-Clause
/// Content: what processes send in a call whose data are looked at, by rank and position, and who has what afterwards.
/// Pure, no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bodies {

/// What is in the buffers when a call is over.
enum class Content {
    none,
    root_everywhere,   ///< the root's message on all
    gathered_at_root,  ///< all messages on the root, in rank order
    gathered,          ///< all messages on all
    scattered,         ///< block r of the root's on rank r
    exchanged,         ///< block r of rank s as block s on rank r
    reduced_at_root,
    reduced,
    prefix,         ///< reduction over the ranks up to one's own
    prefix_before,  ///< reduction over the ranks before one's own
    reduced_share,  ///< this process's share of the reduction
    reduced_block,  ///< block r of the reduction on rank r
    added,          ///< what is sent is added to what stood in the receive buffer
    neighbours,     ///< the messages of all neighbours
    transposed,     ///< the blocks of all, turned over
};

/// Whether one process is the root.
[[nodiscard]] constexpr bool is_rooted(Content content) noexcept {
    return content == Content::root_everywhere || content == Content::gathered_at_root ||
           content == Content::scattered || content == Content::reduced_at_root;
}

/// Where a block of what was received comes from.
struct Origin {
    int rank = 0;
    std::int64_t block = 0;  ///< of what that rank sent
    friend bool operator==(Origin const&, Origin const&) = default;
};

/// Byte i of what a rank sends: neighbouring bytes, ranks and blocks of 256 differ.
[[nodiscard]] constexpr std::byte message_byte(int rank, std::int64_t i) noexcept {
    auto const k = static_cast<std::uint64_t>(i);
    return static_cast<std::byte>((31U * static_cast<std::uint64_t>(rank) + 7U * k + 13U * (k >> 8U) + 5U) & 0xffU);
}

/// The blocks that a process receives, one after another, where data are moved; none where nothing arrives, where they
/// are reduced, and for `neighbours` and `transposed`.
[[nodiscard]] inline std::vector<Origin> origins(Content content, int rank, int size, int root) {
    auto const of_all = [size](std::int64_t block) {
        std::vector<Origin> blocks;
        for (int sender = 0; sender < size; ++sender)
            blocks.push_back({sender, block});
        return blocks;
    };
    switch (content) {
    case Content::root_everywhere:
        return rank == root ? std::vector<Origin>{} : std::vector<Origin>{{root, 0}};
    case Content::gathered_at_root:
        return rank == root ? of_all(0) : std::vector<Origin>{};
    case Content::gathered:
        return of_all(0);
    case Content::scattered:
        return {{root, rank}};
    case Content::exchanged:
        return of_all(rank);
    default:
        return {};
    }
}

}  // namespace bodies
