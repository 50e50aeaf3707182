// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue_parts.hpp"
#include "nonblocking.hpp"
#include "persistent_tests.hpp"

namespace mpiperf {

namespace {

template <class C>
constexpr Test nonblocking() {
    Test test = relative_of_blocking<C>();
    test.measure = [](Job const& job) { return measure_nonblocking(job, call_of<C>(), C::call); };
    test.kind = Kind::nonblocking;
    return test;
}

#ifdef BODIES_HAVE_PERSISTENT
template <class C>
constexpr Test persistent() {
    Test test = relative_of_blocking<C>();
    test.measure = [](Job const& job) { return measure_persistent(job, call_of<C>(), C::init); };
    test.needs = Needs::one_buffer;
    return test;
}
#endif

constexpr Test nonblocking_table[] = {
    nonblocking<bodies::Iallgather>(),     nonblocking<bodies::Iallgatherv>(),
    nonblocking<bodies::Iallreduce>(),     nonblocking<bodies::Ialltoall>(),
    nonblocking<bodies::Ialltoallv>(),     nonblocking<bodies::Ialltoallw>(),
    nonblocking<bodies::Ibarrier>(),       nonblocking<bodies::Ibcast>(),
    nonblocking<bodies::Iexscan>(),        nonblocking<bodies::Igather>(),
    nonblocking<bodies::Igatherv>(),       nonblocking<bodies::Ireduce>(),
    nonblocking<bodies::IreduceScatter>(), nonblocking<bodies::IreduceScatterBlock>(),
    nonblocking<bodies::Iscan>(),          nonblocking<bodies::Iscatter>(),
    nonblocking<bodies::Iscatterv>(),
};

#ifdef BODIES_HAVE_PERSISTENT
constexpr Test persistent_table[] = {
    persistent<bodies::AllgatherInit>(),     persistent<bodies::AllgathervInit>(),
    persistent<bodies::AllreduceInit>(),     persistent<bodies::AlltoallInit>(),
    persistent<bodies::AlltoallvInit>(),     persistent<bodies::AlltoallwInit>(),
    persistent<bodies::BarrierInit>(),       persistent<bodies::BcastInit>(),
    persistent<bodies::ExscanInit>(),        persistent<bodies::GatherInit>(),
    persistent<bodies::GathervInit>(),       persistent<bodies::ReduceInit>(),
    persistent<bodies::ReduceScatterInit>(), persistent<bodies::ReduceScatterBlockInit>(),
    persistent<bodies::ScanInit>(),          persistent<bodies::ScatterInit>(),
    persistent<bodies::ScattervInit>(),
};
#endif

}  // namespace

std::span<Test const> nonblocking_tests() noexcept { return nonblocking_table; }

std::span<Test const> persistent_tests() noexcept {
#ifdef BODIES_HAVE_PERSISTENT
    return persistent_table;
#else
    return {};
#endif
}

}  // namespace mpiperf
