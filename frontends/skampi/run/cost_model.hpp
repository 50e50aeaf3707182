// SPDX-License-Identifier: BSD-3-Clause
/// Cost model: durations by a formula instead of by a clock, so that what is done with them can be checked exactly.
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

/// Times in microseconds of an argument m (bytes, processes or chunks; 0 without variation): a + b m of the last piece
/// that begins at or below m; below the first change the first piece.
struct CostModel {
    struct Piece {
        double from = 0;
        double a = 0;
        double b = 0;
    };
    std::vector<Piece> pieces{};  ///< at least one, ascending
    double noise = 0;             ///< S: a sample is the time times 1 + S g, g standard normal
    double outlier_share = 0;     ///< with this probability a sample is ..
    double outlier_factor = 1;    ///< .. so many times longer
    std::uint64_t seed = 1;

    [[nodiscard]] double time(std::int64_t argument) const noexcept;
};

/// "jump:a0,b0[,m1,a1,b1[,m2,a2,b2...]][,noise=S][,outlier=PROB:FACTOR][,seed=N]"; \throws measure::UsageError
[[nodiscard]] CostModel cost_model_from(program::Argument const& argument);

/// The samples of one point: the same ones for the same seed, measurement and argument.
class ModelledTime {
public:
    ModelledTime(CostModel const& model, std::string_view measurement, std::int64_t argument);
    /// The next sample, s; not below a tenth of the model's time.
    [[nodiscard]] measure::seconds next();

private:
    CostModel model_;
    double time_;
    std::mt19937_64 random_;
};

/// A clock that moves only when it is told to. Copies show the same time. Its stamps are picoseconds.
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
    /// It has no steps: nothing is too short for it.
    [[nodiscard]] measure::seconds resolution() const noexcept { return measure::seconds{0}; }
    [[nodiscard]] std::string name() const { return "model"; }

    void advance(measure::seconds d) const noexcept { *time_ = after(*time_, d + measure::seconds{picosecond / 2}); }

private:
    static constexpr double picosecond = 1e-12;
    std::shared_ptr<stamp> time_ = std::make_shared<stamp>(0);
};

static_assert(measure::Timer<ModelTimer>);

}  // namespace skampi
