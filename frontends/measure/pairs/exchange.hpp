// SPDX-License-Identifier: BSD-3-Clause
/// Exchange: what two ranks measure of each other.
///
/// Both times are read on the rank that begins, so that clocks need not agree and a late partner is not taken for a
/// slow one: the untimed exchange before has brought both together.
///
/// Whether the partner answers at all is asked first, with a limit of time; who begins waits longer, so that it does
/// not give up on an answer that is under way, and has the last word. A partner that falls silent later is the
/// watchdog's.
///
///     begins                      answers
///       |--- question ------------->|        not within the limit: it is not answered
///       |<----------------- answer -|        not within the limit: nothing is measured
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
    measure::Bytes latency_size = 8;    ///< of a message there and back, >= 0
    int trips = 20;                     ///< timed, >= 1
    measure::Bytes size = 1024 * 1024;  ///< of a message of a window, >= 1
    int window = 16;                    ///< messages under way at once, >= 1
    int windows = 4;                    ///< timed, in each direction, >= 1
    measure::seconds timeout{10};       ///< for the first answer of a partner, > 0
    bool data_check = false;            ///< the untimed messages carry a pattern that the receiver compares
};

/// Faults made on purpose in builds with tests; others have none.
struct Faults {
    struct Slow {
        int a = -1;  ///< rank
        int b = -1;  ///< the other one; -1: with everybody
        double factor = 1;
    };
    std::vector<Slow> slow{};
    Pair wrong_byte{-1, -1};  ///< from, to
    Pair silent{-1, -1};      ///< the second one never answers the first one
    Pair late{-1, -1};        ///< the second one answers the first one after twice the limit
};

/// Defined by tests/hooks, and by no_faults.cpp. Collective.
[[nodiscard]] Faults faults_from(program::Session& session);

/// What a pair measured, as far as it was asked to. Seconds, `not_measured` otherwise; the same on both ranks.
struct PairTimes {
    int low = -1;  ///< rank; -1: nothing was measured
    int high = -1;
    double latency = not_measured;
    double up = not_measured;    ///< per byte, from low to high
    double down = not_measured;  ///< per byte, from high to low
    int wrong_from = -1;         ///< rank whose data arrived changed
    long long wrong_at = -1;     ///< byte
    bool answered = true;        ///< otherwise nothing was measured
};

/// The messages of one rank.
class Exchange {
public:
    /// \param comm  outlives this; ranks of pairs are its ranks
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
    std::map<int, int> asked_{};  ///< [partner] how often: words of one meeting are not taken for those of another
};

}  // namespace measure::tool::pairs
