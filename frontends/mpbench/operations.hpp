// SPDX-License-Identifier: BSD-3-Clause
/// Operations: what each test does on each of its tasks, over any transport.
#pragma once

#include "catalogue.hpp"
#include "transport.hpp"

#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mpbench {

/// The memory of a task's messages, the same in all iterations.
struct Message {
    std::byte* send = nullptr;
    std::byte* receive = nullptr;
    measure::Bytes bytes = 0;
};

/// An acknowledgement, and whether all of them went well.
struct Answer {
    std::array<std::byte, 4> bytes{};
    bool arrived = true;
};

inline constexpr measure::Bytes answer_bytes = sizeof(Answer::bytes);

/// Whether the slave still acknowledges when the clock has stopped, so that the master cannot run ahead.
[[nodiscard]] constexpr bool answers_untimed(Kind kind) noexcept {
    return kind == Kind::latency || kind == Kind::isend || kind == Kind::irsend;
}

/// What comes before the barrier in front of a loop of `n` iterations, untimed.
template <Transport T>
bool make_ready(T& t, Kind kind, Message const& m, std::int64_t n) {
    if constexpr (NonBlocking<T>) {
        bool const is_slave = t.rank() == t.size() - 1;
        if (kind == Kind::isend || kind == Kind::irecv || kind == Kind::irsend)
            t.expect(n);
        if (is_slave && (kind == Kind::irecv || kind == Kind::irsend) && !t.post(m.receive, m.bytes, 0, tag::data, n))
            return false;
        // The word that the receives wait, without which sending in ready mode is an error.
        if (kind == Kind::irsend)
            return is_slave ? t.send(m.send, 0, 0, tag::answer) : t.receive(m.receive, 0, t.size() - 1, tag::answer);
    }
    return true;
}

/// What comes behind the loop, untimed.
template <Transport T>
bool settle(T& t, Kind kind) {
    if (!answers_untimed(kind))
        return true;
    Answer answer;
    return t.rank() == 0 ? t.receive(answer.bytes.data(), answer_bytes, t.size() - 1, tag::answer)
                         : t.send(answer.bytes.data(), answer_bytes, 0, tag::answer);
}

namespace detail {

/// Calls `use` with the master's operation, or with the slave's.
template <Transport T, class Use>
void of_pair(T& t, Kind kind, Message const& m, Answer& answer, Use&& use) {
    int const slave = t.size() - 1;
    bool const is_master = t.rank() == 0;
    auto const send = [&t, m, slave] { return t.send(m.send, m.bytes, slave, tag::data); };
    auto const receive = [&t, m] { return t.receive(m.receive, m.bytes, 0, tag::data); };
    auto const await = [&] { answer.arrived &= t.receive(answer.bytes.data(), answer_bytes, slave, tag::answer); };
    auto const acknowledge = [&] { answer.arrived &= t.send(answer.bytes.data(), answer_bytes, 0, tag::answer); };
    if (kind == Kind::bandwidth)
        return is_master ? use(measure::op(send).finish(await)) : use(measure::op(receive).finish(acknowledge));
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

/// The same for calls that return before they are done.
template <NonBlocking T, class Use>
void of_requests(T& t, Kind kind, Message const& m, Answer& answer, Use&& use) {
    int const slave = t.size() - 1;
    if (t.rank() != 0) {
        if (kind == Kind::isend)
            return use(measure::op([&t, m] { return t.receive(m.receive, m.bytes, 0, tag::data); }));
        // All receives were begun before.
        return use(measure::op([] {}).finish([&t, &answer, kind] {
            answer.arrived &= t.wait_all();
            if (kind == Kind::irecv)
                answer.arrived &= t.send(answer.bytes.data(), answer_bytes, 0, tag::answer);
        }));
    }
    if (kind == Kind::irecv)
        return use(measure::op([&t, m, slave] { return t.send(m.send, m.bytes, slave, tag::data); }).finish([&, slave] {
            answer.arrived &= t.receive(answer.bytes.data(), answer_bytes, slave, tag::answer);
        }));
    if (kind == Kind::isend)
        return use(
            measure::op([&t, m, slave] { return t.begin_send(m.send, m.bytes, slave, tag::data) && t.wait_all(); }));
    use(measure::op([&t, m, slave] { return t.begin_ready_send(m.send, m.bytes, slave, tag::data) && t.wait_all(); }));
}

/// The same for all tasks together.
template <Transport T, class Use>
void of_all(T& t, Kind kind, Message const& m, Answer& answer, Use&& use) {
    if (kind == Kind::broadcast)
        return use(measure::op([&t, bytes = m.bytes, data = t.rank() == 0 ? m.send : m.receive] {
                       return t.broadcast(data, bytes);
                   }).finish([&] {
            if (t.rank() != 0)
                answer.arrived &= t.send(answer.bytes.data(), answer_bytes, 0, tag::broadcast_answer);
            for (int others = t.rank() == 0 ? t.size() - 1 : 0; others > 0; --others)
                answer.arrived &= t.receive(answer.bytes.data(), answer_bytes, any_task, tag::broadcast_answer);
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

/// Calls `use(operation)` with what this task does in the test; the timed region is all of it, with its finish hook.
/// \param answer  outlives the use
template <Transport T, class Use>
void with_operation(T& t, Kind kind, Message const& m, Answer& answer, Use&& use) {
    switch (kind) {
    case Kind::bandwidth:
    case Kind::roundtrip:
    case Kind::latency:
    case Kind::bibw:
        return detail::of_pair(t, kind, m, answer, use);
    case Kind::isend:
    case Kind::irecv:
    case Kind::irsend:
        if constexpr (NonBlocking<T>)
            detail::of_requests(t, kind, m, answer, use);
        return;
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::alltoall:
    case Kind::barrier:
        return detail::of_all(t, kind, m, answer, use);
    }
}

}  // namespace mpbench
