// SPDX-License-Identifier: BSD-3-Clause
/// Check: exchanges a pattern once and verifies it on the receiving tasks.
#pragma once

#include "mpbench/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mpbench {

/// Byte i of the pattern for a message of this size.
[[nodiscard]] constexpr unsigned char pattern(measure::Bytes i, measure::Bytes bytes) noexcept {
    return static_cast<unsigned char>(i * 31 + bytes * 7 + i / 256);
}

/// Fills the buffers with the contents that are used during measurement.
inline void fill(Message const& m) noexcept {
    for (measure::Bytes i = 0; i < m.bytes; ++i)
        m.send[i] = m.receive[i] = static_cast<std::byte>(i % 256);
}

/// The index of the first received byte that differs from the pattern, or -1. \param tasks  number of tasks of the test
[[nodiscard]] inline measure::Bytes wrong_byte(Kind kind, Message const& m, int rank, int tasks) {
    std::vector<std::byte> wanted(static_cast<std::size_t>(m.bytes));
    for (measure::Bytes i = 0; i < m.bytes; ++i) {
        // In an alltoall, each task receives its own part from every task.
        measure::Bytes const each = m.bytes / tasks;
        measure::Bytes const from = kind == Kind::alltoall ? rank * each + i % each : i;
        wanted[static_cast<std::size_t>(i)] = std::byte{pattern(from, m.bytes)};
    }
    for (std::size_t i = 0; adds(kind) && i + 4 <= wanted.size(); i += 4) {
        std::uint32_t number = 0;
        std::memcpy(&number, wanted.data() + i, 4);
        number *= static_cast<std::uint32_t>(tasks);
        std::memcpy(wanted.data() + i, &number, 4);
    }
    auto const found = std::mismatch(wanted.begin(), wanted.end(), m.receive).first;
    return found == wanted.end() ? -1 : found - wanted.begin();
}

/// Whether this task receives data in the test.
[[nodiscard]] constexpr bool receives(Kind kind, int rank) noexcept {
    switch (kind) {
    case Kind::barrier:
        return false;
    case Kind::roundtrip:
    case Kind::bibw:
    case Kind::allreduce:
    case Kind::alltoall:
        return true;
    case Kind::reduce:
        return rank == 0;
    case Kind::bandwidth:
    case Kind::latency:
    case Kind::broadcast:
    case Kind::isend:
    case Kind::irecv:
    case Kind::irsend:
        break;
    }
    return rank != 0;
}

/// Exchanges the pattern once, untimed, and restores the usual contents of the buffers. Collective.
/// \param damage  corrupts the received data, for tests
/// \return the index of the first wrong byte on this task, or -1
template <Transport T>
[[nodiscard]] measure::Bytes check_size(T& t, Kind kind, Message const& m, bool damage) {
    for (measure::Bytes i = 0; i < m.bytes; ++i) {
        m.send[i] = std::byte{pattern(i, m.bytes)};
        // Never the correct value of a sum or of a received byte, so missing data are found.
        m.receive[i] = ~m.send[i];
    }
    bool const ok = once(t, kind, m);
    measure::Bytes wrong = -1;
    if (m.bytes > 0 && receives(kind, t.rank())) {
        if (damage)
            m.receive[m.bytes / 2] ^= std::byte{1};
        wrong = ok ? wrong_byte(kind, m, t.rank(), t.size()) : 0;
    }
    fill(m);
    return wrong;
}

}  // namespace mpbench
