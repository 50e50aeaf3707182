// SPDX-License-Identifier: BSD-3-Clause
/// Bench: the interface to the tasks of a program that measure points.
#pragma once

#include "mpbench/catalogue.hpp"

#include <measure/measurement.hpp>
#include <measure/plan.hpp>
#include <measure/units.hpp>

#include <optional>
#include <vector>

namespace mpbench {

/// The result of a point.
struct Measured {
    measure::Measurement measurement{};
    std::optional<double> call_time{};  ///< isend: seconds per call that begins a send
};

/// All tasks of the program must call every function. Tasks that are idle in the test return immediately. The results
/// are valid on the master.
class Bench {
public:
    virtual ~Bench() = default;
    /// Runs one untimed iteration.
    virtual void warm_up(Test const& test, measure::Bytes bytes) = 0;
    /// Exchanges a pattern once and verifies it. \param damage  corrupts the data, for tests
    /// \return [tasks of the test] the index of the first wrong byte, or -1
    [[nodiscard]] virtual std::vector<double> check(Test const& test, measure::Bytes bytes, bool damage) = 0;
    /// \param plan   made by `plan`, with the run's timer and control
    /// \param flush  flush the caches before the first loop
    /// \throws measure::Interrupted
    [[nodiscard]] virtual Measured measure(Test const& test, measure::Bytes bytes, measure::Plan const& plan,
                                           bool flush) = 0;
};

}  // namespace mpbench
