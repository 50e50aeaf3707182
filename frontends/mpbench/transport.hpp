// SPDX-License-Identifier: BSD-3-Clause
/// Transport: the interface of a message layer. The tests are written once for all layers.
#pragma once

#include <measure/units.hpp>

#include <concepts>
#include <cstdint>

namespace mpbench {

namespace tag {
inline constexpr int data = 1;    ///< from the master
inline constexpr int answer = 2;  ///< to the master
inline constexpr int broadcast_answer = 3;
}  // namespace tag

/// Wildcard for the source task of a message.
inline constexpr int any_task = -1;

/// Tasks have the numbers 0 (the master) to size() - 1 (the slave in tests between two tasks). Calls block, and return
/// false if the layer reports an error. All tasks must make the collective calls.
template <class T>
concept Transport = requires(T& t, T const& c, void* to, void const* from, measure::Bytes bytes, int task, int tag) {
    { c.rank() } -> std::same_as<int>;
    { c.size() } -> std::same_as<int>;
    { t.send(from, bytes, task, tag) } -> std::same_as<bool>;
    { t.receive(to, bytes, task, tag) } -> std::same_as<bool>;    // also from `any_task`
    { t.exchange(from, to, bytes, task) } -> std::same_as<bool>;  // both directions at the same time
    { t.barrier() } -> std::same_as<bool>;
    { t.broadcast(to, bytes) } -> std::same_as<bool>;        // from task 0
    { t.reduce(from, to, bytes) } -> std::same_as<bool>;     // sum of 4-byte integers at task 0
    { t.allreduce(from, to, bytes) } -> std::same_as<bool>;  // the same sum at all tasks
    { t.alltoall(from, to, bytes) } -> std::same_as<bool>;   // `bytes` to each task
};

/// A layer with non-blocking calls.
template <class T>
concept NonBlocking = Transport<T> &&
    requires(T& t, void* to, void const* from, measure::Bytes bytes, int task, int tag, std::int64_t n) {
    { t.expect(n) } -> std::same_as<void>;                           // up to n pending calls
    { t.post(to, bytes, task, tag, n) } -> std::same_as<bool>;       // begins n receives
    { t.begin_send(from, bytes, task, tag) } -> std::same_as<bool>;  // begins a send
    { t.begin_ready_send(from, bytes, task, tag) } -> std::same_as<bool>;
    { t.wait_all() } -> std::same_as<bool>;  // completes all pending calls
};

}  // namespace mpbench
