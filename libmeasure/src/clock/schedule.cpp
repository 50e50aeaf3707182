// SPDX-License-Identifier: BSD-3-Clause
#include "measure/schedule.hpp"

#include "core/names.hpp"
#include "measure/mpi_error.hpp"

#include <array>

namespace measure {

namespace {

constexpr std::array<std::string_view, 6> start_names{"auto", "free", "barrier", "dissemination", "slot", "roundtime"};
constexpr int tag_dissemination = 4;

}  // namespace

Start::Start() : detail::StartVariant(AutoStart{}) {}
Start::Start(AutoStart start) : detail::StartVariant(std::move(start)) {}
Start::Start(FreeStart start) noexcept : detail::StartVariant(start) {}
Start::Start(BarrierStart start) : detail::StartVariant(std::move(start)) {}
Start::Start(DisseminationStart start) : detail::StartVariant(std::move(start)) {}
Start::Start(SlotStart start) : detail::StartVariant(std::move(start)) {}
Start::Start(RoundTimeStart start) : detail::StartVariant(std::move(start)) {}
Start::Start(Start const&) = default;
Start::Start(Start&&) noexcept = default;
Start& Start::operator=(Start const&) = default;
Start& Start::operator=(Start&&) noexcept = default;
Start::~Start() = default;

Start start_from(std::string_view name, Sync const& sync) {
    switch (detail::index_of("start", name, start_names)) {
    case 0:
        return AutoStart{.slot = {.sync = sync}};
    case 1:
        return FreeStart{};
    case 2:
        return BarrierStart{};
    case 3:
        return DisseminationStart{};
    case 4:
        return SlotStart{.sync = sync};
    default:
        return RoundTimeStart{.sync = sync};
    }
}

std::string_view name(Start const& start) noexcept { return start_names[start.index()]; }

void dissemination_barrier(Comm const& comm) {
    int const n = comm.size();
    char const out = 0;
    char in = 0;
    for (int distance = 1; distance < n; distance *= 2) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(
            MPI_Irecv(&in, 1, MPI_CHAR, (comm.rank() - distance + n) % n, tag_dissemination, comm.internal(), &request),
            "MPI_Irecv");
        comm.send(&out, sizeof out, (comm.rank() + distance) % n, tag_dissemination);
        comm.wait(request);
    }
}

seconds broadcast_bound(Comm const& comm, double factor, seconds clock_bound, bool mean) {
    constexpr int repetitions = 10;
    constexpr double least = 20e-6;
    MonotonicRawTimer const timer;
    std::array<double, 8> word{};
    double longest = 0;
    double sum = 0;
    comm.broadcast(word);
    for (int i = 0; i < repetitions; ++i) {
        comm.barrier();
        auto const begin = timer.now();
        comm.broadcast(word);
        double const t = timer.between(begin, timer.now()).count();
        longest = std::max(longest, t);
        sum += t;
    }
    double const base = comm.max(mean ? sum / repetitions : longest);
    return seconds{std::max(base * factor + 2 * clock_bound.count(), least)};
}

}  // namespace measure
