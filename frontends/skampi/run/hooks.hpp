// SPDX-License-Identifier: BSD-3-Clause
/// Hooks: what tests make a run do by environment variables. Each active one stands in the head of the output file.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skampi {

struct Hooks {
    std::string abort{};        ///< SKAMPI_TEST_ABORT=NAME[:POINT]: rank 0 dies in that measurement
    std::int64_t abort_at = 0;  ///< before the point of this index
    std::string hang{};         ///< SKAMPI_TEST_HANG=NAME: rank 0 waits for ever in that measurement
    std::string corrupt{};      ///< SKAMPI_TEST_CORRUPT=NAME: its message check finds a flipped byte
    int slow_rank = -1;         ///< SKAMPI_TEST_SLOW_RANK=RANK:MICROSECONDS: answers each exchange ..
    measure::seconds late{0};   ///< .. so late
    std::vector<std::pair<std::string, std::string>> active{};

    /// Before a point: dies or hangs where it was asked to, in the process that is asked.
    void misbehave(std::string_view measurement, std::int64_t point) const;
};

/// Collective. \throws measure::UsageError
[[nodiscard]] Hooks read_hooks(program::Session& session);

}  // namespace skampi
