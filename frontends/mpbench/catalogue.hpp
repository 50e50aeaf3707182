// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the tests that there are.
#pragma once

#include <measure/semantics.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mpbench {

/// The message layers.
enum class Api { mpi, pvm };

enum class Kind {
    bandwidth,
    roundtrip,
    latency,
    broadcast,
    reduce,
    allreduce,
    barrier,
    bibw,
    alltoall,
    isend,
    irecv,
    irsend,
};

/// What the number of a test is.
enum class Figure {
    rate,          ///< bytes per second
    transactions,  ///< per second
    time,          ///< of one operation
    message,       ///< time of one operation, and beside it bytes per second
};

struct Test {
    std::string_view name;  ///< in options, files and records
    char letter;            ///< of the option; '\0': only by name
    Kind kind;
    Figure figure;
    bool pair;     ///< between the first and the last task; the others are idle
    bool slowest;  ///< every task does and times the same
    std::string_view text;
    // What a loop of it over MPI measures, for readers that compare programs; nothing: none that they should.
    std::string_view operation{};
    measure::OperationKind operation_kind = measure::OperationKind::collective;
    measure::SizeOf size = measure::SizeOf::whole;
    double share = 1;
    double messages = 0;

    [[nodiscard]] std::optional<measure::Semantics> semantics() const {
        if (operation.empty())
            return std::nullopt;
        return measure::Semantics{std::string{operation}, operation_kind, size, share, messages};
    }
};

/// In the order of `--test all`, which leaves out those without a letter. PVM has no calls for these.
[[nodiscard]] std::span<Test const> tests(Api api = Api::mpi) noexcept;
[[nodiscard]] Test const& test(std::string_view name);  ///< \throws std::out_of_range

/// "mpi", "pvm"
[[nodiscard]] constexpr std::string_view name(Api api) noexcept { return api == Api::mpi ? "mpi" : "pvm"; }

/// Sums are over 4-byte integers.
[[nodiscard]] constexpr bool adds(Kind kind) noexcept { return kind == Kind::reduce || kind == Kind::allreduce; }

}  // namespace mpbench
