// SPDX-License-Identifier: BSD-3-Clause
/// What is known of a clock against the root's: an offset that may change linearly, and the fit that finds it.
#pragma once

#include <optional>
#include <span>

#pragma GCC visibility push(default)
namespace measure {

/// Maps local time t to root time: t + offset + rate * (t - anchor). Seconds. The anchored form keeps its precision
/// however long the clocks have been running. The default is the root's own clock.
struct ClockModel {
    double offset = 0;        ///< at the anchor
    double rate = 0;          ///< change of the offset per local second
    double anchor = 0;        ///< local time
    double offset_error = 0;  ///< standard error of the offset at the anchor; 0 where it was not fitted
    double rate_error = 0;    ///< standard error of the rate

    /// Root time minus local time, at a local time.
    [[nodiscard]] double offset_at(double local) const noexcept { return offset + rate * (local - anchor); }
    /// Root time of a local time.
    [[nodiscard]] double to_root(double local) const noexcept { return local + offset_at(local); }
    /// Local time of a root time.
    [[nodiscard]] double to_local(double root) const noexcept { return anchor + (root - offset - anchor) / (1 + rate); }
    /// Standard error of `offset_at`: grows with the distance from the anchor.
    [[nodiscard]] double error_at(double local) const noexcept;
};

/// The least-squares line through offsets measured at local times, anchored at the mean time. Where bounds are known
/// points whose bound exceeds the smallest one by more than is usual count less, by the square of the excess.
/// \param local, offsets  of equal length, at least three points that are not all of the same time
/// \param bounds  largest possible errors of the offsets, of equal length; empty: not known
/// \return nothing for fewer points; for a rate above 500 ppm, which no quartz has; where the signs of the residuals in
///         order of time come in too few runs (p < 0.001): then a line is not what the offsets follow. But a line
///         within all bounds is not refuted: delays that change during the measurement leave few runs as well
[[nodiscard]] std::optional<ClockModel> fit_drift(std::span<double const> local, std::span<double const> offsets,
                                                  std::span<double const> bounds = {});

namespace detail {
/// Normal deviate of the number of runs of equal signs (Wald and Wolfowitz 1940): far below zero means that
/// neighbours depend on each other. 0 where all signs are equal. Zeros have no sign.
[[nodiscard]] double runs_deviate(std::span<double const> residuals);
}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
