// SPDX-License-Identifier: BSD-3-Clause
/// ArgumentSequence: the arguments at which a measurement is made, and the reason for its end. Pure; used on the root.
#pragma once

#include "skampi/setup.hpp"

#include <measure/refine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace skampi {

/// The initial arguments in ascending order, followed by arguments that refinement adds.
class ArgumentSequence {
public:
    explicit ArgumentSequence(Task const& task);

    [[nodiscard]] std::vector<std::int64_t> const& initial() const noexcept { return initial_; }
    /// Returns j. If j > 1, there are too many initial arguments and only every j-th is measured.
    [[nodiscard]] std::size_t coarsened() const noexcept { return coarsened_; }

    /// Returns the next argument, or nothing at the end. It must be added before the next call.
    [[nodiscard]] std::optional<std::int64_t> next(bool time_is_up);
    /// \param time  in microseconds  \param half_width  of the interval of the time, in microseconds
    void add(std::int64_t argument, double time, double half_width);

    /// Whether the last returned argument was added by refinement.
    [[nodiscard]] bool refines() const noexcept { return next_ >= initial_.size() && refined_ > 0; }
    [[nodiscard]] std::size_t refined() const noexcept { return refined_; }
    /// Returns the stop reason: "fixed", "accuracy", "limit", "exhausted" or "noise_guard".
    [[nodiscard]] std::string_view stop() const noexcept { return stop_; }
    /// Largest error of a segment at the end. Missing without refinement.
    [[nodiscard]] std::optional<double> max_error() const noexcept { return max_error_; }
    /// Largest error by the rule of the paper, which has no noise guard.
    [[nodiscard]] std::optional<double> paper_error() const noexcept { return paper_error_; }
    /// Whether the time limit was reached before all initial arguments were measured.
    [[nodiscard]] bool incomplete() const noexcept { return incomplete_; }

private:
    bool dynamic_;
    std::vector<std::int64_t> initial_;
    std::size_t coarsened_ = 1;
    measure::Refiner refiner_;
    std::size_t next_ = 0;
    std::size_t refined_ = 0;
    std::string_view stop_ = "fixed";
    std::optional<double> max_error_{};
    std::optional<double> paper_error_{};
    bool incomplete_ = false;
};

}  // namespace skampi
