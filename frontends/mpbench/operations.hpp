// SPDX-License-Identifier: BSD-3-Clause
/// Operations: the operation of each test on each of its tasks, over any transport.
#pragma once

#include "mpbench/catalogue.hpp"
#include "mpbench/transport.hpp"

#include <measure/operation.hpp>
#include <measure/time_iterations.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mpbench {

/// The buffers of a task's messages. All iterations use the same buffers.
struct Message {
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    measure::Bytes bytes = 0;
};

/// Sends or receives an acknowledgement of 4 bytes. \return whether it succeeded
/// \{
template <Transport T>
bool answer(T& t, int tag) {
    std::array<std::byte, 4> const word{};
    return t.send(word.data(), word.size(), 0, tag);
}
template <Transport T>
bool await_answer(T& t, int task, int tag) {
    std::array<std::byte, 4> word{};
    return t.receive(word.data(), word.size(), task, tag);
}
/// \}

/// Prepares a loop of `n` iterations, untimed. Call it before the barrier of the loop.
template <Transport T>
bool make_ready(T& t, Kind kind, Message const& m, std::int64_t n) {
    if constexpr (NonBlocking<T>) {
        bool const is_slave = t.rank() == t.size() - 1;
        if (kind == Kind::isend || kind == Kind::irecv || kind == Kind::irsend)
            t.expect(n);
        if (is_slave && (kind == Kind::irecv || kind == Kind::irsend) && !t.post(m.receive, m.bytes, 0, tag::data, n))
            return false;
        // Tells the master that the receives are posted. Without them, sending in ready mode is an error.
        if (kind == Kind::irsend)
            return is_slave ? t.send(m.send, 0, 0, tag::answer) : t.receive(m.receive, 0, t.size() - 1, tag::answer);
    }
    return true;
}

namespace detail {

/// Calls `use` with the operation of the master or of the slave.
template <Transport T, class Use>
void of_pair(T& t, Kind kind, Message const& m, Use&& use) {
    int const slave = t.size() - 1;
    bool const is_master = t.rank() == 0;
    auto const send = [&t, m, slave] { return t.send(m.send, m.bytes, slave, tag::data); };
    auto const receive = [&t, m] { return t.receive(m.receive, m.bytes, 0, tag::data); };
    if (kind == Kind::bandwidth)
        return is_master ? use(measure::op(send).finish([&t, slave] { return await_answer(t, slave, tag::answer); }))
                         : use(measure::op(receive).finish([&t] { return answer(t, tag::answer); }));
    if (kind == Kind::latency)
        return is_master ? use(measure::op(send)) : use(measure::op(receive));
    if (kind == Kind::bibw)
        return use(measure::op(
            [&t, m, peer = is_master ? slave : 0] { return t.exchange(m.send, m.receive, m.bytes, peer); }));
    if (is_master)
        return use(measure::op([&t, m, slave] {
            return t.send(m.send, m.bytes, slave, tag::data) && t.receive(m.receive, m.bytes, slave, tag::answer);
        }));
    use(measure::op(
        [&t, m] { return t.receive(m.receive, m.bytes, 0, tag::data) && t.send(m.send, m.bytes, 0, tag::answer); }));
}

/// Like `of_pair`, for non-blocking calls.
template <NonBlocking T, class Use>
void of_requests(T& t, Kind kind, Message const& m, Use&& use) {
    int const slave = t.size() - 1;
    if (t.rank() != 0) {
        if (kind == Kind::isend)
            return use(measure::op([&t, m] { return t.receive(m.receive, m.bytes, 0, tag::data); }));
        // `make_ready` has begun all receives.
        return use(measure::op([] {}).finish([&t, answers = kind == Kind::irecv] {
            bool const arrived = t.wait_all();
            return answers ? answer(t, tag::answer) && arrived : arrived;
        }));
    }
    if (kind == Kind::irecv)
        return use(measure::op([&t, m, slave] {
                       return t.send(m.send, m.bytes, slave, tag::data);
                   }).finish([&t, slave] { return await_answer(t, slave, tag::answer); }));
    if (kind == Kind::isend)
        return use(
            measure::op([&t, m, slave] { return t.begin_send(m.send, m.bytes, slave, tag::data) && t.wait_all(); }));
    use(measure::op([&t, m, slave] { return t.begin_ready_send(m.send, m.bytes, slave, tag::data) && t.wait_all(); }));
}

/// Like `of_pair`, for collective operations of all tasks.
template <Transport T, class Use>
void of_all(T& t, Kind kind, Message const& m, Use&& use) {
    if (kind == Kind::broadcast)
        return use(measure::op([&t, bytes = m.bytes, data = t.rank() == 0 ? m.send : m.receive] {
                       return t.broadcast(data, bytes);
                   }).finish([&t] {
            if (t.rank() != 0)
                return answer(t, tag::broadcast_answer);
            bool arrived = true;
            for (int others = t.size() - 1; others > 0; --others)
                arrived &= await_answer(t, any_task, tag::broadcast_answer);
            return arrived;
        }));
    if (kind == Kind::reduce)
        return use(measure::op([&t, m] { return t.reduce(m.send, m.receive, m.bytes); }));
    if (kind == Kind::allreduce)
        return use(measure::op([&t, m] { return t.allreduce(m.send, m.receive, m.bytes); }));
    if (kind == Kind::alltoall)
        return use(measure::op([&t, m, each = m.bytes / t.size()] { return t.alltoall(m.send, m.receive, each); }));
    use(measure::op([&t] { return t.barrier(); }));
}

}  // namespace detail

/// Calls `use(operation)` with the operation of this task. All of it is timed, including its finish hook.
template <Transport T, class Use>
void with_operation(T& t, Kind kind, Message const& m, Use&& use) {
    switch (kind) {
    case Kind::bandwidth:
    case Kind::roundtrip:
    case Kind::latency:
    case Kind::bibw:
        return detail::of_pair(t, kind, m, use);
    case Kind::isend:
    case Kind::irecv:
    case Kind::irsend:
        if constexpr (NonBlocking<T>)
            detail::of_requests(t, kind, m, use);
        return;
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::alltoall:
    case Kind::barrier:
        return detail::of_all(t, kind, m, use);
    }
}

/// Runs one untimed iteration between barriers. \return whether it succeeded
template <Transport T>
bool once(T& t, Kind kind, Message const& m) {
    bool succeeded = make_ready(t, kind, m, 1) && t.barrier();
    with_operation(t, kind, m, [&](auto operation) {
        succeeded &= measure::time_iterations(measure::MonotonicTimer{}, operation, 1).succeeded;
    });
    return t.barrier() && succeeded;
}

}  // namespace mpbench
