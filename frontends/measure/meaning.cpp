// SPDX-License-Identifier: BSD-3-Clause
#include "meaning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace measure_tool {

namespace {

using OpKind = OperationKind;
using measure::Bytes;
using measure::Quantity;

constexpr std::array benchmark_meanings{
    BenchmarkMeaning{"mpiperf", "Allgather", "Allgather", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Allgatherv", "Allgatherv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Allreduce", "Allreduce"},
    BenchmarkMeaning{"mpiperf", "Alltoall", "Alltoall", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Alltoallv", "Alltoallv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Alltoallw", "Alltoallw", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Barrier", "Barrier", OpKind::barrier},
    BenchmarkMeaning{"mpiperf", "Bcast", "Bcast"},
    BenchmarkMeaning{"mpiperf", "Exscan", "Exscan"},
    BenchmarkMeaning{"mpiperf", "Gather", "Gather", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Gatherv", "Gatherv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Reduce", "Reduce"},
    BenchmarkMeaning{"mpiperf", "Reduce_scatter", "Reduce_scatter"},
    BenchmarkMeaning{"mpiperf", "Reduce_scatter_block", "Reduce_scatter_block", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Scan", "Scan"},
    BenchmarkMeaning{"mpiperf", "Scatter", "Scatter", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Scatterv", "Scatterv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"mpiperf", "Pingpong", "PingPong", OpKind::ping_pong, SizeOf::whole, 1, 1},
    BenchmarkMeaning{"mpiperf", "Sendrecv", "Sendrecv", OpKind::parallel, SizeOf::whole, 1, 2},
    BenchmarkMeaning{"mpiperf", "Send", "Send", OpKind::message},
    BenchmarkMeaning{"mpiperf", "Ssend", "Ssend", OpKind::message},
    BenchmarkMeaning{"mpiperf", "Isend", "Isend", OpKind::message},
    BenchmarkMeaning{"mpiperf", "Rsend", "Rsend", OpKind::message},
    BenchmarkMeaning{"mpiperf", "Bsend", "Bsend", OpKind::message},
    BenchmarkMeaning{"mpiperf", "Send_init", "Send_init", OpKind::message},

    BenchmarkMeaning{"pmb", "PingPong", "PingPong", OpKind::ping_pong, SizeOf::whole, 1, 1},
    BenchmarkMeaning{"pmb", "PingPongSpecificSource", "PingPongSpecificSource", OpKind::ping_pong, SizeOf::whole, 1, 1},
    BenchmarkMeaning{"pmb", "PingPing", "PingPing", OpKind::ping_pong, SizeOf::whole, 1, 1},
    BenchmarkMeaning{"pmb", "PingPingSpecificSource", "PingPingSpecificSource", OpKind::ping_pong, SizeOf::whole, 1, 1},
    BenchmarkMeaning{"pmb", "Sendrecv", "Sendrecv", OpKind::parallel, SizeOf::whole, 1, 2},
    BenchmarkMeaning{"pmb", "Exchange", "Exchange", OpKind::parallel, SizeOf::whole, 1, 4},
    BenchmarkMeaning{"pmb", "Allgather", "Allgather", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"pmb", "Allgatherv", "Allgatherv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"pmb", "Allreduce", "Allreduce"},
    BenchmarkMeaning{"pmb", "Alltoall", "Alltoall", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"pmb", "Barrier", "Barrier", OpKind::barrier},
    BenchmarkMeaning{"pmb", "Bcast", "Bcast"},
    BenchmarkMeaning{"pmb", "Reduce", "Reduce"},
    BenchmarkMeaning{"pmb", "Reduce_scatter", "Reduce_scatter"},

    BenchmarkMeaning{"skampi", "MPI_Allgather", "Allgather", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Allgatherv", "Allgatherv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Allreduce", "Allreduce"},
    BenchmarkMeaning{"skampi", "MPI_Alltoall", "Alltoall", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Alltoallv", "Alltoallv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Alltoall_Isend_Irecv", "Alltoall by Isend, Irecv", OpKind::by_hand, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Barrier", "Barrier", OpKind::barrier},
    BenchmarkMeaning{"skampi", "MPI_Bcast", "Bcast"},
    BenchmarkMeaning{"skampi", "Bcast_SR", "Bcast by Send, Recv", OpKind::by_hand},
    BenchmarkMeaning{"skampi", "MPI_Gather", "Gather", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "Gather_SR", "Gather by Send, Recv", OpKind::by_hand, SizeOf::block},
    BenchmarkMeaning{"skampi", "Gather_ISWA", "Gather by Isend, Irecv", OpKind::by_hand, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Gatherv", "Gatherv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Reduce", "Reduce"},
    BenchmarkMeaning{"skampi", "MPI_Reduce_Bcast", "Allreduce by Reduce, Bcast", OpKind::by_hand},
    BenchmarkMeaning{"skampi", "MPI_Reduce_scatter", "Reduce_scatter"},
    BenchmarkMeaning{"skampi", "MPI_Reduce_Scatterv", "Reduce_scatter by Reduce, Scatterv", OpKind::by_hand},
    BenchmarkMeaning{"skampi", "MPI_Scan", "Scan"},
    BenchmarkMeaning{"skampi", "MPI_Scatter", "Scatter", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Scatterv", "Scatterv", OpKind::collective, SizeOf::block},
    BenchmarkMeaning{"skampi", "MPI_Send-MPI_Recv", "Send", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    BenchmarkMeaning{"skampi", "MPI_Ssend-MPI_Recv", "Ssend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    BenchmarkMeaning{"skampi", "MPI_Isend-MPI_Recv", "Isend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    BenchmarkMeaning{"skampi", "MPI_Bsend-MPI_Recv", "Bsend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    BenchmarkMeaning{"skampi", "MPI_Issend-MPI_Recv", "Issend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},

    BenchmarkMeaning{"mpbench", "allreduce", "Allreduce"},
    BenchmarkMeaning{"mpbench", "alltoall", "Alltoall", OpKind::collective, SizeOf::blocks},
    BenchmarkMeaning{"mpbench", "bandwidth", "Send stream", OpKind::stream, SizeOf::whole, 1, 1},
    BenchmarkMeaning{"mpbench", "barrier", "Barrier", OpKind::barrier},
    BenchmarkMeaning{"mpbench", "bibw", "Send streams", OpKind::streams, SizeOf::whole, 1, 2},
    BenchmarkMeaning{"mpbench", "broadcast", "Bcast"},
    BenchmarkMeaning{"mpbench", "reduce", "Reduce"},
    BenchmarkMeaning{"mpbench", "roundtrip", "PingPong", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
};

/// skampi's names end in what is varied: MPI_Bcast-length, MPI_Bcast-nodes-short.
bool is_called(BenchmarkMeaning const& meaning, std::string_view benchmark) {
    if (meaning.benchmark == benchmark)
        return true;
    return meaning.suite == "skampi" && benchmark.size() > meaning.benchmark.size() &&
           benchmark.starts_with(meaning.benchmark) && benchmark[meaning.benchmark.size()] == '-' &&
           !benchmark.substr(meaning.benchmark.size() + 1).starts_with("MPI_");
}

template <class Property>
bool any_with(std::string_view operation, Property property) {
    return std::any_of(benchmark_meanings.begin(), benchmark_meanings.end(), [&](BenchmarkMeaning const& meaning) {
        return meaning.operation == operation && property(meaning);
    });
}

/// At most the largest number: sizes may come from anywhere.
Bytes product(Bytes a, Bytes b) {
    Bytes result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<Bytes>::max() : result;
}

}  // namespace

BenchmarkMeaning const* meaning_of_benchmark(std::string_view suite, std::string_view benchmark) noexcept {
    auto const found =
        std::find_if(benchmark_meanings.begin(), benchmark_meanings.end(), [&](BenchmarkMeaning const& meaning) {
            return meaning.suite == suite && is_called(meaning, benchmark);
        });
    return found == benchmark_meanings.end() ? nullptr : &*found;
}

BenchmarkMeaning const* benchmark_of(std::string_view suite, std::string_view operation) noexcept {
    auto const found =
        std::find_if(benchmark_meanings.begin(), benchmark_meanings.end(), [&](BenchmarkMeaning const& meaning) {
            return meaning.suite == suite && meaning.operation == operation;
        });
    return found == benchmark_meanings.end() ? nullptr : &*found;
}

bool has_blocks(std::string_view operation) noexcept {
    return any_with(operation, [](BenchmarkMeaning const& meaning) { return meaning.size != SizeOf::whole; });
}

bool is_by_hand(std::string_view operation) noexcept {
    return any_with(operation, [](BenchmarkMeaning const& meaning) { return meaning.kind == OpKind::by_hand; });
}

Bytes whole_size(BenchmarkMeaning const& meaning, Bytes bytes, std::int64_t ranks) noexcept {
    return meaning.size == SizeOf::block ? product(bytes, ranks) : bytes;
}

Bytes block_size(BenchmarkMeaning const& meaning, Bytes bytes, std::int64_t ranks) noexcept {
    return meaning.size == SizeOf::blocks ? bytes / ranks : bytes;
}

std::optional<double> time_of(BenchmarkMeaning const& meaning, Quantity quantity, double value,
                              std::optional<Bytes> bytes) noexcept {
    if (!std::isfinite(value) || !(value > 0))
        return std::nullopt;
    double time = 0;
    if (quantity == Quantity::time)
        time = value * meaning.share;
    else if (quantity == Quantity::rate)
        time = meaning.share / value;
    else if (quantity == Quantity::bandwidth && bytes)
        time = static_cast<double>(*bytes) * std::max(meaning.messages, 1.0) / value;
    return time > 0 && std::isfinite(time) ? std::optional{time} : std::nullopt;
}

std::optional<std::int64_t> integer_at(measure::Point const& at, std::string_view name) noexcept {
    for (auto const& [key, value] : at.coordinates())
        if (auto const* const number = std::get_if<std::int64_t>(&value); key == name && number != nullptr)
            return *number;
    return std::nullopt;
}

}  // namespace measure_tool
