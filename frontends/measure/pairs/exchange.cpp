// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/exchange.hpp"

#include <measure/mpi_error.hpp>
#include <measure/statistics.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace measure::tool::pairs {

namespace {

constexpr int message_tag = 1;
constexpr int word_tag = 2;
constexpr int result_tag = 3;
constexpr int first_word_tag = 16;  // first of `word_tags` tags
constexpr int word_tags = 16384;    // MPI has at least 32768 tags
constexpr int untimed_trips = 2;
constexpr int word = 4;  // bytes that acknowledge or request a window

// Messages that ranks exchange before they measure.
constexpr unsigned char question = 0;
constexpr unsigned char answer = 1;
constexpr unsigned char go = 2;
constexpr unsigned char withdrawn = 3;

/// Differs between ranks, and between bytes that are near each other or 256 apart.
unsigned char pattern(int rank, std::size_t at) {
    return static_cast<unsigned char>((static_cast<unsigned>(rank) * 37U + at * 31U + (at >> 8U) * 7U + 1U) & 0xFFU);
}

void send(measure::Comm const& comm, void const* data, std::size_t bytes, int to, int tag) {
    measure::check(MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm.native()), "MPI_Send");
}

void receive(measure::Comm const& comm, void* data, std::size_t bytes, int from, int tag) {
    measure::check(MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, comm.native(), MPI_STATUS_IGNORE),
                   "MPI_Recv");
}

}  // namespace

Exchange::Exchange(measure::Comm const& comm, measure::AnyTimer timer, ExchangeRules const& rules, Faults faults)
    : comm_{comm}, timer_{std::move(timer)}, rules_{rules}, faults_{std::move(faults)}, requests_(index(rules.window)),
      laps_(static_cast<std::size_t>(std::max(rules.trips, rules.windows))) {
    auto const bytes =
        std::max({rules.latency ? rules.latency_size : 0, rules.bandwidth ? rules.size : 0, measure::Bytes{word}});
    out_.resize(static_cast<std::size_t>(bytes));
    in_.resize(out_.size());
    for (std::size_t k = 0; k < out_.size(); ++k)
        out_[k] = pattern(comm.rank(), k);
}

double Exchange::factor_with(int partner) const {
    double factor = 1;
    for (auto const& slow : faults_.slow) {
        bool const is_mine = slow.a == comm_.rank() || slow.b == comm_.rank();
        bool const is_theirs = slow.a == partner || slow.b == partner;
        if (slow.b < 0 ? is_mine || is_theirs : is_mine && is_theirs)
            factor *= slow.factor;
    }
    return factor;
}

void Exchange::trip(int partner, bool begins, std::size_t bytes) {
    if (begins)
        send(comm_, out_.data(), bytes, partner, message_tag);
    receive(comm_, in_.data(), bytes, partner, message_tag);
    if (!begins)
        send(comm_, out_.data(), bytes, partner, message_tag);
}

void Exchange::send_window(int partner) {
    for (auto& request : requests_)
        measure::check(MPI_Isend(out_.data(), static_cast<int>(rules_.size), MPI_BYTE, partner, message_tag,
                                 comm_.native(), &request),
                       "MPI_Isend");
    measure::check(MPI_Waitall(rules_.window, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void Exchange::receive_window(int partner) {
    // All messages go into one buffer, to measure the network rather than memory.
    for (auto& request : requests_)
        measure::check(MPI_Irecv(in_.data(), static_cast<int>(rules_.size), MPI_BYTE, partner, message_tag,
                                 comm_.native(), &request),
                       "MPI_Irecv");
    measure::check(MPI_Waitall(rules_.window, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// The median of `count` laps, on the rank that begins. Injected slowness waits inside the lap.
template <class Answer>
double Exchange::timed(int count, int partner, bool begins, Answer once) {
    if (!begins) {
        for (int k = 0; k < count; ++k)
            once();
        return not_measured;
    }
    double const factor = factor_with(partner);
    std::size_t valid = 0;
    timer_.visit([&](auto const& clock) {
        for (int k = 0; k < count; ++k) {
            auto const begin = measure::begin_stamp(clock);
            once();
            auto end = measure::end_stamp(clock);
            if (factor > 1) {
                auto const until = clock.between(begin, end) * factor;
                while (clock.between(begin, end) < until)
                    end = measure::end_stamp(clock);
            }
            // A lap in which the clock went back does not count.
            if (!(end < begin))
                laps_[valid++] = clock.between(begin, end).count();
        }
    });
    return valid > 0 ? measure::median(std::span{laps_}.first(valid)) : not_measured;
}

bool Exchange::answers(int partner, bool begins) {
    int const tag = first_word_tag + asked_[partner]++ % word_tags;
    if (Pair{partner, comm_.rank()} == faults_.silent)
        return false;
    // Sends one byte without waiting for its receipt.
    auto const say = [&](unsigned char const& what) {
        MPI_Request sent = MPI_REQUEST_NULL;
        measure::check(MPI_Isend(&what, 1, MPI_BYTE, partner, tag, comm_.native(), &sent), "MPI_Isend");
        measure::check(MPI_Request_free(&sent), "MPI_Request_free");
    };
    unsigned char received = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    measure::check(MPI_Irecv(&received, 1, MPI_BYTE, partner, tag, comm_.native(), &request), "MPI_Irecv");
    if (begins)
        say(question);
    auto const limit = measure::SteadyClock::now() + rules_.timeout * (begins ? 1.25 : 1.0);
    int is_here = 0;
    bool is_over = false;
    while (is_here == 0 && !is_over) {
        measure::check(MPI_Test(&request, &is_here, MPI_STATUS_IGNORE), "MPI_Test");
        if (is_here == 0 && measure::SteadyClock::now() > limit) {
            MPI_Status status;
            measure::check(MPI_Cancel(&request), "MPI_Cancel");
            measure::check(MPI_Wait(&request, &status), "MPI_Wait");
            int is_cancelled = 0;
            measure::check(MPI_Test_cancelled(&status, &is_cancelled), "MPI_Test_cancelled");
            is_over = is_cancelled != 0;
            is_here = is_over ? 0 : 1;
        }
    }
    if (begins) {
        say(is_over ? withdrawn : go);
        return !is_over;
    }
    if (is_over)
        return false;
    if (Pair{partner, comm_.rank()} == faults_.late)
        std::this_thread::sleep_for(2 * rules_.timeout);
    say(answer);
    // The answer may arrive after the partner's timeout.
    unsigned char last = withdrawn;
    receive(comm_, &last, 1, partner, tag);
    return last == go;
}

double Exchange::latency(int partner, bool begins) {
    auto const bytes = static_cast<std::size_t>(rules_.latency_size);
    return timed(rules_.trips, partner, begins, [&] { trip(partner, begins, bytes); }) / 2;
}

double Exchange::there(int partner, bool begins) {
    return timed(rules_.windows, partner, begins,
                 [&] {
                     if (begins) {
                         send_window(partner);
                         receive(comm_, in_.data(), word, partner, word_tag);
                     } else {
                         receive_window(partner);
                         send(comm_, out_.data(), word, partner, word_tag);
                     }
                 }) /
           (static_cast<double>(rules_.size) * rules_.window);
}

double Exchange::back(int partner, bool begins) {
    return timed(rules_.windows, partner, begins,
                 [&] {
                     if (begins) {
                         send(comm_, out_.data(), word, partner, word_tag);
                         receive_window(partner);
                     } else {
                         receive(comm_, in_.data(), word, partner, word_tag);
                         send_window(partner);
                     }
                 }) /
           (static_cast<double>(rules_.size) * rules_.window);
}

void Exchange::compare(PairTimes& times, int partner, std::size_t bytes) {
    if (Pair{partner, comm_.rank()} == faults_.wrong_byte && bytes > 0)
        in_[bytes - 1] ^= 1U;
    for (std::size_t k = 0; k < bytes && times.wrong_at < 0; ++k)
        if (in_[k] != pattern(partner, k)) {
            times.wrong_from = partner;
            times.wrong_at = static_cast<long long>(k);
        }
}

PairTimes Exchange::meet(Pair const& pair, int begins, bool latency, bool bandwidth) {
    auto const [low, high] = pair_of(pair.first, pair.second);
    int const me = comm_.rank();
    int const partner = me == low ? high : low;
    bool const mine = begins == me;
    PairTimes times{.low = low, .high = high};
    times.answered = answers(partner, mine);
    if (!times.answered)
        return times;
    auto const prepare = [&](std::size_t bytes) {
        if (rules_.data_check)
            std::fill_n(in_.begin(), bytes, static_cast<unsigned char>(0));
    };
    auto const look = [&](std::size_t bytes) {
        if (rules_.data_check)
            compare(times, partner, bytes);
    };
    if (latency) {
        auto const bytes = static_cast<std::size_t>(rules_.latency_size);
        prepare(bytes);
        for (int k = 0; k < untimed_trips; ++k)
            trip(partner, mine, bytes);
        look(bytes);
        times.latency = this->latency(partner, mine);
    }
    if (bandwidth) {
        auto const bytes = static_cast<std::size_t>(rules_.size);
        prepare(bytes);
        for (int k = 0; k < untimed_trips; ++k)
            trip(partner, mine, bytes);
        look(bytes);
        double const away = there(partner, mine);
        double const home = back(partner, mine);
        times.up = (begins == low) ? away : home;
        times.down = (begins == low) ? home : away;
    }
    // The smaller rank merges the results of both.
    if (me == high) {
        send(comm_, &times, sizeof times, low, result_tag);
        receive(comm_, &times, sizeof times, low, result_tag);
        return times;
    }
    PairTimes theirs;
    receive(comm_, &theirs, sizeof theirs, high, result_tag);
    if (!mine) {
        times.latency = theirs.latency;
        times.up = theirs.up;
        times.down = theirs.down;
    }
    if (times.wrong_at < 0) {
        times.wrong_from = theirs.wrong_from;
        times.wrong_at = theirs.wrong_at;
    }
    send(comm_, &times, sizeof times, high, result_tag);
    return times;
}

}  // namespace measure::tool::pairs
