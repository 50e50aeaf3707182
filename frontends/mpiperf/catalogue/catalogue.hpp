// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: every test that there is, as one explicit table.
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

/// What a test reports, and by which rules.
enum class Kind { collective, nonblocking, message, stream };
/// The test that needs MPI_THREAD_MULTIPLE.
inline constexpr std::string_view thread_test = "Thread_pingpong";
/// What a test asks of the options beside processes and counts.
enum class Needs {
    nothing,
    neighbours,     ///< a communicator with a topology
    grid,           ///< one with a grid
    one_buffer,     ///< persistent: in a loop without preparation always the same buffers and root
    one_execution,  ///< what is prepared before a run is used up by it
};

/// One test.
struct Test {
    std::string_view name;
    std::string_view text;       ///< its arguments, for people; c is the count
    measure::Bytes element = 0;  ///< bytes of one of the count; 0 where the count is ignored
    bool rooted = false;         ///< has a root
    /// Refuses a count for so many processes: see `check`.
    void (*refuse)(Test const& test, std::int64_t count, int processes) = [](Test const&, std::int64_t, int) {};
    /// Duration where it is known, otherwise null.
    measure::seconds (*expected)(int processes) = nullptr;
    /// Gives a benchmark its maker, and what it does differently from others. The setting outlives the benchmark. Null
    /// for Memory, which is looked at beside the others.
    void (*build)(Test const& test, Setting const& setting, measure::Benchmark& row) = nullptr;
    /// Of a test that takes datatypes, otherwise null.
    bodies::Shape const* shape = nullptr;
    Kind kind = Kind::collective;
    bodies::Collective const* collective = nullptr;  ///< of a test that is one of MPI's
    PluginTest const* plugin = nullptr;              ///< of a plugin's test
    Needs needs = Needs::nothing;
    bool int_counts = false;  ///< of a test with a shape: no large counts, `check` looks at the count
    double scale = 1;         ///< what is reported of the time that is measured: half of a round trip
    std::int64_t batch = 1;   ///< executions of a run, unless --batch says otherwise
    /// Bytes of memory that the executions of a run pass over, in place of `batch`; 0: `batch` counts. A pass over a
    /// cache takes hardly longer than a reading of the clock.
    measure::Bytes batch_bytes = 0;
    /// What kind of operation it is, for readers that compare programs; nothing: none that they should.
    std::optional<measure::OperationKind> operation{};
    std::string_view operation_name{};              ///< of the operation where it is not the test's
    measure::SizeOf size = measure::SizeOf::whole;  ///< what `bytes` counts
    double messages = 0;                            ///< of that size which a process moves meanwhile
    OneSidedTest const* one_sided = nullptr;        ///< of a test of remote memory access
    bool checks_data = false;                       ///< its body checks its data, though it has no shape

    /// Checks a count for so many processes. \throws measure::UsageError that names the number which does not fit
    void check(std::int64_t count, int processes) const { refuse(*this, count, processes); }
};

/// In the order in which they are listed.
[[nodiscard]] std::span<Test const> tests();

/// The test of that name, in any letter case, there or among `own`. \throws measure::UsageError
[[nodiscard]] Test const& find_test(std::string_view name, std::span<Test const> own = {});

}  // namespace mpiperf
