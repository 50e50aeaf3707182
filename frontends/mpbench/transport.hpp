// SPDX-License-Identifier: BSD-3-Clause
/// Transport: what a message layer offers to the tests, which are written once for all of them.
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

/// In place of a task that a message comes from.
inline constexpr int any_task = -1;

/// Tasks have the numbers 0 (the master) to size() - 1 (the slave of tests between two). The calls block, and return
/// false where the layer reports an error; collective ones are called by all tasks alike.
template <class T>
concept Transport = requires(T& t, T const& c, void* to, void const* from, measure::Bytes bytes, int task, int tag) {
    { c.rank() } -> std::same_as<int>;
    { c.size() } -> std::same_as<int>;
    { t.send(from, bytes, task, tag) } -> std::same_as<bool>;
    { t.receive(to, bytes, task, tag) } -> std::same_as<bool>;    // of `any_task` too
    { t.exchange(from, to, bytes, task) } -> std::same_as<bool>;  // with that task, both directions at once
    { t.barrier() } -> std::same_as<bool>;
    { t.broadcast(to, bytes) } -> std::same_as<bool>;        // of task 0
    { t.reduce(from, to, bytes) } -> std::same_as<bool>;     // sum of 4-byte integers at task 0
    { t.allreduce(from, to, bytes) } -> std::same_as<bool>;  // at all tasks
    { t.alltoall(from, to, bytes) } -> std::same_as<bool>;   // bytes for each task
};

/// A layer that has calls which return before they are done.
template <class T>
concept NonBlocking = Transport<T> &&
    requires(T& t, void* to, void const* from, measure::Bytes bytes, int task, int tag, std::int64_t n) {
    { t.expect(n) } -> std::same_as<void>;                           // so many of the following at a time
    { t.post(to, bytes, task, tag, n) } -> std::same_as<bool>;       // n receives, begun
    { t.begin_send(from, bytes, task, tag) } -> std::same_as<bool>;  // begun
    { t.begin_ready_send(from, bytes, task, tag) } -> std::same_as<bool>;
    { t.wait_all() } -> std::same_as<bool>;  // for everything begun
};

}  // namespace mpbench
