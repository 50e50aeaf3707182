// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/rma.hpp"

#include <measure/agree.hpp>
#include <measure/mpi_error.hpp>

#include <fmt/format.h>

#include <cstring>

namespace bodies {

namespace {

/// Numbers at the target before an execution, and numbers that the origin sends.
std::int64_t at_target(std::int64_t i) noexcept { return 3 + i % 101; }
std::int64_t at_origin(std::int64_t i) noexcept { return 1000 + i % 97; }

/// The kind of the operation's default type.
NumberKind own_number(RmaOperation const& operation) noexcept {
    return operation.element == 1 ? NumberKind::int8 : operation.one_element ? NumberKind::int64 : NumberKind::real64;
}

MPI_Datatype own_type(RmaOperation const& operation) noexcept {
    return operation.element == 1 ? MPI_BYTE : operation.one_element ? MPI_INT64_T : MPI_DOUBLE;
}

/// The shape with the operation's default type if it has none.
RmaShape with_type(RmaShape shape, RmaOperation const& operation) {
    if (shape.type != MPI_DATATYPE_NULL)
        return shape;
    shape.type = own_type(operation);
    shape.number = own_number(operation);
    return shape;
}

bool is(NumberKind kind, std::byte const* at, std::int64_t number) {
    std::byte expected[sizeof(std::int64_t)]{};
    write_number(expected, kind, static_cast<double>(number));
    return std::memcmp(at, expected, static_cast<std::size_t>(number_size(kind))) == 0;
}

}  // namespace

/// Creates the window and its memory. May fail on a single process.
void WindowBuffers::make(measure::Comm const& comm, WindowKind kind) {
    auto const bytes = static_cast<MPI_Aint>(mine_.bytes());
    if (kind == WindowKind::allocate) {
        void* base = nullptr;
        measure::check(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm.native(), &base, &window_), "MPI_Win_allocate");
        base_ = static_cast<std::byte*>(base);
        return;
    }
    if (kind == WindowKind::create) {
        measure::check(MPI_Win_create(base_, bytes, 1, MPI_INFO_NULL, comm.native(), &window_), "MPI_Win_create");
        return;
    }
    measure::check(MPI_Win_create_dynamic(MPI_INFO_NULL, comm.native(), &window_), "MPI_Win_create_dynamic");
    measure::check(MPI_Win_attach(window_, base_, bytes), "MPI_Win_attach");
    measure::check(MPI_Get_address(base_, &other_base_), "MPI_Get_address");
}

WindowBuffers::WindowBuffers(measure::Comm const& comm, BufferPolicy const& policy, measure::Bytes bytes,
                             WindowKind kind)
    : mine_{layout(policy, {bytes, bytes})} {
    if (comm.max(mine_.blocks < 1 ? 1 : 0) > 0)
        throw std::bad_alloc{};
    if (kind != WindowKind::allocate) {
        measure::agree_on_failure(comm, [&] { memory_.emplace(mine_.bytes()); });
        base_ = memory_->data();
    }
    try {
        measure::agree_on_failure(comm, [&] { make(comm, kind); });
    } catch (...) {
        // If all processes have a window (memory could not be attached on some), it can be freed.
        if (comm.max(window_ == MPI_WIN_NULL ? 1 : 0) <= 0)
            MPI_Win_free(&window_);
        throw;
    }
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    std::memset(base_, 0, static_cast<std::size_t>(mine_.bytes()));
    struct {
        BufferLayout layout;
        MPI_Aint base;
    } mine{mine_, other_base_}, other{mine};
    if (comm.size() > 1)
        measure::check(MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, 1 - comm.rank(), Link::tag, &other, sizeof other,
                                    MPI_BYTE, 1 - comm.rank(), Link::tag, comm.native(), MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
    other_ = other.layout;
    other_base_ = other.base;
}

WindowBuffers::~WindowBuffers() {
    if (std::uncaught_exceptions() <= exceptions_)
        MPI_Win_free(&window_);
}

RemoteAccess::RemoteAccess(measure::Comm const& pair, RmaOperation const& operation,
                           RmaSynchronisation const& synchronisation, BufferPolicy const& policy, std::int64_t count,
                           RmaShape const& shape)
    : comm_{pair.native()}, is_origin_{pair.rank() == 0}, operation_{operation}, synchronisation_{synchronisation},
      shape_{with_type(shape, operation)}, bytes_{bytes(operation, count, shape_)}, memory_{pair, policy,
                                                                                            shape_.window * bytes_,
                                                                                            shape_.kind},
      arguments_{memory_.window(), 1 - pair.rank(), measure::to_int(count, "elements of a one-sided operation"),
                 shape_.type, number_size(shape_.number)} {
    int const other = 1 - pair.rank();
    peers_ = {.window = memory_.window(), .target = other};
    MPI_Group both = MPI_GROUP_NULL;
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

/// Afterwards all operations are complete on both processes. Within an open lock, a flush completes them at the target.
/// A passive target needs its own epoch to see the data that others have put into its window.
void RemoteAccess::meet() const {
    if (is_origin_ && synchronisation_.open != nullptr)
        MPI_Win_flush(peers_.target, memory_.window());
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
    auto const size = number_size(shape_.number);
    auto const put = [&](std::byte* to, std::int64_t i, std::int64_t number) {
        write_number(to + i * size, shape_.number, static_cast<double>(number));
    };
    for (std::int64_t i = 0; i < bytes_ / size; ++i) {
        // A get reads the target's send buffer.
        put(send, i, is_origin_ ? at_origin(i) : at_target(i));
        put(receive, i, is_origin_ ? 0 : at_target(i));
    }
    if (is_origin_ && operation_.effect == RmaEffect::swap)
        put(send, 1, at_target(0));
}

std::byte* RemoteAccess::arrived() const { return static_cast<std::byte*>(memory_.receive({})); }

std::string RemoteAccess::fault() const {
    auto const* const here = arrived();
    auto const size = number_size(shape_.number);
    auto const n = operation_.effect == RmaEffect::swap ? 1 : bytes_ / size;
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
        if (!is(shape_.number, here + i * size, expected(i)))
            return fmt::format("element {} of {} is wrong {}", i, n, is_origin_ ? "at the origin" : "at the target");
    return {};
}

}  // namespace bodies
