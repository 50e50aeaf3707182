// SPDX-License-Identifier: BSD-3-Clause
/// RunningStatistics: statistics of durations in constant memory, exact to the tick for any number of durations.
#pragma once

#include "measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace measure::detail {

/// A histogram whose classes grow with the values: 16 classes per doubling, so quantiles are accurate to a few percent.
/// Values below 32 have one class each; values from 2^48 share the last class.
class LogBins {
public:
    static constexpr std::size_t size = 720;

    [[nodiscard]] static constexpr std::size_t bin(std::int64_t value) noexcept {
        auto const v = static_cast<std::uint64_t>(value);
        auto const shift = shift_of(v);
        return std::min(16 * shift + static_cast<std::size_t>(v >> shift), size - 1);
    }
    /// Smallest value of a class; `width` is the number of values it covers.
    [[nodiscard]] static constexpr std::uint64_t first(std::size_t bin) noexcept {
        auto const shift = bin < 16 ? 0 : bin / 16 - 1;
        return std::uint64_t{bin - 16 * shift} << shift;
    }
    [[nodiscard]] static constexpr std::uint64_t width(std::size_t bin) noexcept {
        return std::uint64_t{1} << (bin < 16 ? 0 : bin / 16 - 1);
    }
    [[nodiscard]] static double centre(std::size_t bin) noexcept {
        return static_cast<double>(first(bin)) + static_cast<double>(width(bin) - 1) / 2;
    }

private:
    static constexpr std::size_t shift_of(std::uint64_t v) noexcept {
        return v < 32 ? 0 : static_cast<std::size_t>(std::bit_width(v)) - 5;
    }
};

/// Quantile from the counts of LogBins, interpolated within the class. \param counts  [LogBins::size], not all zero
/// \param p  in [0, 1] \param low, high  smallest and largest value, which bound the result
[[nodiscard]] inline double bin_quantile(std::span<double const> counts, double p, double low, double high) {
    double total = 0;
    for (double const n : counts)
        total += n;
    double const rank = p * (total - 1);
    double before = 0;
    std::size_t bin = 0;
    while (bin + 1 < counts.size() && before + counts[bin] <= rank)
        before += counts[bin++];
    double const share = std::clamp((rank - before + 0.5) / counts[bin], 0.0, 1.0);
    double const value =
        static_cast<double>(LogBins::first(bin)) + static_cast<double>(LogBins::width(bin) - 1) * share;
    return std::clamp(value, low, high);
}

/// Uniform random sample of a stream of values (algorithm L, Li 1994). Once it is full, a value that is not kept costs
/// one comparison.
class Reservoir {
public:
    explicit Reservoir(std::size_t capacity) : capacity_{capacity} { values_.reserve(capacity); }

    /// \param number  number of values so far, including this one
    void add(std::int64_t value, std::int64_t number, std::mt19937_64& random) noexcept {
        if (values_.size() < capacity_) {
            values_.push_back(value);
            if (values_.size() == capacity_)
                skip(number, random);
        } else if (number == next_) {
            values_[static_cast<std::size_t>(uniform(random) * static_cast<double>(capacity_))] = value;
            skip(number, random);
        }
    }
    [[nodiscard]] std::vector<std::int64_t> const& values() const noexcept { return values_; }

private:
    static double uniform(std::mt19937_64& random) noexcept { return static_cast<double>(random() >> 11) * 0x1p-53; }
    void skip(std::int64_t number, std::mt19937_64& random) noexcept {
        auto const logarithm = [&] { return std::log(1 - uniform(random)); };  // argument is in (0, 1]
        weight_ *= std::exp(logarithm() / static_cast<double>(capacity_));
        double const left_out = std::floor(logarithm() / std::log1p(-weight_));
        next_ = left_out < 1e18 ? number + 1 + static_cast<std::int64_t>(left_out) : 0;
    }

    std::size_t capacity_;
    std::vector<std::int64_t> values_{};
    double weight_ = 1;
    std::int64_t next_ = 0;
};

/// Running statistics of durations in ticks. The sums of products are 128-bit integers. They neither round nor
/// overflow, even for 10^18 durations, if the sum of the durations is below 2^63 ticks (292 years of nanoseconds).
class RunningStatistics {
public:
    /// A negative duration, from a clock that went backwards, only increments `backward`.
    void add(std::int64_t ticks) noexcept {
        if (ticks < 0) {
            ++backward_;
            return;
        }
        auto const x = static_cast<Wide>(ticks);
        if (count_++ == 0) {
            first_ = min_ = max_ = ticks;
        } else {
            neighbours_ += static_cast<Wide>(last_) * x;
            min_ = std::min(min_, ticks);
            max_ = std::max(max_, ticks);
        }
        last_ = ticks;
        total_ += ticks;
        squares_ += x * x;
        ++bins_[LogBins::bin(ticks)];
    }

    [[nodiscard]] std::int64_t count() const noexcept { return count_; }
    [[nodiscard]] std::int64_t backward() const noexcept { return backward_; }
    [[nodiscard]] std::int64_t total() const noexcept { return total_; }
    [[nodiscard]] std::int64_t min() const noexcept { return min_; }
    [[nodiscard]] std::int64_t max() const noexcept { return max_; }
    [[nodiscard]] std::array<std::int64_t, LogBins::size> const& bins() const noexcept { return bins_; }

    /// Mean in ticks; NaN without durations.
    [[nodiscard]] double mean() const noexcept { return static_cast<double>(total_) / static_cast<double>(count_); }
    /// Variance s^2 with divisor n - 1, in ticks^2; NaN for fewer than two durations.
    [[nodiscard]] double variance() const noexcept {
        return count_ < 2 ? std::nan("") : deviations() / static_cast<double>(count_ - 1);
    }
    /// Lag-1 autocorrelation; 0 for fewer than three durations or no spread.
    [[nodiscard]] double autocorrelation() const noexcept {
        double const spread = deviations();
        if (count_ < 3 || !(spread > 0))
            return 0;
        // As in `deviations`: exact about an integer near the mean, then corrected by the distance to the mean.
        std::int64_t const m = total_ / count_;
        auto const wide = static_cast<Wide>(m);
        auto const n = static_cast<Wide>(count_);
        auto const ends = static_cast<Wide>(first_) + static_cast<Wide>(last_);
        auto const products = neighbours_ - wide * (2 * static_cast<Wide>(total_) - ends) + (n - 1) * wide * wide;
        auto const sums = 2 * static_cast<Wide>(total_) - ends - 2 * (n - 1) * wide;
        double const off = mean_above(m);
        return (as_signed(products) - off * as_signed(sums) + static_cast<double>(count_ - 1) * off * off) / spread;
    }
    /// Standard error of the mean in ticks, from the effective number of durations; NaN for fewer than two.
    [[nodiscard]] double standard_error() const noexcept { return std::sqrt(variance() / effective()); }
    [[nodiscard]] double effective() const {
        return effective_samples(static_cast<std::size_t>(count_), autocorrelation());
    }

private:
    __extension__ using Wide = unsigned __int128;
    __extension__ using SignedWide = __int128;
    static double as_signed(Wide w) noexcept { return static_cast<double>(static_cast<SignedWide>(w)); }

    /// mean - m
    [[nodiscard]] double mean_above(std::int64_t m) const noexcept {
        return static_cast<double>(total_ - count_ * m) / static_cast<double>(count_);
    }
    /// sum (x - mean)^2. Computed about the integer m below the mean, where the sum is an integer and nothing cancels.
    /// The unsigned arithmetic may wrap around in between, but the result fits.
    [[nodiscard]] double deviations() const noexcept {
        if (count_ == 0)
            return 0;
        std::int64_t const m = total_ / count_;
        auto const wide = static_cast<Wide>(m);
        auto const about_m = squares_ - 2 * wide * static_cast<Wide>(total_) + static_cast<Wide>(count_) * wide * wide;
        double const off = mean_above(m);
        return static_cast<double>(about_m) - static_cast<double>(count_) * off * off;
    }

    std::int64_t count_ = 0;
    std::int64_t total_ = 0;
    std::int64_t min_ = 0;
    std::int64_t max_ = 0;
    std::int64_t first_ = 0;
    std::int64_t last_ = 0;
    std::int64_t backward_ = 0;
    Wide squares_ = 0;
    Wide neighbours_ = 0;  ///< sum of x_i x_(i-1)
    std::array<std::int64_t, LogBins::size> bins_{};
};

}  // namespace measure::detail
