// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/neighbours.hpp"
#include "bodies/persistent.hpp"
#include "measure/error.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstddef>
#include <vector>

using measure::Comm;

namespace {

constexpr int count = 3;

int left_of(Comm const& comm) { return (comm.rank() + comm.size() - 1) % comm.size(); }
int right_of(Comm const& comm) { return (comm.rank() + 1) % comm.size(); }

/// A ring in which everyone sends to the right first, then to the left.
Comm ring(Comm const& comm) {
    std::array const sources{left_of(comm), right_of(comm)};
    std::array const targets{right_of(comm), left_of(comm)};
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(MPI_Dist_graph_create_adjacent(comm.raw(), 2, sources.data(), MPI_UNWEIGHTED, 2, targets.data(),
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                   "MPI_Dist_graph_create_adjacent");
    return comm.adopt(made);
}

std::byte mark(int rank, int block) { return static_cast<std::byte>(10 * rank + block); }

/// Which of two messages between the same processes belongs to which block is told by MPI for grids only.
bool has_order(Comm const& comm) { return comm.size() > 2; }

/// Whether the blocks of both neighbours arrive in their places, by the blocking call or by its relative.
template <class C, class Call>
bool arrives(Comm const& own, Call call) {
    auto const a = bodies::neighbour_arguments(C::shape, own, count);
    auto const sizes = bodies::neighbour_sizes(C::shape, count, bodies::degrees(own));
    bool const each = C::shape.send == bodies::Extent::each && has_order(own);
    std::vector<std::byte> send(static_cast<std::size_t>(sizes.send));
    for (std::size_t i = 0; i < send.size(); ++i)
        send[i] = mark(own.rank(), each ? static_cast<int>(i) / count : 0);
    std::vector<std::byte> receive(static_cast<std::size_t>(sizes.receive), std::byte{0xff});
    std::vector<std::byte> expected(static_cast<std::size_t>(count), mark(left_of(own), 0));
    expected.insert(expected.end(), static_cast<std::size_t>(count), mark(right_of(own), each ? 1 : 0));
    return call(a, send.data(), receive.data()) == MPI_SUCCESS && receive == expected;
}

template <class I>
void check_neighbours(Comm const& own) {
    using C = typename I::Blocking;
    CAPTURE(C::name);
    bool const blocking = arrives<C>(own, [](auto const& a, void* s, void* r) { return C::call(a, s, r, 0); });
    bool const started = arrives<C>(own, [](auto const& a, void* s, void* r) {
        MPI_Request request = MPI_REQUEST_NULL;
        int const code = I::call(a, s, r, 0, &request);
        return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
    });
    CHECK(blocking);
    CHECK(started);
}

}  // namespace

TEST_CASE("every neighbour's block arrives in its place", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    Comm const own = ring(comm);
    CHECK(bodies::degrees(own).in == 2);
    CHECK(bodies::degrees(own).out == 2);
    check_neighbours<bodies::IneighborAllgather>(own);
    check_neighbours<bodies::IneighborAllgatherv>(own);
    check_neighbours<bodies::IneighborAlltoall>(own);
    check_neighbours<bodies::IneighborAlltoallv>(own);
    check_neighbours<bodies::IneighborAlltoallw>(own);
}

TEST_CASE("without a topology there are no neighbours", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    CHECK_THROWS_AS(bodies::degrees(comm), measure::UsageError);
}

#ifdef BODIES_HAVE_PERSISTENT

namespace {

/// What a call leaves behind in both buffers.
template <class C, class Call>
std::vector<double> left_behind(Comm const& comm, Call call) {
    auto const size = static_cast<std::size_t>(8 * comm.size());
    std::vector<double> memory(2 * size);
    for (std::size_t i = 0; i < size; ++i)
        memory[i] = 1 + comm.rank() + static_cast<double>(i);
    auto const a = bodies::arguments(C::shape, comm, count);
    CHECK(call(a, memory.data(), memory.data() + size) == MPI_SUCCESS);
    return memory;
}

/// Twice, because what persists must be good for more than one execution.
template <class C>
void check_persistent(Comm const& comm, bool again = true) {
    CAPTURE(C::name);
    auto const expected = left_behind<typename C::Blocking>(
        comm, [](auto const& a, void* s, void* r) { return C::Blocking::call(a, s, r, 0); });
    auto const found = left_behind<typename C::Blocking>(comm, [again](auto const& a, void* s, void* r) {
        MPI_Request raw = MPI_REQUEST_NULL;
        if (int const code = C::init(a, s, r, 0, &raw); code != MPI_SUCCESS)
            return code;
        bodies::PersistentRequest request{raw};
        int const first = request.run();
        return first == MPI_SUCCESS && again ? request.run() : first;
    });
    CHECK(found == expected);
}

}  // namespace

TEST_CASE("a persistent collective leaves behind what the blocking one does", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    check_persistent<bodies::AllgatherInit>(comm);
    check_persistent<bodies::AllgathervInit>(comm);
    check_persistent<bodies::AllreduceInit>(comm);
    check_persistent<bodies::AlltoallInit>(comm);
    check_persistent<bodies::AlltoallvInit>(comm);
    check_persistent<bodies::AlltoallwInit>(comm);
    check_persistent<bodies::BarrierInit>(comm);
    check_persistent<bodies::BcastInit>(comm);
    check_persistent<bodies::ExscanInit>(comm);
    check_persistent<bodies::GatherInit>(comm);
    check_persistent<bodies::GathervInit>(comm);
    check_persistent<bodies::ReduceInit>(comm);
    check_persistent<bodies::ReduceScatterInit>(comm);
    check_persistent<bodies::ReduceScatterBlockInit>(comm);
    check_persistent<bodies::ScanInit>(comm);
    // MPICH 4.0.2: on three processes the second wait says "Invalid communicator".
    check_persistent<bodies::ScatterInit>(comm, false);
    check_persistent<bodies::ScattervInit>(comm);
}

TEST_CASE("a persistent body is set up again where the root moves", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    bodies::Persistent body{bodies::BcastInit::init,
                            bodies::arguments(bodies::Bcast::shape, comm, count),
                            bodies::Buffers{{}, {.send = count, .receive = 0}},
                            {.rotates = true}};
    bool ok = true;
    for (std::int64_t i = 0; i < 3 * comm.size(); ++i) {
        body.prepare({.index = i});
        ok = body() && ok;
    }
    CHECK(ok);
}

#endif
