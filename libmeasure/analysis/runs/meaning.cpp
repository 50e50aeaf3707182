// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/meaning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace measure {

namespace {

using OpKind = OperationKind;

/// A benchmark as its suite defines it.
struct MeaningRow {
    std::string_view suite;
    std::string_view benchmark;
    std::string_view operation;
    OpKind kind = OpKind::collective;
    SizeOf size = SizeOf::whole;
    double share = 1;
    double messages = 0;
};

Semantics semantics_of_row(MeaningRow const& row) {
    return {std::string{row.operation}, row.kind, row.size, row.share, row.messages};
}

/// Benchmarks by name. Guidelines suggest them without a record; records without `semantics` are looked up here.
constexpr std::array known_benchmarks{
    MeaningRow{"mpiperf", "Allgather", "Allgather", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Allgatherv", "Allgatherv", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Allreduce", "Allreduce"},
    MeaningRow{"mpiperf", "Alltoall", "Alltoall", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Alltoallv", "Alltoallv", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Alltoallw", "Alltoallw", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Barrier", "Barrier", OpKind::barrier},
    MeaningRow{"mpiperf", "Bcast", "Bcast"},
    MeaningRow{"mpiperf", "Exscan", "Exscan"},
    MeaningRow{"mpiperf", "Gather", "Gather", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Gatherv", "Gatherv", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Reduce", "Reduce"},
    MeaningRow{"mpiperf", "Reduce_scatter", "Reduce_scatter"},
    MeaningRow{"mpiperf", "Reduce_scatter_block", "Reduce_scatter_block", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Scan", "Scan"},
    MeaningRow{"mpiperf", "Scatter", "Scatter", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Scatterv", "Scatterv", OpKind::collective, SizeOf::block},
    MeaningRow{"mpiperf", "Pingpong", "PingPong", OpKind::ping_pong, SizeOf::whole, 1, 1},
    MeaningRow{"mpiperf", "Sendrecv", "Sendrecv", OpKind::parallel, SizeOf::whole, 1, 2},
    MeaningRow{"mpiperf", "Send", "Send", OpKind::message},
    MeaningRow{"mpiperf", "Ssend", "Ssend", OpKind::message},
    MeaningRow{"mpiperf", "Isend", "Isend", OpKind::message},
    MeaningRow{"mpiperf", "Rsend", "Rsend", OpKind::message},
    MeaningRow{"mpiperf", "Bsend", "Bsend", OpKind::message},
    MeaningRow{"mpiperf", "Send_init", "Send_init", OpKind::message},

    MeaningRow{"pmb", "PingPong", "PingPong", OpKind::ping_pong, SizeOf::whole, 1, 1},
    MeaningRow{"pmb", "PingPongSpecificSource", "PingPongSpecificSource", OpKind::ping_pong, SizeOf::whole, 1, 1},
    MeaningRow{"pmb", "PingPing", "PingPing", OpKind::ping_pong, SizeOf::whole, 1, 1},
    MeaningRow{"pmb", "PingPingSpecificSource", "PingPingSpecificSource", OpKind::ping_pong, SizeOf::whole, 1, 1},
    MeaningRow{"pmb", "Sendrecv", "Sendrecv", OpKind::parallel, SizeOf::whole, 1, 2},
    MeaningRow{"pmb", "Exchange", "Exchange", OpKind::parallel, SizeOf::whole, 1, 4},
    MeaningRow{"pmb", "Allgather", "Allgather", OpKind::collective, SizeOf::block},
    MeaningRow{"pmb", "Allgatherv", "Allgatherv", OpKind::collective, SizeOf::block},
    MeaningRow{"pmb", "Allreduce", "Allreduce"},
    MeaningRow{"pmb", "Alltoall", "Alltoall", OpKind::collective, SizeOf::block},
    MeaningRow{"pmb", "Barrier", "Barrier", OpKind::barrier},
    MeaningRow{"pmb", "Bcast", "Bcast"},
    MeaningRow{"pmb", "Reduce", "Reduce"},
    MeaningRow{"pmb", "Reduce_scatter", "Reduce_scatter"},

    MeaningRow{"skampi", "MPI_Allgather", "Allgather", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Allgatherv", "Allgatherv", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Allreduce", "Allreduce"},
    MeaningRow{"skampi", "MPI_Alltoall", "Alltoall", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Alltoallv", "Alltoallv", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Alltoall_Isend_Irecv", "Alltoall by Isend, Irecv", OpKind::by_hand, SizeOf::block},
    MeaningRow{"skampi", "MPI_Barrier", "Barrier", OpKind::barrier},
    MeaningRow{"skampi", "MPI_Bcast", "Bcast"},
    MeaningRow{"skampi", "Bcast_SR", "Bcast by Send, Recv", OpKind::by_hand},
    MeaningRow{"skampi", "MPI_Gather", "Gather", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "Gather_SR", "Gather by Send, Recv", OpKind::by_hand, SizeOf::block},
    MeaningRow{"skampi", "Gather_ISWA", "Gather by Isend, Irecv", OpKind::by_hand, SizeOf::block},
    MeaningRow{"skampi", "MPI_Gatherv", "Gatherv", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Reduce", "Reduce"},
    MeaningRow{"skampi", "MPI_Reduce_Bcast", "Allreduce by Reduce, Bcast", OpKind::by_hand},
    MeaningRow{"skampi", "MPI_Reduce_scatter", "Reduce_scatter"},
    MeaningRow{"skampi", "MPI_Reduce_Scatterv", "Reduce_scatter by Reduce, Scatterv", OpKind::by_hand},
    MeaningRow{"skampi", "MPI_Scan", "Scan"},
    MeaningRow{"skampi", "MPI_Scatter", "Scatter", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Scatterv", "Scatterv", OpKind::collective, SizeOf::block},
    MeaningRow{"skampi", "MPI_Send-MPI_Recv", "Send", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    MeaningRow{"skampi", "MPI_Ssend-MPI_Recv", "Ssend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    MeaningRow{"skampi", "MPI_Isend-MPI_Recv", "Isend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    MeaningRow{"skampi", "MPI_Bsend-MPI_Recv", "Bsend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
    MeaningRow{"skampi", "MPI_Issend-MPI_Recv", "Issend", OpKind::ping_pong, SizeOf::whole, 0.5, 1},

    MeaningRow{"mpbench", "allreduce", "Allreduce"},
    MeaningRow{"mpbench", "alltoall", "Alltoall", OpKind::collective, SizeOf::blocks},
    MeaningRow{"mpbench", "bandwidth", "Send stream", OpKind::stream, SizeOf::whole, 1, 1},
    MeaningRow{"mpbench", "barrier", "Barrier", OpKind::barrier},
    MeaningRow{"mpbench", "bibw", "Send streams", OpKind::streams, SizeOf::whole, 1, 2},
    MeaningRow{"mpbench", "broadcast", "Bcast"},
    MeaningRow{"mpbench", "reduce", "Reduce"},
    MeaningRow{"mpbench", "roundtrip", "PingPong", OpKind::ping_pong, SizeOf::whole, 0.5, 1},
};

/// Names of skampi's measurements end with the varied parameter: MPI_Bcast-length, MPI_Bcast-nodes-short.
bool is_called(MeaningRow const& row, std::string_view benchmark) {
    if (row.benchmark == benchmark)
        return true;
    return row.suite == "skampi" && benchmark.size() > row.benchmark.size() && benchmark.starts_with(row.benchmark) &&
           benchmark[row.benchmark.size()] == '-' && !benchmark.substr(row.benchmark.size() + 1).starts_with("MPI_");
}

/// Saturates on overflow, because sizes may come from any file.
Bytes product(Bytes a, Bytes b) {
    Bytes result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<Bytes>::max() : result;
}

}  // namespace

std::optional<Semantics> semantics_of(std::string_view suite, Record const& record) {
    if (record.semantics)
        return record.semantics;
    auto const found = std::find_if(known_benchmarks.begin(), known_benchmarks.end(), [&](MeaningRow const& row) {
        return row.suite == suite && is_called(row, record.benchmark);
    });
    return found == known_benchmarks.end() ? std::nullopt : std::optional{semantics_of_row(*found)};
}

std::optional<KnownBenchmark> benchmark_of(std::string_view suite, std::string_view operation) {
    auto const found = std::find_if(known_benchmarks.begin(), known_benchmarks.end(), [&](MeaningRow const& row) {
        return row.suite == suite && row.operation == operation;
    });
    if (found == known_benchmarks.end())
        return std::nullopt;
    return KnownBenchmark{std::string{found->benchmark}, semantics_of_row(*found)};
}

bool is_by_hand(std::string_view operation) noexcept {
    return std::any_of(known_benchmarks.begin(), known_benchmarks.end(), [&](MeaningRow const& row) {
        return row.operation == operation && row.kind == OpKind::by_hand;
    });
}

Bytes whole_size(Semantics const& meaning, Bytes bytes, std::int64_t ranks) noexcept {
    return meaning.size == SizeOf::block ? product(bytes, ranks) : bytes;
}

Bytes block_size(Semantics const& meaning, Bytes bytes, std::int64_t ranks) noexcept {
    return meaning.size == SizeOf::blocks ? bytes / ranks : bytes;
}

std::optional<double> time_of(Semantics const& meaning, Quantity quantity, double value,
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

std::optional<std::int64_t> integer_at(Point const& at, std::string_view name) noexcept {
    auto const* const number = std::get_if<std::int64_t>(at.find(name));
    return number != nullptr ? std::optional{*number} : std::nullopt;
}

}  // namespace measure
