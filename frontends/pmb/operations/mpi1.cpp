// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of messages and of blocking and non-blocking collectives.
#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "bodies/point_to_point.hpp"
#include "bodies/stream.hpp"
#include "pmb/catalogue.hpp"
#include "pmb/operations/elements.hpp"

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

/// The data of one repetition on one process, for a benchmark's check.
struct Arrival {
    Verifier& verifier;
    std::byte* receive;
    Bytes length;
    int rank;
    int size;
    int root;  ///< root of this repetition
    std::int64_t repetition;

    /// Checks that a block of the receive buffer has the bytes of `sender` from an offset on.
    void is_of(int sender, Bytes at, Bytes from = 0) const {
        verifier.compare({receive + at, static_cast<std::size_t>(length)}, from, repetition, at,
                         [sender](std::int64_t i) { return message_value(sender, i); });
    }
    /// Checks that the receive buffer begins with sums over all processes, from element `first` on.
    void is_sum(Bytes size_in_bytes, std::int64_t first = 0) const {
        double const ranks = 0.1 * size * (size + 1) / 2;
        verifier.compare(
            {receive, static_cast<std::size_t>(size_in_bytes)}, first * element, repetition, 0,
            [&](std::int64_t i) {
                return static_cast<float>(ranks + static_cast<double>(size) * static_cast<double>(i));
            },
            Compare::sum);
    }
    /// Checks the result of a collective. If it moves data, blocks of the length arrive one after another.
    void is_of(bodies::Content content) const {
        using bodies::Content;
        auto const mine = portion(rank, size, length, element);
        if (content == Content::reduced || (content == Content::reduced_at_root && rank == root))
            is_sum(length);
        else if (content == Content::reduced_share)
            is_sum(mine.size, mine.begin / element);
        else if (content == Content::reduced_block)
            is_sum(length, rank * length / element);
        else if (content == Content::added)
            is_of(rank, 0);
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

/// Memory of a message in bytes.
Bytes room(Bytes length, Parameters const& p) { return p.packing.resized ? 2 * length : length; }

// The benchmarks: the body for one length, and the check of the received data.

template <class P, bodies::Source From = bodies::Source::any>
struct Pair {
    using Body = bodies::PointToPoint<P, Borrowed>;
    static constexpr Payload payload = Payload::moved;
    static bodies::Link link_of(Task const& task, Elements const& elements) {
        auto link = bodies::link(task.team, elements.count(), From);
        link.type = elements.type();
        return link;
    }
    static Body body(Task const& task, Bytes, Elements const& elements, Borrowed memory) {
        return {link_of(task, elements), memory};
    }
    static void check(Arrival const& a) { a.is_of(a.peer(), 0); }
};

struct Sendrecv : Pair<bodies::Sendrecv> {
    static void check(Arrival const& a) { a.is_of(a.left(), 0); }
};

/// Both messages arrive at the same place. If data are checked, they arrive at separate places.
struct Exchange : Pair<bodies::Exchange> {
    static bodies::Link link_of(Task const& task, Bytes length, Elements const& elements) {
        auto link = Pair::link_of(task, elements);
        link.second = task.check ? length : 0;
        return link;
    }
    static Body body(Task const& task, Bytes length, Elements const& elements, Borrowed memory) {
        return {link_of(task, length, elements), memory};
    }
    static void check(Arrival const& a) {
        a.is_of(a.left(), 0);
        a.is_of(a.right(), a.length);
    }
};

/// IMB's variant: the second message is sent from a separate place.
struct ExchangeApart : Pair<bodies::Exchange> {
    static Body body(Task const& task, Bytes length, Elements const& elements, Borrowed memory) {
        auto link = Exchange::link_of(task, length, elements);
        link.second_sent = room(length, task.parameters);
        return {link, memory};
    }
    static void check(Arrival const& a) {
        a.is_of(a.left(), 0);
        a.is_of(a.right(), a.length, a.length);
    }
};

/// Windows of messages from one half of the processes to the other, or in both directions.
template <bool both_ways>
struct Rate {
    using Body = bodies::BasicStream<Borrowed>;
    static constexpr Payload payload = Payload::moved;
    static Body body(Task const& task, Bytes, Elements const& elements, Borrowed memory) {
        return {task.team,
                {.both_ways = both_ways,
                 .window = task.parameters.window,
                 .acknowledgement = 1,
                 .tag_step = 0,
                 .always_acknowledged = true,
                 .type = elements.type()},
                elements.count(),
                memory};
    }
    static void check(Arrival const& a) {
        auto const role = bodies::stream_role(a.rank, a.size, both_ways);
        if (role.receives)
            a.is_of(role.peer, 0);
    }
};

/// Whether `Arrival::is_of` supports this content.
constexpr bool can_check(bodies::Content content) {
    using enum bodies::Content;
    return content == none || content == root_everywhere || content == gathered_at_root || content == gathered ||
           content == scattered || content == exchanged || content == reduced || content == reduced_at_root ||
           content == reduced_share || content == reduced_block || content == added;
}

/// PMB preserves the senders' data: the root sends from its send buffer, the others use their receive buffer.
struct BcastApart : bodies::BroadcastCall {
    template <class F, class... Tail>
    static int call(F function, bodies::Arguments const& a, void* send, void* receive, int root, Tail... tail) {
        return BroadcastCall::call(function, a, a.rank == root ? send : receive, nullptr, root, tail...);
    }
};

/// The same count for each process.
std::vector<std::int64_t> alike(std::int64_t count, int processes) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(processes), count);
}

/// \tparam index   row in the table of collectives
/// \tparam shares  counts of a scattered reduction: in IMB each process gets the full length
template <std::size_t index, auto shares = bodies::spread_first>
struct Collective {
    static constexpr auto const& of = bodies::collectives[index];
    static constexpr bool is_alike = of.shape.counts == bodies::Counts::spread && shares == alike;
    static constexpr auto content = is_alike ? bodies::Content::reduced_block : of.content;
    static_assert(can_check(content));
    static constexpr Payload payload = of.shape.ignores_count                      ? Payload::own
                                       : of.shape.element == bodies::Element::real ? Payload::reduced
                                                                                   : Payload::moved;
    static constexpr auto functions = bodies::functions_of<index>;
    using Plain = typename decltype(functions)::Call;
    using Call = std::conditional_t<std::is_same_v<Plain, bodies::BroadcastCall>, BcastApart, Plain>;
    using Body = bodies::Blocking<Call, Borrowed>;
    static bodies::Arguments arguments(Task const& task, Elements const& elements) {
        bodies::Convention const convention{.real = elements.type(),
                                            .real_size = elements.extent(),
                                            .op = elements.sum(),
                                            .moved = elements.type(),
                                            .moved_extent = elements.extent(),
                                            .shares = shares};
        return bodies::arguments(of.shape, task.team, elements.count(), convention);
    }
    static Body body(Task const& task, Bytes, Elements const& elements, Borrowed memory) {
        return {functions.blocking, arguments(task, elements), memory, {0, task.rotate_root}};
    }
    static void check(Arrival const& a) { a.is_of(content); }
};

/// The non-blocking variant: issues the call and waits for it.
template <std::size_t index>
struct Issued : Collective<index, alike> {
    using Of = Collective<index, alike>;
    class Body {
    public:
        Body(bodies::Arguments arguments, Borrowed memory, bodies::Root root)
            : arguments_{std::move(arguments)}, memory_{memory}, root_{root} {}
        bool issue(measure::Iteration it) noexcept {
            return Of::Call::call(Of::functions.nonblocking, arguments_, memory_.send(it), memory_.receive(it),
                                  root_.at(it, arguments_.size), &request_) == MPI_SUCCESS;
        }
        bool test() noexcept {
            int done = 0;
            return MPI_Test(&request_, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        }
        bool wait() noexcept { return MPI_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS; }
        bool operator()(measure::Iteration it) noexcept { return issue(it) && wait(); }

    private:
        bodies::Arguments arguments_;
        Borrowed memory_;
        bodies::Root root_;
        MPI_Request request_ = MPI_REQUEST_NULL;
    };
    static Body body(Task const& task, Bytes, Elements const& elements, Borrowed memory) {
        return {Of::arguments(task, elements), memory, {0, task.rotate_root}};
    }
};

/// Sizes of the send and of the receive buffer for one length.
using SizesOf = bodies::Sizes (*)(Bytes length, int processes);

bodies::Sizes both(Bytes length, int) { return {length, length}; }
bodies::Sizes two_sent(Bytes length, int) { return {2 * length, length}; }
/// The sizes of a collective are those of the root, because the root rotates.
template <std::size_t index>
bodies::Sizes largest(Bytes length, int processes) {
    auto const& shape = bodies::collectives[index].shape;
    auto const size = [&](bodies::Extent extent) {
        return extent == bodies::Extent::each || extent == bodies::Extent::each_at_root ? processes * length : length;
    };
    return {size(shape.send), size(shape.receive)};
}
bodies::Sizes sent_to_each(Bytes length, int processes) { return {processes * length, length}; }

/// Placement of the buffers of one length in memory.
struct Layout {
    bodies::Sizes block;    ///< sizes of one repetition
    bodies::Sizes strides;  ///< distance from one block to the next, in bytes
    Bytes count = 1;
};

Layout layout(bodies::Sizes block, Bytes length, Parameters const& p) {
    auto const n = repetitions(length, p.repetitions, p.volume);
    auto const send = cold_blocks(block.send, n, p);
    auto const receive = cold_blocks(block.receive, n, p);
    return {block, {send.step, receive.step}, std::min(send.count, receive.count)};
}

/// The sizes of one repetition. The check of an exchange needs room for two messages.
template <SizesOf Sizes>
bodies::Sizes block(Bytes length, int processes, Parameters const& p, bool check) {
    auto sizes = Sizes(room(length, p), processes);
    if (check)
        sizes.receive = std::max(sizes.receive, 2 * length);
    return sizes;
}

/// The sizes of both buffers, for that length and all smaller ones.
template <SizesOf Sizes>
bodies::Sizes buffers(Bytes length, int processes, Parameters const& p, bool check) {
    auto const sizes = block<Sizes>(length, processes, p, check);
    return {cold_memory(sizes.send, p), cold_memory(sizes.receive, p)};
}

template <SizesOf Sizes>
Bytes memory(Bytes length, int processes, Parameters const& p, bool check) {
    auto const sizes = buffers<Sizes>(length, processes, p, check);
    return sizes.send + sizes.receive;
}

template <class B, SizesOf Sizes>
class MessageKernel : public Kernel {
public:
    explicit MessageKernel(Task const& task)
        : task_{task}, buffers_{{}, buffers<Sizes>(task.largest, task.team.size(), task.parameters, task.check)},
          memory_{memory(0)} {}

    void begin(Mode, Bytes length) override {
        length_ = length;
        memory_ = memory(length);
        auto const sizes = layout_of(task_, task_.parameters.cache > 0 ? length : task_.largest).block;
        int const rank = task_.team.rank();
        for (std::int64_t i = 0; i < count_; ++i) {
            fill({send(i), static_cast<std::size_t>(sizes.send)},
                 [rank](std::int64_t k) { return message_value(rank, k); });
            std::memset(receive(i), 0, static_cast<std::size_t>(sizes.receive));
        }
        task_.verifier.begin(length);
        auto const& p = task_.parameters;
        elements_.emplace(B::payload == Payload::reduced ? p.reduced : p.moved, p.packing, length);
        operation_.emplace(measure::op(body()));
    }

    Reading loop(std::int64_t n) override {
        return time_repetitions(task_, *operation_, n, true, [this](std::int64_t i) { check(i); });
    }

    void warm_up(std::int64_t n) override { static_cast<void>(time_repetitions(task_, *operation_, n)); }

    Measured run(measure::Plan const& plan) override { return {measure::run(task_.team, plan, *operation_)}; }

    void end() override {
        operation_.reset();
        elements_.reset();
    }

protected:
    [[nodiscard]] Task const& task() const noexcept { return task_; }
    [[nodiscard]] typename B::Body body() const { return B::body(task_, length_, *elements_, memory_); }

private:
    static Layout layout_of(Task const& task, Bytes length) {
        return layout(block<Sizes>(length, task.team.size(), task.parameters, task.check), length, task.parameters);
    }
    [[nodiscard]] Borrowed memory(Bytes length) {
        auto const of = layout_of(task_, length);
        count_ = of.count;
        return {buffers_.send({}), buffers_.receive({}), of.count, of.strides};
    }
    [[nodiscard]] std::byte* send(std::int64_t i) const { return static_cast<std::byte*>(memory_.send({.index = i})); }
    [[nodiscard]] std::byte* receive(std::int64_t i) const {
        return static_cast<std::byte*>(memory_.receive({.index = i}));
    }

    /// Data of one repetition must not satisfy the check of the next.
    void check(std::int64_t i) {
        int const size = task_.team.size();
        bodies::Root const root{0, task_.rotate_root};
        B::check({task_.verifier, receive(i), length_, task_.team.rank(), size, root.at({.index = i}, size), i});
        std::memset(receive(i), 0, static_cast<std::size_t>(std::max(Sizes(length_, size).receive, 2 * length_)));
    }

    Task task_;
    bodies::Buffers buffers_;
    Bytes count_ = 1;  ///< blocks that the repetitions use in turn
    Borrowed memory_;
    Bytes length_ = 0;
    std::optional<Elements> elements_{};
    std::optional<measure::Operation<typename B::Body>> operation_;
};

/// Measures calls alone, then calls with computing between issue and wait. The computing takes as long as the slowest
/// process's calls alone.
template <class B, SizesOf Sizes>
class OverlapKernel final : public MessageKernel<B, Sizes> {
    using Pure = MessageKernel<B, Sizes>;

public:
    using Pure::Pure;

    Reading loop(std::int64_t n) override {
        auto reading = Pure::loop(n);
        Task const& task = this->task();
        measure::seconds const computing{std::max(0.0, task.team.max(reading.time))};
        int const tests = task.parameters.tests;
        auto body = this->body();
        auto const before = measure::kernel_counts();
        enter(task);
        auto const overlapped = task.timer.visit([&](auto const& timer) {
            Times sum;
            for (std::int64_t i = 0; i < n; ++i) {
                measure::Lap const lap{timer, {.index = i}};
                auto const begin = timer.now();
                reading.succeeded &= body.issue(lap.iteration());
                auto const issued = timer.now();
                if (tests == 0)
                    lap.spin(computing);
                else
                    lap.spin(computing, computing / tests, [&] {
                        reading.succeeded &= body.test();
                        ++sum.tests;
                    });
                auto const computed = timer.now();
                reading.succeeded &= body.wait();
                auto const end = timer.now();
                sum.all += timer.between(begin, end).count();
                sum.computing += timer.between(issued, computed).count();
                reading.is_backward |= issued < begin || computed < issued || end < computed;
                if (task.each && task.parameters.sync)
                    meet(task);
            }
            return sum;
        });
        reading.counts += measure::kernel_counts() - before;
        task.in_body(false);
        reading.pure = reading.time;
        reading.time = overlapped.all / static_cast<double>(n);
        reading.cpu = overlapped.computing / static_cast<double>(n);
        reading.tests = overlapped.tests / static_cast<double>(n);
        reading.iterations = 1;
        return reading;
    }

private:
    struct Times {
        double all = 0;
        double computing = 0;
        double tests = 0;  ///< number of calls
    };
};

template <class B, SizesOf Sizes>
Benchmark benchmark(std::string_view name, std::string_view text, Class kind) {
    return {.name = name,
            .text = text,
            .kind = kind,
            .payload = B::payload,
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
    return benchmark<Collective<index>, largest<index>>(bodies::collectives[index].name, text, Class::collective);
}

/// IMB's variant: calls are timed individually.
template <std::size_t index>
Benchmark imb_collective(std::string_view text) {
    using Of = Collective<index, alike>;
    auto const& of = bodies::collectives[index];
    auto b = benchmark < Of, Of::is_alike ? sent_to_each : largest < index >> (of.name, text, Class::collective);
    b.each = true;
    b.rooted = bodies::is_rooted(of.content);
    return b;
}

Benchmark barrier() {
    auto b = collective<bodies::row("Barrier")>("no data, no lengths");
    b.kind = Class::sync;
    b.checked = false;
    return b;
}

/// A non-blocking collective, once with overlap and once alone.
template <std::size_t index>
void add_issued(std::vector<Benchmark>& overlapped, std::vector<Benchmark>& alone, std::string_view name,
                std::string_view pure_name) {
    using Of = Issued<index>;
    constexpr SizesOf sizes = Of::is_alike ? sent_to_each : largest<index>;
    auto b = imb_collective<index>("calls that compute in between, and calls alone");
    b.name = name;
    b.non_blocking = true;
    b.make = [](Task const& task) -> std::unique_ptr<Kernel> {
        return std::make_unique<OverlapKernel<Of, sizes>>(task);
    };
    if (name == "Ibarrier") {
        b.kind = Class::sync;
        b.each = false;
        b.checked = false;
    }
    overlapped.push_back(b);
    b.name = pure_name;
    b.text = "issued, and waited for at once";
    b.non_blocking = false;
    b.standard = false;
    // IMB's list of rooted calls does not include this one.
    b.rooted = b.rooted && name != "Ireduce";
    b.make = [](Task const& task) -> std::unique_ptr<Kernel> {
        return std::make_unique<MessageKernel<Of, sizes>>(task);
    };
    alone.push_back(b);
}

template <class B>
Benchmark named(std::string_view name, std::string_view text, Class kind, int messages, double time_scale = 1) {
    auto b = transfer<B>(name, text, kind, messages, time_scale);
    b.standard = false;
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
        barrier(),
    };
    std::array const additions{
        transfer<Pair<bodies::PingPong, Source::specific>>(
            "PingPongSpecificSource", "PingPong that receives from its partner only", Class::single, 1, 0.5),
        transfer<Pair<bodies::PingPong>>("PingPongAnySource", "PingPong by its other name", Class::single, 1, 0.5),
        transfer<Pair<bodies::PingPing, Source::specific>>(
            "PingPingSpecificSource", "PingPing that receives from its partner only", Class::single, 1),
        transfer<Pair<bodies::PingPing>>("PingPingAnySource", "PingPing by its other name", Class::single, 1),
        collective<row("Reduce_local")>("sum of two buffers of X/4 floats, without messages"),
        collective<row("Reduce_scatter_block")>("sum of X/4 floats for each process"),
        collective<row("Gather")>("X bytes of each process to a root that rotates"),
        collective<row("Gatherv")>("X bytes of each process to a root that rotates, with counts"),
        collective<row("Scatter")>("X bytes of a root that rotates to each process"),
        collective<row("Scatterv")>("X bytes of a root that rotates to each process, with counts"),
        collective<row("Alltoallv")>("X bytes for each pair, with counts"),
        transfer<Rate<false>>("Uniband", "windows of messages to the other half of the processes", Class::rate, 1),
        transfer<Rate<true>>("Biband", "windows of messages, both ways", Class::rate, 2),
    };
    for (Benchmark b : additions) {
        b.standard = false;
        table.push_back(std::move(b));
    }
    return table;
}

std::vector<Benchmark> imb_mpi1_benchmarks() {
    using bodies::row;
    using bodies::Source;
    using Ping = Pair<bodies::PingPong, Source::specific>;
    using Meeting = Pair<bodies::PingPing, Source::specific>;
    auto exchange = benchmark<ExchangeApart, two_sent>("Exchange", "with both neighbours on a ring", Class::parallel);
    exchange.messages = 4;
    return {
        transfer<Ping>("PingPong", "one message there and back; half of the time", Class::single, 1, 0.5),
        transfer<Meeting>("PingPing", "messages that meet", Class::single, 1),
        transfer<Sendrecv>("Sendrecv", "around a ring with MPI_Sendrecv", Class::parallel, 2),
        exchange,
        imb_collective<row("Allreduce")>("sum of X/4 floats"),
        imb_collective<row("Reduce")>("sum of X/4 floats at a root"),
        imb_collective<row("Reduce_local")>("sum of two buffers of X/4 floats, without messages"),
        imb_collective<row("Reduce_scatter")>("sum of X/4 floats for each process, with counts"),
        imb_collective<row("Reduce_scatter_block")>("sum of X/4 floats for each process"),
        imb_collective<row("Allgather")>("X bytes of each process to all"),
        imb_collective<row("Allgatherv")>("X bytes of each process to all, with counts"),
        imb_collective<row("Gather")>("X bytes of each process to a root"),
        imb_collective<row("Gatherv")>("X bytes of each process to a root, with counts"),
        imb_collective<row("Scatter")>("X bytes of a root to each process"),
        imb_collective<row("Scatterv")>("X bytes of a root to each process, with counts"),
        imb_collective<row("Alltoall")>("X bytes for each pair"),
        imb_collective<row("Alltoallv")>("X bytes for each pair, with counts"),
        imb_collective<row("Bcast")>("X bytes of a root"),
        barrier(),
        named<Ping>("PingPongSpecificSource", "PingPong by its other name", Class::single, 1, 0.5),
        named<Pair<bodies::PingPong>>("PingPongAnySource", "PingPong that receives from anybody", Class::single, 1,
                                      0.5),
        named<Meeting>("PingPingSpecificSource", "PingPing by its other name", Class::single, 1),
        named<Pair<bodies::PingPing>>("PingPingAnySource", "PingPing that receives from anybody", Class::single, 1),
        named<Rate<false>>("Uniband", "windows of messages to the other half of the processes", Class::rate, 1),
        named<Rate<true>>("Biband", "windows of messages, both ways", Class::rate, 2),
    };
}

std::vector<Benchmark> imb_nbc_benchmarks() {
    using bodies::row;
    std::vector<Benchmark> table;
    std::vector<Benchmark> alone;
    add_issued<row("Bcast")>(table, alone, "Ibcast", "Ibcast_pure");
    add_issued<row("Allgather")>(table, alone, "Iallgather", "Iallgather_pure");
    add_issued<row("Allgatherv")>(table, alone, "Iallgatherv", "Iallgatherv_pure");
    add_issued<row("Gather")>(table, alone, "Igather", "Igather_pure");
    add_issued<row("Gatherv")>(table, alone, "Igatherv", "Igatherv_pure");
    add_issued<row("Scatter")>(table, alone, "Iscatter", "Iscatter_pure");
    add_issued<row("Scatterv")>(table, alone, "Iscatterv", "Iscatterv_pure");
    add_issued<row("Alltoall")>(table, alone, "Ialltoall", "Ialltoall_pure");
    add_issued<row("Alltoallv")>(table, alone, "Ialltoallv", "Ialltoallv_pure");
    add_issued<row("Reduce")>(table, alone, "Ireduce", "Ireduce_pure");
    add_issued<row("Reduce_scatter")>(table, alone, "Ireduce_scatter", "Ireduce_scatter_pure");
    add_issued<row("Allreduce")>(table, alone, "Iallreduce", "Iallreduce_pure");
    add_issued<row("Barrier")>(table, alone, "Ibarrier", "Ibarrier_pure");
    table.insert(table.end(), alone.begin(), alone.end());
    return table;
}

}  // namespace pmb
