// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/record.hpp"
#include "measure/report.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

using Catch::Approx;
using measure::make_record;
using measure::Point;
using measure::PointStatus;
using measure::Quantity;
using measure::Record;
using measure::StopVerdict;
using measure::UsageError;
using measure::Value;

namespace {

/// Four samples of 2, 4, 5 and 9 us. The middle two are kept: mean 4.5 us.
measure::Estimate four_samples() {
    measure::Estimate e;
    e.value = 4.5;
    e.standard_error = 0.5;
    e.interval = measure::Interval{3, 6};
    e.median = 4.5;
    e.median_interval = measure::Interval{2, 9};
    e.min = 2;
    e.max = 9;
    e.quantiles = {{0.05, 2.25}, {0.95, 8.5}};
    e.samples = 4;
    e.kept = 2;
    e.kept_min = 4;
    e.kept_max = 5;
    e.standard_error_over_sqrt_n = 0.25;
    e.relative_standard_error = 0.3;
    e.effective_samples = 4;
    return e;
}

measure::Measurement converged() {
    measure::Measurement m;
    m.verdict = StopVerdict::converged;
    m.stop_reason = "interval";
    m.estimate = four_samples();
    m.attempts = 5;
    m.valid = 4;
    m.kept = 2;
    m.invalid.late = 1;
    m.over_ranks = measure::RankSpread{3, 4, 4.5};
    m.elapsed = 0.25;
    return m;
}

std::string derived(Record const& record) { return measure::json_text(record.derived); }

}  // namespace

TEST_CASE("an object keeps the order of its members and creates missing ones", "[record]") {
    Value value;
    value["b"] = 1;
    value["a"]["inner"] = "text";
    value["b"] = true;
    CHECK(measure::json_text(value) == R"({"b":true,"a":{"inner":"text"}})");
    REQUIRE(value.find("a") != nullptr);
    CHECK(value.find("a")->find("inner") != nullptr);
    CHECK(value.find("c") == nullptr);
    CHECK(Value{3}.find("a") == nullptr);
}

TEST_CASE("a member of a value that is not an object is a usage error", "[record]") {
    Value number{3};
    CHECK_THROWS_AS(number["a"], UsageError);
}

TEST_CASE("a number is found by its path", "[record]") {
    Value const value{Value::Object{{"overlap", Value::Object{{"max", 0.25}, {"ranks", 4}, {"text", "0.5"}}}}};
    CHECK(value.number({"overlap", "max"}) == 0.25);
    CHECK(value.number({"overlap", "ranks"}) == 4.);
    CHECK(Value{1.5}.number({}) == 1.5);
    CHECK_FALSE(value.number({"overlap"}));
    CHECK_FALSE(value.number({"overlap", "text"}));
    CHECK_FALSE(value.number({"overlap", "min"}));
    CHECK_FALSE(value.number({"overlap", "max", "more"}));
}

TEST_CASE("an empty optional is null", "[record]") {
    CHECK(Value{std::optional<double>{}}.is_null());
    CHECK(measure::json_text(Value{std::optional{0.5}}) == "0.5");
}

TEST_CASE("coordinates are read by name and type", "[record]") {
    Point at{{"ranks", std::int64_t{2}}, {"compute", 0.25}, {"mode", std::string{"fast"}}, {"warm", true}};
    CHECK(at.ranks() == 2);
    CHECK(at.number("ranks") == 2.0);
    CHECK(at.duration("compute") == measure::seconds{0.25});
    CHECK(at.text("mode") == "fast");
    CHECK(at.has("warm"));
    CHECK_FALSE(at.has("bytes"));
    CHECK(at.text() == "ranks=2 compute=0.25 mode=fast warm=true");
    at.set("ranks", std::int64_t{4}).set("bytes", std::int64_t{8});
    CHECK(at.text() == "ranks=4 compute=0.25 mode=fast warm=true bytes=8");
}

TEST_CASE("a missing coordinate or a wrong type is reported with the point", "[record]") {
    Point const at{{"mode", std::string{"fast"}}, {"share", 0.5}};
    CHECK_THROWS_WITH(at.bytes("bytes"), "no coordinate 'bytes' in the point 'mode=fast share=0.5'");
    CHECK_THROWS_WITH(at.bytes("share"), "coordinate 'share' of the point 'mode=fast share=0.5' is not an integer");
    CHECK_THROWS_AS(at.number("mode"), UsageError);
    CHECK_THROWS_AS(at.text("share"), UsageError);
}

TEST_CASE("a quantity determines its unit, and a rate of operations has the name rate", "[record]") {
    CHECK(measure::unit(Quantity::time) == "s");
    CHECK(measure::unit(Quantity::bandwidth) == "B/s");
    CHECK(measure::unit(Quantity::rate) == "1/s");
    CHECK(measure::unit(Quantity::flops) == "flop/s");
    CHECK(measure::unit(Quantity::memory) == "B");
    CHECK(measure::unit(Quantity::ratio) == "1");
    CHECK(measure::unit(Quantity::count) == "1");
    CHECK(measure::name(Quantity::flops) == "rate");
}

TEST_CASE("a flag is added once", "[record]") {
    Record record;
    record.flag("migrated");
    record.flag("migrated");
    CHECK(record.flags == std::vector<std::string>{"migrated"});
}

TEST_CASE("the record of a measurement has the estimate as its value, and the counts", "[record]") {
    auto const record = make_record("Bcast", {{"ranks", std::int64_t{2}}}, converged());
    CHECK(record.benchmark == "Bcast");
    CHECK(record.status == PointStatus::converged);
    CHECK(record.stop_reason == "interval");
    CHECK(record.value == 4.5);
    CHECK(record.message.empty());
    CHECK(record.attempts == 5);
    CHECK(record.valid == 4);
    CHECK(record.kept == 2);
    CHECK(record.invalid.late == 1);
    CHECK(record.over_ranks->mean == 4);
    CHECK(record.iterations_per_sample == 1);
    CHECK(record.elapsed == measure::seconds{0.25});
    CHECK_FALSE(record.has_samples);
}

TEST_CASE("derived values contain only known members", "[record]") {
    CHECK(derived(make_record("Bcast", {}, converged())) ==
          R"({"kept_min":4.0,"kept_max":5.0,"standard_error_over_sqrt_n":0.25,"rse":0.3,)"
          R"("skewness":0.0,"autocorrelation":0.0,"effective_samples":4.0})");

    measure::Measurement m;
    m.verdict = StopVerdict::no_valid_samples;
    m.stop_reason = "exhausted";
    CHECK(derived(make_record("Bcast", {}, m)) == "{}");
}

TEST_CASE("derived values include spans, slots, first calls and the state of the clocks", "[record]") {
    measure::Measurement m;
    m.span = 5;
    m.start_imbalance = 0.5;
    m.exit_imbalance = 0.75;
    m.corrected = 4;
    m.slot_lengths = {16, 8};
    m.broadcast_bound = 20;
    m.first_call = 12;
    m.second_call = 3;
    m.sync.age = 0.5;
    m.sync.bound = 0.125;
    CHECK(derived(make_record("Bcast", {}, m)) ==
          R"({"span":5.0,"start_imbalance":0.5,"exit_imbalance":0.75,"corrected":4.0,"first_call":12.0,)"
          R"("second_call":3.0,"broadcast_bound":20.0,"first_call_ratio":4.0,"slot_lengths":[16.0,8.0],)"
          R"("sync":{"age":0.5,"bound":0.125,"residual":null}})");
    measure::Measurement looked_again;
    looked_again.sync = {.residual = 0.5, .residual_rms = 0.25};
    CHECK(derived(make_record("Bcast", {}, looked_again)) ==
          R"({"sync":{"age":null,"bound":null,"residual":0.5,"residual_rms":0.25}})");
}

TEST_CASE("a second call that took 0 s has no ratio", "[record]") {
    measure::Measurement m;
    m.first_call = 12;
    m.second_call = 0;
    CHECK(derived(make_record("Bcast", {}, m)) == R"({"first_call":12.0,"second_call":0.0})");
}

TEST_CASE("several epochs show the mean and standard error of each epoch", "[record]") {
    measure::Measurement m;
    m.epochs.resize(2);
    m.epochs[0].estimate = four_samples();
    CHECK(derived(make_record("Bcast", {}, m)) == R"({"epochs":[4.5,null],"epoch_standard_errors":[0.5,null]})");
    m.epochs.resize(1);
    CHECK(derived(make_record("Bcast", {}, m)) == "{}");
}

TEST_CASE("phases have their names and ranks keep their order", "[record]") {
    measure::Measurement m;
    m.phases = {{"issue", four_samples()}, {"wait", std::nullopt}};
    m.ranks = {{.rank = 0, .valid = 2, .mean = 3, .standard_error = 1, .min = 2, .max = 4},
               {.rank = 1, .valid = 1, .mean = 5, .min = 5, .max = 5},
               {.rank = 2}};
    CHECK(derived(make_record("Ibcast", {}, m)) ==
          R"({"phases":{"issue":{"mean":4.5,"min":2.0,"max":9.0},"wait":null},"by_rank":[)"
          R"({"rank":0,"valid":2,"mean":3.0,"standard_error":1.0,"min":2.0,"max":4.0},)"
          R"({"rank":1,"valid":1,"mean":5.0,"standard_error":null,"min":5.0,"max":5.0},)"
          R"({"rank":2,"valid":0,"mean":null,"standard_error":null,"min":null,"max":null}]})");
}

TEST_CASE("a limit that is reached first gives the status exhausted and keeps the value", "[record]") {
    auto m = converged();
    m.verdict = StopVerdict::exhausted;
    auto const record = make_record("Bcast", {}, m);
    CHECK(record.status == PointStatus::exhausted);
    CHECK(record.value == 4.5);
}

TEST_CASE("without a valid sample there is no value, and the message states the reason", "[record]") {
    measure::Measurement m;
    m.verdict = StopVerdict::no_valid_samples;
    m.message = "no slot was valid in 20 stages";
    m.attempts = 160;
    m.invalid = {.late = 159, .failed = 1};
    auto const record = make_record("Barrier", {}, m);
    CHECK(record.status == PointStatus::no_valid_samples);
    CHECK(record.message == "no slot was valid in 20 stages");
    CHECK_FALSE(record.value);
    CHECK_FALSE(record.estimate);
}

TEST_CASE("an operation that failed in every sample has crashed", "[record]") {
    measure::Measurement m;
    m.verdict = StopVerdict::no_valid_samples;
    m.attempts = 8;
    m.invalid.failed = 8;
    auto const record = make_record("Barrier", {}, m);
    CHECK(record.status == PointStatus::crashed);
    CHECK(record.message == "the operation reported an error in all 8 samples");
}

TEST_CASE("a point that was not measured has a message and no numbers", "[record]") {
    auto const record = make_record("Bcast", {}, PointStatus::skipped, "time_budget");
    CHECK(record.status == PointStatus::skipped);
    CHECK(record.message == "time_budget");
    CHECK_FALSE(record.value);
    CHECK(record.attempts == 0);
    CHECK_THROWS_AS(make_record("Bcast", {}, PointStatus::skipped, ""), UsageError);
    CHECK_THROWS_AS(make_record("Bcast", {}, PointStatus::converged, "done"), UsageError);
}

TEST_CASE("a rate is the work over the mean time, and its intervals are inverted", "[record]") {
    // 90 bytes in 4.5 s; 90 / 6 = 15, 90 / 3 = 30; relative standard error 0.5 / 4.5 = 1 / 9.
    auto const rate = measure::as_rate(make_record("Bcast", {}, converged()), Quantity::bandwidth, 90);
    CHECK(rate.quantity == Quantity::bandwidth);
    CHECK(rate.value == 20);
    REQUIRE(rate.estimate);
    CHECK(rate.estimate->value == 20);
    CHECK_THAT(*rate.estimate->standard_error, Catch::Matchers::WithinAbs(20.0 / 9, 1e-12));
    CHECK(rate.estimate->interval == measure::Interval{15, 30});
    CHECK(rate.estimate->median == 20);
    CHECK(rate.estimate->median_interval == measure::Interval{10, 45});
    CHECK(rate.estimate->min == 10);
    CHECK(rate.estimate->max == 45);
    CHECK(rate.estimate->kept_min == 18);
    CHECK(rate.estimate->kept_max == 22.5);
    CHECK_THAT(*rate.estimate->standard_error_over_sqrt_n, Catch::Matchers::WithinAbs(20.0 / 18, 1e-12));
    CHECK_FALSE(rate.estimate->standard_error_over_sqrt_kept);
    CHECK(rate.estimate->relative_standard_error == 0.3);
}

TEST_CASE("the high quantile of a time is the low quantile of its rate", "[record]") {
    // 90 / 8.5 at 0.05, 90 / 2.25 = 40 at 0.95.
    auto const rate = measure::as_rate(make_record("Bcast", {}, converged()), Quantity::bandwidth, 90);
    auto const& quantiles = rate.estimate->quantiles;
    REQUIRE(quantiles.size() == 2);
    CHECK(quantiles.at(0.05) == 90 / 8.5);
    CHECK(quantiles.at(0.95) == 40);
}

TEST_CASE("the smallest rate over ranks is that of the slowest rank", "[record]") {
    auto const rate = measure::as_rate(make_record("Bcast", {}, converged()), Quantity::rate, 9);
    CHECK(rate.over_ranks->min == 2);
    CHECK(rate.over_ranks->mean == 2.25);
    CHECK(rate.over_ranks->max == 3);
}

TEST_CASE("a time interval that reaches zero gives no interval of the rate", "[record]") {
    auto m = converged();
    m.estimate->interval = measure::Interval{-1, 10};
    CHECK_FALSE(measure::as_rate(make_record("Bcast", {}, m), Quantity::rate, 9).estimate->interval);
}

TEST_CASE("a time of zero has no rate", "[record]") {
    auto m = converged();
    m.estimate->value = 0;
    CHECK_FALSE(measure::as_rate(make_record("Null", {}, m), Quantity::rate, 9).value);
}

TEST_CASE("page faults counted in user loops appear in the settling report per run", "[record]") {
    measure::SettlingReport const counted{.runs = 2, .faults_counted = 30, .faults_all_ranks = 50};
    auto record = measure::make_record("ping", {}, measure::Measurement{.estimate = measure::Estimate{.value = 1}});
    note_settling(record, {}, 1000);
    CHECK(record.derived.find("settling") == nullptr);
    CHECK_FALSE(record.has_flag("unsettled"));
    note_settling(record, counted, 1000);
    auto const* const settling = record.derived.find("settling");
    REQUIRE(settling != nullptr);
    CHECK(std::get<std::int64_t>(settling->find("runs")->data()) == 2);
    CHECK(std::get<std::string>(settling->find("reason")->data()) == "off");
    CHECK(std::get<double>(settling->find("faults_counted")->data()) == 0.03);
    CHECK(std::get<double>(settling->find("faults_all_ranks")->data()) == 0.05);
    CHECK(record.has_flag("unsettled"));
}

TEST_CASE("a loop is one sample with many repetitions", "[record]") {
    auto record = measure::make_record(
        "PingPong", {{"bytes", 8}},
        measure::LoopTimes{.iterations = 1000, .time = 2e-6, .over_ranks = {{1e-6, 1.5e-6, 2e-6}}});
    CHECK(record.value == 2e-6);
    CHECK(record.status == PointStatus::converged);
    CHECK(record.message.empty());
    CHECK(record.attempts == 1);
    CHECK(record.valid == 1);
    CHECK(record.kept == 1);
    CHECK(record.iterations_per_sample == 1000);
    REQUIRE(record.samples.size() == 1);
    CHECK(record.samples[0].time == 2e-6);
    CHECK(record.over_ranks->min == 1e-6);
    CHECK(record.derived.find("settling") == nullptr);

    // Page faults in more than 1 % of the runs.
    record = measure::make_record("PingPong", {},
                                  measure::LoopTimes{.iterations = 1000,
                                                     .time = 2e-6,
                                                     .settling = measure::SettlingReport{.faults_counted = 11}});
    CHECK(record.has_flag("unsettled"));
}

TEST_CASE("a loop during which the clock went back has no time", "[record]") {
    auto const record = measure::make_record("PingPong", {{"bytes", 8}},
                                             measure::LoopTimes{.iterations = 1000, .time = -3, .is_backward = true});
    CHECK_FALSE(record.value);
    CHECK(record.status == PointStatus::no_valid_samples);
    CHECK(record.message == "the clock went back");
    CHECK((record.attempts == 1 && record.valid == 0 && record.kept == 0 && record.invalid.backward == 1));
    CHECK(record.samples.at(0).invalid == measure::InvalidReason::backward);
    CHECK(record.samples.at(0).time == 0);
}

TEST_CASE("new settling facts replace the flag", "[record]") {
    auto record = measure::make_record("loop", {}, measure::Measurement{.estimate = measure::Estimate{.value = 1}});
    record.flag("unsettled");
    record.flag("oversubscribed");
    note_settling(record, {.faults_counted = 30, .faults_all_ranks = 30}, 3000);
    CHECK(record.flags == std::vector<std::string>{"oversubscribed"});
}

TEST_CASE("a point without a value is not flagged as unsettled", "[record]") {
    auto record = measure::make_record("loop", {}, measure::PointStatus::crashed, "wrong data");
    note_settling(record, {.faults_counted = 30, .faults_all_ranks = 30}, 3);
    CHECK_FALSE(record.has_flag("unsettled"));
}

TEST_CASE("halving a round trip halves every number of the estimate but not the samples", "[record]") {
    Record record{.benchmark = "PingPong", .value = 4.0, .over_ranks = measure::RankSpread{2, 3, 4}};
    auto& e = record.estimate.emplace();
    e.value = 4;
    e.standard_error = 0.5;
    e.interval = measure::Interval{3, 5};
    e.median = 4.5;
    e.median_interval = measure::Interval{4, 6};
    e.min = 1;
    e.max = 9;
    e.quantiles = {{0.05, 2.0}};
    e.kept_min = 3;
    e.kept_max = 7;
    e.relative_standard_error = 0.125;
    record.correction = 0.25;
    auto const half = measure::scaled(record, 0.5);
    CHECK(half.value == 2.0);
    CHECK(half.over_ranks->min == 1);
    CHECK(half.over_ranks->mean == 1.5);
    CHECK(half.over_ranks->max == 2);
    CHECK(half.estimate->value == 2);
    CHECK(half.estimate->standard_error == 0.25);
    CHECK(half.estimate->interval == measure::Interval{1.5, 2.5});
    CHECK(half.estimate->median == 2.25);
    CHECK(half.estimate->median_interval == measure::Interval{2, 3});
    CHECK(half.estimate->min == 0.5);
    CHECK(half.estimate->max == 4.5);
    CHECK(half.estimate->quantiles.at(0.05) == 1);
    CHECK(half.estimate->kept_min == 1.5);
    CHECK(half.estimate->kept_max == 3.5);
    CHECK(half.estimate->relative_standard_error == 0.125);
    CHECK(half.correction == 0.25);
    CHECK_THROWS_AS(measure::scaled(record, 0), measure::UsageError);
}

TEST_CASE("the ratio of two points includes the errors of both", "[record]") {
    auto const record = [](double value, double error, std::int64_t kept) {
        Record r;
        r.value = value;
        r.kept = kept;
        auto& estimate = r.estimate.emplace();
        estimate.value = value;
        estimate.standard_error = error;
        estimate.confidence = 0.95;
        return r;
    };
    auto const r = measure::ratio(record(6, 0.18, 16), record(2, 0.08, 5));
    REQUIRE(r);
    CHECK(r->value == 3);
    CHECK(*r->standard_error == Catch::Approx(0.15));                             // 3 sqrt(0.03^2 + 0.04^2)
    CHECK(r->interval->second == Catch::Approx(3 + 2.776 * 0.15).epsilon(1e-4));  // t(4)
    CHECK_FALSE(measure::ratio(Record{}, record(2, 0.08, 5)));
    auto without = record(6, 0, 1);
    without.estimate->standard_error.reset();
    CHECK_FALSE(measure::ratio(without, record(2, 0.08, 5))->standard_error);
}

TEST_CASE("a ratio has the degrees of freedom of the effective samples", "[record]") {
    Record r;
    r.value = 2;
    r.kept = 32;
    auto& estimate = r.estimate.emplace();
    estimate.value = 2;
    estimate.standard_error = 0.02;
    estimate.samples = 64;
    estimate.effective_samples = 10;
    auto const ratio = measure::ratio(r, r);
    REQUIRE(ratio);
    CHECK(ratio->interval->second == Catch::Approx(1 + 2.7764 * *ratio->standard_error).epsilon(1e-4));  // t(5 - 1)
    // At least one degree of freedom.
    estimate.effective_samples = 2;
    CHECK(measure::ratio(r, r)->interval->second == Catch::Approx(1 + 12.7062 * *ratio->standard_error).epsilon(1e-4));
}

TEST_CASE("a single observation gives a ratio without an interval", "[record]") {
    Record r;
    r.value = 2;
    r.kept = 1;
    auto& estimate = r.estimate.emplace();
    estimate.value = 2;
    estimate.standard_error = 0.02;
    auto const ratio = measure::ratio(r, r);
    REQUIRE(ratio);
    CHECK(ratio->standard_error);
    CHECK_FALSE(ratio->interval);
}

TEST_CASE("each joined launch counts as one observation, and the error is that of the median", "[record]") {
    Record r;
    r.value = 2;
    r.kept = 1000;  // samples of all launches
    auto& estimate = r.estimate.emplace();
    estimate.value = 5;  // the mean, which one disturbed launch has shifted
    estimate.median = 2;
    estimate.standard_error = 3;
    r.derived["launch_medians"] = Value::Array{1.98, 2.0, 2.02, 17.0, nullptr};
    r.derived["median_error"] = 0.02;
    auto const ratio = measure::ratio(r, r);
    REQUIRE(ratio);
    CHECK(*ratio->standard_error == Catch::Approx(std::sqrt(2) * 0.01));                                  // 0.02 / 2
    CHECK(ratio->interval->second == Catch::Approx(1 + 3.18245 * *ratio->standard_error).epsilon(1e-4));  // t(3)
}

TEST_CASE("a ratio of points with several epochs has one observation per epoch", "[record]") {
    Record r;
    r.value = 2;
    r.kept = 100;
    auto& estimate = r.estimate.emplace();
    estimate.value = 2;
    estimate.standard_error = 0.02;
    r.derived["epochs"] = Value::Array{1.9, 2.0, 2.1};
    auto const ratio = measure::ratio(r, r);
    REQUIRE(ratio);
    CHECK(ratio->interval->second == Catch::Approx(1 + 4.3027 * *ratio->standard_error).epsilon(1e-4));  // t(2)
    auto const value = measure::describe(*ratio, "another");
    CHECK(std::get<std::string>(value.find("of")->data()) == "another");
    CHECK(std::get<double>(value.find("value")->data()) == 1);
    r.value.reset();
    CHECK_FALSE(measure::ratio(r, r));
}

TEST_CASE("rates are made only from times, and only times become rates", "[record]") {
    auto const time = make_record("Bcast", {}, converged());
    auto const rate = measure::as_rate(time, Quantity::rate, 1);
    CHECK_THROWS_AS(measure::as_rate(rate, Quantity::rate, 1), UsageError);
    CHECK_THROWS_AS(measure::as_rate(time, Quantity::memory, 1), UsageError);
    CHECK_THROWS_AS(measure::as_rate(time, Quantity::rate, -1), UsageError);
}

namespace {

enum Unscoped { first_of_them };
enum class Scoped { only };

static_assert(std::is_convertible_v<bool, Value> && std::is_convertible_v<int, Value> &&
              std::is_convertible_v<std::uint64_t, Value> && std::is_convertible_v<signed char, Value>);
static_assert(std::is_convertible_v<float, Value> && std::is_convertible_v<double, Value> &&
              std::is_convertible_v<char const*, Value> && std::is_convertible_v<std::string, Value>);
// Types that would be converted silently to a bool, a number or a character code.
static_assert(!std::is_constructible_v<Value, int*> && !std::is_constructible_v<Value, void const*> &&
              !std::is_constructible_v<Value, void (*)()>);
static_assert(!std::is_constructible_v<Value, char> && !std::is_constructible_v<Value, char32_t>);
static_assert(!std::is_constructible_v<Value, Unscoped> && !std::is_constructible_v<Value, Scoped>);
static_assert(!std::is_constructible_v<Value, long double>);

}  // namespace

TEST_CASE("converting a rate back to a time gives the original time", "[record]") {
    auto const time = make_record("Bcast", {}, converged());
    auto const back = measure::as_time(measure::as_rate(time, Quantity::bandwidth, 90), 90);
    CHECK(back.quantity == Quantity::time);
    CHECK(*back.value == Approx(*time.value));
    REQUIRE(back.estimate);
    CHECK(back.estimate->interval->first == Approx(time.estimate->interval->first));
    CHECK(back.estimate->interval->second == Approx(time.estimate->interval->second));
    CHECK(*back.estimate->standard_error == Approx(*time.estimate->standard_error));
    CHECK(back.estimate->quantiles.at(0.05) == Approx(time.estimate->quantiles.at(0.05)));
    CHECK_THROWS_AS(measure::as_time(time, 1), UsageError);
    CHECK_THROWS_AS(measure::as_time(measure::as_rate(time, Quantity::rate, 1), -1), UsageError);
}

TEST_CASE("an integer that a value cannot hold is refused", "[record]") {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    CHECK(measure::json_text(Value{largest}) == "9223372036854775807");
    CHECK_THROWS_WITH(Value{largest + 1}, "a value of a record holds integers up to 2^63 - 1, not 9223372036854775808");
    CHECK_THROWS_AS(Value{std::optional{std::numeric_limits<std::uint64_t>::max()}}, UsageError);
}
