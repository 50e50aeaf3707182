// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/collectives.hpp"
#include "bodies/controls.hpp"
#include "bodies/memory.hpp"
#include "bodies/neighbours.hpp"
#include "bodies/nonblocking.hpp"
#include "bodies/persistent.hpp"
#include "measure/error.hpp"
#include "measure/mpi_error.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <variant>
#include <vector>

using measure::Comm;

namespace {

constexpr int count = 3;

int left_of(Comm const& comm) { return (comm.rank() + comm.size() - 1) % comm.size(); }
int right_of(Comm const& comm) { return (comm.rank() + 1) % comm.size(); }

/// A ring in which every rank sends to its right neighbour first, then to its left one.
Comm ring(Comm const& comm) {
    std::array const sources{left_of(comm), right_of(comm)};
    std::array const targets{right_of(comm), left_of(comm)};
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(MPI_Dist_graph_create_adjacent(comm.native(), 2, sources.data(), MPI_UNWEIGHTED, 2, targets.data(),
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                   "MPI_Dist_graph_create_adjacent");
    return comm.take(made);
}

std::byte mark(int rank, int block) { return static_cast<std::byte>(10 * rank + block); }

/// If both neighbours are the same process, MPI defines which message belongs to which block for grids only.
bool has_order(Comm const& comm) { return comm.size() > 2; }

/// Whether the blocks of both neighbours arrive in their places, with the blocking call or one of its variants.
template <class Call>
bool arrives(bodies::Shape const& shape, Comm const& own, Call call) {
    auto const a = bodies::neighbour_arguments(shape, own, count);
    auto const sizes = bodies::neighbour_sizes(shape, count, bodies::degrees(own));
    bool const each = shape.send == bodies::Extent::each && has_order(own);
    std::vector<std::byte> send(static_cast<std::size_t>(sizes.send));
    for (std::size_t i = 0; i < send.size(); ++i)
        send[i] = mark(own.rank(), each ? static_cast<int>(i) / count : 0);
    std::vector<std::byte> receive(static_cast<std::size_t>(sizes.receive), std::byte{0xff});
    std::vector<std::byte> expected(static_cast<std::size_t>(count), mark(left_of(own), 0));
    expected.insert(expected.end(), static_cast<std::size_t>(count), mark(right_of(own), each ? 1 : 0));
    return call(a, send.data(), receive.data()) == MPI_SUCCESS && receive == expected;
}

void check_neighbours(bodies::Collective const& of, Comm const& own) {
    CAPTURE(of.name);
    bool const blocking = arrives(of.shape, own, [&](auto const& a, void* s, void* r) {
        return std::visit([&]<class S>(bodies::Functions<S> const& f) { return S::call(f.neighbours, a, s, r, 0); },
                          of.functions);
    });
    bool const started = arrives(of.shape, own, [&](auto const& a, void* s, void* r) {
        MPI_Request request = MPI_REQUEST_NULL;
        int const code = bodies::issue_of<bodies::NeighbourArguments>(of)(of, a, s, r, 0, &request);
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
    int found = 0;
    for (auto const& of : bodies::collectives)
        if (bodies::has(of, bodies::Relative::neighbours)) {
            check_neighbours(of, own);
            ++found;
        }
    CHECK(found == 5);
}

TEST_CASE("without a topology a rank has no neighbours", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    CHECK_THROWS_AS(bodies::degrees(comm), measure::UsageError);
}

namespace {

/// Contents of both buffers after a call.
template <class Call>
std::vector<double> left_behind(bodies::Shape const& shape, Comm const& comm, Call call) {
    auto const size = static_cast<std::size_t>(8 * comm.size());
    std::vector<double> memory(2 * size);
    for (std::size_t i = 0; i < size; ++i)
        memory[i] = 1 + comm.rank() + static_cast<double>(i);
    auto const a = bodies::arguments(shape, comm, count);
    CHECK(call(a, memory.data(), memory.data() + size) == MPI_SUCCESS);
    return memory;
}

std::vector<double> left_behind_by_blocking(bodies::Collective const& of, Comm const& comm) {
    return left_behind(of.shape, comm, [&](auto const& a, void* s, void* r) {
        return std::visit([&]<class S>(bodies::Functions<S> const& f) { return S::call(f.blocking, a, s, r, 0); },
                          of.functions);
    });
}

void check_nonblocking(bodies::Collective const& of, Comm const& comm) {
    CAPTURE(of.name);
    auto const found = left_behind(of.shape, comm, [&](auto const& a, void* s, void* r) {
        MPI_Request request = MPI_REQUEST_NULL;
        int const code = bodies::issue_of(of)(of, a, s, r, 0, &request);
        return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
    });
    CHECK(found == left_behind_by_blocking(of, comm));
}

/// Executes twice, because a persistent request must be reusable.
void check_persistent(bodies::Collective const& of, Comm const& comm) {
    CAPTURE(of.name);
    // MPICH 4.0.2: on three processes the second wait reports "Invalid communicator".
    bool const again = of.name != "Scatter";
    auto const found = left_behind(of.shape, comm, [&](auto const& a, void* s, void* r) {
        MPI_Request raw = MPI_REQUEST_NULL;
        if (int const code = bodies::init_of(of)(of, a, s, r, 0, &raw); code != MPI_SUCCESS)
            return code;
        bodies::PersistentRequest request{raw};
        int const first = request.run();
        return first == MPI_SUCCESS && again ? request.run() : first;
    });
    CHECK(found == left_behind_by_blocking(of, comm));
}

}  // namespace

TEST_CASE("a non-blocking or persistent collective leaves the same data as the blocking one", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    int nonblocking = 0;
    int persistent = 0;
    for (auto const& of : bodies::collectives) {
        if (bodies::has(of, bodies::Relative::nonblocking)) {
            check_nonblocking(of, comm);
            ++nonblocking;
        }
        if (bodies::has(of, bodies::Relative::persistent)) {
            check_persistent(of, comm);
            ++persistent;
        }
    }
    CHECK(nonblocking == 17);
    CHECK(persistent == (bodies::have_persistent ? 17 : 0));
}

TEST_CASE("a persistent body is set up again when the root changes", "[bodies]") {
    auto const& bcast = bodies::collective("Bcast");
    if (!bodies::has(bcast, bodies::Relative::persistent))
        return;
    Comm const comm{MPI_COMM_WORLD};
    bodies::Persistent body{bcast,
                            bodies::arguments(bcast.shape, comm, count),
                            bodies::Buffers{{}, {.send = count, .receive = 0}},
                            {.rotates = true}};
    bool ok = true;
    for (std::int64_t i = 0; i < 3 * comm.size(); ++i) {
        body.prepare({.index = i});
        ok = body() && ok;
    }
    CHECK(ok);
}

TEST_CASE("a persistent body is set up again on all ranks or on none, also if one rank uses MPI_IN_PLACE", "[bodies]") {
    auto const& reduce = bodies::collective("Reduce");
    if (!bodies::has(reduce, bodies::Relative::persistent))
        return;
    Comm const comm{MPI_COMM_WORLD};
    bodies::Sizes const sizes{8 * count, 8 * count};
    bodies::BasicPersistent body{
        reduce, bodies::arguments(reduce.shape, comm, count),
        bodies::InPlaceBuffers{bodies::Buffers{{.blocks = 3}, sizes}, reduce.content, comm.rank(), comm.size(), {}},
        bodies::Root{}};
    for (std::int64_t i = 0; i < 7; ++i) {
        body.prepare({.index = i});
        auto const& memory = body.memory();
        auto* const mine =
            static_cast<double*>(comm.is_root() ? memory.receive({.index = i}) : memory.send({.index = i}));
        *mine = 1 + comm.rank() + static_cast<double>(i);
        CHECK(body());
        int const n = comm.size();
        if (comm.is_root())
            CHECK(*mine == n * (n + 1) / 2 + n * static_cast<double>(i));
    }
}

namespace {

constexpr bodies::LastLevelCache small_cache{100 * measure::kibi};

/// The agreed blocks, which must be the same on all ranks.
bodies::AgreedBlocks agreed(Comm const& comm, bodies::BufferPolicy const& policy, bodies::Sizes const& sizes,
                            int copies = 1) {
    auto const share = bodies::cache_share(comm, small_cache);
    auto const blocks = bodies::agreed_blocks(comm, policy, sizes, copies, &share);
    auto const number = static_cast<double>(blocks.number);
    CHECK(comm.max(number) == number);
    CHECK(-comm.max(-number) == number);
    CHECK(comm.max(blocks.cut) == blocks.cut);
    return blocks;
}

}  // namespace

TEST_CASE("ranks with buffers of different sizes agree on the number of blocks that defeats their cache", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    auto const n = comm.size();
    bodies::BufferPolicy const cold{.blocks = 8};
    // 1000 bytes and a gap take 1088, the n messages of the root take more, and zero bytes take 128.
    measure::Bytes const gathered = (n * 1000 + 127) / 64 * 64;
    auto const blocks = agreed(comm, cold, {1000, comm.is_root() ? n * 1000 : 0});
    CHECK(blocks.number == (200 * measure::kibi - 1) / (n * 1088 + (n - 1) * 128 + gathered) + 1);
    CHECK_FALSE(blocks.cut);

    CHECK(agreed(comm, cold, {100'000, 100'000}).number == 8);
    // A rank without bytes follows the others; if no rank has bytes, nothing is cold.
    auto const alone = agreed(comm, cold, {comm.is_root() ? 1000 : 0, 0});
    CHECK(alone.number == (200 * measure::kibi - 1) / (1088 + 128) + 1);
    CHECK(agreed(comm, cold, {0, 0}).number == 1);
    // Three threads touch three times as much memory.
    CHECK(agreed(comm, cold, {1000, 0}, 3).number == (200 * measure::kibi - 1) / (3 * n * (1088 + 128)) + 1);
}

TEST_CASE("the memory limit of one rank applies to all ranks", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    bool const is_last = comm.rank() == comm.size() - 1;
    bodies::BufferPolicy const cold{.blocks = 8, .limit = is_last ? 5 * 1216 + 1 : 1'000'000};
    auto const cut = agreed(comm, cold, {1000, 0});
    CHECK(cut.number == 5);
    CHECK(cut.cut);
    CHECK(agreed(comm, cold, {1000, 0}, 2).number == 2);

    bodies::BufferPolicy const nothing{.limit = is_last ? 100 : 1'000'000};
    auto const none = bodies::agreed_blocks(comm, nothing, {1000, 0}, 1, nullptr);
    CHECK(none.number == 0);
    CHECK_THROWS_AS((bodies::Buffers{{.blocks = none.number}, {1000, 0}}), std::bad_alloc);
    CHECK(bodies::agreed_blocks(comm, {}, {1000, 0}, 1, nullptr).number == 1);
}

TEST_CASE("a cache line alternates between two processes, and a missing partner is given up", "[bodies]") {
    Comm const comm{MPI_COMM_WORLD};
    if (comm.size() < 2)
        return;
    if (auto const pair = comm.first_ranks(2)) {
        bodies::CacheLine line{*pair};
        int arrived = 0;
        for (int i = 0; i < 100; ++i)
            arrived += line() ? 1 : 0;
        CHECK(arrived == 100);

        bodies::CacheLine impatient{*pair, measure::seconds{1e-3}};
        bool const alone = pair->is_root() && impatient();
        pair->barrier();
        // The second process finds the round in which the first gave up.
        bool const late = !pair->is_root() && impatient();
        pair->barrier();
        CHECK_FALSE(alone);
        CHECK(late == !pair->is_root());
    }
    comm.barrier();
}
