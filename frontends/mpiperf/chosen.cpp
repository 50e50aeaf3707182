// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/chosen.hpp"

#include "mpiperf/operations/topologies.hpp"
#include "mpiperf/rules.hpp"

#include <measure/batch.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace mpiperf {

namespace {

using measure::UsageError;

std::vector<Test const*> chosen_tests(Options const& options, std::span<Test const> own) {
    if (options.tests.empty())
        throw UsageError("no test is named (usage: mpiperf [options] TEST...; -q lists the tests)");
    std::vector<Test const*> found;
    for (auto const& text : options.tests)
        if (Test const& test = find_test(named_test(text).name, own); test.build != nullptr)
            found.push_back(&test);
    return found;
}

/// The preparation covers one execution only. Further executions in the same run would find it used up, or find warm
/// buffers.
void check_batch(Options const& o, program::CommonOptions const& common, std::span<Test const* const> tests) {
    auto const batch = common.batch ? measure::batch_from(*common.batch) : measure::Batch{measure::FixedCount{1}};
    if (auto const* const fixed = std::get_if<measure::FixedCount>(&batch); fixed && fixed->iterations == 1)
        return;
    for (Test const* const test : tests)
        if (test->kind == Kind::nonblocking || test->needs == Needs::one_execution ||
            (test->needs == Needs::one_buffer && (o.cold || (o.rotate_root && test->rooted))))
            throw UsageError(
                fmt::format("--batch: {} is prepared before each run{}, so a run has only one execution", test->name,
                            test->needs == Needs::one_buffer ? o.cold ? " (-d)" : " (--rotate-root)" : ""));
}

}  // namespace

Chosen chosen(Options const& options, program::CommonOptions const& common, std::span<Test const> own, int world,
              TextOf const& text_of, bodies::CountLimits const& limits) {
    auto tests = chosen_tests(options, own);
    auto points = axes(options, tests, common.ranks.value_or(world), limits);
    auto topology = chosen_topology(options, tests, points, text_of);
    check_batch(options, common, tests);
    return {std::move(tests), std::move(points), std::move(topology)};
}

}  // namespace mpiperf
