// SPDX-License-Identifier: BSD-3-Clause
#include "measure/measurement.hpp"

#include "core/number_text.hpp"
#include "measure/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace measure {

namespace {

struct TimeUnit {
    double size;
    char const* name;
};

TimeUnit fitting_unit(double time) {
    double const magnitude = std::abs(time);
    if (magnitude >= 1)
        return {1, "s"};
    if (magnitude >= 1e-3)
        return {1e-3, "ms"};
    return magnitude >= 1e-7 || magnitude == 0 ? TimeUnit{1e-6, "us"} : TimeUnit{1e-9, "ns"};
}

/// Text such as "0.431 us +- 0.005 us (95 %: 0.420 .. 0.442)", without parts that are unknown.
std::string estimate_text(Estimate const& e) {
    auto const [size, unit] = fitting_unit(e.value);
    int const digits = detail::digits_for_error(e.standard_error.value_or(0) / size, 3);
    std::string text = fmt::format("{:.{}f} {}", e.value / size, digits, unit);
    if (e.standard_error)
        text += fmt::format(" +- {:.{}f} {}", *e.standard_error / size, digits, unit);
    if (auto const interval = interval_to_show(e))
        text += fmt::format(" ({:g} %: {:.{}f} .. {:.{}f})", e.confidence * 100, interval->first / size, digits,
                            interval->second / size, digits);
    return text;
}

std::string counts_text(Measurement const& m) {
    if (m.valid > 0)
        return fmt::format("{} of {} samples valid", m.valid, m.attempts);
    std::string const reasons = text(m.invalid);
    return fmt::format("no valid sample of {}{}{}{}", m.attempts, reasons.empty() ? "" : " (", reasons,
                       reasons.empty() ? "" : ")");
}

}  // namespace

seconds Measurement::time() const noexcept {
    return seconds{estimate ? estimate->value : std::numeric_limits<double>::quiet_NaN()};
}

seconds Measurement::error() const noexcept {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    return seconds{estimate ? estimate->standard_error.value_or(nan) : nan};
}

PhaseResult const& Measurement::phase(std::string_view wanted) const {
    auto const found = std::find_if(phases.begin(), phases.end(), [&](auto const& p) { return p.name == wanted; });
    if (found != phases.end())
        return *found;
    std::string known;
    for (auto const& p : phases)
        known += (known.empty() ? "" : ", ") + p.name;
    throw UsageError(
        fmt::format("no phase '{}' in this measurement (phases: {})", wanted, known.empty() ? "none" : known));
}

void Measurement::flag(std::string_view wanted) {
    if (!has_flag(wanted))
        flags.emplace_back(wanted);
}

bool Measurement::has_flag(std::string_view wanted) const noexcept {
    return std::find(flags.begin(), flags.end(), wanted) != flags.end();
}

std::string text(Measurement const& m) {
    std::string text = m.estimate ? estimate_text(*m.estimate) + ", " : "";
    // The message of a measurement without a value contains the counts already.
    bool const has_counts = m.valid == 0 && !m.message.empty();
    text += has_counts ? m.message : counts_text(m);
    if (!m.stop_reason.empty())
        text += ", stopped: " + m.stop_reason;
    if (!has_counts && !m.message.empty())
        text += " (" + m.message + ")";
    if (!m.data_error.empty())
        text += " (wrong data: " + m.data_error + ")";
    if (!m.flags.empty())
        text += fmt::format(" [{}]", fmt::join(m.flags, ", "));
    return text;
}

}  // namespace measure
