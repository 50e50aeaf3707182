// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/rules.hpp"

#include <algorithm>

namespace mpbench {

using measure::Bytes;
using measure::seconds;

namespace {

constexpr std::int64_t fewest = 5;
constexpr std::int64_t most = 1'000'000;
/// Maximum number of messages that wait at the same time. Each needs a request.
constexpr std::int64_t most_waiting = 10'000;

bool waits(Kind kind) noexcept { return kind == Kind::isend || kind == Kind::irecv || kind == Kind::irsend; }

constexpr std::int64_t fewest_loops = 5;
constexpr std::int64_t most_loops = 100;

}  // namespace

std::int64_t by_volume(Rules const& rules, Kind kind, Bytes bytes) noexcept {
    if (rules.exact || bytes == 0)
        return rules.iterations;
    std::int64_t const asked = waits(kind) ? std::min(rules.iterations, most_waiting) : rules.iterations;
    return std::clamp(rules.max_volume / bytes, std::min(fewest, asked), asked);
}

std::int64_t within_time(Rules const& rules, std::int64_t n, seconds each) noexcept {
    if (rules.exact || each * static_cast<double>(n) <= rules.max_seconds)
        return n;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(rules.max_seconds / each));
}

std::int64_t longer(Rules const& rules, Kind kind, std::int64_t n, seconds loop, seconds resolution) noexcept {
    if (rules.exact || loop >= fewest_steps * resolution)
        return n;
    return std::max(n, std::min(10 * n, waits(kind) ? most_waiting : most));
}

measure::StoppingRule stopping(Rules const& rules, std::int64_t loop) {
    if (!(rules.standard_error > 0))
        return measure::stop::Count{.valid = loop, .at_most = loop};
    measure::stop::RelativeError const error{
        .epsilon = rules.standard_error, .at_least = std::max(fewest_loops, loop), .at_most = most_loops * loop};
    if (rules.exact)
        return error;
    return measure::stop::AnyOf{error, measure::stop::TimeLimit{rules.max_seconds}};
}

Bytes message_bytes(Kind kind, Bytes bytes, int tasks) noexcept {
    if (kind == Kind::barrier)
        return 0;
    return kind == Kind::alltoall ? bytes / tasks * tasks : bytes;
}

Bytes counted_bytes(Kind kind, Bytes bytes) noexcept { return kind == Kind::bibw ? 2 * bytes : bytes; }

}  // namespace mpbench
