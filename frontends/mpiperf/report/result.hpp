// SPDX-License-Identifier: BSD-3-Clause
/// Result: the numbers in MPIPerf's rows, from a record. Pure. Times in seconds.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/statistics.hpp>

#include <cstdint>
#include <optional>

namespace mpiperf {

/// The numbers of a row after its coordinates. Without a valid run there are no times; with a single run there are no
/// errors.
struct Row {
    std::int64_t attempts = 0;  ///< TRuns
    std::int64_t valid = 0;     ///< CRuns
    std::int64_t kept = 0;      ///< FRuns
    std::optional<double> mean{};
    std::optional<double> standard_error{};
    std::optional<double> min{};
    std::optional<double> max{};
    std::optional<double> error{};  ///< half the width of the confidence interval: t * standard_error

    [[nodiscard]] std::optional<double> relative_standard_error() const noexcept { return relative(standard_error); }
    [[nodiscard]] std::optional<double> relative_error() const noexcept { return relative(error); }
    [[nodiscard]] std::optional<double> low() const noexcept { return beside_mean(-1); }
    [[nodiscard]] std::optional<double> high() const noexcept { return beside_mean(1); }

private:
    [[nodiscard]] std::optional<double> relative(std::optional<double> const& of) const noexcept {
        return mean && of ? std::optional{*mean != 0 ? *of / *mean : 0} : std::nullopt;
    }
    [[nodiscard]] std::optional<double> beside_mean(double errors) const noexcept {
        return mean && error ? std::optional{*mean + errors * *error} : std::nullopt;
    }
};

/// The MPIPerf row of a point: mean, min and max of the kept runs, and the standard error s / sqrt(n_s) as in MPIPerf
/// 0.0.3, with n_s - 1 degrees of freedom. With several epochs the standard error is computed over epochs, with one
/// degree of freedom less than epochs.
[[nodiscard]] Row row(measure::Record const& record);

/// Number of calls in the single sample of a point without synchronisation.
[[nodiscard]] std::int64_t calls(measure::Record const& record);

}  // namespace mpiperf
