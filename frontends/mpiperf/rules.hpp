// SPDX-License-Identifier: BSD-3-Clause
/// Rules: from options to points and plan: the methodology of MPIPerf and nothing else. Pure.
#pragma once

#include "bodies/large_count.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/options.hpp"
#include "program/cli/options.hpp"

#include <measure/benchmark.hpp>
#include <measure/clock_sync.hpp>
#include <measure/plan.hpp>
#include <measure/record.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpiperf {

/// first, then as the step says, up to last, which is not forced. After 0, 1 is the next to be multiplied.
/// \param step  doubles where it says nothing  \param force_last  last is added where the steps miss it
[[nodiscard]] std::vector<std::int64_t> progression(std::int64_t first, std::int64_t last, Step const& step,
                                                    bool force_last);

/// The counts up to the next whole number of elements of that datatype, each once.
[[nodiscard]] std::vector<std::int64_t> whole_elements(std::vector<std::int64_t> const& counts,
                                                       bodies::TypeLayout const& datatype);

/// The numbers of processes that --check looks at: 1, 2, 4 .. all, unless others are asked for.
/// \throws measure::UsageError where one is not in the world
[[nodiscard]] std::vector<std::int64_t> sizes_to_check(Options const& options, int world);

/// The numbers of processes and the counts to measure, in a world of so many ranks.
/// \throws measure::UsageError where a number of processes or the root is not in the world, and for a count that the
///         arguments of a test cannot carry, for a datatype that it does not take, for a message in a world of one, and
///         where a test is refused without synchronisation
[[nodiscard]] std::vector<measure::Axis> axes(Options const& options, std::span<Test const* const> tests, int world,
                                              bodies::CountLimits const& limits = {});

/// Executions of a run at that point, unless --batch says otherwise.
[[nodiscard]] std::int64_t batch_of(Test const& test, measure::Point const& at);

/// A test as a campaign has it, but for its maker. The options outlive it.
[[nodiscard]] measure::Benchmark benchmark_of(Test const& test, Options const& options);

/// The clock synchronisation asked for.
[[nodiscard]] measure::Sync sync(Options const& options, program::CommonOptions const& common);

/// Whether runs start by synchronised clocks, or at least report them.
[[nodiscard]] bool uses_clock(Options const& options);

/// Whether runs count only once times have settled: by default, but not in one long loop or from the first call on.
[[nodiscard]] bool settles(Options const& options, program::CommonOptions const& common);

/// The plan of all points.
[[nodiscard]] measure::Plan plan(Options const& options, program::CommonOptions const& common,
                                 measure::AnyTimer const& timer);

/// Changes the plan for tests of that kind. Of a message rank 0 is timed; non-blocking runs are not trimmed (MPIPerf
/// 0.0.3), and their overlap needs each rank's time.
void adjust(Kind kind, Options const& options, measure::Plan& plan);

/// How non-blocking tests are measured, but for the floor of times, which is the clock's.
[[nodiscard]] NonBlockingRules nonblocking_rules(Options const& options, program::CommonOptions const& common);

/// The start by its name in the record. \param oversubscribed  the world has more ranks than cores
[[nodiscard]] std::string start_name(Options const& options, bool oversubscribed);

/// The options as resolved, for the record.
[[nodiscard]] measure::Value describe(Options const& options, program::CommonOptions const& common,
                                      std::span<measure::Axis const> axes, bool oversubscribed);

}  // namespace mpiperf
