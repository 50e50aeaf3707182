// SPDX-License-Identifier: BSD-3-Clause
/// Exchange: measurement of latency and bandwidth between two ranks.
///
/// The rank that begins reads the clock at both ends, so clocks need not be synchronised. The untimed exchange before
/// it brings both ranks together, so a late partner does not look slow.
///
/// First the rank that begins asks whether the partner answers, with a timeout. It waits longer than its partner, so
/// that it does not give up while an answer is under way, and it decides whether to continue. A partner that stops
/// answering later is left to the watchdog.
///
///     begins                      answers
///       |--- question ------------->|        after the timeout: no answer is sent
///       |<----------------- answer -|        after the timeout: nothing is measured
///       |--- go, or withdrawn ----->|
///       |--- untimed, twice ------->|        connection, data check
///       |<--------------------------|
///     t0|--- message -------------->|
///     t1|<-- message ---------------|        latency: half of the median of t1 - t0
///
///     t0|=== window of messages ===>|
///     t1|<-- 4 bytes ---------------|        bandwidth there: median of t1 - t0
///
///     t0|--- 4 bytes -------------->|
///     t1|<== window of messages ====|        bandwidth back
#pragma once

#include "pairs/fit.hpp"
#include "program/runtime/session.hpp"

#include <measure/comm.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <cstddef>
#include <map>
#include <vector>

namespace measure::tool::pairs {

struct ExchangeRules {
    bool latency = true;
    bool bandwidth = true;
    measure::Bytes latency_size = 8;    ///< size of a latency message, >= 0
    int trips = 20;                     ///< timed round trips, >= 1
    measure::Bytes size = 1024 * 1024;  ///< size of a bandwidth message, >= 1
    int window = 16;                    ///< messages in flight, >= 1
    int windows = 4;                    ///< timed windows in each direction, >= 1
    measure::seconds timeout{10};       ///< limit for a partner's first reply, > 0
    bool data_check = false;            ///< verify the pattern in the untimed messages
};

/// Faults injected on purpose, only in builds with tests.
struct Faults {
    struct Slow {
        int a = -1;  ///< rank
        int b = -1;  ///< the other rank; -1: all ranks
        double factor = 1;
    };
    std::vector<Slow> slow{};
    Pair wrong_byte{-1, -1};  ///< sender and receiver
    Pair silent{-1, -1};      ///< the second rank never answers the first
    Pair late{-1, -1};        ///< the second rank answers the first after twice the timeout
};

/// Defined in tests/hooks and in no_faults.cpp. Collective.
[[nodiscard]] Faults faults_from(program::Session& session);

/// The requested times of a pair in seconds, otherwise `not_measured`. Equal on both ranks.
struct PairTimes {
    int low = -1;  ///< rank; -1: nothing was measured
    int high = -1;
    double latency = not_measured;
    double up = not_measured;    ///< seconds per byte from low to high
    double down = not_measured;  ///< seconds per byte from high to low
    int wrong_from = -1;         ///< rank whose data arrived corrupted
    long long wrong_at = -1;     ///< index of the first wrong byte
    bool answered = true;        ///< false: the partner timed out, nothing was measured
};

/// Exchanges messages between this rank and a partner, and measures them.
class Exchange {
public:
    /// \param comm  must outlive this; pairs consist of its ranks
    Exchange(measure::Comm const& comm, measure::AnyTimer timer, ExchangeRules const& rules, Faults faults);

    /// Collective over the two ranks of the pair. \param begins  the rank whose clock is read, one of the two
    [[nodiscard]] PairTimes meet(Pair const& pair, int begins, bool latency, bool bandwidth);

private:
    [[nodiscard]] bool answers(int partner, bool begins);
    [[nodiscard]] double latency(int partner, bool begins);
    [[nodiscard]] double there(int partner, bool begins);
    [[nodiscard]] double back(int partner, bool begins);
    void trip(int partner, bool begins, std::size_t bytes);
    void send_window(int partner);
    void receive_window(int partner);
    template <class Answer>
    double timed(int count, int partner, bool begins, Answer once);
    void compare(PairTimes& times, int partner, std::size_t bytes);
    [[nodiscard]] double factor_with(int partner) const;

    measure::Comm const& comm_;
    measure::AnyTimer timer_;
    ExchangeRules rules_;
    Faults faults_;
    std::vector<unsigned char> out_;
    std::vector<unsigned char> in_;
    std::vector<MPI_Request> requests_;
    std::vector<double> laps_;
    std::map<int, int> asked_{};  ///< [partner] number of meetings; gives each meeting its own tag
};

}  // namespace measure::tool::pairs
