// SPDX-License-Identifier: BSD-3-Clause
/// Rules: derive points and plan from the options, following the methodology of MPIPerf. Pure.
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

/// The numbers from first up to last in the given steps. last is included only if a step reaches it or if it is
/// forced. A multiplied 0 is followed by 1.
/// \param step  default: doubles  \param force_last  adds last if the steps skip it
[[nodiscard]] std::vector<std::int64_t> progression(std::int64_t first, std::int64_t last, Step const& step,
                                                    bool force_last);

/// Rounds the counts up to whole elements of that datatype and removes duplicates.
[[nodiscard]] std::vector<std::int64_t> whole_elements(std::vector<std::int64_t> const& counts,
                                                       bodies::TypeLayout const& datatype);

/// The numbers of processes that --check measures: 1, 2, 4 .. all, unless the options choose others.
/// \throws measure::UsageError if the world has fewer processes
[[nodiscard]] std::vector<std::int64_t> sizes_to_check(Options const& options, int world);

/// The numbers of processes and the counts to measure, in a world of that many ranks.
/// \throws measure::UsageError if a number of processes or the root is not in the world, if a test cannot carry a
///     count or does not take the datatype, if the world is too small for messages, or if a test needs synchronised
///     starts but the options disable them
[[nodiscard]] std::vector<measure::Axis> axes(Options const& options, std::span<Test const* const> tests, int world,
                                              bodies::CountLimits const& limits = {});

/// Executions per run at that point, unless --batch overrides it.
[[nodiscard]] std::int64_t batch_of(Test const& test, measure::Point const& at);

/// The benchmark of a test without its maker. The options must outlive it.
[[nodiscard]] measure::Benchmark benchmark_of(Test const& test, Options const& options);

/// The clock synchronisation asked for.
[[nodiscard]] measure::Sync sync(Options const& options, program::CommonOptions const& common);

/// Whether runs start on synchronised clocks, or at least report by them.
[[nodiscard]] bool uses_clock(Options const& options);

/// Whether runs count only once times have settled. True by default, false for one long loop and for first calls.
[[nodiscard]] bool settles(Options const& options, program::CommonOptions const& common);

/// The plan of all points.
[[nodiscard]] measure::Plan plan(Options const& options, program::CommonOptions const& common,
                                 measure::AnyTimer const& timer);

/// Adapts the plan to that kind of test. For messages the time of rank 0 counts. Runs of non-blocking tests are not
/// trimmed (MPIPerf 0.0.3), and their overlap needs the time of each rank.
void adjust(Kind kind, Options const& options, measure::Plan& plan);

/// The rules for non-blocking tests, without the shortest time that the clock can measure, which is added later.
[[nodiscard]] NonBlockingRules nonblocking_rules(Options const& options, program::CommonOptions const& common);

/// The name of the start in the record. \param oversubscribed  the world has more ranks than cores
[[nodiscard]] std::string start_name(Options const& options, bool oversubscribed);

/// The options as resolved, for the record.
[[nodiscard]] measure::Value describe(Options const& options, program::CommonOptions const& common,
                                      std::span<measure::Axis const> axes, bool oversubscribed);

}  // namespace mpiperf
