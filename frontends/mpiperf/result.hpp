// SPDX-License-Identifier: BSD-3-Clause
/// Result: the numbers of MPIPerf's rows, from a record. Pure. Times in seconds.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/statistics.hpp>

#include <cstdint>

namespace mpiperf {

/// What stands in a row beside its coordinates. Without a valid run all times are 0.
struct Row {
    std::int64_t attempts = 0;  ///< TRuns
    std::int64_t valid = 0;     ///< CRuns
    std::int64_t kept = 0;      ///< FRuns
    double mean = 0;
    double standard_error = 0;
    double min = 0;
    double max = 0;
    double error = 0;  ///< half width of the confidence interval: t * standard_error

    [[nodiscard]] double relative_standard_error() const noexcept { return mean != 0 ? standard_error / mean : 0; }
    [[nodiscard]] double relative_error() const noexcept { return mean != 0 ? error / mean : 0; }
    [[nodiscard]] double low() const noexcept { return mean - error; }
    [[nodiscard]] double high() const noexcept { return mean + error; }
};

/// The compatible row of a point: mean, min, max of the kept runs, standard error s / sqrt(n_s) as in MPIPerf 0.0.3,
/// n_s - 1 degrees of freedom. With several epochs the standard error is that over epochs, with one degree less than
/// epochs.
[[nodiscard]] Row row(measure::Record const& record);

/// One process's row: over all its valid runs, untrimmed. \param attempts  of the point
[[nodiscard]] Row row(measure::RankSummary const& rank, std::int64_t attempts, double confidence);

/// Calls in the one sample of a point without synchronisation.
[[nodiscard]] std::int64_t calls(measure::Record const& record);

}  // namespace mpiperf
