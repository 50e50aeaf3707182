// SPDX-License-Identifier: BSD-3-Clause
#include "measure/heartbeat.hpp"

#include <atomic>

namespace measure {

namespace {

// Simultaneous beats of several threads may count once. Any change is enough, and this avoids locking the bus.
std::atomic<std::uint64_t> beats{0};
std::atomic<int> unwatched{0};

}  // namespace

void alive() noexcept { beats.store(beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

namespace detail {

std::uint64_t heartbeats() noexcept { return beats.load(std::memory_order_relaxed); }

Unwatched::Unwatched() noexcept { unwatched.fetch_add(1); }
Unwatched::~Unwatched() { unwatched.fetch_sub(1); }
bool is_unwatched() noexcept { return unwatched.load() > 0; }

}  // namespace detail
}  // namespace measure
