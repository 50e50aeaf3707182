// SPDX-License-Identifier: BSD-3-Clause
#include "result.hpp"

#include "llcbench/points.hpp"
#include "program/engine/unsettled.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

namespace mpbench {

namespace {

using measure::Record;

double scale(Units units) noexcept {
    switch (units) {
    case Units::kb:
        return static_cast<double>(measure::kibi);
    case Units::si:
        return measure::mega;
    case Units::mb:
        break;
    }
    return static_cast<double>(measure::mebi);
}

/// What a number of the record is divided by for the table.
double divisor(Figure figure, Units units) noexcept {
    switch (figure) {
    case Figure::rate:
        return scale(units);
    case Figure::transactions:
        return 1;
    case Figure::time:
    case Figure::message:
        break;
    }
    return 1e-6;
}

std::optional<double> number(measure::Value const& derived, std::string_view key) {
    auto const* const value = derived.find(key);
    auto const* const found = value != nullptr ? std::get_if<double>(&value->data()) : nullptr;
    return found != nullptr ? std::optional{*found} : std::nullopt;
}

measure::Measurement measurement(Timed const& timed) {
    auto m = llcbench::measurement(timed.times, timed.decision, timed.elapsed);
    m.iterations_per_sample = timed.iterations;
    m.combine = measure::Combine::root;
    return m;
}

measure::OverRanks over_ranks(std::vector<double> const& times) {
    auto const [low, high] = std::minmax_element(times.begin(), times.end());
    return {*low, measure::mean(times), *high};
}

}  // namespace

std::string_view rate_unit(Units units) noexcept { return units == Units::kb ? "KB/s" : "MB/s"; }

std::string unit(Figure figure, Units units) {
    if (figure == Figure::transactions)
        return "transactions/s";
    if (figure != Figure::rate)
        return "us";
    switch (units) {
    case Units::kb:
        return "KB/s (1 KB = 1024 bytes)";
    case Units::si:
        return "MB/s (1 MB = 1000000 bytes)";
    case Units::mb:
        break;
    }
    return std::string{llcbench::megabyte_unit};
}

Record record(Test const& test, measure::Point at, measure::Bytes bytes, Timed const& timed) {
    std::string const name{test.name};
    if (!timed.succeeded)
        return measure::make_record(name, std::move(at), measure::Outcome::crashed, "a call reported an error");
    auto r = measure::make_record(name, std::move(at), measurement(timed));
    double const shortest = *std::min_element(timed.times.begin(), timed.times.end());
    if (!(shortest > 0))
        return llcbench::too_short(std::move(r));
    if (shortest * static_cast<double>(timed.iterations) < fewest_steps * timed.resolution.count())
        r.flag("near_timer_floor");
    measure::note_settling(r, timed.settling, r.attempts * timed.iterations);
    if (test.slowest)
        r.over_ranks = over_ranks(timed.tasks);
    auto const counted = static_cast<double>(counted_bytes(test.kind, bytes));
    if (test.figure == Figure::message) {
        r.derived["bandwidth"] = counted / *r.value;
        if (timed.call_time)
            r.derived["call_time"] = *timed.call_time;
    }
    if (test.figure == Figure::rate)
        return measure::as_rate(std::move(r), measure::Quantity::bandwidth, counted);
    if (test.figure == Figure::transactions)
        return measure::as_rate(std::move(r), measure::Quantity::rate, 1);
    return r;
}

Row row(Test const& test, Record const& r, Units units) {
    bool const sized = r.at.has("bytes");
    double const by = divisor(test.figure, units);
    Row line{.first = sized ? r.at.bytes("bytes") : r.at.integer("ranks"),
             .iterations = r.iterations_per_sample.value_or(0),
             .repetitions = r.valid,
             .note = r.reason,
             .unsettled = program::is_unsettled(r)};
    if (!r.value)
        return line;
    line.value = *r.value / by;
    if (r.estimate && r.estimate->standard_error)
        line.error = *r.estimate->standard_error / by;
    if (r.estimate && r.estimate->relative_standard_error)
        line.deviation = *r.estimate->relative_standard_error * *line.value * std::sqrt(static_cast<double>(r.valid));
    if (test.slowest && r.over_ranks)
        line.slowest = (test.figure == Figure::rate ? r.over_ranks->min : r.over_ranks->max) / by;
    if (auto const rate = number(r.derived, "bandwidth"))
        line.rate = *rate / scale(units);
    if (auto const call = number(r.derived, "call_time"))
        line.call = *call * 1e6;
    return line;
}

}  // namespace mpbench
