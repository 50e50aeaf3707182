// SPDX-License-Identifier: BSD-3-Clause
/// CpuLoop: computation of a known duration, to be overlapped with file transfers.
#pragma once

#include <measure/comm.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <vector>

namespace pmb {

/// Repetitions of a computation that costs `cost` each, so that they take `target`: at least 1. \param cost  > 0
[[nodiscard]] std::int64_t repetitions_for(measure::seconds target, measure::seconds cost) noexcept;

/// The product of a 100 x 100 matrix of floats with a vector, again and again.
class CpuLoop {
public:
    /// Collective: all processes repeat the product equally often, so that the slowest of them takes `target`.
    /// Takes up to ten times as long.
    CpuLoop(measure::Comm const& comm, measure::AnyTimer const& timer, measure::seconds target);

    /// One call. Local; not for two threads at once.
    void operator()() const noexcept;

    /// Measured duration of one call on this process, undisturbed.
    [[nodiscard]] measure::seconds call_time() const noexcept { return call_time_; }
    /// 10^6 floating-point operations per second of this process: two for each element of the matrix.
    [[nodiscard]] double mflops() const noexcept;

private:
    [[nodiscard]] measure::seconds duration(measure::AnyTimer const& timer) const;

    static constexpr std::size_t order = 100;
    std::vector<float> matrix_;  ///< [order][order]
    std::vector<float> vector_;  ///< [order]
    mutable std::vector<float> product_;
    std::int64_t products_ = 1;  ///< of one call, the same on all processes
    measure::seconds call_time_{0};
};

}  // namespace pmb
