// SPDX-License-Identifier: BSD-3-Clause
/// A simulated network of ranks with clocks of known error. The library's synchronisers run on it unchanged, without
/// MPI, for thousands of ranks, and their results are compared with the truth. The same options give the same numbers.
#pragma once

#include "clock/synchronisers.hpp"
#include "measure/own_sync.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <ucontext.h>
#include <vector>

namespace test {

/// All times are in seconds.
struct NetworkOptions {
    int ranks = 2;
    int ranks_per_host = 1;
    double near = 0.3e-6;   ///< duration of a message within a host
    double far = 1.5e-6;    ///< duration of a message between hosts
    double overhead = 0;    ///< time of each send and of each receive
    double jitter = 0;      ///< mean additional time of a message, exponentially distributed
    double uphill = 0;      ///< additional time of messages to a higher rank
    double question = 0;    ///< additional time of a question compared with an answer
    double skew = 0;        ///< clocks differ by up to this time in both directions
    double ppm = 0;         ///< clocks drift by up to this rate, ppm
    bool by_host = false;   ///< the ranks of a host share one clock
    int slow = -1;          ///< messages to this rank are slow; -1 = none
    double slow_by = 0;     ///< additional time of these messages
    double slow_from = 0;   ///< begin of this disturbance
    double slow_until = 0;  ///< end of this disturbance
    std::uint64_t seed = 1;
    std::size_t stack = std::size_t{1} << 17;  ///< stack of each rank, bytes
};

/// Uniform in [0, 1), a function of its arguments.
[[nodiscard]] inline double hashed(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    auto const mix = [](std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    };
    return static_cast<double>(mix(mix(seed * 0x9e3779b97f4a7c15U + a) * 0x9e3779b97f4a7c15U + b) >> 11) * 0x1p-53;
}

/// A wrong clock: reading = (1 + rate) * true time + skew. It may be set at some time.
struct WrongClock {
    double skew = 0;
    double rate = 0;
    double set_at = 1e300;  ///< true time
    double set_by = 0;
    [[nodiscard]] double reading(double time) const { return time + rate * time + skew + (time < set_at ? 0 : set_by); }
    /// Inverse of the reading, for a clock that is not set.
    [[nodiscard]] double time(double reading) const { return (reading - skew) / (1 + rate); }
};

class ClockNetwork;

/// One rank's view of some ranks of the network: the interface that a synchroniser uses.
class SimulatedNet {
public:
    /// The ranks first, first + stride, ..
    SimulatedNet(ClockNetwork& network, int me, int first, int stride, int size)
        : network_{network}, me_{me}, first_{first}, stride_{stride}, size_{size} {}

    [[nodiscard]] int rank() const { return (me_ - first_) / stride_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] std::uint64_t host() const;
    [[nodiscard]] double step() const { return 0; }
    [[nodiscard]] double now() const;
    [[nodiscard]] double local(double stamp) const { return stamp; }
    void wait_until(double local);
    template <class V>
    void send(V const& value, int to, int tag);
    template <class V>
    int receive(V& value, int from);
    /// Collective calls are ideal: they take the time of one message and are not counted.
    [[nodiscard]] std::vector<double> gather(double value);
    [[nodiscard]] double scatter(std::span<double const> values);
    void send_bytes(void const* data, std::size_t bytes, int to, int tag);
    int receive_bytes(void* data, std::size_t bytes, int from);

private:
    static constexpr int tag_collective = 100;
    [[nodiscard]] int global(int rank) const { return first_ + stride_ * rank; }
    ClockNetwork& network_;
    int me_;
    int first_;
    int stride_;
    int size_;
};

/// The same interface for a user's synchroniser.
class SimulatedSyncNet final : public measure::SyncNet {
public:
    explicit SimulatedSyncNet(SimulatedNet& net) : net_{net} {}
    [[nodiscard]] int rank() const override { return net_.rank(); }
    [[nodiscard]] int size() const override { return net_.size(); }
    [[nodiscard]] double now() override { return net_.now(); }
    [[nodiscard]] double resolution() const override { return net_.step(); }
    void wait_until(double local) override { net_.wait_until(local); }

protected:
    void send_bytes(void const* data, std::size_t bytes, int to, int tag) override {
        net_.send_bytes(data, bytes, to, tag);
    }
    int receive_bytes(void* data, std::size_t bytes, int from) override {
        return net_.receive_bytes(data, bytes, from);
    }

private:
    SimulatedNet& net_;
};

/// Result of a synchronisation. Errors of ranks 1.. are relative to the clock of rank 0.
struct NetworkOutcome {
    std::vector<measure::detail::Found> found;  ///< [ranks]
    double duration = 0;                        ///< until the last rank has finished
    std::int64_t messages = 0;
    std::int64_t busiest = 0;    ///< largest number of messages that a rank has sent and received
    std::vector<double> errors;  ///< [ranks], estimated minus true root time when all ranks have finished
    std::vector<double> later;   ///< [ranks], the same ten seconds later

    [[nodiscard]] static double largest(std::vector<double> const& xs) {
        double most = 0;
        for (double const x : xs)
            most = std::max(most, std::abs(x));
        return most;
    }
};

class ClockNetwork {
public:
    using Program = std::function<measure::detail::Found(SimulatedNet&)>;

    explicit ClockNetwork(NetworkOptions const& options) : o_{options} {
        for (int i = 0; i < o_.ranks; ++i) {
            auto const source = static_cast<std::uint64_t>(o_.by_host ? i / o_.ranks_per_host : i);
            ranks_.push_back(std::make_unique<Rank>());
            ranks_.back()->clock = {.skew = o_.skew * (2 * hashed(o_.seed, 1, source) - 1),
                                    .rate = o_.ppm * 1e-6 * (2 * hashed(o_.seed, 2, source) - 1)};
        }
    }

    [[nodiscard]] WrongClock const& clock(int rank) const { return at(rank).clock; }
    void set_clock(int rank, WrongClock clock) { at(rank).clock = clock; }

    /// Runs a user's synchroniser on each rank.
    NetworkOutcome run(Program program) { return execute(std::move(program)); }
    /// Runs any synchroniser except `HierSync`.
    template <class Sync>
    requires(!std::is_invocable_v<Sync const&, SimulatedNet&>) NetworkOutcome run(Sync const& sync) {
        return execute([sync](SimulatedNet& net) { return measure::detail::synchronise_on(net, sync); });
    }
    /// \param shared  tells the library that the ranks of a host read one clock
    NetworkOutcome run(measure::HierSync const& sync, bool shared) {
        return execute([this, sync, shared](SimulatedNet& all) {
            int const k = o_.ranks_per_host;
            int const first = all.rank() / k * k;
            SimulatedNet host(*this, all.rank(), first, 1, std::min(k, o_.ranks - first));
            SimulatedNet leaders(*this, all.rank(), 0, k, (o_.ranks + k - 1) / k);
            return measure::detail::synchronise_hosts(all.rank() == first ? &leaders : nullptr, host, sync, shared);
        });
    }

private:
    friend class SimulatedNet;
    static constexpr std::size_t largest_message = measure::SyncNet::largest_message;

    struct Message {
        double arrival;
        int tag;
        std::array<std::byte, largest_message> data;
    };
    struct Rank {
        WrongClock clock;
        double time = 0;
        std::int64_t sent = 0;
        std::int64_t received = 0;
        std::map<int, std::deque<Message>> inbox;
        int awaits = -1;  ///< rank whose message is missing
        bool done = false;
        std::exception_ptr error;
        measure::detail::Found found;
        std::unique_ptr<char[]> stack;
        ucontext_t context;
    };

    [[nodiscard]] Rank& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] Rank const& at(int rank) const { return *ranks_[static_cast<std::size_t>(rank)]; }

    NetworkOutcome execute(Program program) {
        program_ = std::move(program);
        for (int i = 0; i < o_.ranks; ++i) {
            Rank& r = at(i);
            r.stack.reset(new char[o_.stack]);
            getcontext(&r.context);
            r.context.uc_stack.ss_sp = r.stack.get();
            r.context.uc_stack.ss_size = o_.stack;
            r.context.uc_link = &scheduler_;
            auto const self = reinterpret_cast<std::uintptr_t>(this);
            makecontext(&r.context, reinterpret_cast<void (*)()>(&ClockNetwork::enter), 2,
                        static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
            ready_.push_back(i);
        }
        while (!ready_.empty()) {
            running_ = ready_.front();
            ready_.pop_front();
            swapcontext(&scheduler_, &at(running_).context);
        }
        return outcome();
    }

    static void enter(unsigned high, unsigned low) {
        auto const self = (std::uintptr_t{high} << 32) | low;
        reinterpret_cast<ClockNetwork*>(self)->live();
    }

    void live() {
        int const me = running_;
        Rank& r = at(me);
        try {
            SimulatedNet net(*this, me, 0, 1, o_.ranks);
            r.found = program_(net);
        } catch (...) {
            r.error = std::current_exception();
        }
        r.done = true;
    }

    [[nodiscard]] NetworkOutcome outcome() const {
        NetworkOutcome out;
        for (auto const& r : ranks_) {
            if (r->error)
                std::rethrow_exception(r->error);
            if (!r->done)
                throw std::runtime_error("ranks wait for each other");
            out.found.push_back(r->found);
            out.duration = std::max(out.duration, r->time);
            out.messages += r->sent;
            out.busiest = std::max(out.busiest, r->sent + r->received);
        }
        for (int i = 0; i < o_.ranks; ++i) {
            out.errors.push_back(error(i, out.duration));
            out.later.push_back(error(i, out.duration + 10));
        }
        return out;
    }

    [[nodiscard]] double error(int rank, double time) const {
        return at(rank).found.model.to_root(clock(rank).reading(time)) - clock(0).reading(time);
    }

    [[nodiscard]] int host(int rank) const { return rank / o_.ranks_per_host; }

    void post(int from, int to, int tag, void const* data, std::size_t bytes, bool counted) {
        Rank& sender = at(from);
        double delay = (host(from) == host(to) ? o_.near : o_.far) + (to > from ? o_.uphill : 0) +
                       (tag == measure::detail::tag_probe ? o_.question : 0);
        if (counted) {
            sender.time += o_.overhead;
            ++sender.sent;
            if (to == o_.slow && sender.time >= o_.slow_from && sender.time < o_.slow_until)
                delay += o_.slow_by;
            if (o_.jitter > 0) {
                auto const way = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
                delay -= o_.jitter * std::log1p(-hashed(o_.seed, way, static_cast<std::uint64_t>(sender.sent)));
            }
        }
        Message message{sender.time + delay, tag, {}};
        std::memcpy(message.data.data(), data, bytes);
        Rank& receiver = at(to);
        receiver.inbox[from].push_back(message);
        if (receiver.awaits == from) {
            receiver.awaits = -1;
            ready_.push_back(to);
        }
    }

    int take(int from, int to, void* data, std::size_t bytes, bool counted) {
        Rank& receiver = at(to);
        auto& queue = receiver.inbox[from];
        while (queue.empty()) {
            receiver.awaits = from;
            swapcontext(&receiver.context, &scheduler_);
        }
        Message const message = queue.front();
        queue.pop_front();
        std::memcpy(data, message.data.data(), bytes);
        receiver.received += counted ? 1 : 0;
        receiver.time = std::max(receiver.time, message.arrival) + (counted ? o_.overhead : 0);
        return message.tag;
    }

    NetworkOptions o_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    std::deque<int> ready_;
    int running_ = 0;
    Program program_;
    ucontext_t scheduler_{};
};

inline std::uint64_t SimulatedNet::host() const { return static_cast<std::uint64_t>(network_.host(me_)); }

inline double SimulatedNet::now() const { return network_.clock(me_).reading(network_.at(me_).time); }

inline void SimulatedNet::wait_until(double local) {
    double& time = network_.at(me_).time;
    time = std::max(time, network_.clock(me_).time(local));
}

template <class V>
void SimulatedNet::send(V const& value, int to, int tag) {
    static_assert(std::is_trivially_copyable_v<V> && sizeof value <= ClockNetwork::largest_message);
    send_bytes(&value, sizeof value, to, tag);
}

template <class V>
int SimulatedNet::receive(V& value, int from) {
    return receive_bytes(&value, sizeof value, from);
}

inline void SimulatedNet::send_bytes(void const* data, std::size_t bytes, int to, int tag) {
    network_.post(me_, global(to), tag, data, bytes, true);
}

inline int SimulatedNet::receive_bytes(void* data, std::size_t bytes, int from) {
    return network_.take(global(from), me_, data, bytes, true);
}

inline std::vector<double> SimulatedNet::gather(double value) {
    if (rank() != 0) {
        network_.post(me_, first_, tag_collective, &value, sizeof value, false);
        return {};
    }
    std::vector<double> all{value};
    for (int i = 1; i < size_; ++i)
        network_.take(global(i), me_, &all.emplace_back(), sizeof value, false);
    return all;
}

inline double SimulatedNet::scatter(std::span<double const> values) {
    double mine = 0;
    if (rank() != 0) {
        network_.take(first_, me_, &mine, sizeof mine, false);
        return mine;
    }
    for (int i = 1; i < size_; ++i)
        network_.post(me_, global(i), tag_collective, &values[static_cast<std::size_t>(i)], sizeof mine, false);
    return values[0];
}

}  // namespace test
