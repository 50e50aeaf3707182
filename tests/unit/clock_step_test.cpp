// SPDX-License-Identifier: BSD-3-Clause
// Times that are not multiples of the clock step: the published intervals must contain them.
#include "measure/launches.hpp"
#include "measure/run.hpp"
#include "measure/two_samples.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace clock_step {

using measure::Comm;
using measure::Estimate;
using measure::Interval;
using measure::Record;
using measure::seconds;

namespace {

using Catch::Matchers::WithinRel;
using Random = std::mt19937_64;

/// Where samples begin within a step of the clock.
enum class Phase {
    free,    ///< anywhere in the step
    tick,    ///< at the start of the step, as after waiting for the clock
    of_run,  ///< anywhere, but at the same place for all samples of a run
};

/// True duration of a call, in ns, and the relative scatter of calls and of launches.
struct Truth {
    double call = 237.3;
    double scatter = 0;
    double between_starts = 0;
};

/// Times of calls, in seconds, read from a clock with this step.
std::vector<double> samples(Truth const& truth, double step, Phase phase, std::size_t n, Random& random) {
    std::uniform_real_distribution<double> anywhere{0, step};
    std::normal_distribution<double> normal{0, 1};
    double const call = truth.call * (1 + truth.between_starts * normal(random));
    double const place = phase == Phase::of_run ? anywhere(random) : 0;
    std::vector<double> xs;
    for (std::size_t i = 0; i < n; ++i) {
        double const begin = phase == Phase::free ? anywhere(random) : place;
        double const end = begin + call * (1 + truth.scatter * normal(random));
        xs.push_back(std::floor(end / step) * step * 1e-9);
    }
    return xs;
}

/// Estimate from 30 calls, as in mpiperf.
Estimate run(Truth const& truth, double step, Phase phase, Random& random) {
    return *measure::estimate(samples(truth, step, phase, 30, random), {.clock_step = step * 1e-9});
}

Record start(Truth const& truth, double step, Phase phase, Random& random) {
    Record record{.benchmark = "Bcast", .estimate = run(truth, step, phase, random)};
    record.value = record.estimate->value;
    record.valid = record.kept = 30;
    return record;
}

Record merged(int starts, Truth const& truth, double step, Phase phase, Random& random) {
    std::vector<std::vector<Record>> launches;
    for (int i = 0; i < starts; ++i)
        launches.push_back({start(truth, step, phase, random)});
    return measure::merge_launches(launches).front();
}

bool holds(std::optional<Interval> const& interval, double ns) {
    return interval && interval->first <= ns * 1e-9 && ns * 1e-9 <= interval->second;
}

/// Number of runs whose intervals contain the true time.
struct Held {
    int mean = 0;            ///< interval of the mean of a run
    int median = 0;          ///< interval of the median of a run
    int launches = 0;        ///< interval of the value of eight launches
    int mean_of_starts = 0;  ///< interval of the mean of eight launches
};

/// \param truth  template; the duration of a call is drawn for each run
Held held(int runs, Truth truth, double step, Phase phase) {
    Random random{20240711};
    std::uniform_real_distribution<double> calls{200, 300};
    Held held;
    for (int i = 0; i < runs; ++i) {
        truth.call = calls(random);
        Truth const of_run{.call = truth.call, .scatter = truth.scatter};
        auto const one = run(of_run, step, phase, random);
        held.mean += holds(one.interval, truth.call) ? 1 : 0;
        held.median += holds(one.median_interval, truth.call) ? 1 : 0;
        auto const all = *merged(8, truth, step, phase, random).estimate;
        held.launches += holds(all.median_interval, truth.call) ? 1 : 0;
        held.mean_of_starts += holds(all.interval, truth.call) ? 1 : 0;
    }
    return held;
}

void check(Held const& held, int least) {
    CHECK(held.mean >= least);
    CHECK(held.median >= least);
    CHECK(held.launches >= least);
    CHECK(held.mean_of_starts >= least);
}

/// Rounds readings down to the step; each reading takes a tenth of the step.
class SteppedTimer : public measure::detail::NanosecondStamps {
public:
    explicit SteppedTimer(std::int64_t step_ns) : step_{step_ns}, time_{std::make_shared<std::int64_t>(0)} {}
    [[nodiscard]] stamp now() const noexcept {
        *time_ += step_ / 10;
        return *time_ / step_ * step_;
    }
    [[nodiscard]] seconds resolution() const noexcept { return seconds{1e-9}; }
    [[nodiscard]] std::string name() const { return "stepped"; }
    void advance(std::int64_t ns) const noexcept { *time_ += ns; }

private:
    std::int64_t step_;
    std::shared_ptr<std::int64_t> time_;
};

constexpr double ns = 1e-9;

std::vector<double> in_ns(std::vector<double> xs) {
    for (double& x : xs)
        x *= ns;
    return xs;
}

measure::Progress progress(std::vector<double> const& xs, double step_ns, std::int64_t iterations = 1) {
    return {.samples = xs,
            .attempts = std::ssize(xs),
            .resolution = seconds{step_ns * ns},
            .iterations_per_sample = iterations};
}

}  // namespace

TEST_CASE("errors include the clock step", "[clock_step]") {
    // Equal samples have no scatter. 10 ns / sqrt(12) = 2.8868 ns.
    auto const xs = in_ns(std::vector<double>(30, 310));
    auto const e = *measure::estimate(xs, {.clock_step = 10 * ns});
    CHECK_THAT(*e.standard_error, WithinRel(2.886751 * ns, 1e-6));
    CHECK_THAT(*e.standard_error_winsorized, WithinRel(2.886751 * ns, 1e-6));
    CHECK_THAT(*e.relative_standard_error, WithinRel(2.886751 / 310, 1e-6));
    CHECK_THAT(e.interval->first, WithinRel(300 * ns, 1e-9));
    CHECK_THAT(e.interval->second, WithinRel(320 * ns, 1e-9));
    CHECK_THAT(e.median_interval->first, WithinRel(300 * ns, 1e-9));
    CHECK_THAT(e.median_interval->second, WithinRel(320 * ns, 1e-9));
    // The clock step may be unknown.
    CHECK(*measure::estimate(xs)->standard_error == 0);
    CHECK_FALSE(measure::estimate(xs)->middle);
    // A larger scatter keeps its error. sqrt(30^2 + 40^2) = 50, sqrt(30^2 + 16^2) = 34.
    CHECK(measure::with_clock_step(Estimate{.standard_error = 3.0}, 10).standard_error == 3.0);
    CHECK(measure::with_clock_step(Interval{60, 116}, 100, 30) == Interval{50, 134});
}

TEST_CASE("the mean of the middle half is not limited to the clock grid", "[clock_step]") {
    // The median is 320 and the middle half is 310 310 320 320.
    auto const xs = in_ns({300, 310, 310, 310, 320, 320, 320, 330});
    auto const e = *measure::estimate(xs, {.trim = 0, .clock_step = 10 * ns});
    CHECK_THAT(e.middle.value(), WithinRel(315 * ns, 1e-9));
    // Equal readings are spread over their step: the middle half of 300, 306, 308, 310, 312, 314, 317.5, 322.5.
    auto const ys = in_ns({300, 310, 310, 310, 310, 310, 320, 320});
    CHECK_THAT(measure::estimate(ys, {.clock_step = 10 * ns})->middle.value(), WithinRel(311 * ns, 1e-9));
    // One step is negligible if the values span 100 steps or more.
    CHECK(measure::estimate(xs, {.clock_step = 3.2 * ns})->middle);
    CHECK_FALSE(measure::estimate(xs, {.clock_step = 3.1 * ns})->middle);
}

TEST_CASE("a launch counts by the mean of its middle half if medians are limited to the clock grid", "[clock_step]") {
    Record record{.benchmark = "Bcast"};
    record.estimate = Estimate{.value = 330 * ns,
                               .median = 310 * ns,
                               .median_interval = Interval{300 * ns, 320 * ns},
                               .min = 300 * ns,
                               .max = 400 * ns,
                               .clock_step = 10 * ns,
                               .middle = 314 * ns};
    record.value = record.estimate->value;
    auto const own = *measure::estimate_of_launch(record);
    CHECK_THAT(own.median, WithinRel(314 * ns, 1e-9));
    CHECK_THAT(own.median_interval->first, WithinRel(304 * ns, 1e-9));
    CHECK_THAT(own.median_interval->second, WithinRel(324 * ns, 1e-9));
    CHECK_FALSE(own.middle);
    CHECK(measure::estimate_of_value(record)->median == 310 * ns);

    // As a rate, with 8 B per call.
    auto const rate = measure::as_rate(record, measure::Quantity::bandwidth, 8);
    CHECK_THAT(measure::estimate_of_launch(rate)->median, WithinRel(8 / (314 * ns), 1e-9));
    CHECK_THAT(rate.estimate->clock_step, WithinRel(8 / (330 * ns) / 33, 1e-9));
    auto const half = measure::scaled(record, 0.5);
    CHECK_THAT(half.estimate->middle.value(), WithinRel(157 * ns, 1e-9));
    CHECK_THAT(half.estimate->clock_step, WithinRel(5 * ns, 1e-9));
}

TEST_CASE("scatter moves the middle of the samples across the clock steps", "[clock_step]") {
    // The clock itself contributes 1 / 12 of a squared step: exp(-2 pi^2 (0.25 - 1 / 12)) = 0.037, but at least a
    // twentieth.
    CHECK_THAT(measure::step_in_difference(10, 5), WithinRel(0.5, 1e-9));
    CHECK_THAT(measure::step_in_difference(10, 4), WithinRel(10 * 0.2201, 1e-3));
    CHECK(measure::step_in_difference(10, 0) == 10);
    CHECK(measure::step_in_difference(10, 2) == 10);
    CHECK(measure::step_in_difference(10, 50) == 0.5);
    CHECK(measure::step_in_difference(0, 50) == 0);
}

TEST_CASE("a correction adds its own error", "[clock_step]") {
    Record record{.benchmark = "MPI_Bcast", .correction = 20 * ns};
    record.estimate = measure::estimate(in_ns(std::vector<double>(30, 310)), {.clock_step = 10 * ns});
    record.value = 290 * ns;
    auto const e = *measure::estimate_of_value(record);
    // 10 ns sqrt(2 / 12) and 10 ns sqrt(2).
    CHECK_THAT(*e.standard_error, WithinRel(4.082483 * ns, 1e-6));
    CHECK_THAT(e.interval->first, WithinRel((290 - 14.142136) * ns, 1e-6));
    CHECK_THAT(e.median_interval->second, WithinRel((290 + 14.142136) * ns, 1e-6));
}

TEST_CASE("equal launches are known to one clock step", "[clock_step]") {
    std::vector<std::vector<Record>> launches;
    for (int i = 0; i < 8; ++i) {
        Record record{.benchmark = "Bcast"};
        record.estimate =
            measure::estimate(in_ns(std::vector<double>(30, 310)), {.clock_step = (i == 3 ? 10 : 5) * ns});
        record.value = record.estimate->value;
        launches.push_back({std::move(record)});
    }
    auto const point = measure::merge_launches(launches).front();
    CHECK(point.estimate->clock_step == 10 * ns);
    CHECK_THAT(point.derived.number({"median_error"}).value(), WithinRel(2.886751 * ns, 1e-6));
    CHECK_THAT(*point.estimate->standard_error, WithinRel(2.886751 * ns, 1e-6));
    CHECK_THAT(point.estimate->median_interval->first, WithinRel(300 * ns, 1e-9));
    CHECK_THAT(point.estimate->interval->second, WithinRel(320 * ns, 1e-9));

    // As bandwidths, with the same relative error.
    for (auto& launch : launches)
        launch.front() = measure::as_rate(launch.front(), measure::Quantity::bandwidth, 8);
    auto const rate = measure::merge_launches(launches).front();
    CHECK_THAT(rate.derived.number({"median_error"}).value() / *rate.value, WithinRel(2.886751 / 310, 1e-6));

    // Records of earlier versions do not contain the step.
    for (auto& launch : launches)
        launch.front().estimate->clock_step = 0;
    auto const old = measure::merge_launches(launches).front();
    CHECK(old.derived.number({"median_error"}).value() == Catch::Approx(0).margin(1e-3));
    CHECK(measure::estimate_of_value(old)->standard_error);
    CHECK_FALSE(measure::estimate_to_show(old)->standard_error);
    CHECK_FALSE(measure::estimate_to_show(old)->interval);
    CHECK(measure::estimate_to_show(rate)->standard_error);
    CHECK(measure::estimate_to_show(rate)->interval);
}

TEST_CASE("launches less than two clock steps apart agree", "[clock_step]") {
    std::vector<double> const xs{40, 40, 40, 40, 50};
    CHECK(measure::launches_disagree(xs));
    CHECK(measure::launches_disagree(xs, 5));
    CHECK_FALSE(measure::launches_disagree(xs, 10));
}

TEST_CASE("levels less than two clock steps apart are not a trend", "[clock_step]") {
    std::vector<double> xs(30, 310);
    xs.resize(60, 320);
    CHECK(measure::find_trend(xs));
    CHECK(measure::find_trend(xs, 0.001, 0.02, 5));
    CHECK_FALSE(measure::find_trend(xs, 0.001, 0.02, 10));
}

TEST_CASE("stages less than two clock steps apart have settled", "[clock_step]") {
    std::vector<double> const first(8, 100);
    std::vector<double> const second(8, 110);
    for (double const step : {0.0, 10.0}) {
        measure::detail::Settler settler{{}, 8};
        settler.add({.times = first, .runs = 8, .clock_step = step});
        settler.add({.times = second, .runs = 8, .clock_step = step});
        CHECK(settler.done() == (step > 0));
    }
}

TEST_CASE("an error target below the resolution of the clock ends the point as exhausted", "[clock_step]") {
    using measure::StopVerdict;
    auto const xs = in_ns(std::vector<double>(20, 310));
    auto const says = [&](measure::StoppingRule const& rule, double step, std::int64_t iterations = 1) {
        auto p = progress(xs, step, iterations);
        p.previous = 18;
        return rule(p);
    };
    auto const is_clock = [](measure::Decision const& d) {
        return d == StopVerdict::exhausted && d.reason == measure::stop::clock_reason;
    };
    // 10 ns / sqrt(12) / 310 ns = 0.93 %; 10 / 310 = 3.2 %.
    CHECK(says(measure::stop::RelativeError{0.01}, 10) == StopVerdict::converged);
    CHECK(is_clock(says(measure::stop::RelativeError{0.009}, 10)));
    CHECK(says(measure::stop::RelativeError{0.009}, 10, 2) == StopVerdict::converged);
    CHECK(says(measure::stop::MedianInterval{0.033}, 10) == StopVerdict::converged);
    CHECK(is_clock(says(measure::stop::MedianInterval{0.032}, 10)));
    CHECK(is_clock(says(measure::stop::Default{}, 10)));
    CHECK(says(measure::stop::Default{}, 10, 2) == StopVerdict::converged);
    CHECK(says(measure::stop::Default{}, 0) == StopVerdict::converged);
    CHECK(is_clock(says(measure::stop::QuantileInterval{.quantile = 0.5, .width = 0.02}, 10)));
    // The first stage whose error is small enough does not end the measurement.
    auto first_look = progress(xs, 10);
    first_look.previous = 10;
    CHECK(measure::StoppingRule{measure::stop::Default{}}(first_look) == StopVerdict::more);
    // If the scatter is too large, more samples help: the interval is 18 ns wide.
    auto const wide = in_ns({310, 330, 310, 330, 310, 330, 310, 330, 310, 330, 310, 330, 310, 330, 310, 330});
    CHECK(measure::StoppingRule{measure::stop::MedianInterval{0.02}}(progress(wide, 10)) == StopVerdict::more);
}

TEST_CASE("the interval of a ratio includes the clock steps of both values", "[clock_step]") {
    auto const record = [](double time, double step) {
        Record r{.benchmark = "Bcast", .kept = 30};
        r.estimate = measure::estimate(in_ns(std::vector<double>(30, time)), {.clock_step = step * ns});
        r.value = r.estimate->value;
        return r;
    };
    // Relative steps of 3 % and 4 % combine to 5 %.
    auto const r = *measure::ratio(record(1000, 30), record(500, 20));
    CHECK_THAT(r.value, WithinRel(2.0, 1e-9));
    CHECK_THAT(*r.standard_error, WithinRel(0.1 / std::sqrt(12.0), 1e-6));
    // The part from Student's t, 2.1448 times the error for about 15 kept samples, is smaller than the step.
    CHECK(r.interval->first < 1.9);
    CHECK(r.interval->first > 1.88);
    CHECK(r.interval->second > 2.1);
    CHECK(measure::with_clock_step({.value = 2}, 0.03, 0.04).interval == std::nullopt);
}

TEST_CASE("a run uses the step of its clock", "[clock_step]") {
    SteppedTimer const timer{100};
    measure::Plan plan{.timer = timer,
                       .start = measure::FreeStart{},
                       .batch = measure::FixedCount{4},
                       .stop = measure::stop::Count{.valid = 30},
                       .warm_up = 0,
                       .settling = {}};
    // A sample takes 4 x 237 + 10 ns, including the reading that ends it.
    auto const m = measure::run(Comm::solo(), plan, timer, [&] { timer.advance(237); });
    REQUIRE(m.estimate);
    CHECK_THAT(m.estimate->clock_step, WithinRel(25 * ns, 1e-9));
    CHECK(*m.estimate->standard_error >= 25 * ns / std::sqrt(12.0));
    CHECK(m.estimate->middle);
    CHECK(holds(m.estimate->interval, 239.5));
    CHECK(m.has_flag("near_timer_floor") == (4 * 237 + 10 < 1000));
    CHECK(measure::make_record("Bcast", {}, m).estimate->clock_step == m.estimate->clock_step);
}

TEST_CASE("intervals contain times between clock ticks when samples start at a tick", "[clock_step]") {
    double const step = GENERATE(1.0, 10.0, 100.0);
    CAPTURE(step);
    check(held(100, {.scatter = 0.02, .between_starts = 0.01}, step, Phase::tick), 93);
}

TEST_CASE("intervals contain times between the steps of a clock", "[clock_step][not_quick]") {
    double const step = GENERATE(1.0, 10.0, 100.0);
    auto const phase = GENERATE(Phase::free, Phase::tick, Phase::of_run);
    double const scatter = GENERATE(0.0, 0.02, 0.2);
    double const between_starts = GENERATE(0.0, 0.01);
    CAPTURE(step, static_cast<int>(phase), scatter, between_starts);
    check(held(300, {.scatter = scatter, .between_starts = between_starts}, step, phase), 279);
}

TEST_CASE("equal measurements differ in at most 5 % of the cases, also with a coarse clock",
          "[clock_step][not_quick]") {
    double const step = GENERATE(1.0, 10.0, 100.0);
    auto const phase = GENERATE(Phase::free, Phase::tick, Phase::of_run);
    double const scatter = GENERATE(0.0, 0.02);
    CAPTURE(step, static_cast<int>(phase), scatter);
    Random random{20240712};
    std::uniform_real_distribution<double> calls{200, 300};
    int differ = 0;
    for (int i = 0; i < 200; ++i) {
        Truth const truth{.call = calls(random), .scatter = scatter, .between_starts = 0.01};
        auto const medians = [&] {
            auto const point = merged(8, truth, step, phase, random);
            std::vector<double> values;
            for (auto const& value : *point.derived.get<measure::Value::Array>("launch_medians"))
                values.push_back(std::get<double>(value.data()));
            return values;
        };
        auto const a = medians();
        auto const b = medians();
        auto const interval = *measure::ratio_interval(a, b);
        bool const is_excluded = interval.first > 1 || interval.second < 1;
        CHECK((!is_excluded || measure::mann_whitney_u(a, b).p < 0.05));
        differ += is_excluded ? 1 : 0;
    }
    CHECK(differ <= 10);
}

}  // namespace clock_step
