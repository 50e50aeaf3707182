// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: all tests in one explicit table.
#pragma once

#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mpiperf {

struct PluginTest;
struct OneSidedTest;

/// The kind of a test, which decides its report and its rules.
enum class Kind { collective, nonblocking, message, stream };
/// The test that needs MPI_THREAD_MULTIPLE.
inline constexpr std::string_view thread_test = "Thread_pingpong";
/// Requirements of a test besides processes and counts.
enum class Needs {
    nothing,
    neighbours,     ///< a communicator with a topology
    grid,           ///< a communicator with a grid
    one_buffer,     ///< a persistent operation: in a loop without preparation, buffers and root cannot change
    one_execution,  ///< each execution uses up its preparation
};

/// One test.
struct Test {
    std::string_view name;
    std::string_view text;       ///< description of the arguments for people; c is the count
    measure::Bytes element = 0;  ///< bytes per element of the count; 0: the count is ignored
    bool rooted = false;         ///< whether the test has a root
    /// Refuses a count for a number of processes; see `check`.
    void (*refuse)(Test const& test, std::int64_t count, int processes) = [](Test const&, std::int64_t, int) {};
    /// The duration if it is known, otherwise null.
    measure::seconds (*expected)(int processes) = nullptr;
    /// Sets a benchmark's maker and its differences from the defaults. The setting outlives the benchmark. Null for
    /// Memory, which is handled separately.
    void (*build)(Test const& test, Setting const& setting, measure::Benchmark& row) = nullptr;
    /// The shape of a test that takes datatypes, otherwise null.
    bodies::Shape const* shape = nullptr;
    Kind kind = Kind::collective;
    bodies::Collective const* collective = nullptr;  ///< set if the test is a collective of MPI
    PluginTest const* plugin = nullptr;              ///< set if the test is a plugin's
    Needs needs = Needs::nothing;
    bool int_counts = false;  ///< true for a test with a shape but no large counts: `check` tests the count
    double scale = 1;         ///< factor from measured to reported time: 0.5 for half of a round trip
    std::int64_t batch = 1;   ///< executions per run, unless --batch overrides it
    /// Bytes of memory that the executions of a run pass over; replaces `batch` unless 0. A single pass over a cache
    /// takes hardly longer than a clock reading.
    measure::Bytes batch_bytes = 0;
    /// The kind of operation, for readers that compare programs; no value: not to be compared.
    std::optional<measure::OperationKind> operation{};
    std::string_view operation_name{};              ///< name of the operation if it differs from the test's name
    measure::SizeOf size = measure::SizeOf::whole;  ///< the size that `bytes` means
    double messages = 0;                            ///< messages of that size that a process moves in the reported time
    OneSidedTest const* one_sided = nullptr;        ///< set if the test is one of remote memory access
    bool checks_data = false;                       ///< the body checks its data although it has no shape

    /// Checks a count for a number of processes. \throws measure::UsageError that names the number which does not fit
    void check(std::int64_t count, int processes) const { refuse(*this, count, processes); }
};

/// All tests, in the order of the list.
[[nodiscard]] std::span<Test const> tests();

/// The test of that name, in any letter case, from the catalogue or `own`. \throws measure::UsageError
[[nodiscard]] Test const& find_test(std::string_view name, std::span<Test const> own = {});

}  // namespace mpiperf
