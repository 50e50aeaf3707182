// SPDX-License-Identifier: BSD-3-Clause
/// Messages as applications send them: memory is written before it is sent, and received data are read.
#pragma once

#include "bodies/one_sided.hpp"
#include "bodies/point_to_point.hpp"

#include <measure/mpi_error.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace bodies {

/// Whether a byte of each cache line is accessed.
struct Touch {
    bool writes = true;  ///< write before each send
    bool reads = true;   ///< read after each receive
};

/// Messages of equal length to and from any process. Each function returns MPI's code. Neither copied nor moved.
class TouchedMessages {
public:
    /// Local. \param largest  largest length of a message, bytes  \param at_once  messages in flight in each direction,
    /// >= 1
    /// \throws std::bad_alloc
    TouchedMessages(MPI_Comm comm, measure::Bytes largest, int at_once, Touch touch)
        : comm_{comm}, largest_{largest}, touch_{touch}, send_{at_once * largest}, receive_{at_once * largest},
          requests_(2 * static_cast<std::size_t>(at_once), MPI_REQUEST_NULL) {}

    /// Sets length and content of the next messages. \param value  value of all bytes
    /// \throws measure::UsageError if the length does not fit MPI's int
    void begin(measure::Bytes length, std::byte value) {
        count_ = measure::to_int(length, "bytes of a message");
        std::fill_n(send_.data(), at_once() * largest_, value);
        std::fill_n(receive_.data(), at_once() * largest_, value);
    }

    int send(int to) noexcept { return MPI_Send(written(0), count_, MPI_BYTE, to, tag, comm_); }
    int receive(int from) noexcept {
        int const code = MPI_Recv(place(0), count_, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE);
        read(place(0));
        return code;
    }
    /// Sends and receives at the same time.
    int exchange(int to, int from) noexcept {
        int const begun = MPI_Irecv(place(0), count_, MPI_BYTE, from, tag, comm_, requests_.data());
        int const sent = worse(begun, send(to));
        int const code = worse(sent, MPI_Wait(requests_.data(), MPI_STATUS_IGNORE));
        read(place(0));
        return code;
    }
    /// Exchanges messages with all others at the same time. A process may occur several times: messages between two
    /// processes keep their order, so each receives in the order in which the other sends. \param others  at most
    /// `at_once`
    int exchange(std::span<int const> others) noexcept {
        int code = MPI_SUCCESS;
        auto* request = requests_.data();
        for (std::size_t i = 0; i < others.size(); ++i)
            code = worse(code, MPI_Irecv(place(i), count_, MPI_BYTE, others[i], tag, comm_, request++));
        for (std::size_t i = 0; i < others.size(); ++i)
            code = worse(code, MPI_Isend(written(i), count_, MPI_BYTE, others[i], tag, comm_, request++));
        code = worse(code, MPI_Waitall(static_cast<int>(2 * others.size()), requests_.data(), MPI_STATUSES_IGNORE));
        for (std::size_t i = 0; i < others.size(); ++i)
            read(place(i));
        return code;
    }
    /// Sends a message and replaces it by the received one, which is not read.
    int replace(int to, int from) noexcept {
        return MPI_Sendrecv_replace(written(0), count_, MPI_BYTE, to, tag, from, tag, comm_, MPI_STATUS_IGNORE);
    }
    /// Reads the message that `replace` received.
    void read_replaced() noexcept { read(send_.data()); }

private:
    static constexpr int tag = 0;
    static constexpr std::ptrdiff_t line = 64;

    [[nodiscard]] measure::Bytes at_once() const noexcept { return std::ssize(requests_) / 2; }
    [[nodiscard]] std::byte* place(std::size_t i) const noexcept {
        return receive_.data() + static_cast<measure::Bytes>(i) * largest_;
    }
    std::byte* written(std::size_t i) noexcept {
        auto* const at = send_.data() + static_cast<measure::Bytes>(i) * largest_;
        for (std::ptrdiff_t k = 0; touch_.writes && k < count_; k += line)
            at[k] ^= std::byte{1};
        return at;
    }
    void read(std::byte const* at) noexcept {
        auto sum = seen_;
        for (std::ptrdiff_t k = 0; touch_.reads && k < count_; k += line)
            sum ^= at[k];
        seen_ = sum;
    }

    MPI_Comm comm_;
    measure::Bytes largest_;
    Touch touch_;
    WindowMemory send_;
    WindowMemory receive_;
    std::vector<MPI_Request> requests_;
    int count_ = 0;
    std::byte volatile seen_{};
};

}  // namespace bodies
