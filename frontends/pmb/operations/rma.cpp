// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of one-sided operations with passive targets.
#include "bodies/passive.hpp"
#include "pmb/catalogue.hpp"
#include "program/runtime/deferred_error.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace pmb {

namespace {

using bodies::RmaEffect;
using bodies::Ways;
using measure::Bytes;

constexpr std::size_t rma_row(std::string_view name) {
    auto const& all = bodies::rma_operations;
    return static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [&](auto const& operation) { return operation.name == name; }) -
        all.begin());
}

/// The operation, the processes involved, and the completion.
struct PassiveShape {
    std::size_t row = 0;  ///< index in the table of operations
    Ways ways = Ways::one;
    bool local = false;  ///< complete at the origin only
    [[nodiscard]] constexpr bodies::RmaOperation const& operation() const { return bodies::rma_operations[row]; }
    [[nodiscard]] constexpr RmaEffect effect() const { return operation().effect; }
    [[nodiscard]] constexpr bool gets() const { return effect() == RmaEffect::get; }
    [[nodiscard]] constexpr bool adds() const { return effect() == RmaEffect::add || effect() == RmaEffect::fetch_add; }
    [[nodiscard]] constexpr bool of_all() const { return ways == Ways::one_to_all || ways == Ways::all_to_all; }
    /// Blocks of a buffer. If data are checked, data from several processes go to separate blocks.
    [[nodiscard]] constexpr int blocks(int processes, bool check) const {
        return ways == Ways::to_neighbours ? 2 : check && of_all() ? processes : 1;
    }
    /// Bytes per counted element.
    [[nodiscard]] constexpr int unit() const {
        return effect() == RmaEffect::put || gets() ? 1 : static_cast<int>(element);
    }
    [[nodiscard]] MPI_Datatype type() const {
        return adds() ? MPI_FLOAT : effect() == RmaEffect::swap ? MPI_INT : MPI_BYTE;
    }
    [[nodiscard]] bodies::RmaSynchronisation const& synchronisation() const {
        if (of_all())
            return local ? bodies::flush_local_all : bodies::flush_all;
        auto const& all = bodies::rma_synchronisations;
        return *std::find_if(all.begin(), all.end(),
                             [&](auto const& each) { return each.name == (local ? "flush_local" : "flush"); });
    }
};

template <PassiveShape shape>
class PassiveKernel : public Kernel {
public:
    explicit PassiveKernel(Task const& task)
        : task_{task}, blocks_{shape.blocks(task.team.size(), task.check)},
          size_{size(task.largest, task.team.size(), task.parameters, task.check)}, send_{size_}, receive_{size_} {}

    /// Size of each of the two buffers.
    [[nodiscard]] static Bytes size(Bytes largest, int processes, Parameters const& p, bool check) noexcept {
        return cold_memory(bytes_of(largest, shape.blocks(processes, check)), p);
    }

    void begin(Mode mode, Bytes length) override {
        aggregate_ = mode == Mode::aggregate || shape.of_all();
        length_ = length;
        auto const& p = task_.parameters;
        parts_ = cold_blocks(bytes_of(length, blocks_), repetitions(length, p.repetitions, p.volume), p);
        task_.verifier.begin(length);
        fill({send_.data(), static_cast<std::size_t>(size_)},
             [this](std::int64_t i) { return shape.effect() == RmaEffect::swap ? 0 : message_value(rank(), i); });
        std::memset(receive_.data(), 0, static_cast<std::size_t>(size_));
        program::DeferredError trouble;
        try {
            window_.emplace(task_.team, shape.gets() ? send_.data() : receive_.data(), size_, shape.unit());
            access_.emplace(shape.operation(), shape.synchronisation(), transfers_of(rank()),
                            bodies::RmaArguments{.window = window_->native(),
                                                 .count = measure::to_int(length / shape.unit(), "elements"),
                                                 .type = shape.type(),
                                                 .element = shape.unit()},
                            length,
                            bodies::Borrowed{send_.data(), receive_.data(), parts_.count, {parts_.step, parts_.step}});
        } catch (std::exception const& e) {
            trouble.note(e.what());
        }
        bodies::leave_unless_all_have(task_.team, window_);
        agree(task_.team, std::string{"a window of "}.append(std::to_string(size_)).append(" bytes"), trouble);
    }

    Reading loop(std::int64_t n) override {
        auto operation = make_operation();
        return timed(operation, n, !aggregate_);
    }

    void warm_up(std::int64_t n) override {
        auto operation = make_operation();
        static_cast<void>(closed(time_repetitions(unchecked(), operation, n, open())));
    }

    Measured run(measure::Plan const& plan) override {
        access_->open();
        auto measurement = measure::run(task_.team, plan, make_operation());
        access_->close();
        return {.measurement = std::move(measurement), .timed = is_timed()};
    }

    void end() override {
        access_.reset();
        window_.reset();
    }

protected:
    [[nodiscard]] Task const& task() const noexcept { return task_; }
    [[nodiscard]] bodies::PassiveAccess const& access() const noexcept { return *access_; }
    [[nodiscard]] Task unchecked() const {
        auto task = task_;
        task.check = false;
        return task;
    }

    /// The lock is taken outside the timed part, after the barriers.
    template <class Op>
    [[nodiscard]] Reading timed(Op& operation, std::int64_t n, bool each) {
        return closed(time_repetitions(
            task_, operation, n, each, [this](std::int64_t i) { check(i); }, open()));
    }

private:
    [[nodiscard]] int rank() const noexcept { return task_.team.rank(); }
    /// Bytes of a repetition.
    [[nodiscard]] static Bytes bytes_of(Bytes length, int blocks) noexcept {
        return blocks * std::max(2 * element, length);
    }
    [[nodiscard]] bool is_timed() const noexcept { return access_->is_origin() || task_.team.size() == 1; }
    [[nodiscard]] auto open() const {
        return [this] { access_->open(); };
    }
    [[nodiscard]] Reading closed(Reading reading) const {
        reading.succeeded &= access_->close();
        reading.timed = is_timed();
        task_.team.barrier();
        return reading;
    }

    [[nodiscard]] std::vector<bodies::Transfer> transfers_of(int origin) const {
        auto all = bodies::transfers(shape.ways, origin, task_.team.size());
        for (auto& each : all)
            if (task_.check && shape.of_all())
                each.landing = shape.gets() ? each.target : origin;
        return all;
    }

    auto make_operation() {
        return measure::op(
                   [this](measure::Iteration it) { return (*access_)(it) && (aggregate_ || access_->complete()); })
            .finish([this] { return !aggregate_ || access_->complete(); });
    }

    /// Runs after repetition i, or after the last one. Unlocking completes the operations at the target.
    void check(std::int64_t i) {
        access_->close();
        task_.team.barrier();
        MPI_Win_lock(MPI_LOCK_SHARED, rank(), 0, window_->native());
        for (int origin = 0; origin < task_.team.size(); ++origin)
            for (auto const& each : transfers_of(origin))
                if ((shape.gets() ? origin : each.target) == rank())
                    look(shape.gets() ? each.target : origin, each, i);
        std::memset(receive_.data(), 0, static_cast<std::size_t>(size_));
        MPI_Win_sync(window_->native());
        MPI_Win_unlock(rank(), window_->native());
        task_.team.barrier();
        access_->open();
    }

    void look(int sender, bodies::Transfer const& each, std::int64_t i) {
        if (shape.effect() == RmaEffect::swap)
            return;
        double const times = shape.adds() && aggregate_ ? static_cast<double>(i / parts_.count + 1) : 1;
        Bytes const part = i % parts_.count * parts_.step;
        Bytes const at = part + each.landing * length_;
        task_.verifier.compare(
            {receive_.data() + at, static_cast<std::size_t>(length_)}, part + each.source * length_, i, at,
            [&](std::int64_t k) { return static_cast<float>(times * message_value(sender, k)); },
            shape.adds() ? Compare::sum : Compare::exact);
    }

    Task task_;
    int blocks_;
    Bytes size_;  ///< of each buffer
    bodies::WindowMemory send_;
    bodies::WindowMemory receive_;
    bool aggregate_ = true;
    Bytes length_ = 0;
    ColdBlocks parts_{};  ///< parts of both buffers, which repetitions use in turn
    std::optional<bodies::Window> window_{};
    std::optional<bodies::PassiveAccess> access_{};
};

constexpr PassiveShape put_to_one{rma_row("Put"), Ways::one};

/// Measures puts alone, then puts to a target that computes for the time of a put alone. Each is followed by a
/// barrier.
class ComputingTargetKernel final : public PassiveKernel<put_to_one> {
public:
    using PassiveKernel::PassiveKernel;

    Reading loop(std::int64_t n) override {
        auto alone = measure::op([this] { return meets(); });
        auto const barrier = time_repetitions(unchecked(), alone, n);
        auto const put = [this](auto& lap) { return access()(lap.iteration()) && access().complete(); };
        auto const pure = phase(n, put);
        measure::seconds const computing{std::max(0.0, task().team.max(pure.timed ? pure.time : 0))};
        auto reading = phase(n, [&](auto& lap) {
            if (access().is_origin())
                return put(lap);
            lap.spin(computing);
            return true;
        });
        reading.pure = pure.time;
        reading.barrier = barrier.time;
        reading.is_backward |= pure.is_backward || barrier.is_backward;
        reading.succeeded &= pure.succeeded;
        return reading;
    }

private:
    template <class Work>
    Reading phase(std::int64_t n, Work work) {
        auto operation = measure::op([&](auto& lap) {
            bool const ok = work(lap);
            return meets() && ok;
        });
        return timed(operation, n, false);
    }
    [[nodiscard]] bool meets() const noexcept { return MPI_Barrier(task().team.native()) == MPI_SUCCESS; }
};

template <PassiveShape shape, class K = PassiveKernel<shape>>
Benchmark passive(std::string_view name, std::string_view text, int messages = 1) {
    Benchmark b{.name = name,
                .text = text,
                .kind = shape.ways == Ways::one_to_all                        ? Class::one_to_all
                        : shape.ways == Ways::one || shape.ways == Ways::both ? Class::single
                                                                              : Class::collective,
                .unit = shape.unit(),
                .messages = messages,
                .one_element = shape.operation().one_element,
                .checked = shape.effect() != RmaEffect::swap,
                .memory = [](Bytes length, int processes, Parameters const& p,
                             bool check) { return 2 * K::size(length, processes, p, check); },
                .make = [](Task const& task) -> std::unique_ptr<Kernel> { return std::make_unique<K>(task); }};
    if (b.kind == Class::single)
        b.modes = {Mode::non_aggregate, Mode::aggregate};
    return b;
}

}  // namespace

std::vector<Benchmark> imb_rma_benchmarks() {
    constexpr auto put = rma_row("Put");
    constexpr auto get = rma_row("Get");
    auto computing = passive<put_to_one, ComputingTargetKernel>(
        "Truly_passive_put", "Unidir_put to a process in a barrier, and to one that computes first", 0);
    computing.target_computes = true;
    computing.modes = {Mode::single};
    std::vector<Benchmark> table{
        passive<put_to_one>("Unidir_put", "the first process puts to the second"),
        passive<PassiveShape{put, Ways::both}>("Bidir_put", "both put to each other"),
        passive<PassiveShape{get, Ways::one}>("Unidir_get", "the first process gets from the second"),
        passive<PassiveShape{get, Ways::both}>("Bidir_get", "both get from each other"),
        passive<PassiveShape{put, Ways::one, true}>("Put_local", "Unidir_put, completed at the origin"),
        passive<PassiveShape{put, Ways::one_to_all, true}>("Put_all_local", "One_put_all, completed at the origin"),
        passive<PassiveShape{put, Ways::one_to_all}>("One_put_all", "the first process puts to each other one"),
        passive<PassiveShape{put, Ways::all_to_all}>("All_put_all", "each process puts to each other one", 0),
        passive<PassiveShape{get, Ways::one_to_all}>("One_get_all", "the first process gets from each other one"),
        passive<PassiveShape{get, Ways::all_to_all}>("All_get_all", "each process gets from each other one", 0),
        passive<PassiveShape{put, Ways::to_neighbours}>("Exchange_put", "each puts to both neighbours on a ring", 0),
        passive<PassiveShape{get, Ways::to_neighbours}>("Exchange_get", "each gets from both neighbours on a ring", 0),
        passive<PassiveShape{rma_row("Accumulate")}>("Accumulate", "the first process adds X/4 floats to the second's"),
        passive<PassiveShape{rma_row("Get_accumulate")}>("Get_accumulate", "the same, and gets what was there"),
        passive<PassiveShape{rma_row("Fetch_and_op")}>("Fetch_and_op", "the same with one float"),
        passive<PassiveShape{rma_row("Compare_and_swap")}>("Compare_and_swap", "one int"),
        computing,
        passive<PassiveShape{get, Ways::one, true}>("Get_local", "Unidir_get, completed at the origin"),
        passive<PassiveShape{get, Ways::one_to_all, true}>("Get_all_local", "One_get_all, completed at the origin"),
    };
    for (Benchmark& b : table)
        b.standard = b.name != "Get_local" && b.name != "Get_all_local";
    return table;
}

}  // namespace pmb
