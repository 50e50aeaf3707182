// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/cpu_loop.hpp"

#include <measure/keep.hpp>
#include <measure/time_iterations.hpp>

#include <algorithm>
#include <cmath>

namespace pmb {

using measure::seconds;

std::int64_t repetitions_for(seconds target, seconds cost) noexcept {
    return std::max<std::int64_t>(1, std::llround(target / cost));
}

/// The product stays 1, so that no operation is slow because of denormal or huge numbers.
CpuLoop::CpuLoop(measure::Comm const& comm, measure::AnyTimer const& timer, seconds target)
    : matrix_(order * order, 1.0F / order), vector_(order, 1.0F), product_(order, 1.0F) {
    // Half of the target is long enough to know the cost to a few percent.
    seconds taken = duration(timer);
    for (int doubled = 0; taken < target / 2 && doubled < 40; ++doubled) {
        products_ *= 2;
        taken = duration(timer);
    }
    double const cost = comm.max(taken.count() / static_cast<double>(products_));
    products_ = cost > 0 ? repetitions_for(target, seconds{cost}) : 1;
    call_time_ = duration(timer);
}

void CpuLoop::operator()() const noexcept {
    for (std::int64_t k = 0; k < products_; ++k) {
        for (std::size_t row = 0; row < order; ++row) {
            float sum = 0;
            for (std::size_t column = 0; column < order; ++column)
                sum += matrix_[row * order + column] * vector_[column];
            product_[row] = sum;
        }
        measure::keep(product_.data());
    }
}

/// The shortest of three calls, because a single one may be interrupted.
seconds CpuLoop::duration(measure::AnyTimer const& timer) const {
    auto loop = measure::op([this] { (*this)(); });
    auto shortest = seconds::max();
    for (int i = 0; i < 3; ++i)
        if (auto const one = measure::time_iterations(timer, loop, 1); !one.is_backward())
            shortest = std::min(shortest, one.total);
    return shortest < seconds::max() ? shortest : seconds{0};
}

double CpuLoop::mflops() const noexcept {
    double const operations = 2.0 * order * order * static_cast<double>(products_);
    return call_time_.count() > 0 ? operations / call_time_.count() / measure::mega : 0;
}

}  // namespace pmb
