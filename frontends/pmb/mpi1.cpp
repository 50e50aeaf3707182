// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of the MPI-1 part: messages and collectives.
#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "bodies/point_to_point.hpp"
#include "catalogue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
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
    /// What a collective leaves: where data are moved, blocks of the length arrive one after another.
    void is_of(bodies::Content content) const {
        using bodies::Content;
        auto const mine = portion(rank, size, length, element);
        if (content == Content::reduced || (content == Content::reduced_at_root && rank == root))
            is_sum(length);
        else if (content == Content::reduced_share)
            is_sum(mine.size, mine.begin / element);
        Bytes at = 0;
        for (auto const [sender, block] : bodies::origins(content, rank, size, root)) {
            is_of(sender, at, block * length);
            at += length;
        }
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

/// Whether `Arrival::is_of` knows what must arrive.
constexpr bool can_check(bodies::Content content) {
    using enum bodies::Content;
    return content == none || content == root_everywhere || content == gathered_at_root || content == gathered ||
           content == scattered || content == exchanged || content == reduced || content == reduced_at_root ||
           content == reduced_share;
}

/// PMB keeps the data of the senders: the root sends from its send buffer, the others receive elsewhere.
struct BcastApart : bodies::BroadcastCall {
    template <class F>
    static int call(F function, bodies::Arguments const& a, void* send, void* receive, int root) {
        return BroadcastCall::call(function, a, a.rank == root ? send : receive, nullptr, root);
    }
};

/// \tparam index  of the row in the table of collectives
template <std::size_t index>
struct Collective {
    static constexpr auto const& of = bodies::collectives[index];
    static_assert(can_check(of.content));
    static constexpr auto functions = bodies::functions_of<index>;
    using Call = typename decltype(functions)::Call;
    using Body =
        bodies::Blocking<std::conditional_t<std::is_same_v<Call, bodies::BroadcastCall>, BcastApart, Call>, Borrowed>;
    static Body body(Task const& task, Bytes length, Borrowed memory) {
        Bytes const size = std::max<Bytes>(1, bodies::element_size(of.shape, element));
        bodies::Convention const convention{.real = MPI_FLOAT, .real_size = element, .shares = bodies::spread_first};
        return {functions.blocking,
                bodies::arguments(of.shape, task.team, length / size, convention),
                memory,
                {0, task.rotate_root}};
    }
    static void check(Arrival const& a) { a.is_of(of.content); }
};

/// Sizes of the send and of the receive buffer for one length.
using SizesOf = bodies::Sizes (*)(Bytes length, int processes);

bodies::Sizes both(Bytes length, int) { return {length, length}; }
/// Of a collective those of the root, because it rotates.
template <std::size_t index>
bodies::Sizes largest(Bytes length, int processes) {
    auto const& shape = bodies::collectives[index].shape;
    auto const size = [&](bodies::Extent extent) {
        return extent == bodies::Extent::each || extent == bodies::Extent::each_at_root ? processes * length : length;
    };
    return {size(shape.send), size(shape.receive)};
}

template <SizesOf Sizes>
Bytes memory(Bytes length, int processes, Parameters const&) {
    auto const sizes = Sizes(length, processes);
    return sizes.send + sizes.receive;
}

template <class B, SizesOf Sizes>
class MessageKernel final : public Kernel {
public:
    explicit MessageKernel(Task const& task) : task_{task}, buffers_{{}, buffer_sizes(task)} {}

    void begin(Mode, Bytes length) override {
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

template <std::size_t index>
Benchmark collective(std::string_view text) {
    auto const& of = bodies::collectives[index];
    auto b = benchmark<Collective<index>, largest<index>>(of.name, text, Class::collective);
    b.unit = bodies::element_size(of.shape, element);
    return b;
}

}  // namespace

std::vector<Benchmark> mpi1_benchmarks() {
    using bodies::row;
    using bodies::Source;
    std::vector<Benchmark> table{
        transfer<Pair<bodies::PingPong>>("PingPong", "one message there and back; half of the time", Class::single, 1,
                                         0.5),
        transfer<Pair<bodies::PingPing>>("PingPing", "messages that meet", Class::single, 1),
        transfer<Sendrecv>("Sendrecv", "around a ring with MPI_Sendrecv", Class::parallel, 2),
        transfer<Exchange>("Exchange", "with both neighbours on a ring", Class::parallel, 4),
        collective<row("Allreduce")>("sum of X/4 floats"),
        collective<row("Reduce")>("sum of X/4 floats at a root that rotates"),
        collective<row("Reduce_scatter")>("sum of X/4 floats, spread over the processes"),
        collective<row("Allgather")>("X bytes of each process to all"),
        collective<row("Allgatherv")>("X bytes of each process to all, with counts"),
        collective<row("Alltoall")>("X bytes for each pair"),
        collective<row("Bcast")>("X bytes of a root that rotates"),
        collective<row("Barrier")>("no data, no lengths"),
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
