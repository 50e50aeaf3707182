// SPDX-License-Identifier: BSD-3-Clause
/// Result: what is made of the times of a size: figures for the table, a record. Pure.
#pragma once

#include "options.hpp"
#include "timing.hpp"

#include <measure/record.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mpbench {

/// A line of the table, in the units that are printed.
struct Row {
    std::int64_t first = 0;  ///< bytes, or tasks of the barrier
    std::optional<double> value{};
    std::int64_t iterations = 0;
    std::int64_t repetitions = 0;       ///< loops that the value is the mean of
    std::optional<double> deviation{};  ///< of `value` between the loops; nothing of a single one
    std::optional<double> error{};      ///< standard error of `value`; likewise
    std::optional<double> slowest{};    ///< the value by the slowest task's time
    std::optional<double> rate{};       ///< beside the time of a message
    std::optional<double> call{};       ///< us, beside the time of isend
    std::string note{};                 ///< why there is no value
    bool unsettled = false;             ///< as the record's flag
};

/// "MB/s (1 MB = 1048576 bytes)", "transactions/s", "us"
[[nodiscard]] std::string unit(Figure figure, Units units);
/// "MB/s"
[[nodiscard]] std::string_view rate_unit(Units units) noexcept;

/// The record of a point. One that was too short for the timer has no valid samples; one with a failed call crashed.
/// \param bytes  as `message_bytes` gives them
[[nodiscard]] measure::Record record(Test const& test, measure::Point at, measure::Bytes bytes, Timed const& timed);

/// The line of a record that `record` made.
[[nodiscard]] Row row(Test const& test, measure::Record const& record, Units units);

}  // namespace mpbench
