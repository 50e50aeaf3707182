// SPDX-License-Identifier: BSD-3-Clause
/// Expectation: the content of a process's buffers before a checked call, and the expected content after it. Local, no
/// communication.
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

/// Number i that a rank contributes to a sum. Sums over ranks are exact in a double.
[[nodiscard]] double message_number(int rank, std::int64_t i) noexcept;
/// The sum of number i over the ranks 0 .. ranks - 1.
[[nodiscard]] double number_sum(int ranks, std::int64_t i) noexcept;

/// The memory that a call uses.
struct Place {
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    Sizes sizes{};
};

/// Content of a buffer: messages or numbers, from its beginning. Bytes between and after them are filler.
struct Image {
    std::vector<Origin> blocks{};  ///< consecutive messages; rank -1: the place is unchanged
    std::int64_t numbers = 0;      ///< number of numbers, if there are no messages
    std::int64_t first = 0;        ///< position of the first number in the sent data
    int rank = 0;                  ///< rank that sent the numbers, if `summed` is 0
    int summed = 0;                ///< > 0: the numbers are sums over this number of ranks
    NumberKind kind = NumberKind::real64;
};

/// This process's part in a call.
struct Part {
    int rank = 0;
    int size = 1;
    int root = 0;
};

class Expectation {
public:
    /// \param sent     content of the send buffer
    /// \param arrived  expected content of the receive buffer
    /// \param map      layout of the messages; not used for numbers
    Expectation(Image sent, Image arrived, TypeMap map)
        : sent_{std::move(sent)}, arrived_{std::move(arrived)}, map_{std::move(map)} {}

    /// Sets the content of the receive buffer before the call. By default it is the inverted expected content.
    void begin_with(Image before) {
        before_ = std::move(before);
        has_before_ = true;
    }
    /// Skips the check of the receive buffer, because MPI does not define its content.
    void leave_open() noexcept { is_open_ = true; }

    /// Fills the send buffer with the data to send, and the receive buffer with the inverted expected content or the
    /// content set by `begin_with`.
    void fill(Place const& place) const;
    /// Alters the last received byte, for tests. No effect if no data arrived.
    void spoil(Place const& place) const;
    /// The error found after the call, "" without error. Checks the received data, the filler bytes and the send
    /// buffer.
    [[nodiscard]] std::string fault(Place const& place) const;

private:
    Image sent_;
    Image arrived_;
    Image before_{};
    bool has_before_ = false;
    TypeMap map_;
    bool is_open_ = false;
};

/// The expectation for a collective call with this shape and content. In a broadcast the root's message arrives in the
/// send buffer, so the other processes check that buffer instead of the receive buffer, see `place_of`.
/// \param map  layout of the moved messages  \param numbers  count of the reduced numbers
[[nodiscard]] Expectation expectation(Shape const& shape, Content content, Part const& part, TypeMap const& map,
                                      std::int64_t numbers, Convention const& convention = {});

/// The buffers to which an `expectation` applies.
[[nodiscard]] Place place_of(Content content, Part const& part, void* send, void* receive, Sizes const& sizes);

}  // namespace bodies
