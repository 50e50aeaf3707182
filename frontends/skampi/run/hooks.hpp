// SPDX-License-Identifier: BSD-3-Clause
/// Hooks: test behaviour that environment variables request. The head of the output file lists each active hook.
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
    std::int64_t abort_at = 0;  ///< dies before the point with this index
    std::string hang{};         ///< SKAMPI_TEST_HANG=NAME: rank 0 hangs in that measurement
    std::string corrupt{};  ///< SKAMPI_TEST_CORRUPT=NAME: the message check of that measurement finds a flipped byte
    int slow_rank = -1;  ///< SKAMPI_TEST_SLOW_RANK=RANK:MICROSECONDS: this rank delays its answer in each exchange ..
    measure::seconds late{0};  ///< .. by this time
    std::vector<std::pair<std::string, std::string>> active{};

    /// Dies or hangs before a point if a hook requests it.
    void misbehave(std::string_view measurement, std::int64_t point) const;
};

/// Collective. \throws measure::UsageError
[[nodiscard]] Hooks read_hooks(program::Session& session);

}  // namespace skampi
