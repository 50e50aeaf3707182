// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: all tests.
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

/// The quantity that a test reports.
enum class Figure {
    rate,          ///< bandwidth, bytes per second
    transactions,  ///< transactions per second
    time,          ///< time of one operation
    message,       ///< time of one operation, plus bytes per second
};

struct Test {
    std::string_view name;  ///< name in options, files and records
    char letter;            ///< option letter; '\0': selected by name only
    Kind kind;
    Figure figure;
    bool pair;     ///< runs between the first and the last task; the others are idle
    bool slowest;  ///< every task runs and times the same operation
    std::string_view text;
    // The operation that an MPI loop of the test measures, so that programs can be compared. Empty if no other program
    // has a comparable operation.
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

/// All tests, in the order of `--test all`, which omits the tests without a letter. PVM lacks the calls for these.
[[nodiscard]] std::span<Test const> tests(Api api = Api::mpi) noexcept;
[[nodiscard]] Test const& test(std::string_view name);  ///< \throws std::out_of_range

/// "mpi", "pvm"
[[nodiscard]] constexpr std::string_view name(Api api) noexcept { return api == Api::mpi ? "mpi" : "pvm"; }

/// Whether a test sums 4-byte integers.
[[nodiscard]] constexpr bool adds(Kind kind) noexcept { return kind == Kind::reduce || kind == Kind::allreduce; }

}  // namespace mpbench
