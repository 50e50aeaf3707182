// SPDX-License-Identifier: BSD-3-Clause
/// Meaning: the MPI operation that a benchmark measures, and which part of its data the size counts. Records contain
/// this (`semantics`); a table of known benchmarks covers records that do not. Pure, local.
#pragma once

#include <measure/record.hpp>
#include <measure/semantics.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace measure {

/// Semantics from the record, otherwise from the table of known benchmarks. Empty for benchmarks that are not MPI
/// operations and for benchmarks of other programs.
[[nodiscard]] std::optional<Semantics> semantics_of(std::string_view suite, Record const& record);

/// A benchmark from the table.
struct KnownBenchmark {
    std::string name;
    Semantics semantics;
};

/// The suite's benchmark for an operation, from the table, whether or not it was measured.
[[nodiscard]] std::optional<KnownBenchmark> benchmark_of(std::string_view suite, std::string_view operation);

/// Whether the operation is one that programs use in place of an MPI operation.
[[nodiscard]] bool is_by_hand(std::string_view operation) noexcept;

/// Total bytes of an operation, independent of how its suite counts. \param ranks  > 0
[[nodiscard]] Bytes whole_size(Semantics const& semantics, Bytes bytes, std::int64_t ranks) noexcept;

/// Bytes of one block if the operation has blocks, otherwise the total: the usual way to count. \param ranks  > 0
[[nodiscard]] Bytes block_size(Semantics const& semantics, Bytes bytes, std::int64_t ranks) noexcept;

/// Time of one operation, comparable over all sizes of the benchmark. A bandwidth is inverted with the bytes of the
/// point, a rate is inverted. Empty for other quantities and for values that are not above zero. \param value  in the
/// record's unit  \param bytes  size of the record, if it has one
[[nodiscard]] std::optional<double> time_of(Semantics const& semantics, Quantity quantity, double value,
                                            std::optional<Bytes> bytes) noexcept;

/// An integer coordinate of a point.
[[nodiscard]] std::optional<std::int64_t> integer_at(Point const& at, std::string_view name) noexcept;

}  // namespace measure
