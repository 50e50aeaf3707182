// SPDX-License-Identifier: BSD-3-Clause
/// Model of a rank's clock relative to the root's: an offset that may change linearly, and its fit.
#pragma once

#include <optional>
#include <span>

#pragma GCC visibility push(default)
namespace measure {

/// Converts local time t to root time: t + offset + rate * (t - anchor). All times in seconds. The anchor keeps the
/// precision independent of the uptime of the clocks. The default value converts local time to itself, as on the root.
struct ClockModel {
    double offset = 0;        ///< root time minus local time at the anchor, s
    double rate = 0;          ///< change of the offset per second of local time (drift), s/s
    double anchor = 0;        ///< local time of the anchor, s
    double offset_error = 0;  ///< standard error of the offset at the anchor, s; 0 without a fit
    double rate_error = 0;    ///< standard error of the rate, s/s; 0 without a fit

    /// Root time minus local time at the given local time, s.
    [[nodiscard]] double offset_at(double local) const noexcept { return offset + rate * (local - anchor); }
    /// Converts local time to root time, s.
    [[nodiscard]] double to_root(double local) const noexcept { return local + offset_at(local); }
    /// Converts root time to local time, s. Inverse of `to_root`.
    [[nodiscard]] double to_local(double root) const noexcept { return anchor + (root - offset - anchor) / (1 + rate); }
    /// Standard error of `offset_at`, s: sqrt(offset_error^2 + (rate_error * (local - anchor))^2).
    [[nodiscard]] double error_at(double local) const noexcept;
};

/// Fits a least-squares line to offsets that were measured at several local times. The anchor is the mean time. If
/// bounds are given, the excess of a point is the difference between its bound and the smallest bound. Points whose
/// excess is above the lower quartile of all excesses have a lower weight, which decreases with the square of the
/// excess. Pure.
/// \param local    local times, s; at least three points, which are not all at the same time
/// \param offsets  measured offsets, s; of the same length
/// \param bounds   guaranteed maximum errors of the offsets, s; of the same length, or empty if not known
/// \return empty if there are too few points, if the rate is above 500 ppm, which no quartz has, or if the drift is not
///         linear. The drift is not linear if the signs of the residuals, in order of time, form too few runs
///         (p < 0.001). A line within all error bounds is always accepted, because delays that change during the
///         measurement also cause few runs
[[nodiscard]] std::optional<ClockModel> fit_drift(std::span<double const> local, std::span<double const> offsets,
                                                  std::span<double const> bounds = {});

namespace detail {
/// Normal deviate of the number of runs of equal signs (Wald and Wolfowitz 1940). A value far below zero means that
/// neighbours depend on each other. It is 0 if all signs are equal. Zeros are ignored.
[[nodiscard]] double runs_deviate(std::span<double const> residuals);
}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
