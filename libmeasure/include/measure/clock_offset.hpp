// SPDX-License-Identifier: BSD-3-Clause
/// Clock offset of a pair of ranks: options of the measurement, and its result.
#pragma once

#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Selects the estimate from the interval of possible offsets.
enum class OffsetEstimator {
    min_rtt,   ///< middle of the exchange with the shortest round trip: MPIPerf paper, section 5
    envelope,  ///< middle of the offsets that all exchanges allow; its bound is never larger than with min_rtt
};

/// Medium that carries the time stamps of an exchange.
enum class OffsetChannel {
    messages,  ///< MPI messages, as in the papers' methods
    shared,    ///< shared memory within a host: half the round trip and a smaller error than messages. Between hosts,
               ///< and without shared memory, messages are used
};

/// Options for the measurement of a pair.
struct PairOptions {
    int patience = 100;        ///< d of the paper: stop after this many exchanges without a shorter round trip; >= 1
    int warm_up = 10;          ///< uncounted exchanges at the start, because the first contact opens the connection
    int at_most = 10000;       ///< largest number of counted exchanges
    seconds time_limit{0.25};  ///< time limit of one try, s; exchanges until then count
    /// A pair is measured again, up to three times, if its shortest round trip is longer than this, s. Through shared
    /// memory the threshold is at most 10 us.
    seconds poor{100e-6};
    OffsetEstimator estimator = OffsetEstimator::envelope;  ///< the default is never worse than that of the papers
    /// Let client and server exchange roles, and use the mean of both measurements. The client may be slower on the way
    /// out than on the way back; the mean cancels this error. The methods of the papers measure in one role only.
    bool both_ways = true;
    OffsetChannel channel = OffsetChannel::shared;  ///< medium between ranks of one host
};

/// Result for the client of a pair: T_server = T_client + offset. All times in seconds.
struct PairOffset {
    double offset = 0;  ///< estimate of the offset, within [low, high]
    double low = 0;     ///< lower end of the possible offsets: the true offset is in [low, high] if it was constant and
                        ///< delays are not negative. The interval includes one step of the clock at each end
    double high = 0;    ///< upper end of the possible offsets
    double rtt = 0;     ///< shortest round trip
    double when = 0;    ///< local time of the best exchange
    std::int64_t exchanges = 0;  ///< number of exchanges, without warm-up
    bool inconsistent = false;   ///< low > high: a clock stepped or drifted during the measurement
    /// Largest possible error of `offset`: the distance to the farther end of [low, high]. If the pair is inconsistent:
    /// low - high + rtt.
    [[nodiscard]] double bound() const noexcept {
        if (inconsistent)
            return low - high + rtt;
        return high - offset < offset - low ? offset - low : high - offset;
    }
};

}  // namespace measure
#pragma GCC visibility pop
