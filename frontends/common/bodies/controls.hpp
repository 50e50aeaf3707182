// SPDX-License-Identifier: BSD-3-Clause
/// Controls: operations without an MPI library. If they take longer than before, the machine has changed.
#pragma once

#include "bodies/buffers.hpp"

#include <measure/comm.hpp>
#include <measure/keep.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

namespace bodies {

/// The body: copies the send buffer to the receive buffer of this process.
class Copy {
public:
    /// \param memory  holds at least `bytes` to send and to receive
    Copy(measure::Bytes bytes, Buffers memory) : bytes_{static_cast<std::size_t>(bytes)}, memory_{std::move(memory)} {}

    bool operator()(measure::Iteration it) const noexcept {
        measure::keep(std::memcpy(memory_.receive(it), memory_.send(it), bytes_));
        return true;
    }

    [[nodiscard]] Buffers const& memory() const noexcept { return memory_; }

private:
    std::size_t bytes_;
    Buffers memory_;
};

/// The body: passes a cache line from the first process of a pair to the second one and back, by stores and loads in
/// shared memory. If a process waits for longer than the other one would take on its own core, it calls MPI, because
/// the other one may be waiting for MPI progress. Neither copied nor moved.
class CacheLine {
public:
    /// Collective over the pair, which must outlive this object.
    /// \param patience  longest time to wait for the other process
    /// \throws measure::SkipPoint on both processes if they share no memory
    explicit CacheLine(measure::Comm const& pair, measure::seconds patience = measure::seconds{10});
    CacheLine(CacheLine const&) = delete;
    CacheLine& operator=(CacheLine const&) = delete;
    /// Collective.
    ~CacheLine();

    /// \return false after a timeout
    bool operator()() {
        ++round_;
        if (!is_first_) {
            bool const arrived = wait(words_->there);
            words_->back.store(round_, std::memory_order_release);
            return arrived;
        }
        words_->there.store(round_, std::memory_order_release);
        return wait(words_->back);
    }

private:
    using Word = std::atomic<std::uint64_t>;
    static_assert(Word::is_always_lock_free);
    static constexpr std::size_t cache_line = 64;
    /// The number of rounds that each process has begun. Each process has its own word, so the numbers never decrease,
    /// even after a timeout of one process.
    struct alignas(cache_line) Words {
        Word there{0};
        Word back{0};
    };

    [[nodiscard]] bool wait(Word const& word) {
        for (int i = 0; i < looks_; ++i)
            if (word.load(std::memory_order_acquire) >= round_)
                return true;
        return wait_aside(word);
    }
    /// Yields the core while it waits.
    [[nodiscard]] bool wait_aside(Word const& word) const;

    measure::Comm const& pair_;
    measure::seconds patience_;
    bool is_first_;
    int looks_;  ///< number of polls before the core is yielded
    MPI_Win window_ = MPI_WIN_NULL;
    Words* words_ = nullptr;
    std::uint64_t round_ = 0;
    int exceptions_ = std::uncaught_exceptions();
};

/// x after a chain of dependent steps, each with a shift, an exclusive or and a multiplication.
[[nodiscard]] constexpr std::uint64_t worked(std::uint64_t x, int steps) noexcept {
    constexpr std::uint64_t factor = 1'000'003;
    for (int i = 0; i < steps; ++i)
        x = (x ^ (x >> 7U)) * factor;
    return x;
}

/// The body: a fixed amount of work within a core. It takes a fixed number of cycles.
struct FixedWork {
    static constexpr int steps = 6000;  ///< about 5 cycles each: 10 us at 3 GHz

    void operator()() const noexcept {
        std::uint64_t x = 1;
        measure::keep(x);
        measure::keep(worked(x, steps));
    }
};

}  // namespace bodies
