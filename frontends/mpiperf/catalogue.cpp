// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include "frontend/values.hpp"
#include "messages.hpp"
#include "nonblocking.hpp"

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
    return {C::name,
            C::text,
            bodies::element_size(C::shape),
            is_rooted<C>,
            [](std::int64_t, int) {},
            nullptr,
            measure_collective<C>,
            &C::shape};
}

template <class W>
constexpr Test wait() {
    return {W::name, W::text, 0, false, [](std::int64_t, int) {}, expected_wait<W>, measure_wait<W>};
}

template <class C>
constexpr Test nonblocking() {
    Test test = collective<typename C::Blocking>();
    test.name = C::name;
    test.check = [](std::int64_t count, int processes) {
        bodies::check_counts(C::Blocking::shape, C::name, count, processes);
    };
    test.measure = measure_nonblocking<C>;
    test.shape = nullptr;
    test.kind = Kind::nonblocking;
    return test;
}

template <class M>
constexpr Test message() {
    return {M::name,
            M::text,
            1,
            false,
            [](std::int64_t count, int) { check_message(count); },
            nullptr,
            measure_message<M>,
            nullptr,
            Kind::message};
}

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
    throw measure::UsageError(fmt::format("there is no test '{}' (-q lists all)", name));
}

}  // namespace mpiperf
