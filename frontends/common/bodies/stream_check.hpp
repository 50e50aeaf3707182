// SPDX-License-Identifier: BSD-3-Clause
/// Messages whose bytes depend on sender, message and position, and a stream that can check its data with them.
#pragma once

#include "bodies/stream.hpp"
#include "bodies/verification.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace bodies {

/// Byte i of a message. \param rank  its sender  \param message  its number
[[nodiscard]] constexpr std::byte byte_of_message(int rank, std::int64_t message, std::int64_t i) noexcept {
    return static_cast<std::byte>((rank * 31 + message * 17 + i * 7 + 1) % 251);
}

inline void fill_message(std::byte* bytes, std::int64_t size, int rank, std::int64_t message) noexcept {
    for (std::int64_t i = 0; i < size; ++i)
        bytes[i] = byte_of_message(rank, message, i);
}

/// The error in a message, "" without error.
[[nodiscard]] inline std::string message_fault(std::byte const* bytes, std::int64_t size, int rank,
                                               std::int64_t message) {
    for (std::int64_t i = 0; i < size; ++i)
        if (auto const expected = byte_of_message(rank, message, i); bytes[i] != expected)
            return fmt::format("message {} of rank {}: byte {} of {} is wrong, {} instead of {}", message, rank, i,
                               size, std::to_integer<int>(bytes[i]), std::to_integer<int>(expected));
    return {};
}

/// Executes an exchange of one message in each direction once more and checks its data.
/// \tparam Body  has memory() and a call with an iteration or without argument
/// \param peer   rank from which a message arrives  \param bytes  bytes of a message
/// \return the error on this rank, "" without error
template <class Body>
[[nodiscard]] std::string check_exchange(Body& body, int rank, int peer, measure::Bytes bytes) {
    measure::Iteration const it{};
    auto* const arrived = static_cast<std::byte*>(body.memory().receive(it));
    fill_message(static_cast<std::byte*>(body.memory().send(it)), bytes, rank, 0);
    std::fill_n(arrived, bytes, std::byte{0});
    bool ok = false;
    if constexpr (requires { body(it); })
        ok = body(it);
    else
        ok = body();
    return ok ? message_fault(arrived, bytes, peer, 0) : "MPI reports an error";
}

/// A stream whose data can be checked.
class CheckedStream : public Stream {
public:
    /// \param bytes  bytes of a message
    CheckedStream(measure::Comm const& team, StreamShape const& shape, std::int64_t count, measure::Bytes bytes,
                  Buffers memory)
        : Stream{team, shape, count, std::move(memory)}, rank_{team.rank()}, shape_{shape}, bytes_{bytes} {}

    /// Executes once more and checks the data. \return the error on this rank, "" without error
    [[nodiscard]] std::string check(Checking const& how) const {
        measure::Iteration const it{};
        // If all messages are sent from the same place, they have equal content.
        auto const number = [&](int message) { return shape_.send_stride > 0 ? message : 0; };
        for (int i = 0; role().sends && i < shape_.window; ++i)
            fill_message(source(it, i), bytes_, rank_, number(i));
        for (int i = 0; role().receives && i < shape_.window; ++i)
            std::memset(place(it, i), 0, static_cast<std::size_t>(bytes_));
        if (!in_sample(how, [&] { return (*this)(it); }))
            return "MPI reports an error";
        if (how.spoils && role().receives && bytes_ > 0)
            *place(it, shape_.window - 1) ^= std::byte{1};
        std::string found;
        for (int i = 0; role().receives && found.empty() && i < shape_.window; ++i)
            found = message_fault(place(it, i), bytes_, role().peer, number(i));
        return found;
    }

private:
    int rank_;
    StreamShape shape_;
    measure::Bytes bytes_;
};

}  // namespace bodies
