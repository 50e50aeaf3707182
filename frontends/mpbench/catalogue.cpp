// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

namespace mpbench {

namespace {

using Of = measure::OperationKind;
using measure::SizeOf;

constexpr std::array all_tests{
    Test{"bandwidth", 'b', Kind::bandwidth, Figure::rate, true, false, "sends, then one acknowledgement", "Send stream",
         Of::stream, SizeOf::whole, 1, 1},
    Test{"roundtrip", 'r', Kind::roundtrip, Figure::transactions, true, false, "a message there and back", "PingPong",
         Of::ping_pong, SizeOf::whole, 0.5, 1},
    Test{"latency", 'l', Kind::latency, Figure::time, true, false, "send calls alone"},
    Test{"broadcast", 'c', Kind::broadcast, Figure::rate, false, false,
         "broadcasts, then an acknowledgement from each task", "Bcast"},
    Test{"reduce", 'y', Kind::reduce, Figure::rate, false, true, "sum of 4-byte integers at the first task", "Reduce"},
    Test{"allreduce", 'z', Kind::allreduce, Figure::rate, false, true, "sum of 4-byte integers at all tasks",
         "Allreduce"},
    Test{"bibw", 'd', Kind::bibw, Figure::rate, true, false, "both directions at once", "Send streams", Of::streams,
         SizeOf::whole, 1, 2},
    Test{"alltoall", 'a', Kind::alltoall, Figure::rate, false, true, "a part of the message to each task", "Alltoall",
         Of::collective, SizeOf::blocks},
    Test{"barrier", 'B', Kind::barrier, Figure::time, false, true, "barriers", "Barrier", Of::barrier},
    Test{"isend", '\0', Kind::isend, Figure::message, true, false,
         "non-blocking sends, each completed before the next"},
    Test{"irecv", '\0', Kind::irecv, Figure::message, true, false,
         "sends to posted receives, then one acknowledgement"},
    Test{"irsend", '\0', Kind::irsend, Figure::message, true, false,
         "non-blocking ready sends, each completed before the next"},
};

}  // namespace

std::span<Test const> tests(Api api) noexcept {
    std::span<Test const> const all{all_tests};
    auto const by_name = std::find_if(all.begin(), all.end(), [](Test const& t) { return t.letter == '\0'; });
    return api == Api::mpi ? all : all.first(static_cast<std::size_t>(by_name - all.begin()));
}

Test const& test(std::string_view name) {
    auto const found = std::find_if(all_tests.begin(), all_tests.end(), [&](Test const& t) { return t.name == name; });
    if (found == all_tests.end())
        throw std::out_of_range(fmt::format("'{}' is not in the catalogue", name));
    return *found;
}

}  // namespace mpbench
