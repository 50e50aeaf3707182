// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/rules.hpp"

#include <measure/batch.hpp>
#include <measure/error.hpp>
#include <measure/stopping.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mpiperf {

using measure::UsageError;
using measure::Value;

std::vector<std::int64_t> progression(std::int64_t first, std::int64_t last, Step const& step, bool force_last) {
    constexpr std::int64_t doubling = 2;
    std::vector<std::int64_t> result;
    for (auto x = first;;) {
        result.push_back(x);
        // Compares the remaining distance, so that the next number cannot overflow.
        if (step.add) {
            if (*step.add > last - x)
                break;
            x += *step.add;
        } else {
            auto const factor = step.multiply.value_or(doubling);
            if (x == 0 ? last < 1 : x > last / factor)
                break;
            x = x == 0 ? 1 : x * factor;
        }
    }
    if (force_last && result.back() != last)
        result.push_back(last);
    return result;
}

namespace {

constexpr int both = 2;  // processes that exchange a message

void check_kind(Test const& test, Options const& o, int world) {
    if (test.kind == Kind::collective || test.kind == Kind::stream)
        return;
    if (o.is_nosync())
        throw UsageError(fmt::format("-z nosync: {} needs synchronised starts", test.name));
    if (test.kind == Kind::message && world < both)
        throw UsageError(fmt::format("{} needs 2 processes, but there is only {}", test.name, world));
}

std::int64_t whole(std::int64_t count, std::int64_t unit) {
    // Counts beyond every range are refused later.
    if (count > std::numeric_limits<std::int64_t>::max() - unit)
        return count;
    return (count + unit - 1) / unit * unit;
}

bodies::TypeLayout datatype_of(Options const& o) { return o.datatype.value_or(bodies::TypeLayout{}); }

void check_datatype(Options const& o, Test const& test) {
    using Kind = bodies::TypeLayout::Kind;
    if (!o.datatype || test.element == 0)
        return;
    if (test.shape == nullptr)
        throw UsageError(fmt::format("--datatype: {} can only move bytes, not {}", test.name, o.datatype->name()));
    if (test.shape->element == bodies::Element::real && o.datatype->kind != Kind::real)
        throw UsageError(fmt::format("--datatype: {} adds numbers (MPI_SUM), so the type must be double, not {}",
                                     test.name, o.datatype->name()));
}

}  // namespace

std::vector<std::int64_t> whole_elements(std::vector<std::int64_t> const& counts, bodies::TypeLayout const& datatype) {
    auto const unit = datatype.unit();
    std::vector<std::int64_t> result;
    for (auto const count : counts)
        if (auto const c = whole(count, unit); result.empty() || result.back() != c)
            result.push_back(c);
    return result;
}

namespace {

void check_ranks(int least, int most, int world) {
    if (most > world)
        throw UsageError(fmt::format("-P: there are only {} processes, not {}", world, most));
    if (least > most)
        throw UsageError(fmt::format("-p: there are only {} processes, not {}", most, least));
}

}  // namespace

std::vector<std::int64_t> sizes_to_check(Options const& o, int world) {
    int const most = o.max_ranks.value_or(world);
    int const least = o.min_ranks.value_or(1);
    check_ranks(least, most, world);
    return progression(least, most, o.rank_step, true);
}

namespace {

/// The counts of -x, -X, -s, -S.
std::vector<std::int64_t> common_counts(Options const& o) {
    return whole_elements(progression(o.min_count, o.max_count, o.count_step, o.include_max), datatype_of(o));
}

/// Whether tests are named and each has its own counts.
bool all_have_counts(Options const& o) {
    return !o.tests.empty() && std::none_of(o.tests.begin(), o.tests.end(),
                                            [](std::string const& text) { return named_test(text).counts.empty(); });
}

}  // namespace

std::vector<measure::Axis> axes(Options const& o, std::span<Test const* const> tests, int world,
                                bodies::CountLimits const& limits) {
    int const most = o.max_ranks.value_or(world);
    int const least = o.min_ranks.value_or(std::min(most, world));
    check_ranks(least, most, world);
    bool const rooted = std::any_of(tests.begin(), tests.end(), [](Test const* t) { return t->rooted; });
    if (rooted && o.root >= least)
        throw UsageError(fmt::format("--root: {} is not a rank of {} processes (0 .. {})", o.root, least, least - 1));

    auto const ranks = progression(least, most, o.rank_step, true);
    auto const counts = common_counts(o);
    // Refinement stays within the counts, so checking the largest count is enough.
    for (Test const* const test : tests) {
        auto const n = static_cast<int>(ranks.back());
        check_kind(*test, o, world);
        check_datatype(o, *test);
        auto const own = whole_elements(own_counts(o, test->name), datatype_of(o));
        auto const largest = own.empty() ? counts.back() : own.back();
        test->check(largest, n);
        if (test->shape != nullptr && !test->int_counts)
            static_cast<void>(bodies::carrier(*test->shape, test->name, datatype_of(o), largest, n, limits));
    }
    return {measure::values("ranks", ranks), measure::values("count", counts)};
}

std::int64_t batch_of(Test const& test, measure::Point const& at) {
    if (test.batch_bytes == 0)
        return test.batch;
    constexpr measure::Bytes least = 1024;
    return std::max<std::int64_t>(test.batch_bytes / std::max(at.bytes("bytes"), least), 1);
}

measure::Benchmark benchmark_of(Test const& test, Options const& o) {
    measure::Benchmark row{.name = std::string{test.name}, .summary = std::string{test.text}};
    if (test.operation)
        row.semantics =
            measure::Semantics{.operation = std::string{test.operation_name.empty() ? test.name : test.operation_name},
                               .kind = *test.operation,
                               .size = test.size,
                               .messages = test.messages};
    row.variants = variants({.datatype = o.datatype}, test.shape);
    if (test.kind == Kind::message)
        row.axes = {measure::values("ranks", {both})};
    if (auto const counts = own_counts(o, test.name); !counts.empty())
        row.axes.push_back(measure::values("count", whole_elements(counts, datatype_of(o))));
    // Connections persist, but the library's setup for each communicator starts over.
    if (o.first_calls)
        row.communicator = [](measure::Comm const& team, measure::Point const&) { return team.duplicate(); };
    // Refinement adds counts that may not be whole elements.
    auto const unit = row.variants ? o.datatype->unit() : 1;
    row.complete = [element = test.element, unit](measure::Point& at) {
        at.set("count", whole(at.integer("count"), unit));
        at.set("bytes", element * at.integer("count"));
    };
    row.adjust = [kind = test.kind, &o](measure::Point const&, measure::Plan& plan) { adjust(kind, o, plan); };
    return row;
}

namespace {

/// The paper's algorithms use the published method by default: one rank asks, through messages.
measure::PairOptions pair(Options const& o, program::CommonOptions const& common) {
    bool const published = common.sync_alg == "linear" || common.sync_alg == "ring" || common.sync_alg == "ring:plain";
    auto const channel = published ? measure::OffsetChannel::messages : measure::OffsetChannel::shared;
    return {.patience = o.sync_patience,
            .estimator = o.offset_estimator,
            .both_ways = o.both_ways.value_or(!published),
            .channel = o.offset_channel.value_or(channel)};
}

}  // namespace

measure::Sync sync(Options const& o, program::CommonOptions const& common) {
    return measure::sync_from(common.sync_alg, pair(o, common), o.sync_drift);
}

bool uses_clock(Options const& o) { return !o.is_nosync(); }

namespace {

constexpr std::int64_t first_calls_stage = 32;

measure::SlotStart slots(Options const& o, measure::Sync const& sync) {
    return {.sync = sync,
            .resync_after = o.resync,
            .growth = o.slot_scale,
            .invalid_share = o.invalid_share,
            .rule = o.slot_rule,
            .broadcast_factor = o.bcast_factor};
}

/// For starts that only report by a clock, the campaign synchronises it.
measure::Start start(Options const& o, measure::Sync const& sync) {
    // A first call is longer than any slot.
    if (o.first_calls && !o.start)
        return measure::RoundTimeStart{.sync = sync, .resync_after = o.resync};
    if (!o.start)
        return measure::AutoStart{.slot = slots(o, sync)};
    if (*o.start == "slot")
        return slots(o, sync);
    if (*o.start == "barrier")
        return measure::BarrierStart{};
    if (*o.start == "dissemination")
        return measure::DisseminationStart{};
    if (*o.start == "roundtime")
        return measure::RoundTimeStart{.sync = sync, .resync_after = o.resync};
    return measure::FreeStart{};
}

/// Round-time also has a time limit, in addition to the stopping rule.
measure::StoppingRule with_round_time(Options const& o, measure::StoppingRule rule) {
    constexpr measure::seconds round_time{0.5};
    if (o.start == "roundtime")
        return measure::stop::AnyOf{rule, measure::stop::TimeLimit{round_time}};
    return rule;
}

/// Variant 1 of the paper by default, variant 2 for a relative error, or the library's rule for an interval of the
/// median.
measure::StoppingRule stopping(Options const& o, program::CommonOptions const& common) {
    measure::StoppingRule rule =
        common.stop         ? measure::stop_from(*common.stop)
        : o.median_interval ? measure::StoppingRule{measure::stop::Default{*o.median_interval, fewest_for_median(o),
                                                                           o.max_runs, o.confidence}}
        : o.relative_error
            ? measure::StoppingRule{measure::stop::RelativeError{*o.relative_error, o.min_runs, o.max_runs}}
            : measure::StoppingRule{measure::stop::Count{o.valid_runs.value_or(enough_runs), o.min_runs, o.max_runs}};
    return with_round_time(o, rule);
}

measure::Keep detail_of(Options const& o, program::CommonOptions const& common) {
    if (common.raw)
        return measure::Keep::samples;
    return o.per_process.empty() ? measure::Keep::summary : measure::Keep::ranks;
}

}  // namespace

bool settles(Options const& o, program::CommonOptions const& common) {
    return common.settle && !o.no_warmup && !o.is_nosync() && !o.first_calls;
}

measure::Plan plan(Options const& o, program::CommonOptions const& common, measure::AnyTimer const& timer) {
    measure::Plan p{.timer = timer,
                    .start = start(o, sync(o, common)),
                    .batch = common.batch ? measure::batch_from(*common.batch) : measure::FixedCount{1},
                    .combine = o.time_of.value_or(measure::Combine::max),
                    .stop = stopping(o, common),
                    .estimate = {.trim = o.no_trim ? 0 : o.trim, .error = o.error, .confidence = o.confidence},
                    .correction = measure::Correction::empty_loop,
                    .warm_up = o.no_warmup ? 0 : o.warmup_runs,
                    .settling = settles(o, common) ? std::optional{measure::Settling{}} : std::nullopt,
                    .limit = {},
                    .stage = o.stage_runs,
                    .epochs = common.epochs,
                    .keep = detail_of(o, common)};
    if (o.first_calls) {
        p.stop = measure::stop::Count{.valid = *o.first_calls, .at_most = *o.first_calls};
        p.estimate.trim = 0;
        p.warm_up = 0;
        p.stage = static_cast<int>(std::min(*o.first_calls, first_calls_stage));
        p.at_most = *o.first_calls;
        p.keep = measure::Keep::samples;
    }
    if (o.is_nosync()) {
        // One long sample of back-to-back calls, the method of MPIPerf 0.0.3 without synchronisation.
        p.batch = measure::FixedCount{o.max_runs};
        p.stage = 1;
        p.stop = measure::stop::Count{.valid = 1};
        p.correction = measure::Correction::none;
        p.warm_up = o.no_warmup ? 0 : 1;
    }
    return p;
}

void adjust(Kind kind, Options const& o, measure::Plan& plan) {
    if (kind == Kind::message)
        plan.combine = o.time_of.value_or(measure::Combine::root);
    if (kind == Kind::nonblocking) {
        plan.estimate.trim = 0;
        // The overlap is computed from the ranks' times.
        if (plan.keep == measure::Keep::summary && !o.blocking_mode)
            plan.keep = measure::Keep::ranks;
    }
}

NonBlockingRules nonblocking_rules(Options const& o, program::CommonOptions const& common) {
    return {.blocking_mode = o.blocking_mode,
            .points = o.compute_points,
            .tests = o.tests_per_compute,
            .blocking_stop = with_round_time(o, measure::stop::AnyOf{measure::stop::RelativeError{0.05, 5, o.max_runs},
                                                                     measure::stop::Count{.valid = enough_runs}}),
            .by_rank = detail_of(o, common) != measure::Keep::summary};
}

std::string start_name(Options const& o, bool oversubscribed) {
    return o.start.value_or(oversubscribed || o.first_calls ? "roundtime" : "slot");
}

namespace {

Value numbers(measure::Axis const& axis) {
    Value::Array array;
    for (auto const& x : axis.values)
        array.emplace_back(std::get<std::int64_t>(x));
    return array;
}

Value one_of(std::optional<bool> const& choice, char const* yes, char const* no) {
    return choice ? Value{*choice ? yes : no} : Value{};
}

}  // namespace

Value describe(Options const& o, program::CommonOptions const& common, std::span<measure::Axis const> axes,
               bool oversubscribed) {
    bool const is_counted = !o.relative_error && !o.median_interval && !common.stop;
    Value value = Value::Object{{"tests", Value::Array(o.tests.begin(), o.tests.end())}};
    for (auto const& axis : axes)
        value[axis.name] = numbers(axis);
    if (all_have_counts(o))
        value["count"] = Value{};
    value["start"] = start_name(o, oversubscribed);
    value["stop"] = common.stop         ? *common.stop
                    : o.median_interval ? "interval"
                    : o.relative_error  ? "relative_error"
                                        : "count";
    value["valid_runs"] = is_counted ? Value{o.valid_runs.value_or(enough_runs)} : Value{};
    value["trim"] = o.no_trim ? 0 : o.trim;
    value["warmup_runs"] = o.no_warmup ? 0 : o.warmup_runs;
    value["settle"] = settles(o, common);
    value["offset_roles"] = one_of(o.both_ways, "both", "one");
    value["sync_drift"] = one_of(o.sync_drift, "on", "off");
    value["cold_blocks"] = o.cold ? Value{o.cold_blocks} : Value{};
    value["root"] = o.rotate_root ? Value{"rotating"} : Value{o.root};
    value["time_of"] = measure::name(o.time_of.value_or(measure::Combine::max));
    auto const errors = deviations(o);
    value["deviations"] = Value::Array(errors.begin(), errors.end());
    describe(o, value);
    return value;
}

}  // namespace mpiperf
