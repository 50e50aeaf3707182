// SPDX-License-Identifier: BSD-3-Clause
/// Bench: the tasks of a program, ready to measure points.
#pragma once

#include "mpbench/catalogue.hpp"

#include <measure/measurement.hpp>
#include <measure/plan.hpp>
#include <measure/units.hpp>

#include <optional>
#include <vector>

namespace mpbench {

/// What was measured at a point.
struct Measured {
    measure::Measurement measurement{};
    std::optional<double> call_time{};  ///< s per call that only begins: isend
};

/// Every function is called by all tasks of the program alike; those that are idle in the test return at once. What is
/// returned is the master's.
class Bench {
public:
    virtual ~Bench() = default;
    /// One call, untimed.
    virtual void warm_up(Test const& test, measure::Bytes bytes) = 0;
    /// \param damage  spoils the data: for tests
    /// \return [tasks of the test] the first wrong byte, or -1
    [[nodiscard]] virtual std::vector<double> check(Test const& test, measure::Bytes bytes, bool damage) = 0;
    /// \param plan   as `plan` makes it; with the run's timer and control
    /// \param flush  empties the caches before the first loop
    /// \throws measure::Interrupted
    [[nodiscard]] virtual Measured measure(Test const& test, measure::Bytes bytes, measure::Plan const& plan,
                                           bool flush) = 0;
};

}  // namespace mpbench
