// SPDX-License-Identifier: BSD-3-Clause
/// Cost model: computes durations instead of measuring them, so that their processing can be checked exactly.
#pragma once

#include "program/cli/values.hpp"

#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace skampi {

/// The time in microseconds for an argument m (bytes, processes or chunks; 0 without variation) is a + b m. It uses the
/// last piece that begins at or below m, or the first piece if there is none.
struct CostModel {
    struct Piece {
        double from = 0;
        double a = 0;
        double b = 0;
    };
    std::vector<Piece> pieces{};  ///< at least one, in ascending order
    double noise = 0;             ///< S: a sample is the time multiplied by 1 + S g, where g is standard normal
    double outlier_share = 0;     ///< probability of an outlier
    double outlier_factor = 1;    ///< factor by which an outlier is longer
    std::uint64_t seed = 1;

    [[nodiscard]] double time(std::int64_t argument) const noexcept;
};

/// Parses "jump:a0,b0[,m1,a1,b1[,m2,a2,b2...]][,noise=S][,outlier=PROB:FACTOR][,seed=N]". \throws measure::UsageError
[[nodiscard]] CostModel cost_model_from(program::Argument const& argument);

/// The samples of one point. They are equal for equal seed, measurement and argument.
class ModelledTime {
public:
    ModelledTime(CostModel const& model, std::string_view measurement, std::int64_t argument);
    /// Returns the next sample in seconds. Noise never makes it less than a tenth of the model's time.
    [[nodiscard]] measure::seconds next();

private:
    CostModel model_;
    double time_;
    std::mt19937_64 random_;
};

/// A clock that moves only when `advance` is called. Copies share the same time. Its stamps count picoseconds.
class ModelTimer {
public:
    using stamp = std::int64_t;
    [[nodiscard]] stamp now() const noexcept { return *time_; }
    [[nodiscard]] measure::seconds between(stamp a, stamp b) const noexcept {
        return measure::seconds{static_cast<double>(b - a) * picosecond};
    }
    [[nodiscard]] stamp after(stamp a, measure::seconds d) const noexcept {
        return a + static_cast<stamp>(d.count() / picosecond);
    }
    /// Zero: the clock has no steps, so no duration is too short for it.
    [[nodiscard]] measure::seconds resolution() const noexcept { return measure::seconds{0}; }
    [[nodiscard]] std::string name() const { return "model"; }

    void advance(measure::seconds d) const noexcept { *time_ = after(*time_, d + measure::seconds{picosecond / 2}); }

private:
    static constexpr double picosecond = 1e-12;
    std::shared_ptr<stamp> time_ = std::make_shared<stamp>(0);
};

static_assert(measure::Timer<ModelTimer>);

}  // namespace skampi
