// SPDX-License-Identifier: BSD-3-Clause
/// Content: the data that processes send in a checked call, by rank and position, and their location afterwards. Pure,
/// no MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bodies {

/// Content of the receive buffers after a call.
enum class Content {
    none,
    root_everywhere,   ///< the root's message on all ranks
    gathered_at_root,  ///< all messages on the root, in rank order
    gathered,          ///< all messages on all ranks
    scattered,         ///< block r of the root's message on rank r
    exchanged,         ///< block r of rank s as block s on rank r
    reduced_at_root,
    reduced,
    prefix,         ///< reduction over the ranks up to and including this rank
    prefix_before,  ///< reduction over the ranks before this rank
    reduced_share,  ///< this process's share of the reduction
    reduced_block,  ///< block r of the reduction on rank r
    added,          ///< sum of the sent numbers and the previous content of the receive buffer
    neighbours,     ///< the messages of all neighbours
    transposed,     ///< the blocks of all processes, transposed
};

/// Whether the operation has a root.
[[nodiscard]] constexpr bool is_rooted(Content content) noexcept {
    return content == Content::root_everywhere || content == Content::gathered_at_root ||
           content == Content::scattered || content == Content::reduced_at_root;
}

/// The source of a received block.
struct Origin {
    int rank = 0;
    std::int64_t block = 0;  ///< number of the block in the message that this rank sent
    friend bool operator==(Origin const&, Origin const&) = default;
};

/// Byte i of the message from a rank. Neighbouring bytes, ranks and blocks of 256 bytes differ.
[[nodiscard]] constexpr std::byte message_byte(int rank, std::int64_t i) noexcept {
    auto const k = static_cast<std::uint64_t>(i);
    return static_cast<std::byte>((31U * static_cast<std::uint64_t>(rank) + 7U * k + 13U * (k >> 8U) + 5U) & 0xffU);
}

/// The blocks that a process receives, in order, if data are moved. Empty if no data arrive or data are reduced, and
/// for `neighbours` and `transposed`.
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
