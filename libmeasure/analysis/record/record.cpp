// SPDX-License-Identifier: BSD-3-Clause
#include "measure/record.hpp"

#include "derived_numbers.hpp"
#include "measure/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace measure {

namespace {

auto coordinate(auto& coordinates, std::string_view name) {
    return std::find_if(coordinates.begin(), coordinates.end(), [&](auto const& c) { return c.first == name; });
}

Point::Coordinate const& required(Point const& at, std::string_view name) {
    if (auto const* const found = at.find(name))
        return *found;
    throw UsageError(fmt::format("no coordinate '{}' in the point '{}'", name, at.text()));
}

[[noreturn]] void wrong_type(Point const& at, std::string_view name, char const* wanted) {
    throw UsageError(fmt::format("coordinate '{}' of the point '{}' is not {}", name, at.text(), wanted));
}

}  // namespace

Point::Point() = default;
Point::Point(std::initializer_list<std::pair<std::string, Coordinate>> list) : coordinates_{list} {}
Point::Point(Point const&) = default;
Point::Point(Point&&) noexcept = default;
Point& Point::operator=(Point const&) = default;
Point& Point::operator=(Point&&) noexcept = default;
Point::~Point() = default;

[[gnu::visibility("default")]] bool operator==(Point const& a, Point const& b) {
    return a.coordinates_ == b.coordinates_;
}

Point& Point::set(std::string_view name, Coordinate value) {
    if (auto const found = coordinate(coordinates_, name); found != coordinates_.end())
        found->second = std::move(value);
    else
        coordinates_.emplace_back(name, std::move(value));
    return *this;
}

bool Point::has(std::string_view name) const noexcept { return find(name) != nullptr; }

Point::Coordinate const* Point::find(std::string_view name) const noexcept {
    auto const found = coordinate(coordinates_, name);
    return found == coordinates_.end() ? nullptr : &found->second;
}

std::int64_t Point::integer(std::string_view name) const {
    if (auto const* const value = std::get_if<std::int64_t>(&required(*this, name)))
        return *value;
    wrong_type(*this, name, "an integer");
}

double Point::number(std::string_view name) const {
    Coordinate const& value = required(*this, name);
    if (auto const* const integral = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integral);
    if (auto const* const real = std::get_if<double>(&value))
        return *real;
    wrong_type(*this, name, "a number");
}

std::string const& Point::text(std::string_view name) const {
    if (auto const* const value = std::get_if<std::string>(&required(*this, name)))
        return *value;
    wrong_type(*this, name, "a text");
}

std::vector<std::string> Point::names() const {
    std::vector<std::string> names;
    for (auto const& coordinate : coordinates_)
        names.push_back(coordinate.first);
    return names;
}

std::string Point::text() const {
    std::string text;
    for (auto const& [name, value] : coordinates_)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, coordinate_text(value));
    return text;
}

std::string coordinate_text(Point::Coordinate const& value) {
    return std::visit([](auto const& v) { return fmt::format("{}", v); }, value);
}

std::string_view name(Quantity q) noexcept {
    static constexpr std::array<std::string_view, 7> names{"time",   "bandwidth", "rate", "rate",
                                                           "memory", "ratio",     "count"};
    return names[static_cast<std::size_t>(q)];
}

std::string_view unit(Quantity q) noexcept {
    static constexpr std::array<std::string_view, 7> names{"s", "B/s", "1/s", "flop/s", "B", "1", "1"};
    return names[static_cast<std::size_t>(q)];
}

std::string_view name(PointStatus o) noexcept {
    static constexpr std::array<std::string_view, 5> names{"converged", "exhausted", "no_valid_samples", "skipped",
                                                           "crashed"};
    return names[static_cast<std::size_t>(o)];
}

void Record::flag(std::string_view wanted) {
    if (!has_flag(wanted))
        flags.emplace_back(wanted);
}

bool Record::has_flag(std::string_view wanted) const noexcept {
    return std::find(flags.begin(), flags.end(), wanted) != flags.end();
}

namespace {

/// A point crashed if all of its samples are invalid because the operation failed: the operation is the problem, not
/// the schedule.
PointStatus status_of(Measurement const& m) {
    if (m.valid == 0)
        return m.invalid.failed > 0 && m.invalid.failed == m.invalid.total() ? PointStatus::crashed
                                                                             : PointStatus::no_valid_samples;
    return m.verdict == StopVerdict::converged ? PointStatus::converged : PointStatus::exhausted;
}

std::string message_of(Measurement const& m, PointStatus status) {
    if (m.message.empty() && status == PointStatus::crashed)
        return fmt::format("the operation reported an error in all {} samples", m.invalid.failed);
    return m.message;
}

/// Adds a member only if it has a value: readers treat a missing member as null.
template <class T>
void add(Value& object, std::string_view key, std::optional<T> const& value) {
    if (value)
        object[key] = *value;
}

/// Adds the numbers of Estimate and Measurement that have no other place in the record.
template <class S>
void add_numbers(Value& derived, S const& known) {
    detail::for_each_derived(
        known, [&](char const* name, std::optional<double> const& number) { add(derived, name, number); });
}

/// \param runs  number of runs that count
Value settling_value(SettlingReport const& s, double runs) {
    Value value = Value::Object{{"runs", s.runs}, {"reason", s.reason}};
    if (s.reason != "off") {
        value["faults_first"] = s.faults_first;
        value["faults_last"] = s.faults_last;
        add(value, "ratio", s.ratio);
    }
    value["faults_counted"] = s.faults_counted / runs;
    value["faults_all_ranks"] = s.faults_all_ranks / runs;
    value["involuntary_switches"] = s.involuntary_switches;
    return value;
}

/// Adds nothing if settling was off and there were no faults.
void add_settling(Value& derived, SettlingReport const& s, std::int64_t runs) {
    if (runs > 0 && (s.reason != "off" || s.faults_all_ranks > 0))
        derived["settling"] = settling_value(s, static_cast<double>(runs));
}

void add_settling(Value& derived, Measurement const& m) {
    // Samples may have different numbers of iterations.
    auto const counted = m.settling.runs_counted;
    add_settling(derived, m.settling, counted > 0 ? counted : m.attempts * m.iterations_per_sample);
    if (m.trend)
        derived["trend"] = Value::Object{{"at", m.trend->at}, {"ratio", m.trend->ratio}, {"p", m.trend->p}};
    if (m.attempt > 1)
        derived["attempt"] = m.attempt;
}

/// Adds the epochs' own estimates; null for an epoch without a valid sample.
void add_epochs(Value& derived, std::vector<EpochResult> const& epochs) {
    if (epochs.size() < 2)
        return;
    Value::Array values;
    Value::Array errors;
    for (auto const& epoch : epochs) {
        values.push_back(epoch.estimate ? Value{epoch.estimate->value} : Value{});
        errors.push_back(epoch.estimate ? Value{epoch.estimate->standard_error} : Value{});
    }
    derived["epochs"] = std::move(values);
    derived["epoch_standard_errors"] = std::move(errors);
}

void add_sync(Value& derived, SyncState const& sync) {
    if (!sync.age && !sync.bound && !sync.residual)
        return;
    derived["sync"] = Value::Object{{"age", sync.age}, {"bound", sync.bound}, {"residual", sync.residual}};
    if (sync.residual_rms)
        derived["sync"]["residual_rms"] = sync.residual_rms;
    if (sync.residual_bound)
        derived["sync"]["residual_bound"] = sync.residual_bound;
}

void add_phases(Value& derived, std::vector<PhaseResult> const& phases) {
    for (auto const& phase : phases) {
        Value& entry = derived["phases"][phase.name];
        if (phase.estimate)
            entry = Value::Object{
                {"mean", phase.estimate->value}, {"min", phase.estimate->min}, {"max", phase.estimate->max}};
    }
}

void add_ranks(Value& derived, std::vector<RankSummary> const& ranks) {
    if (ranks.empty())
        return;
    auto const known = [](bool is_known, double value) { return is_known ? Value{value} : Value{}; };
    Value::Array by_rank;
    for (auto const& r : ranks)
        by_rank.push_back(Value::Object{{"rank", r.rank},
                                        {"valid", r.valid},
                                        {"mean", known(r.valid > 0, r.mean)},
                                        {"standard_error", r.standard_error},
                                        {"min", known(r.valid > 0, r.min)},
                                        {"max", known(r.valid > 0, r.max)}});
    derived["by_rank"] = std::move(by_rank);
}

Value derived_of(Measurement const& m) {
    Value derived = Value::Object{};
    if (m.estimate)
        add_numbers(derived, *m.estimate);
    add_numbers(derived, m);
    if (m.first_call && m.second_call && *m.second_call > 0)
        derived["first_call_ratio"] = *m.first_call / *m.second_call;
    if (m.lost_in_slots > 0)
        derived["lost_in_slots"] = m.lost_in_slots;
    if (!m.slot_lengths.empty())
        derived["slot_lengths"] = Value::Array(m.slot_lengths.begin(), m.slot_lengths.end());
    add_settling(derived, m);
    add_epochs(derived, m.epochs);
    add_sync(derived, m.sync);
    add_phases(derived, m.phases);
    add_ranks(derived, m.ranks);
    return derived;
}

}  // namespace

Record make_record(std::string benchmark, Point at, Measurement const& m) {
    if (!m.data_error.empty()) {
        // A time is meaningless if the data were wrong.
        auto record = make_record(std::move(benchmark), std::move(at), PointStatus::crashed, m.data_error);
        record.attempts = m.attempts;
        record.invalid = m.invalid;
        record.flags = m.flags;
        record.elapsed = seconds{m.elapsed};
        return record;
    }
    Record record;
    record.benchmark = std::move(benchmark);
    record.at = std::move(at);
    record.status = status_of(m);
    record.stop_reason = m.stop_reason;
    record.message = message_of(m, record.status);
    record.estimate = m.estimate;
    if (m.estimate)
        record.value = m.estimate->value;
    record.attempts = m.attempts;
    record.valid = m.valid;
    record.kept = m.kept;
    record.invalid = m.invalid;
    record.over_ranks = m.over_ranks;
    record.iterations_per_sample = m.iterations_per_sample;
    record.correction = m.correction;
    record.derived = derived_of(m);
    record.flags = m.flags;
    record.elapsed = seconds{m.elapsed};
    record.has_samples = !m.samples.empty();
    record.samples = m.samples;
    return record;
}

Record make_record(std::string benchmark, Point at, PointStatus status, std::string message) {
    if (status != PointStatus::skipped && status != PointStatus::crashed)
        throw UsageError(fmt::format("a point that was not measured is skipped or crashed, not {}", name(status)));
    if (message.empty())
        throw UsageError(fmt::format("a point that is {} needs a message", name(status)));
    Record record;
    record.benchmark = std::move(benchmark);
    record.at = std::move(at);
    record.status = status;
    record.message = std::move(message);
    return record;
}

void note_settling(Record& record, SettlingReport const& settling, std::int64_t runs) {
    constexpr std::string_view mark = "unsettled";
    add_settling(record.derived, settling, runs);
    std::erase(record.flags, mark);
    if (record.value && is_unsettled(settling.faults_counted, static_cast<double>(runs)))
        record.flag(mark);
}

Record make_record(std::string benchmark, Point at, LoopTimes const& loop) {
    Record record{.benchmark = std::move(benchmark),
                  .at = std::move(at),
                  .value = loop.time,
                  .attempts = 1,
                  .valid = 1,
                  .kept = 1,
                  .over_ranks = loop.over_ranks,
                  .iterations_per_sample = loop.iterations,
                  .has_samples = true,
                  .samples = {{.stage = 1, .time = loop.time}}};
    if (loop.is_backward) {
        record.status = PointStatus::no_valid_samples;
        record.message = "the clock went back";
        record.value.reset();
        record.over_ranks.reset();
        record.valid = record.kept = 0;
        record.invalid.add(InvalidReason::backward);
        record.samples = {{.stage = 1, .invalid = InvalidReason::backward}};
    }
    if (loop.settling)
        note_settling(record, *loop.settling, loop.iterations);
    return record;
}

namespace {

/// The interval of work / t; empty if it is unbounded because the interval of the times reaches zero.
std::optional<Interval> turned_over(std::optional<Interval> const& times, double work) {
    if (!times || times->first <= 0)
        return std::nullopt;
    return Interval{work / times->second, work / times->first};
}

/// The p-quantile of a rate comes from the (1 - p)-quantile of the time. Rounding makes 1 - 0.95 exactly 0.05.
Quantiles turned_over(Quantiles const& times, double work) {
    Quantiles rates;
    for (auto const& [p, time] : times)
        rates[std::round((1 - p) * 1e9) / 1e9] = work / time;
    return rates;
}

Estimate turned_over(Estimate const& time, double work) {
    Estimate rate = time;
    rate.value = work / time.value;
    auto const error = [&](std::optional<double> const& e) {
        return e ? std::optional{rate.value * (*e / time.value)} : std::nullopt;
    };
    rate.standard_error = error(time.standard_error);
    rate.interval = turned_over(time.interval, work);
    rate.median = work / time.median;
    rate.median_interval = turned_over(time.median_interval, work);
    rate.min = work / time.max;
    rate.max = work / time.min;
    rate.clock_step = rate.value * (time.clock_step / time.value);
    if (time.middle)
        rate.middle = work / *time.middle;
    rate.quantiles = turned_over(time.quantiles, work);
    rate.kept_min = work / time.kept_max;
    rate.kept_max = work / time.kept_min;
    rate.standard_error_over_sqrt_n = error(time.standard_error_over_sqrt_n);
    rate.standard_error_over_sqrt_kept = error(time.standard_error_over_sqrt_kept);
    rate.standard_error_winsorized = error(time.standard_error_winsorized);
    return rate;
}

Record turned_over(Record record, Quantity quantity, double work) {
    record.quantity = quantity;
    if (record.value)
        record.value = *record.value > 0 ? std::optional{work / *record.value} : std::nullopt;
    if (record.estimate)
        record.estimate = turned_over(*record.estimate, work);
    if (record.over_ranks)
        record.over_ranks =
            RankSpread{work / record.over_ranks->max, work / record.over_ranks->mean, work / record.over_ranks->min};
    return record;
}

}  // namespace

Record as_rate(Record record, Quantity quantity, double work) {
    if (record.quantity != Quantity::time)
        throw UsageError(fmt::format("only a time can be turned into a rate, not a {}", name(record.quantity)));
    if (quantity != Quantity::bandwidth && quantity != Quantity::rate && quantity != Quantity::flops)
        throw UsageError(fmt::format("a time cannot be turned into a {}", name(quantity)));
    if (!(work >= 0))
        throw UsageError(fmt::format("the work of a rate must not be negative: {}", work));

    return turned_over(std::move(record), quantity, work);
}

Record as_time(Record record, double work) {
    if (!is_rate(record.quantity))
        throw UsageError(fmt::format("only a rate can be turned into a time, not a {}", name(record.quantity)));
    if (!(work >= 0))
        throw UsageError(fmt::format("the work of a rate must not be negative: {}", work));
    return turned_over(std::move(record), Quantity::time, work);
}

Record scaled(Record record, double factor) {
    if (!(factor > 0))
        throw UsageError(fmt::format("a record is scaled by a factor > 0, not by {}", factor));
    if (record.value)
        *record.value *= factor;
    if (record.over_ranks)
        record.over_ranks = RankSpread{record.over_ranks->min * factor, record.over_ranks->mean * factor,
                                       record.over_ranks->max * factor};
    if (!record.estimate)
        return record;
    Estimate& e = *record.estimate;
    for (double* const x : {&e.value, &e.median, &e.min, &e.max, &e.kept_min, &e.kept_max, &e.clock_step})
        *x *= factor;
    for (auto* const number : {&e.middle, &e.standard_error, &e.standard_error_over_sqrt_n,
                               &e.standard_error_over_sqrt_kept, &e.standard_error_winsorized})
        if (*number)
            **number *= factor;
    for (auto* const interval : {&e.interval, &e.median_interval})
        if (*interval)
            *interval = Interval{(*interval)->first * factor, (*interval)->second * factor};
    for (auto& [probability, x] : e.quantiles)
        x *= factor;
    return record;
}

}  // namespace measure
