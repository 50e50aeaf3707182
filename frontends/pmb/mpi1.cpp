// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of the MPI-1 part: messages and collectives.
#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "bodies/point_to_point.hpp"
#include "catalogue.hpp"

#include <cstring>
#include <optional>
#include <utility>

namespace pmb {

namespace {

using bodies::Borrowed;
using measure::Bytes;

/// What a benchmark's check sees of one repetition on one process.
struct Arrival {
    Verifier& verifier;
    std::byte* receive;
    Bytes length;
    int rank;
    int size;
    int root;  ///< of this repetition
    std::int64_t repetition;

    /// A block of the receive buffer holds the bytes of `sender` from an offset on.
    void is_of(int sender, Bytes at, Bytes from = 0) const {
        verifier.compare({receive + at, static_cast<std::size_t>(length)}, from, repetition, at,
                         [sender](std::int64_t i) { return message_value(sender, i); });
    }
    /// The receive buffer begins with sums over all processes, from element `first` on.
    void is_sum(Bytes size_in_bytes, std::int64_t first = 0) const {
        double const ranks = 0.1 * size * (size + 1) / 2;
        verifier.compare(
            {receive, static_cast<std::size_t>(size_in_bytes)}, first * element, repetition, 0,
            [&](std::int64_t i) {
                return static_cast<float>(ranks + static_cast<double>(size) * static_cast<double>(i));
            },
            Compare::sum);
    }
    [[nodiscard]] int left() const noexcept { return (rank + size - 1) % size; }
    [[nodiscard]] int right() const noexcept { return (rank + 1) % size; }
    [[nodiscard]] int peer() const noexcept { return rank == 0 ? size - 1 : 0; }
};

// The benchmarks: a body for one length, and what must have arrived.

template <class P, bodies::Source From = bodies::Source::any>
struct Pair {
    using Body = bodies::PointToPoint<P, Borrowed>;
    static Body body(Task const& task, Bytes length, Borrowed memory) {
        return {bodies::link(task.team, length, From), memory};
    }
    static void check(Arrival const& a) { a.is_of(a.peer(), 0); }
};

struct Sendrecv : Pair<bodies::Sendrecv> {
    static void check(Arrival const& a) { a.is_of(a.left(), 0); }
};

/// Both messages go to the same place, but apart where both are looked at.
struct Exchange : Pair<bodies::Exchange> {
    static Body body(Task const& task, Bytes length, Borrowed memory) {
        auto link = bodies::link(task.team, length);
        link.second = task.check ? length : 0;
        return {link, memory};
    }
    static void check(Arrival const& a) {
        a.is_of(a.left(), 0);
        a.is_of(a.right(), a.length);
    }
};

/// PMB keeps the data of the senders: the root sends from its send buffer, the others receive elsewhere.
struct BcastApart : bodies::Bcast {
    static int call(bodies::Arguments const& a, void* send, void* receive, int root) {
        return bodies::Bcast::call(a, a.rank == root ? send : receive, nullptr, root);
    }
};

template <class C, void (*Check)(Arrival const&)>
struct Collective {
    using Body = bodies::Collective<C, Borrowed>;
    static Body body(Task const& task, Bytes length, Borrowed memory) {
        Bytes const size = std::max<Bytes>(1, bodies::element_size(C::shape, element));
        bodies::Convention const convention{.real = MPI_FLOAT, .real_size = element, .shares = bodies::spread_first};
        return {bodies::arguments(C::shape, task.team, length / size, convention), memory, {0, task.rotate_root}};
    }
    static void check(Arrival const& a) { Check(a); }
};

void check_nothing(Arrival const&) {}

/// Where data are moved, blocks of the length arrive one after another.
template <class C>
void check_moved(Arrival const& a) {
    Bytes at = 0;
    for (auto const [sender, block] : bodies::origins(C::content, a.rank, a.size, a.root)) {
        a.is_of(sender, at, block * a.length);
        at += a.length;
    }
}

void check_allreduce(Arrival const& a) { a.is_sum(a.length); }

void check_reduce(Arrival const& a) {
    if (a.rank == a.root)
        a.is_sum(a.length);
}

void check_reduce_scatter(Arrival const& a) {
    auto const mine = portion(a.rank, a.size, a.length, element);
    a.is_sum(mine.size, mine.begin / element);
}

/// Sizes of the send and of the receive buffer for one length.
using SizesOf = bodies::Sizes (*)(Bytes length, int processes);

bodies::Sizes both(Bytes length, int) { return {length, length}; }
bodies::Sizes gathered(Bytes length, int processes) { return {length, processes * length}; }
bodies::Sizes each_pair(Bytes length, int processes) { return {processes * length, processes * length}; }

template <SizesOf Sizes>
Bytes memory(Bytes length, int processes, Parameters const&) {
    auto const sizes = Sizes(length, processes);
    return sizes.send + sizes.receive;
}

template <class B, SizesOf Sizes>
class MessageKernel final : public Kernel {
public:
    explicit MessageKernel(Task const& task) : task_{task}, buffers_{{}, buffer_sizes(task)} {}

    void begin(Bytes length) override {
        length_ = length;
        auto const sizes = buffer_sizes(task_);
        int const rank = task_.team.rank();
        fill({send(), static_cast<std::size_t>(sizes.send)}, [rank](std::int64_t i) { return message_value(rank, i); });
        std::memset(receive(), 0, static_cast<std::size_t>(sizes.receive));
        task_.verifier.begin(length);
        operation_.emplace(measure::op(B::body(task_, length, {send(), receive()})));
    }

    Reading loop(std::int64_t n) override {
        return timed_loop(task_, *operation_, n, true, [this](std::int64_t i) { check(i); });
    }

    void warm_up(std::int64_t n) override { static_cast<void>(timed_loop(task_, *operation_, n)); }

    Measured run(measure::Plan const& plan) override { return {measure::run(task_.team, plan, *operation_)}; }

    void end() override { operation_.reset(); }

private:
    /// A check of an exchange looks at two messages.
    static bodies::Sizes buffer_sizes(Task const& task) {
        auto sizes = Sizes(task.largest, task.team.size());
        if (task.check)
            sizes.receive = std::max(sizes.receive, 2 * task.largest);
        return sizes;
    }
    [[nodiscard]] std::byte* send() const { return static_cast<std::byte*>(buffers_.send({})); }
    [[nodiscard]] std::byte* receive() const { return static_cast<std::byte*>(buffers_.receive({})); }

    /// What one repetition leaves must not satisfy the check of the next.
    void check(std::int64_t i) {
        int const size = task_.team.size();
        bodies::Root const root{0, task_.rotate_root};
        B::check({task_.verifier, receive(), length_, task_.team.rank(), size, root.at({.index = i}, size), i});
        std::memset(receive(), 0, static_cast<std::size_t>(std::max(Sizes(length_, size).receive, 2 * length_)));
    }

    Task task_;
    bodies::Buffers buffers_;
    Bytes length_ = 0;
    std::optional<measure::Operation<typename B::Body>> operation_;
};

template <class B, SizesOf Sizes>
Benchmark benchmark(std::string_view name, std::string_view text, Class kind) {
    return {.name = name,
            .text = text,
            .kind = kind,
            .memory = memory<Sizes>,
            .make = [](Task const& task) -> std::unique_ptr<Kernel> {
                return std::make_unique<MessageKernel<B, Sizes>>(task);
            }};
}

template <class B>
Benchmark transfer(std::string_view name, std::string_view text, Class kind, int messages, double time_scale = 1) {
    auto b = benchmark<B, both>(name, text, kind);
    b.messages = messages;
    b.time_scale = time_scale;
    return b;
}

template <class C, void (*Check)(Arrival const&), SizesOf Sizes>
Benchmark collective(std::string_view text) {
    auto b = benchmark<Collective<C, Check>, Sizes>(C::name, text, Class::collective);
    b.unit = bodies::element_size(C::shape, element);
    return b;
}

}  // namespace

std::vector<Benchmark> mpi1_benchmarks() {
    using bodies::Source;
    std::vector<Benchmark> table{
        transfer<Pair<bodies::PingPong>>("PingPong", "one message there and back; half of the time", Class::single, 1,
                                         0.5),
        transfer<Pair<bodies::PingPing>>("PingPing", "messages that meet", Class::single, 1),
        transfer<Sendrecv>("Sendrecv", "around a ring with MPI_Sendrecv", Class::parallel, 2),
        transfer<Exchange>("Exchange", "with both neighbours on a ring", Class::parallel, 4),
        collective<bodies::Allreduce, check_allreduce, both>("sum of X/4 floats"),
        collective<bodies::Reduce, check_reduce, both>("sum of X/4 floats at a root that rotates"),
        collective<bodies::ReduceScatter, check_reduce_scatter, both>("sum of X/4 floats, spread over the processes"),
        collective<bodies::Allgather, check_moved<bodies::Allgather>, gathered>("X bytes of each process to all"),
        collective<bodies::Allgatherv, check_moved<bodies::Allgatherv>, gathered>(
            "X bytes of each process to all, with counts"),
        collective<bodies::Alltoall, check_moved<bodies::Alltoall>, each_pair>("X bytes for each pair"),
        collective<BcastApart, check_moved<BcastApart>, both>("X bytes of a root that rotates"),
        collective<bodies::Barrier, check_nothing, both>("no data, no lengths"),
        transfer<Pair<bodies::PingPong, Source::specific>>(
            "PingPongSpecificSource", "PingPong that receives from its partner only", Class::single, 1, 0.5),
        transfer<Pair<bodies::PingPing, Source::specific>>(
            "PingPingSpecificSource", "PingPing that receives from its partner only", Class::single, 1),
    };
    for (Benchmark& b : table) {
        if (b.name == "Barrier") {
            b.kind = Class::sync;
            b.unit = 1;
            b.checked = false;
        }
        b.standard = !b.name.ends_with("SpecificSource");
    }
    return table;
}

}  // namespace pmb
