// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of the one-sided part.
#include "bodies/one_sided.hpp"
#include "pmb/catalogue.hpp"
#include "program/runtime/deferred_error.hpp"

#include <measure/error.hpp>
#include <measure/heartbeat.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace pmb {

namespace {

using measure::Bytes;

/// The buffers of a process.
class Memory {
public:
    explicit Memory(Task const& task)
        : size_{size(task.largest, task.parameters)}, send_{size_}, receive_{size_}, rank_{task.team.rank()} {}

    [[nodiscard]] static Bytes size(Bytes largest, Parameters const& p) noexcept {
        return std::max(p.volume, cold_memory(largest, p));
    }

    void initialise() const {
        auto const bytes = static_cast<std::size_t>(size_);
        fill({send(), bytes}, [this](std::int64_t i) { return message_value(rank_, i); });
        std::memset(receive(), 0, bytes);
    }
    [[nodiscard]] Bytes size() const noexcept { return size_; }
    [[nodiscard]] std::byte* send() const noexcept { return send_.data(); }
    [[nodiscard]] std::byte* receive() const noexcept { return receive_.data(); }

private:
    Bytes size_;
    bodies::WindowMemory send_;
    bodies::WindowMemory receive_;
    int rank_;
};

/// The places in the window that repetitions access in turn: one step after another, restarting after the last place
/// that fits. In units of the window.
class Places {
public:
    Places() = default;
    Places(Bytes step, Bytes size) noexcept
        : step_{step}, last_{step > 0 ? std::max<Bytes>(0, size / step - 1) * step : 0} {}

    [[nodiscard]] Bytes next() noexcept {
        Bytes const at = next_;
        next_ = at == last_ ? 0 : at + step_;
        return at;
    }
    void restart() noexcept { next_ = 0; }
    /// Number of different places.
    [[nodiscard]] std::int64_t count() const noexcept { return step_ > 0 ? last_ / step_ + 1 : 1; }
    [[nodiscard]] Bytes step() const noexcept { return step_; }

private:
    Bytes step_ = 0;
    Bytes last_ = 0;
    Bytes next_ = 0;
};

/// The role of a process in the transfers of a benchmark.
struct Role {
    bool origin = false;    ///< this process makes the calls
    int target = 0;         ///< target rank of the calls
    bool receives = false;  ///< data arrive at this process
    int sender = 0;         ///< rank from which the data come
};

/// From the first process to the last. With Get, the last process fetches from the first.
template <class Call>
Role one_way(int rank, int processes) {
    int const last = processes - 1;
    if constexpr (std::is_same_v<Call, bodies::Get>)
        return {.origin = rank == last, .target = 0, .receives = rank == last, .sender = 0};
    else
        return {.origin = rank == 0, .target = last, .receives = rank == last, .sender = 0};
}

/// Between the first and the last process.
template <class Call>
Role both_ways(int rank, int processes) {
    int const last = processes - 1;
    bool const takes_part = rank == 0 || rank == last;
    int const peer = rank == 0 ? last : 0;
    return {.origin = takes_part, .target = peer, .receives = takes_part, .sender = peer};
}

/// From all processes to the first.
template <class Call>
Role onto_first(int rank, int) {
    return {.origin = true, .target = 0, .receives = rank == 0, .sender = 0};
}

template <class Call, Role (*RoleOf)(int rank, int processes)>
class TransferKernel final : public Kernel {
    static constexpr bool gets = std::is_same_v<Call, bodies::Get>;
    static constexpr bool adds = std::is_same_v<Call, bodies::Accumulate>;
    /// Bytes of an element, which is also the displacement unit.
    static constexpr int unit = adds ? static_cast<int>(element) : 1;

public:
    explicit TransferKernel(Task const& task)
        : task_{task}, memory_{task}, role_{RoleOf(task.team.rank(), task.team.size())} {}

    void begin(Mode mode, Bytes length) override {
        aggregate_ = mode == Mode::aggregate;
        length_ = length;
        fence_failed_ = false;
        memory_.initialise();
        task_.verifier.begin(length);
        // Cold-cache blocks are spaced apart.
        auto const cold = cold_blocks(length, 1, task_.parameters);
        places_ = Places{(cold.step > 0 ? cold.step : length) / unit, memory_.size() / unit};
        program::DeferredError trouble;
        try {
            window_.emplace(task_.team, gets ? memory_.send() : memory_.receive(), memory_.size(), unit);
            access_ = bodies::access(*window_, role_.target, length / unit, adds ? MPI_FLOAT : MPI_BYTE);
        } catch (std::exception const& e) {
            trouble.note(e.what());
        }
        bodies::leave_unless_all_have(task_.team, window_);
        if (window_)
            trouble.ok(window_->fence(), "MPI_Win_fence");
        agree(task_.team, std::string{"a window of "}.append(std::to_string(memory_.size())).append(" bytes"), trouble);
    }

    Reading loop(std::int64_t n) override {
        auto operation = make_operation();
        operation.prepare_hook();
        auto reading = time_repetitions(task_, operation, n, !aggregate_, [this](std::int64_t i) { check(i); });
        reading.succeeded = reading.succeeded && !fence_failed_;
        return reading;
    }

    void warm_up(std::int64_t n) override {
        bool const aggregate = std::exchange(aggregate_, true);
        auto operation = make_operation();
        operation.prepare_hook();
        static_cast<void>(time_repetitions(task_, operation, n));
        aggregate_ = aggregate;
    }

    Measured run(measure::Plan const& plan) override { return {measure::run(task_.team, plan, make_operation())}; }

    void end() override { window_.reset(); }

private:
    /// Aggregate: every repetition has its own place in both memories, and one fence completes all of them.
    /// Non-aggregate: only the window has separate places, and each repetition has its own fence.
    auto make_operation() {
        return measure::op([this] { return repeat(); })
            .finish([this] {
                if (!aggregate_)
                    return;
                // A target waits in the fence while the origin runs its loop.
                std::optional<measure::detail::Unwatched> unwatched;
                if (!role_.origin)
                    unwatched.emplace();
                fence();
            })
            .prepare([this] {
                places_.restart();
                if (aggregate_ && !adds)
                    fence();
            });
    }

    bool repeat() noexcept {
        bool ok = !fence_failed_;
        if (role_.origin) {
            Bytes const at = places_.next();
            std::byte* const local = (gets ? memory_.receive() : memory_.send()) + (aggregate_ ? at * unit : 0);
            ok &= Call::call(access_, local, static_cast<MPI_Aint>(at)) == MPI_SUCCESS;
        }
        if (!aggregate_)
            fence();
        return ok;
    }

    void fence() noexcept { fence_failed_ |= window_->fence() != MPI_SUCCESS; }

    /// Runs after repetition i, or after the last one. Clears the checked data, so that they cannot satisfy the next
    /// check. The other processes wait until this is done.
    void check(std::int64_t i) {
        if (role_.receives) {
            std::int64_t const places = places_.count();
            if (aggregate_)
                for (std::int64_t k = 0; k <= std::min(i, places - 1); ++k)
                    look(k, k, (i - k) / places + 1);
            else
                look(i, i % places, 1);
        }
        task_.team.barrier();
    }

    /// \param times  number of repetitions that accessed this place
    void look(std::int64_t repetition, std::int64_t place, std::int64_t times) {
        Bytes const remote = place * places_.step() * unit;
        Bytes const at = gets && !aggregate_ ? 0 : remote;
        Bytes const from = gets || aggregate_ ? remote : 0;
        std::span<std::byte> const block{memory_.receive() + at, static_cast<std::size_t>(length_)};
        task_.verifier.compare(
            block, from, repetition, at, [&](std::int64_t k) { return expected(k, times); },
            adds ? Compare::sum : Compare::exact);
        std::memset(block.data(), 0, block.size());
    }

    [[nodiscard]] float expected(std::int64_t i, std::int64_t times) const {
        if constexpr (adds) {
            double const q = task_.team.size();
            return static_cast<float>(static_cast<double>(times) *
                                      (0.1 * q * (q + 1) / 2 + q * static_cast<double>(i)));
        } else {
            return message_value(role_.sender, i);
        }
    }

    Task task_;
    Memory memory_;
    Role role_;
    bool aggregate_ = true;
    bool fence_failed_ = false;
    Bytes length_ = 0;
    Places places_{};
    bodies::Access access_{};
    std::optional<bodies::Window> window_{};
};

/// Creates, uses and frees a window in each repetition. The window keeps MPI's default error handler, which ends the
/// program, because setting another one would be part of the timed code.
class WindowKernel final : public Kernel {
public:
    explicit WindowKernel(Task const& task) : task_{task}, memory_{task} {}

    void begin(Mode, Bytes length) override {
        length_ = length;
        memory_.initialise();
        task_.verifier.begin(length);
    }
    Reading loop(std::int64_t n) override {
        auto operation = measure::op([this] { return repeat(); });
        return time_repetitions(task_, operation, n, false, [](std::int64_t) {});
    }
    void warm_up(std::int64_t n) override { static_cast<void>(loop(n)); }
    Measured run(measure::Plan const& plan) override {
        return {measure::run(task_.team, plan, [this] { return repeat(); })};
    }
    void end() override {}

private:
    bool repeat() const noexcept {
        MPI_Win window = MPI_WIN_NULL;
        if (MPI_Win_create(memory_.receive(), static_cast<MPI_Aint>(length_), 1, MPI_INFO_NULL, task_.team.native(),
                           &window) != MPI_SUCCESS)
            return false;
        MPI_Win_fence(0, window);
        if (length_ > 0)
            MPI_Put(memory_.send(), 1, MPI_BYTE, task_.team.rank(), 0, 1, MPI_BYTE, window);
        MPI_Win_fence(0, window);
        return MPI_Win_free(&window) == MPI_SUCCESS;
    }

    Task task_;
    Memory memory_;
    Bytes length_ = 0;
};

template <class K>
Benchmark benchmark(std::string_view name, std::string_view text, Class kind) {
    return {.name = name,
            .text = text,
            .kind = kind,
            .unit = element,
            .memory = [](Bytes length, int, Parameters const& p, bool) { return 2 * Memory::size(length, p); },
            .make = [](Task const& task) -> std::unique_ptr<Kernel> { return std::make_unique<K>(task); }};
}

Benchmark window() {
    auto b = benchmark<WindowKernel>("Window", "create a window, put one byte to oneself, free it", Class::collective);
    b.few = true;
    b.checked = false;
    return b;
}

template <class Call, Role (*RoleOf)(int, int)>
Benchmark transfer(std::string_view name, std::string_view text, Class kind, int messages) {
    auto b = benchmark<TransferKernel<Call, RoleOf>>(name, text, kind);
    b.messages = messages;
    b.modes = {Mode::aggregate, Mode::non_aggregate};
    return b;
}

}  // namespace

std::vector<Benchmark> ext_benchmarks() {
    using bodies::Accumulate, bodies::Get, bodies::Put;
    return {
        window(),
        transfer<Get, one_way<Get>>("Unidir_Get", "the last process gets from the first", Class::single, 1),
        transfer<Put, one_way<Put>>("Unidir_Put", "the first process puts to the last", Class::single, 1),
        transfer<Get, both_ways<Get>>("Bidir_Get", "both get from each other", Class::single, 1),
        transfer<Put, both_ways<Put>>("Bidir_Put", "both put to each other", Class::single, 1),
        transfer<Accumulate, onto_first<Accumulate>>("Accumulate", "all add X/4 floats onto the first process",
                                                     Class::collective, 0),
    };
}

}  // namespace pmb
