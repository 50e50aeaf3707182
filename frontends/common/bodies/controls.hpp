// SPDX-License-Identifier: BSD-3-Clause
/// Controls: operations that no MPI library has a part in. Where they take longer than before, the machine has changed.
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

/// The body: a copy of what is sent to where it would be received, within this process.
class Copy {
public:
    /// \param memory  has that many bytes to send and to receive
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

/// The body: a cache line goes from the first process of a pair to the second one and back, by stores and loads to
/// memory that both share. MPI is called only while the other one keeps this one waiting for longer than it would take
/// on a core of its own: it may be MPI that the other one waits for. Neither copied nor moved.
class CacheLine {
public:
    /// Collective over the pair, which must outlive this.
    /// \param patience  after which the other one is given up
    /// \throws measure::SkipPoint on both where they share no memory
    explicit CacheLine(measure::Comm const& pair, measure::seconds patience = measure::seconds{10});
    CacheLine(CacheLine const&) = delete;
    CacheLine& operator=(CacheLine const&) = delete;
    /// Collective.
    ~CacheLine();

    /// \return false where the other one was given up
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
    /// The rounds that each of the two has begun. Each has its word, so that no number ever falls, even where one of
    /// them has given the other up.
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
    /// Gives way to others while it waits.
    [[nodiscard]] bool wait_aside(Word const& word) const;

    measure::Comm const& pair_;
    measure::seconds patience_;
    bool is_first_;
    int looks_;  ///< before others are given way
    MPI_Win window_ = MPI_WIN_NULL;
    Words* words_ = nullptr;
    std::uint64_t round_ = 0;
    int exceptions_ = std::uncaught_exceptions();
};

/// x after so many steps of arithmetic, each of which needs the one before: a shift, an exclusive or, a multiplication.
[[nodiscard]] constexpr std::uint64_t worked(std::uint64_t x, int steps) noexcept {
    constexpr std::uint64_t factor = 1'000'003;
    for (int i = 0; i < steps; ++i)
        x = (x ^ (x >> 7U)) * factor;
    return x;
}

/// The body: always the same work, within a core. Its time is that of so many cycles.
struct FixedWork {
    static constexpr int steps = 6000;  ///< of some 5 cycles: 10 us at 3 GHz

    void operator()() const noexcept {
        std::uint64_t x = 1;
        measure::keep(x);
        measure::keep(worked(x, steps));
    }
};

}  // namespace bodies
