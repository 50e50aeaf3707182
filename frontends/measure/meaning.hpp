// SPDX-License-Identifier: BSD-3-Clause
/// BenchmarkMeaning: which operation of MPI a suite's benchmark measures, and what its size is the size of. Pure,
/// local.
#pragma once

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure_tool {

/// What kind of communication an operation is.
enum class OperationKind {
    collective,
    barrier,
    ping_pong,  ///< the time is half of there and back
    parallel,   ///< every process sends and receives at once
    message,    ///< seen by its sender
    stream,     ///< message after message one way
    streams,    ///< both ways
    by_hand,    ///< what programs put in place of a collective operation
};

/// What the coordinate `bytes` counts.
enum class SizeOf {
    whole,   ///< all that is sent, joined or delivered
    block,   ///< what one process, or one pair, has of it
    blocks,  ///< the blocks of one process together, where others count one of them
};

/// A benchmark as its suite defines it.
struct BenchmarkMeaning {
    std::string_view suite;      ///< of the record
    std::string_view benchmark;  ///< as the suite calls it
    std::string_view operation;  ///< the same in all suites: "Allreduce"
    OperationKind kind = OperationKind::collective;
    SizeOf size = SizeOf::whole;
    double share = 1;     ///< the operation's time over the benchmark's
    double messages = 0;  ///< of the size that a process sends and receives meanwhile; 0: nobody counts them
};

/// Nothing for a benchmark that is none of MPI, or that another program defines.
[[nodiscard]] BenchmarkMeaning const* meaning_of_benchmark(std::string_view suite, std::string_view benchmark) noexcept;

/// The suite's benchmark of that operation, or nullptr.
[[nodiscard]] BenchmarkMeaning const* benchmark_of(std::string_view suite, std::string_view operation) noexcept;

/// Whether the operation is about blocks, one of each process or pair.
[[nodiscard]] bool has_blocks(std::string_view operation) noexcept;

/// Whether it is what programs put in place of an operation.
[[nodiscard]] bool is_by_hand(std::string_view operation) noexcept;

/// All bytes of an operation, however its suite counts. \param ranks  > 0
[[nodiscard]] measure::Bytes whole_size(BenchmarkMeaning const& meaning, measure::Bytes bytes,
                                        std::int64_t ranks) noexcept;

/// One block of an operation that has blocks, otherwise the whole: what most programs count. \param ranks  > 0
[[nodiscard]] measure::Bytes block_size(BenchmarkMeaning const& meaning, measure::Bytes bytes,
                                        std::int64_t ranks) noexcept;

/// The time of one operation in a unit that is the same for all sizes of the benchmark: a rate is turned over by its
/// own bytes, or is a number of operations. Nothing for another quantity, and for what is not above zero.
/// \param value  in the record's unit  \param bytes  the record's size, where it has one
[[nodiscard]] std::optional<double> time_of(BenchmarkMeaning const& meaning, measure::Quantity quantity, double value,
                                            std::optional<measure::Bytes> bytes) noexcept;

/// An integer among a point's coordinates.
[[nodiscard]] std::optional<std::int64_t> integer_at(measure::Point const& at, std::string_view name) noexcept;

}  // namespace measure_tool
