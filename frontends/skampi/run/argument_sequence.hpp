// SPDX-License-Identifier: BSD-3-Clause
/// ArgumentSequence: which arguments of a measurement are measured, and why no more. Pure; the root's.
#pragma once

#include "skampi/setup.hpp"

#include <measure/refine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace skampi {

/// Initial arguments in ascending order, then those that refinement asks for.
class ArgumentSequence {
public:
    explicit ArgumentSequence(Task const& task);

    [[nodiscard]] std::vector<std::int64_t> const& initial() const noexcept { return initial_; }
    /// j > 1: so many initial arguments that only each j-th is measured.
    [[nodiscard]] std::size_t coarsened() const noexcept { return coarsened_; }

    /// The next argument, which must be added before the following call; nothing at the end.
    [[nodiscard]] std::optional<std::int64_t> next(bool time_is_up);
    /// \param time, half_width  of its interval; microseconds
    void add(std::int64_t argument, double time, double half_width);

    /// Whether the last argument given is one of refinement.
    [[nodiscard]] bool refines() const noexcept { return next_ >= initial_.size() && refined_ > 0; }
    [[nodiscard]] std::size_t refined() const noexcept { return refined_; }
    /// "fixed", "accuracy", "limit", "exhausted", "noise_guard".
    [[nodiscard]] std::string_view stop() const noexcept { return stop_; }
    /// The largest error of a segment in the end; nothing where nothing is refined.
    [[nodiscard]] std::optional<double> max_error() const noexcept { return max_error_; }
    /// The largest by the paper's rule, which has no noise guard.
    [[nodiscard]] std::optional<double> paper_error() const noexcept { return paper_error_; }
    /// Time was up before all initial arguments were measured.
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
