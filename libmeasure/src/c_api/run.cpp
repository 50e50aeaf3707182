// SPDX-License-Identifier: BSD-3-Clause
#include "measure/run.hpp"

#include "c_api/c_api.hpp"
#include "c_structs.hpp"

#include <fmt/ranges.h>

#include <tuple>

namespace measure::c_api {

namespace {

measure_iteration c_iteration(Iteration it) noexcept { return {.index = it.index, .sample = it.sample}; }

/// A body that is called through a function pointer.
struct CBody {
    int (*call)(void*, measure_iteration);
    void* context;
    int operator()(Iteration it) const { return call(context, c_iteration(it)); }
};

struct CFinish {
    int (*call)(void*);
    void* context;
    int operator()() const { return call(context); }
};

struct CPrepare {
    void (*call)(void*, measure_iteration);
    void* context;
    void operator()(Iteration it) const {
        if (call != nullptr)
            call(context, c_iteration(it));
    }
};

/// The operation in the version that the program was compiled with; hooks that this version lacks are NULL.
measure_operation c_operation(measure_operation const* operation, std::size_t size) {
    measure_operation all{};
    if (size == 0 || size > sizeof all)
        throw UsageError(fmt::format("the operation has {} bytes, but must have 1 .. {}", size, sizeof all));
    std::memcpy(&all, &need(operation, "the operation"), size);
    if (all.body == nullptr)
        throw UsageError("the body of the operation is NULL");
    return all;
}

/// An empty body, to measure the cost of a call. Volatile, so that the compiler cannot optimise the call away.
int (*volatile empty_c_body)(void*, measure_iteration) = [](void*, measure_iteration) { return 0; };

/// Measures the empty loop through the same calls as the body.
void measure_empty_loop(Comm const& comm, Plan& plan) {
    if (plan.correction == Correction::empty_loop)
        plan.overhead = empty_sample(comm, plan, CBody{empty_c_body, nullptr});
}

/// Selects the loop by the hooks, so that a missing hook costs nothing inside the timed region.
Measurement run_operation(Comm const& comm, Plan const& plan, measure_operation const& o) {
    CBody const body{o.body, o.context};
    CFinish const finish{o.finish, o.context};
    CPrepare const prepare{o.prepare, o.context};
    if (o.finish != nullptr)
        return run(comm, plan, op(body).finish(finish).prepare(prepare));
    if (o.prepare != nullptr)
        return run(comm, plan, op(body).prepare(prepare));
    return run(comm, plan, op(body));
}

double c_quantile(Estimate const& e, double p) {
    auto const found = e.quantiles.find(p);
    return found != e.quantiles.end() ? found->second : nan;
}

/// \param low, high  unchanged (NaN) if there is no interval
void add_interval(std::optional<Interval> const& interval, double& low, double& high) {
    if (interval)
        std::tie(low, high) = *interval;
}

measure_estimate c_estimate(measure_result const& result) {
    if (!result.complete)
        return c_struct<measure_estimate>();
    auto const& m = result.measurement;
    auto all = c_struct<measure_estimate>(m);
    if (m.estimate) {
        fill(all, *m.estimate);
        add_interval(m.estimate->interval, all.interval_low, all.interval_high);
        add_interval(m.estimate->median_interval, all.median_low, all.median_high);
        all.quantile_05 = c_quantile(*m.estimate, 0.05);
        all.quantile_25 = c_quantile(*m.estimate, 0.25);
        all.quantile_75 = c_quantile(*m.estimate, 0.75);
        all.quantile_95 = c_quantile(*m.estimate, 0.95);
    }
    if (m.over_ranks) {
        all.ranks_min = m.over_ranks->min;
        all.ranks_mean = m.over_ranks->mean;
        all.ranks_max = m.over_ranks->max;
    }
    all.sync_bound = c_value(m.sync.bound);
    all.sync_age = c_value(m.sync.age);
    all.sync_residual = c_value(m.sync.residual);
    return all;
}

measure_rank_summary c_summary(RankSummary const& s) noexcept {
    auto summary = c_struct<measure_rank_summary>(s);
    if (s.valid == 0) {
        clear(summary);
        summary.rank = s.rank;
    }
    return summary;
}

/// An element of a list, which is empty if the plan keeps less detail.
template <class T>
T const& element(std::vector<T> const& list, std::int64_t index, char const* what, char const* keep) {
    if (list.empty())
        throw UsageError(fmt::format("no {} here: only the root has them, if the plan keeps {}", what, keep));
    if (index < 0 || index >= static_cast<std::int64_t>(list.size()))
        throw UsageError(fmt::format("{} {} is out of range 0 .. {}", what, index, list.size() - 1));
    return list[static_cast<std::size_t>(index)];
}

}  // namespace

}  // namespace measure::c_api

namespace c_api = measure::c_api;
using measure::c_api::guarded;
using measure::c_api::need;

int measure_run(measure_comm const* comm, measure_plan const* plan, measure_operation const* operation, size_t size,
                measure_result** result, measure_error* error) {
    if (result != nullptr)
        *result = nullptr;
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto [how, what] = c_api::agreed(team, [&] {
            need(result, "the place for the result");
            return std::pair{c_api::resolve(need(plan, "the plan")), c_api::c_operation(operation, size)};
        });
        c_api::measure_empty_loop(team, how);
        auto m = c_api::run_operation(team, how, what);
        auto flags = fmt::format("{}", fmt::join(m.flags, " "));
        auto text = measure::text(m);
        *result = new measure_result{std::move(m), team.is_root(), std::move(flags), std::move(text)};
    });
}

void measure_result_free(measure_result* result) { delete result; }

int measure_result_estimate(measure_result const* result, measure_estimate* estimate, size_t size,
                            measure_error* error) {
    return guarded(error, [&] { c_api::give(c_api::c_estimate(need(result, "the result")), estimate, size); });
}

int measure_result_counts(measure_result const* result, measure_counts* counts, size_t size, measure_error* error) {
    return guarded(error, [&] {
        auto const& m = need(result, "the result").measurement;
        c_api::give(c_api::c_struct<measure_counts>(m, m.invalid), counts, size);
    });
}

int measure_result_mine(measure_result const* result, measure_rank_summary* summary, size_t size,
                        measure_error* error) {
    return guarded(error,
                   [&] { c_api::give(c_api::c_summary(need(result, "the result").measurement.mine), summary, size); });
}

int measure_result_rank(measure_result const* result, int rank, measure_rank_summary* summary, size_t size,
                        measure_error* error) {
    return guarded(error, [&] {
        auto const& ranks = need(result, "the result").measurement.ranks;
        c_api::give(c_api::c_summary(c_api::element(ranks, rank, "ranks", "ranks or samples")), summary, size);
    });
}

int measure_result_sample(measure_result const* result, int64_t index, measure_sample* sample, size_t size,
                          measure_error* error) {
    return guarded(error, [&] {
        auto const& s = c_api::element(need(result, "the result").measurement.samples, index, "samples", "samples");
        c_api::give(c_api::c_struct<measure_sample>(s), sample, size);
    });
}

char const* measure_result_verdict(measure_result const* result) {
    return result != nullptr ? name(result->measurement.verdict) : "";
}

char const* measure_result_stop_reason(measure_result const* result) {
    return result != nullptr ? result->measurement.stop_reason.c_str() : "";
}

char const* measure_result_message(measure_result const* result) {
    return result != nullptr ? result->measurement.message.c_str() : "";
}

char const* measure_result_start(measure_result const* result) {
    return result != nullptr ? result->measurement.start.c_str() : "";
}

char const* measure_result_flags(measure_result const* result) {
    return result != nullptr ? result->flags.c_str() : "";
}

char const* measure_result_text(measure_result const* result) { return result != nullptr ? result->text.c_str() : ""; }
