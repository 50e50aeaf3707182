// SPDX-License-Identifier: BSD-3-Clause
/// Exchange: one execution of a pattern by each of the three methods, the places of its messages, and the check of
/// their first and last bytes. The inline functions run inside the timed region.
#pragma once

#include "b_eff/catalogue.hpp"
#include "bodies/buffers.hpp"

#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace b_eff {

/// Size in bytes of the send area and of the receive area. Each has room for six of the longest messages.
[[nodiscard]] constexpr measure::Bytes area(measure::Bytes largest) noexcept { return 6 * (largest + 16); }

/// A message whose data is not what was sent.
struct Defect {
    int exchange = 0;
    std::int64_t iteration = 0;
    int expected = 0;
    int found = 0;
    bool is_last_byte = false;
    [[nodiscard]] std::string text() const;
};

/// The buffers of messages. Successive messages use successive places (multiples of 8 bytes), and start again at the
/// beginning if the next one would not fit. Short messages thus do not always hit the same cache lines.
class Mailbox {
public:
    /// \throws std::bad_alloc
    explicit Mailbox(measure::Bytes largest)
        : buffers_{{}, {area(largest), area(largest)}}, size_{area(largest)},
          send_{static_cast<std::byte*>(buffers_.send({}))}, receive_{static_cast<std::byte*>(buffers_.receive({}))} {}

    /// Sets the message length. Places are multiples of it, and there are at least six, so the messages of one
    /// execution never overlap. All processes must call this equally often, so that their marks agree.
    /// \param index  of the length \param check  whether to check messages
    void open(measure::Bytes bytes, std::size_t index, bool check) noexcept {
        bytes_ = bytes;
        stride_ = (bytes + 7) / 8 * 8;
        next_ = (next_ + stride_ - 1) / stride_ * stride_;
        index_ = index;
        check_ = check;
        opened_ += mark_step;
    }

    [[nodiscard]] std::byte* send() const noexcept { return send_; }
    [[nodiscard]] std::byte* receive() const noexcept { return receive_; }
    [[nodiscard]] int bytes() const noexcept { return static_cast<int>(bytes_); }

    /// Offset of the next message, in bytes.
    [[gnu::always_inline]] measure::Bytes next() noexcept {
        measure::Bytes const at = next_ + stride_ <= size_ ? next_ : 0;
        next_ = at + stride_;
        return at;
    }

    /// Sets the first and the last byte of a message. They differ between exchanges, lengths, iterations and loops, so
    /// that data of an earlier loop is detected as wrong.
    [[gnu::always_inline]] void mark(measure::Bytes at, std::size_t exchange, std::int64_t iteration) noexcept {
        if (!check_)
            return;
        send_[at + bytes_ - 1] = last(exchange, iteration);
        send_[at] = first(exchange, iteration);
    }

    [[gnu::always_inline]] void look(measure::Bytes at, std::size_t exchange, std::int64_t iteration) noexcept {
        if (!check_)
            return;
        if (receive_[at] != first(exchange, iteration)) [[unlikely]]
            note(at, exchange, iteration, false);
        else if (bytes_ > 1 && receive_[at + bytes_ - 1] != last(exchange, iteration)) [[unlikely]]
            note(at, exchange, iteration, true);
    }

    /// The first defect since the last call.
    [[nodiscard]] std::optional<Defect> take_defect() noexcept;

private:
    [[nodiscard, gnu::always_inline]] std::byte first(std::size_t exchange, std::int64_t iteration) const noexcept {
        return static_cast<std::byte>(exchange * index_ + 1 + static_cast<std::size_t>(iteration) + opened_);
    }
    [[nodiscard, gnu::always_inline]] std::byte last(std::size_t exchange, std::int64_t iteration) const noexcept {
        return static_cast<std::byte>(2 * static_cast<std::size_t>(first(exchange, iteration)) - 1);
    }
    [[gnu::cold, gnu::noinline]] void note(measure::Bytes at, std::size_t exchange, std::int64_t iteration,
                                           bool is_last) noexcept;

    bodies::Buffers buffers_;
    measure::Bytes size_;
    std::byte* send_;
    std::byte* receive_;
    measure::Bytes bytes_ = 1;
    measure::Bytes stride_ = 8;
    measure::Bytes next_ = 0;
    /// Odd, so that marks repeat only after 256 loops, and larger than the increase over a few iterations.
    static constexpr std::size_t mark_step = 101;
    std::size_t index_ = 0;
    std::size_t opened_ = 0;
    bool check_ = true;
    std::optional<Defect> defect_{};
};

/// Counts and displacements for MPI_Alltoallv, for each process of a team. They are 0 except for partners.
class Counts {
public:
    explicit Counts(int processes);
    /// Sets messages of this length for the partners in these exchanges, and for no other process.
    void set(std::span<Exchange const> exchanges, int bytes);
    void clear(std::span<Exchange const> exchanges) { set(exchanges, 0); }

    std::vector<int> send{};
    std::vector<int> receive{};
    std::vector<int> send_at{};
    std::vector<int> receive_at{};
};

/// The work of a process in one execution. All referenced objects outlive the operation.
struct Job {
    MPI_Comm comm = MPI_COMM_NULL;
    std::span<Exchange const> exchanges{};
    Mailbox& box;
    Counts& counts;
    int error = MPI_SUCCESS;  ///< last error code of MPI
};

namespace detail {

inline bool keep(Job& job, int code) noexcept {
    if (code != MPI_SUCCESS) [[unlikely]]
        job.error = code;
    return code == MPI_SUCCESS;
}

}  // namespace detail

/// Sends and receives one message after the other. A side without a partner is left out.
struct Sendrecv {
    Job* job;
    bool operator()(measure::Iteration it) const noexcept {
        Mailbox& box = job->box;
        bool ok = true;
        for (std::size_t i = 0; i < job->exchanges.size(); ++i) {
            auto const [to, from] = job->exchanges[i];
            auto const at = box.next();
            auto const tag = static_cast<int>(i);
            if (to != nobody)
                box.mark(at, i, it.index);
            if (to == nobody)
                ok &= detail::keep(
                    *job, MPI_Recv(box.receive() + at, box.bytes(), MPI_BYTE, from, tag, job->comm, MPI_STATUS_IGNORE));
            else if (from == nobody)
                ok &= detail::keep(*job, MPI_Send(box.send() + at, box.bytes(), MPI_BYTE, to, tag, job->comm));
            else
                ok &=
                    detail::keep(*job, MPI_Sendrecv(box.send() + at, box.bytes(), MPI_BYTE, to, tag, box.receive() + at,
                                                    box.bytes(), MPI_BYTE, from, tag, job->comm, MPI_STATUS_IGNORE));
            if (from != nobody)
                box.look(at, i, it.index);
        }
        return ok;
    }
};

/// The largest number of exchanges: both neighbours in three directions.
inline constexpr std::size_t most_exchanges = 6;

/// Transfers all messages in one call of all processes in the team.
struct Alltoallv {
    Job* job;
    bool operator()(measure::Iteration it) const noexcept {
        Mailbox& box = job->box;
        Counts& counts = job->counts;
        std::array<measure::Bytes, most_exchanges> at;
        for (std::size_t i = 0; i < job->exchanges.size(); ++i) {
            auto const [to, from] = job->exchanges[i];
            at[i] = box.next();
            if (to != nobody) {
                box.mark(at[i], i, it.index);
                counts.send_at[static_cast<std::size_t>(to)] = static_cast<int>(at[i]);
            }
            if (from != nobody)
                counts.receive_at[static_cast<std::size_t>(from)] = static_cast<int>(at[i]);
        }
        bool const ok = detail::keep(*job, MPI_Alltoallv(box.send(), counts.send.data(), counts.send_at.data(),
                                                         MPI_BYTE, box.receive(), counts.receive.data(),
                                                         counts.receive_at.data(), MPI_BYTE, job->comm));
        for (std::size_t i = 0; i < job->exchanges.size(); ++i)
            if (job->exchanges[i].from != nobody)
                box.look(at[i], i, it.index);
        return ok;
    }
};

/// Starts all receives and sends, then waits for all of them.
struct Nonblocking {
    Job* job;
    bool operator()(measure::Iteration it) const noexcept {
        Mailbox& box = job->box;
        std::array<measure::Bytes, most_exchanges> at;
        std::array<MPI_Request, 2 * most_exchanges> requests;
        int n = 0;
        bool ok = true;
        for (std::size_t i = 0; i < job->exchanges.size(); ++i) {
            auto const [to, from] = job->exchanges[i];
            auto const tag = static_cast<int>(i);
            at[i] = box.next();
            if (from != nobody)
                ok &= detail::keep(*job, MPI_Irecv(box.receive() + at[i], box.bytes(), MPI_BYTE, from, tag, job->comm,
                                                   &requests[static_cast<std::size_t>(n++)]));
            if (to != nobody) {
                box.mark(at[i], i, it.index);
                ok &= detail::keep(*job, MPI_Isend(box.send() + at[i], box.bytes(), MPI_BYTE, to, tag, job->comm,
                                                   &requests[static_cast<std::size_t>(n++)]));
            }
        }
        ok &= detail::keep(*job, MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE));
        for (std::size_t i = 0; i < job->exchanges.size(); ++i)
            if (job->exchanges[i].from != nobody)
                box.look(at[i], i, it.index);
        return ok;
    }
};

/// Calls f with the operation of a method.
template <class F>
decltype(auto) with_operation(Method method, Job& job, F&& f) {
    switch (method) {
    case Method::sendrecv:
        return f(measure::op(Sendrecv{&job}));
    case Method::alltoallv:
        return f(measure::op(Alltoallv{&job}));
    case Method::nonblocking:
        break;
    }
    return f(measure::op(Nonblocking{&job}));
}

}  // namespace b_eff
