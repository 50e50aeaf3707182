// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include "frontend/values.hpp"
#include "memory_test.hpp"
#include "messages.hpp"
#include "nonblocking.hpp"
#include "persistent_tests.hpp"
#include "topology_tests.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mpiperf {

namespace {

template <class C>
constexpr bool is_rooted =
    C::shape.send == bodies::Extent::each_at_root || C::shape.receive == bodies::Extent::each_at_root ||
    C::shape.receive == bodies::Extent::one_at_root || C::name == "Bcast";

template <class C>
constexpr Test collective() {
    return {.name = C::name,
            .text = C::text,
            .element = bodies::element_size(C::shape),
            .rooted = is_rooted<C>,
            .measure = measure_collective<C>,
            .shape = &C::shape};
}

template <class W>
constexpr Test wait() {
    return {.name = W::name, .text = W::text, .expected = expected_wait<W>, .measure = measure_wait<W>};
}

template <class C>
void check_shape(std::int64_t count, int processes) {
    bodies::check_counts(C::Blocking::shape, C::name, count, processes);
}

template <class C>
constexpr Test nonblocking() {
    Test test = collective<typename C::Blocking>();
    test.name = C::name;
    test.check = check_shape<C>;
    test.measure = measure_nonblocking<C>;
    test.shape = nullptr;
    test.kind = Kind::nonblocking;
    return test;
}

template <class M>
constexpr Test message() {
    return {.name = M::name,
            .text = M::text,
            .element = 1,
            .check = [](std::int64_t count, int) { check_message(count); },
            .measure = measure_message<M>,
            .kind = Kind::message};
}

template <class C>
constexpr Test neighbourhood() {
    return {.name = C::name,
            .text = C::text,
            .element = 1,
            .check = [](std::int64_t count, int) { bodies::check_counts(C::shape, C::name, count, 1); },
            .measure = measure_neighbourhood<C>,
            .needs = Needs::neighbours};
}

template <class C>
constexpr Test creation() {
    return {.name = C::name, .text = C::text, .measure = measure_creation<C>};
}

constexpr Test halo_step() {
    return {.name = HaloStep::name,
            .text = HaloStep::text,
            .element = 1,
            .check = [](std::int64_t count, int) { bodies::check_counts({}, HaloStep::name, count, 1); },
            .measure = measure_halo_step,
            .needs = Needs::grid};
}

#ifdef BODIES_HAVE_PERSISTENT
template <class C>
constexpr Test persistent() {
    Test test = collective<typename C::Blocking>();
    test.name = C::name;
    test.check = check_shape<C>;
    test.measure = [](Job const& job) { return measure_persistent(job, C::Blocking::shape, C::init); };
    test.shape = nullptr;
    test.needs = Needs::one_buffer;
    return test;
}
#endif

constexpr Test table[] = {
    collective<bodies::Allgather>(),
    collective<bodies::Allgatherv>(),
    collective<bodies::Allreduce>(),
    collective<bodies::Alltoall>(),
    collective<bodies::Alltoallv>(),
    collective<bodies::Alltoallw>(),
    collective<bodies::Barrier>(),
    collective<bodies::Bcast>(),
    collective<bodies::Exscan>(),
    collective<bodies::Gather>(),
    collective<bodies::Gatherv>(),
    collective<bodies::Reduce>(),
    collective<bodies::ReduceScatter>(),
    collective<bodies::ReduceScatterBlock>(),
    collective<bodies::Scan>(),
    collective<bodies::Scatter>(),
    collective<bodies::Scatterv>(),
    nonblocking<bodies::Iallgather>(),
    nonblocking<bodies::Iallgatherv>(),
    nonblocking<bodies::Iallreduce>(),
    nonblocking<bodies::Ialltoall>(),
    nonblocking<bodies::Ialltoallv>(),
    nonblocking<bodies::Ialltoallw>(),
    nonblocking<bodies::Ibarrier>(),
    nonblocking<bodies::Ibcast>(),
    nonblocking<bodies::Iexscan>(),
    nonblocking<bodies::Igather>(),
    nonblocking<bodies::Igatherv>(),
    nonblocking<bodies::Ireduce>(),
    nonblocking<bodies::IreduceScatter>(),
    nonblocking<bodies::IreduceScatterBlock>(),
    nonblocking<bodies::Iscan>(),
    nonblocking<bodies::Iscatter>(),
    nonblocking<bodies::Iscatterv>(),
    message<Send>(),
    message<Sendrecv>(),
    message<Pingpong>(),
    message<Isend>(),
    message<Ssend>(),
    message<Rsend>(),
    message<Bsend>(),
    message<SendInit>(),
#ifdef BODIES_HAVE_PERSISTENT
    persistent<bodies::AllgatherInit>(),
    persistent<bodies::AllgathervInit>(),
    persistent<bodies::AllreduceInit>(),
    persistent<bodies::AlltoallInit>(),
    persistent<bodies::AlltoallvInit>(),
    persistent<bodies::AlltoallwInit>(),
    persistent<bodies::BarrierInit>(),
    persistent<bodies::BcastInit>(),
    persistent<bodies::ExscanInit>(),
    persistent<bodies::GatherInit>(),
    persistent<bodies::GathervInit>(),
    persistent<bodies::ReduceInit>(),
    persistent<bodies::ReduceScatterInit>(),
    persistent<bodies::ReduceScatterBlockInit>(),
    persistent<bodies::ScanInit>(),
    persistent<bodies::ScatterInit>(),
    persistent<bodies::ScattervInit>(),
#endif
    neighbourhood<bodies::NeighborAllgather>(),
    neighbourhood<bodies::NeighborAllgatherv>(),
    neighbourhood<bodies::NeighborAlltoall>(),
    neighbourhood<bodies::NeighborAlltoallv>(),
    neighbourhood<bodies::NeighborAlltoallw>(),
    halo_step(),
    creation<CartCreate>(),
    creation<CommDup>(),
    creation<CommSplit>(),
    {.name = memory_test,
     .text = "memory of the processes with each communicator and after each other test; -x -X are ignored"},
    wait<WaitUp>(),
    wait<WaitDown>(),
    wait<WaitNull>(),
};

}  // namespace

std::span<Test const> tests() noexcept { return table; }

Test const& find_test(std::string_view name, std::span<Test const> own) {
    auto const wanted = frontend::lower(name);
    for (auto const& list : {tests(), own}) {
        auto const found =
            std::find_if(list.begin(), list.end(), [&](Test const& t) { return frontend::lower(t.name) == wanted; });
        if (found != list.end())
            return *found;
    }
    if (!bodies::have_persistent && wanted.ends_with("_init"))
        throw measure::UsageError(
            fmt::format("there is no test '{}': this MPI library has no persistent collectives (MPI 4)", name));
    throw measure::UsageError(fmt::format("there is no test '{}' (-q lists all)", name));
}

}  // namespace mpiperf
