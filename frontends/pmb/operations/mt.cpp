// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of several threads that communicate concurrently.
#include "bodies/collectives.hpp"
#include "bodies/point_to_point.hpp"
#include "bodies/stream.hpp"
#include "bodies/threads.hpp"
#include "pmb/catalogue.hpp"
#include "pmb/operations/partners.hpp"
#include "program/runtime/deferred_error.hpp"

#include <measure/mpi_error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>

namespace pmb {

namespace {

using bodies::Borrowed;
using measure::Bytes;

/// The working context of a thread.
struct Seat {
    measure::Comm const& comm;
    Parameters const& parameters;
    Borrowed memory;
    Bytes bytes;  ///< bytes of a message
    bodies::ThreadBarrier& threads;

    [[nodiscard]] int count() const { return measure::to_int(bytes / parameters.threads.element, "elements"); }
    [[nodiscard]] bool is_of_int() const { return parameters.threads.element == sizeof(int); }
    [[nodiscard]] MPI_Datatype type() const { return is_of_int() ? MPI_INT : MPI_CHAR; }
    [[nodiscard]] int stride() const { return resolved_stride(parameters.threads.stride, comm.size()); }
    [[nodiscard]] std::optional<StridePair> pair() const { return stride_pair(comm.rank(), comm.size(), stride()); }
    /// The rank at this number of strides on a ring of all processes.
    [[nodiscard]] int away(int strides) const {
        int const size = comm.size();
        return (comm.rank() + strides * (stride() % size) + size) % size;
    }
    [[nodiscard]] bodies::Link link() const {
        return {.comm = comm.native(), .count = count(), .type = type(), .with = 0, .as = 0};
    }
};

/// Element i of the data that a rank sends.
std::int32_t thread_value(int rank, std::int64_t i) { return static_cast<std::int32_t>(1000 * (rank + 1) + i % 1000); }
constexpr int sum_of_all = -1;  // sender of data that are the sum over all ranks

// The benchmarks: the body of a thread, which is missing without a partner, and the place and sender of received data.

template <class P>
struct ThreadPair {
    using Body = bodies::PointToPoint<P, Borrowed>;
    static std::optional<Body> body(Seat const& s) {
        auto const pair = s.pair();
        if (!pair)
            return std::nullopt;
        auto link = s.link();
        link.first = pair->first;
        link.peer = link.from = pair->peer;
        return Body{link, s.memory};
    }
    template <class Look>
    static void look(Seat const& s, Look at) {
        if (auto const pair = s.pair())
            at(s.memory.receive({}), 0, pair->peer);
    }
};

/// \tparam blocks  blocks of the receive buffer: from the left, and with 2 also from the right
template <class P, int blocks>
struct ThreadRing {
    using Body = bodies::PointToPoint<P, Borrowed>;
    static std::optional<Body> body(Seat const& s) {
        auto link = s.link();
        link.left = s.away(-1);
        link.right = s.away(1);
        link.second = s.bytes;
        return Body{link, s.memory};
    }
    template <class Look>
    static void look(Seat const& s, Look at) {
        at(s.memory.receive({}), 0, s.away(-1));
        if (blocks == 2)
            at(s.memory.receive({}), s.bytes, s.away(1));
    }
};

template <bool both_ways>
struct ThreadStream {
    using Body = bodies::BasicStream<Borrowed>;
    static std::optional<bodies::StreamRole> role(Seat const& s) {
        auto const pair = s.pair();
        if (!pair)
            return std::nullopt;
        return bodies::StreamRole{pair->first || both_ways, !pair->first || both_ways, pair->peer};
    }
    static std::optional<Body> body(Seat const& s) {
        auto const mine = role(s);
        if (!mine)
            return std::nullopt;
        bodies::StreamShape const shape{.both_ways = both_ways,
                                        .window = s.parameters.window,
                                        .tag = 0,
                                        .tag_back = 0,
                                        .acknowledgement = 1,
                                        .tag_step = 0,
                                        .always_acknowledged = true,
                                        .type = s.type()};
        return Body{s.comm.native(), s.pair()->first, *mine, shape, s.count(), s.memory};
    }
    template <class Look>
    static void look(Seat const& s, Look at) {
        if (auto const mine = role(s); mine && mine->receives)
            at(s.memory.receive({}), 0, mine->peer);
    }
};

template <std::size_t row>
struct ThreadCollective {
    static constexpr auto const& of = bodies::collectives[row];
    struct Body {
        bodies::AnyBlocking<bodies::Arguments, Borrowed> call;
        bodies::ThreadBarrier& threads;
        bool operator()(measure::Iteration it) const {
            if (of.content == bodies::Content::none)
                threads.wait();
            return call(it);
        }
    };
    static std::optional<Body> body(Seat const& s) {
        auto const element = s.parameters.threads.element;
        bodies::Convention const convention{.real = s.is_of_int() ? MPI_INT : MPI_SIGNED_CHAR,
                                            .real_size = element,
                                            .moved = s.type(),
                                            .moved_extent = element};
        return Body{{of, bodies::arguments(of.shape, s.comm, s.count(), convention), s.memory}, s.threads};
    }
    template <class Look>
    static void look(Seat const& s, Look at) {
        using enum bodies::Content;
        if (of.content == root_everywhere)
            at(s.memory.send({}), 0, 0);
        else if (of.content == reduced || (of.content == reduced_at_root && s.comm.is_root()))
            at(s.memory.receive({}), 0, sum_of_all);
    }
};

/// \tparam each  every repetition is timed individually  \tparam barriers  after each repetition
/// \tparam directions  of the windows whose messages share the time; 0: no windows
template <class B, bool each, int barriers, int directions = 0>
class ThreadsKernel final : public Kernel {
public:
    explicit ThreadsKernel(Task const& task) : task_{task}, rules_{task.parameters.threads}, barrier_{rules_.threads} {
        start_threads();
        for (int i = 0; rules_.threads > 1 && i < rules_.threads; ++i)
            duplicate(i);
        allocate();
    }

    void begin(Mode, Bytes length) override {
        bytes_ = length / rules_.threads;
        operations_.clear();
        fill_buffers();
        for (int i = 0; i < rules_.threads; ++i) {
            auto body = B::body(seat(i));
            operations_.push_back(body ? std::optional{measure::op(std::move(*body))} : std::nullopt);
        }
        task_.verifier.begin(length);
    }

    Reading loop(std::int64_t n) override {
        // Data of the warm-up must not satisfy the check.
        if (task_.check)
            fill_buffers();
        task_.in_body(true);
        auto const before = measure::kernel_counts();
        auto const all = timed(n);
        int const parts = directions > 0 ? directions * task_.parameters.window : 1;
        Reading reading{.timed = operations_.front().has_value(), .counts = measure::kernel_counts() - before};
        task_.in_body(false);
        measure::RankSpread spread{.min = all.front().total.count()};
        for (auto const& mine : all) {
            double const time = mine.total.count() / static_cast<double>(n) / parts;
            spread.min = std::min(spread.min, time);
            spread.max = std::max(spread.max, time);
            spread.mean += time / static_cast<double>(all.size());
            reading.succeeded &= mine.succeeded;
            reading.is_backward |= mine.is_backward();
        }
        reading.iterations = (each ? 1 : n) * parts;
        reading.time = spread.max;
        reading.threads = spread;
        if (task_.check)
            check(n - 1);
        reading.defect = task_.verifier.defect();
        return reading;
    }

    void warm_up(std::int64_t n) override { static_cast<void>(timed(n)); }

    Measured run(measure::Plan const& plan) override {
        return {measure::run(task_.team, plan, [this](measure::Iterations all) {
            auto const mine = timed(all.count);
            return std::all_of(mine.begin(), mine.end(), [](auto const& each_one) { return each_one.succeeded; });
        })};
    }

    void end() override { operations_.clear(); }

private:
    /// If a process cannot start enough threads, no process continues with collective calls.
    void start_threads() {
        program::DeferredError trouble;
        try {
            team_.emplace(rules_.threads);
        } catch (std::exception const& e) {
            trouble.note(e.what());
        }
        agree(task_.team, std::to_string(rules_.threads).append(" threads"), trouble);
    }

    void duplicate(int thread) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Comm made = MPI_COMM_NULL;
        measure::check(MPI_Info_create(&info), "MPI_Info_create");
        measure::check(MPI_Info_set(info, "thread_id", std::to_string(thread).c_str()), "MPI_Info_set");
        measure::check(MPI_Comm_dup_with_info(task_.team.native(), info, &made), "MPI_Comm_dup_with_info");
        MPI_Info_free(&info);
        comms_.push_back(task_.team.take(made));
    }

    /// Bytes of a thread's send or receive buffer. An exchange receives two messages.
    [[nodiscard]] Bytes room() const {
        Bytes const two = 2 * std::max<Bytes>(task_.largest / rules_.threads, 1);
        return (two + rules_.alignment - 1) / rules_.alignment * rules_.alignment;
    }

    void allocate() {
        bool const at_once = rules_.allocation == Allocation::continuous;
        buffers_.resize(at_once ? 1 : static_cast<std::size_t>(rules_.threads));
        Bytes const bytes = room() * (at_once ? rules_.threads : 1);
        std::atomic<bool> failed = false;
        bodies::ThreadTeam::Work const make = [&](int i) {
            try {
                buffers_[static_cast<std::size_t>(i)].emplace(bodies::BufferPolicy{.alignment = rules_.alignment},
                                                              bodies::Sizes{bytes, bytes});
            } catch (std::bad_alloc const&) {
                failed = true;
            }
        };
        if (rules_.allocation == Allocation::parallel)
            team_->run(make);
        else
            for (int i = 0; i < static_cast<int>(buffers_.size()); ++i)
                make(i);
        if (failed)
            throw std::bad_alloc{};
    }

    [[nodiscard]] Borrowed memory(int thread) const {
        bool const at_once = rules_.allocation == Allocation::continuous;
        auto const& buffers = *buffers_[at_once ? 0 : static_cast<std::size_t>(thread)];
        Bytes const offset = at_once ? thread * room() : 0;
        return {static_cast<std::byte*>(buffers.send({})) + offset,
                static_cast<std::byte*>(buffers.receive({})) + offset};
    }

    [[nodiscard]] Seat seat(int thread) {
        return {comms_.empty() ? task_.team : comms_[static_cast<std::size_t>(thread)], task_.parameters,
                memory(thread), bytes_, barrier_};
    }

    void fill_buffers() {
        for (int i = 0; i < rules_.threads; ++i) {
            auto const s = seat(i);
            for (auto* const buffer : {s.memory.send({}), s.memory.receive({})})
                std::memset(buffer, 0, static_cast<std::size_t>(room()));
            if (task_.check)
                fill({static_cast<std::byte*>(s.memory.send({})), static_cast<std::size_t>(bytes_)},
                     [&](std::int64_t k) { return thread_value(task_.team.rank(), k); });
        }
    }

    /// A barrier of all threads of all processes.
    void meet(int thread) {
        if (rules_.barrier == TeamBarrier::off)
            return;
        barrier_.wait();
        constexpr int tag = 1010;
        if (thread == 0 && rules_.barrier == TeamBarrier::special)
            exchange_barrier(task_.team, tag);
        else if (thread == 0)
            task_.team.barrier();
        barrier_.wait();
    }

    /// A barrier, then n repetitions. \returns the times of each thread
    [[nodiscard]] std::vector<measure::IterationsTime> timed(std::int64_t n) {
        std::vector<measure::IterationsTime> all(static_cast<std::size_t>(rules_.threads));
        bodies::ThreadTeam::Work const work = [&](int thread) {
            auto const i = static_cast<std::size_t>(thread);
            meet(thread);
            for (std::int64_t k = 0; k < (each ? n : 1); ++k) {
                if (auto& operation = operations_[i]) {
                    auto const one = measure::time_iterations(task_.timer, *operation, each ? 1 : n, k);
                    // Once the clock has gone backwards, a sum of times is meaningless.
                    if (!all[i].is_backward())
                        all[i].total = one.is_backward() ? one.total : all[i].total + one.total;
                    all[i].succeeded &= one.succeeded;
                }
                for (int b = 0; b < barriers; ++b)
                    meet(thread);
            }
        };
        team_->run(work);
        return all;
    }

    void check(std::int64_t repetition) {
        double const size = task_.team.size();
        for (int i = 0; i < rules_.threads; ++i)
            B::look(seat(i), [&](void* buffer, Bytes at, int sender) {
                std::span const block{static_cast<std::byte*>(buffer) + at, static_cast<std::size_t>(bytes_)};
                task_.verifier.compare(block, 0, repetition, at, [&](std::int64_t k) {
                    return sender != sum_of_all ? thread_value(sender, k)
                                                : static_cast<std::int32_t>(1000 * size * (size + 1) / 2 +
                                                                            size * static_cast<double>(k % 1000));
                });
            });
    }

    Task task_;
    Threads const& rules_;
    std::optional<bodies::ThreadTeam> team_{};
    bodies::ThreadBarrier barrier_;
    std::vector<measure::Comm> comms_{};  ///< communicator of each thread, if there are several
    std::vector<std::optional<bodies::Buffers>> buffers_{};
    Bytes bytes_ = 0;
    std::vector<std::optional<measure::Operation<typename B::Body>>> operations_{};
};

template <class K>
Benchmark threaded(std::string_view name, std::string_view text, Class kind, int messages = 0) {
    return {.name = name,
            .text = text,
            .kind = kind,
            .messages = messages,
            .checked = kind != Class::sync,
            .memory = [](Bytes length, int, Parameters const&, bool) { return 4 * length; },
            .make = [](Task const& task) -> std::unique_ptr<Kernel> { return std::make_unique<K>(task); }};
}

template <class B>
using Looped = ThreadsKernel<B, false, 0>;
template <std::size_t row, int barriers>
using OneByOne = ThreadsKernel<ThreadCollective<row>, true, barriers>;

}  // namespace

std::vector<Benchmark> imb_mt_benchmarks() {
    using bodies::row;
    std::vector<Benchmark> table{
        threaded<Looped<ThreadPair<bodies::PingPong>>>("PingPongMT", "one message there and back; half of the time",
                                                       Class::parallel, 1),
        threaded<Looped<ThreadPair<bodies::PingPing>>>("PingPingMT", "messages that meet", Class::parallel, 1),
        threaded<Looped<ThreadRing<bodies::Sendrecv, 1>>>("SendRecvMT", "around a ring with MPI_Sendrecv",
                                                          Class::parallel, 2),
        threaded<Looped<ThreadRing<bodies::Exchange, 2>>>("ExchangeMT", "with both neighbours on a ring",
                                                          Class::parallel, 4),
        threaded<ThreadsKernel<ThreadStream<false>, false, 0, 1>>("UniBandMT", "windows of messages to a partner",
                                                                  Class::rate, 1),
        threaded<ThreadsKernel<ThreadStream<true>, false, 0, 2>>("BiBandMT", "windows of messages, both ways",
                                                                 Class::rate, 1),
        threaded<OneByOne<row("Barrier"), 0>>("BarrierMT", "no data, no lengths", Class::sync),
        threaded<OneByOne<row("Bcast"), 5>>("BcastMT", "of the first process", Class::collective),
        threaded<OneByOne<row("Reduce"), 5>>("ReduceMT", "sums at the first process", Class::collective),
        threaded<OneByOne<row("Allreduce"), 5>>("AllReduceMT", "sums", Class::collective),
    };
    for (Benchmark& b : table)
        b.strided = b.kind == Class::rate || b.name.starts_with("PingP");
    table.front().time_scale = 0.5;
    return table;
}

}  // namespace pmb
