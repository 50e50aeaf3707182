// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/rma.hpp"

#include <measure/mpi_error.hpp>

#include <fmt/format.h>

#include <cstring>
#include <vector>

namespace bodies {

namespace {

/// Numbers at the target before an execution, and those that the origin sends.
std::int64_t at_target(std::int64_t i) noexcept { return 3 + i % 101; }
std::int64_t at_origin(std::int64_t i) noexcept { return 1000 + i % 97; }

/// The number as an operation has it: a byte, a double, an integer.
void write(RmaOperation const& operation, std::byte* to, std::int64_t i, std::int64_t number) {
    if (operation.element == 1) {
        to[i] = static_cast<std::byte>(number % 251);
    } else if (operation.one_element) {
        std::memcpy(to + i * operation.element, &number, sizeof number);
    } else {
        auto const real = static_cast<double>(number);
        std::memcpy(to + i * operation.element, &real, sizeof real);
    }
}

bool is(RmaOperation const& operation, std::byte const* at, std::int64_t i, std::int64_t number) {
    std::byte expected[sizeof number]{};
    write(operation, expected, 0, number);
    return std::memcmp(at + i * operation.element, expected, static_cast<std::size_t>(operation.element)) == 0;
}

}  // namespace

WindowBuffers::WindowBuffers(measure::Comm const& comm, BufferPolicy const& policy, measure::Bytes bytes)
    : mine_{layout(policy, {bytes, bytes})} {
    if (comm.max(mine_.blocks < 1 ? 1 : 0) > 0)
        throw std::bad_alloc{};
    void* base = nullptr;
    measure::check(
        MPI_Win_allocate(static_cast<MPI_Aint>(mine_.bytes()), 1, MPI_INFO_NULL, comm.native(), &base, &window_),
        "MPI_Win_allocate");
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    base_ = static_cast<std::byte*>(base);
    std::memset(base_, 0, static_cast<std::size_t>(mine_.bytes()));
    other_ = mine_;
    if (comm.size() > 1)
        measure::check(MPI_Sendrecv(&mine_, sizeof mine_, MPI_BYTE, 1 - comm.rank(), Link::tag, &other_, sizeof other_,
                                    MPI_BYTE, 1 - comm.rank(), Link::tag, comm.native(), MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
}

WindowBuffers::~WindowBuffers() {
    if (std::uncaught_exceptions() <= exceptions_)
        MPI_Win_free(&window_);
}

RemoteAccess::RemoteAccess(measure::Comm const& pair, RmaOperation const& operation,
                           RmaSynchronisation const& synchronisation, BufferPolicy const& policy, std::int64_t count)
    : comm_{pair.native()}, is_origin_{pair.rank() == 0}, operation_{operation},
      synchronisation_{synchronisation}, bytes_{bytes(operation, count)}, memory_{pair, policy, bytes_},
      arguments_{memory_.window(), 1, measure::to_int(count, "elements of a one-sided operation")} {
    peers_ = {.window = memory_.window(), .target = 1};
    MPI_Group both = MPI_GROUP_NULL;
    int const other = 1 - pair.rank();
    measure::check(MPI_Comm_group(comm_, &both), "MPI_Comm_group");
    measure::check(MPI_Group_incl(both, 1, &other, &peers_.other), "MPI_Group_incl");
    MPI_Group_free(&both);
    if (is_origin_ && synchronisation_.open != nullptr)
        measure::check(synchronisation_.open(peers_), "MPI_Win_lock");
}

RemoteAccess::~RemoteAccess() {
    if (is_origin_ && synchronisation_.close != nullptr)
        static_cast<void>(synchronisation_.close(peers_));
    MPI_Group_free(&peers_.other);
}

/// What a passive target sees of its window is what others have put there only within an epoch of its own.
void RemoteAccess::meet() const {
    auto const see = [this] {
        if (is_origin_ || !is_passive())
            return;
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, memory_.window());
        MPI_Win_sync(memory_.window());
        MPI_Win_unlock(1, memory_.window());
    };
    see();
    MPI_Barrier(comm_);
    see();
}

void RemoteAccess::fill() const {
    auto* const send = static_cast<std::byte*>(memory_.send({}));
    auto* const receive = static_cast<std::byte*>(memory_.receive({}));
    auto const n = bytes_ / operation_.element;
    for (std::int64_t i = 0; i < n; ++i) {
        // What a get reads is the target's send buffer.
        write(operation_, send, i, is_origin_ ? at_origin(i) : at_target(i));
        write(operation_, receive, i, is_origin_ ? 0 : at_target(i));
    }
    if (is_origin_ && operation_.effect == RmaEffect::swap)
        write(operation_, send, 1, at_target(0));
}

std::byte* RemoteAccess::arrived() const { return static_cast<std::byte*>(memory_.receive({})); }

std::string RemoteAccess::fault() const {
    auto const* const here = arrived();
    auto const n = operation_.effect == RmaEffect::swap ? 1 : bytes_ / operation_.element;
    auto const expected = [&](std::int64_t i) {
        auto const a = at_target(i);
        auto const b = at_origin(i);
        switch (operation_.effect) {
        case RmaEffect::put:
            return is_origin_ ? 0 : b;
        case RmaEffect::get:
            return a;
        case RmaEffect::add:
            return is_origin_ ? 0 : a + b;
        case RmaEffect::fetch_add:
            return is_origin_ ? a : a + b;
        case RmaEffect::swap:
            return is_origin_ ? a : b;
        }
        return a;
    };
    for (std::int64_t i = 0; i < n; ++i)
        if (!is(operation_, here, i, expected(i)))
            return fmt::format("element {} of {} is wrong {}", i, n, is_origin_ ? "at the origin" : "at the target");
    return {};
}

}  // namespace bodies
