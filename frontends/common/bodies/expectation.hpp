// SPDX-License-Identifier: BSD-3-Clause
/// Expectation: what the buffers of one process hold before a call that is checked, and what they must hold after it.
/// Local, no communication.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/buffers.hpp"
#include "bodies/content.hpp"
#include "bodies/datatype.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bodies {

/// Number i of what a rank hands to a sum. Sums over ranks are exact in a double.
[[nodiscard]] double message_number(int rank, std::int64_t i) noexcept;
/// Of the ranks 0 .. ranks - 1.
[[nodiscard]] double number_sum(int ranks, std::int64_t i) noexcept;

/// The memory that a call uses.
struct Place {
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    Sizes sizes{};
};

/// What stands in a buffer: messages or numbers, from its beginning on. Bytes between and behind them belong to
/// none.
struct Image {
    std::vector<Origin> blocks{};  ///< messages one after another; rank -1: the place stays as it was
    std::int64_t numbers = 0;      ///< or so many numbers,
    std::int64_t first = 0;        ///< from this position of what was sent on,
    int rank = 0;                  ///< of this rank,
    int summed = 0;                ///< or, where > 0, sums over so many ranks
    NumberKind kind = NumberKind::real64;
};

/// Which process of a call this is.
struct Part {
    int rank = 0;
    int size = 1;
    int root = 0;
};

class Expectation {
public:
    /// \param sent, arrived  what stands in the send buffer, and what must stand in the receive buffer
    /// \param map            of the messages; not read where there are only numbers
    Expectation(Image sent, Image arrived, TypeMap map)
        : sent_{std::move(sent)}, arrived_{std::move(arrived)}, map_{std::move(map)} {}

    /// So much stands in the receive buffer before the call, otherwise the contrary of what is to arrive.
    void begin_with(Image before) {
        before_ = std::move(before);
        has_before_ = true;
    }
    /// MPI leaves open what is received.
    void leave_open() noexcept { is_open_ = true; }

    /// What is sent stands in the send buffer; where something is to arrive stands the contrary, or what it begins
    /// with.
    void fill(Place const& place) const;
    /// Alters the last byte that arrived, for tests. Nothing happens where nothing arrived.
    void spoil(Place const& place) const;
    /// What is wrong after the call, "" where nothing is: with what arrived, with the bytes that belong to no
    /// message, with what was sent.
    [[nodiscard]] std::string fault(Place const& place) const;

private:
    Image sent_;
    Image arrived_;
    Image before_{};
    bool has_before_ = false;
    TypeMap map_;
    bool is_open_ = false;
};

/// What a collective call is to do, by its shape and content. Where all have the root's message it arrives in the send
/// buffer: on the other processes that is then looked at in place of the receive buffer, see `place_of`.
/// \param map  of the messages that are moved  \param numbers  count of what is reduced
[[nodiscard]] Expectation expectation(Shape const& shape, Content content, Part const& part, TypeMap const& map,
                                      std::int64_t numbers, Convention const& convention = {});

/// The buffers as `expectation` means them.
[[nodiscard]] Place place_of(Content content, Part const& part, void* send, void* receive, Sizes const& sizes);

}  // namespace bodies
