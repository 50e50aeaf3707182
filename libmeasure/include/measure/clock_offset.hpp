// SPDX-License-Identifier: BSD-3-Clause
/// Offset of a pair of clocks: how it is measured, and what was found.
#pragma once

#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Which point in the interval of possible offsets is taken as the estimate.
enum class OffsetEstimator {
    min_rtt,   ///< middle of the exchange with the smallest round trip: MPIPerf paper, section 5
    envelope,  ///< middle of the tightest bounds over all exchanges; never a wider bound
};

/// What the stamps of an exchange travel through.
enum class OffsetChannel {
    messages,  ///< MPI messages, as in the papers' methods
    shared,    ///< memory that the ranks of one host share: half of the round trip, less of the error. Messages
               ///< between hosts, and where there is no such memory
};

/// How one pair is measured.
struct PairOptions {
    int patience = 100;        ///< d: stop when the smallest round trip has not improved so often; >= 1
    int warm_up = 10;          ///< exchanges before the first that counts: the first contact opens the connection
    int at_most = 10000;       ///< exchanges
    seconds time_limit{0.25};  ///< of one try; what was exchanged until then counts
    /// A pair whose smallest round trip is longer is measured up to three times more; through the memory of a host one
    /// that is longer than 10 us is, if that is less.
    seconds poor{100e-6};
    OffsetEstimator estimator = OffsetEstimator::envelope;  ///< by default never worse than the papers'
    /// The server then asks too, and the mean of both counts: what the two roles differ by (who asks may be slower on
    /// the way out than on the way back) cancels. The papers' methods measure one way.
    bool both_ways = true;
    OffsetChannel channel = OffsetChannel::shared;  ///< between ranks of one host
};

/// What the client of a pair found. T_server = T_client + offset; seconds.
struct PairOffset {
    double offset = 0;  ///< the estimate, within [low, high]
    double low = 0;     ///< the true offset lies in [low, high] if it was constant and delays are not negative;
                        ///< a step of the clock is allowed for
    double high = 0;    ///< see `low`
    double rtt = 0;     ///< smallest round trip
    double when = 0;    ///< local time of the best exchange
    std::int64_t exchanges = 0;  ///< that were made, without warm-up
    bool inconsistent = false;   ///< low > high: a clock stepped or drifted during the exchange
    /// Largest possible error of `offset`: its distance to the farther end of [low, high]. Where the bounds contradict
    /// each other, at least the contradiction.
    [[nodiscard]] double bound() const noexcept {
        if (inconsistent)
            return low - high + rtt;
        return high - offset < offset - low ? offset - low : high - offset;
    }
};

}  // namespace measure
#pragma GCC visibility pop
