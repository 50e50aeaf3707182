// SPDX-License-Identifier: BSD-3-Clause
/// Meaning: which MPI operation a benchmark measures, and which part of its data the size counts. Records state it
/// (`semantics`); a table of the suites' benchmarks serves records that do not. Pure, local.
#pragma once

#include <measure/record.hpp>
#include <measure/semantics.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace measure {

/// What the record says, or what is known of its suite's benchmark of that name; nothing for a benchmark that is none
/// of MPI, or that another program defines.
[[nodiscard]] std::optional<Semantics> semantics_of(std::string_view suite, Record const& record);

/// A suite's benchmark.
struct KnownBenchmark {
    std::string name;
    Semantics semantics;
};

/// The suite's benchmark of that operation, from the table, whether or not it was measured.
[[nodiscard]] std::optional<KnownBenchmark> benchmark_of(std::string_view suite, std::string_view operation);

/// Whether it is what programs put in place of an operation.
[[nodiscard]] bool is_by_hand(std::string_view operation) noexcept;

/// All bytes of an operation, however its suite counts. \param ranks  > 0
[[nodiscard]] Bytes whole_size(Semantics const& semantics, Bytes bytes, std::int64_t ranks) noexcept;

/// One block of an operation that has blocks, otherwise the whole: what most programs count. \param ranks  > 0
[[nodiscard]] Bytes block_size(Semantics const& semantics, Bytes bytes, std::int64_t ranks) noexcept;

/// The time of one operation in a unit that is the same for all sizes of the benchmark: a rate is turned over by its
/// own bytes, or is a number of operations. Nothing for another quantity, and for what is not above zero.
/// \param value  in the record's unit  \param bytes  the record's size, where it has one
[[nodiscard]] std::optional<double> time_of(Semantics const& semantics, Quantity quantity, double value,
                                            std::optional<Bytes> bytes) noexcept;

/// An integer among a point's coordinates.
[[nodiscard]] std::optional<std::int64_t> integer_at(Point const& at, std::string_view name) noexcept;

}  // namespace measure
