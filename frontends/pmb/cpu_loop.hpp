// SPDX-License-Identifier: BSD-3-Clause
/// CpuLoop: computation of a known duration, for overlap with file transfers.
#pragma once

#include <measure/comm.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <vector>

namespace pmb {

/// The number of repetitions of a computation of duration `cost` that takes `target`; at least 1. \param cost  > 0
[[nodiscard]] std::int64_t repetitions_for(measure::seconds target, measure::seconds cost) noexcept;

/// Repeats the product of a 100 x 100 matrix of floats with a vector.
class CpuLoop {
public:
    /// Collective: all processes repeat the product equally often, so that the slowest takes `target`. The constructor
    /// takes up to ten times as long.
    CpuLoop(measure::Comm const& comm, measure::AnyTimer const& timer, measure::seconds target);

    /// One call. Local; not thread-safe.
    void operator()() const noexcept;

    /// Measured duration of one call on this process, undisturbed.
    [[nodiscard]] measure::seconds call_time() const noexcept { return call_time_; }
    /// Speed of this process in 10^6 floating-point operations per second, with two operations per matrix element.
    [[nodiscard]] double mflops() const noexcept;

private:
    [[nodiscard]] measure::seconds duration(measure::AnyTimer const& timer) const;

    static constexpr std::size_t order = 100;
    std::vector<float> matrix_;  ///< [order][order]
    std::vector<float> vector_;  ///< [order]
    mutable std::vector<float> product_;
    std::int64_t products_ = 1;  ///< products per call, equal on all processes
    measure::seconds call_time_{0};
};

}  // namespace pmb
