// SPDX-License-Identifier: BSD-3-Clause
/// Bench: the tasks of a program, ready to measure points.
#pragma once

#include "catalogue.hpp"
#include "timing.hpp"

#include <measure/units.hpp>

#include <vector>

namespace mpbench {

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
    /// \param flush  empties the caches first
    /// \throws measure::Interrupted
    [[nodiscard]] virtual Timed measure(Test const& test, measure::Bytes bytes, bool flush) = 0;
};

}  // namespace mpbench
