// SPDX-License-Identifier: BSD-3-Clause
/// Attempts: the samples of an epoch, one row each, valid or not. A row is filled once, at the end of its stage:
///
///     every rank    its own duration and phases
///     root          results joined over the ranks: the sample, its corrected time, its phases
#pragma once

#include "measure/run.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace measure::detail {

struct EpochOutcome;

class Attempts {
public:
    explicit Attempts(std::size_t phases) : phases_{phases} {}

    /// Adds this rank's part of a row, in seconds per iteration.
    void add_own(LocalSample const& own);
    /// Adds the root's part of the next row. \param corrected, phases  used only if the sample is valid
    void add_joined(Sample sample, double corrected, std::span<double const> phases);
    /// Discards all rows, because they were warm-up.
    void clear();

    /// Root only.
    /// \{
    [[nodiscard]] std::size_t size() const noexcept { return samples_.size(); }
    [[nodiscard]] Sample const& operator[](std::size_t row) const { return samples_[row]; }
    [[nodiscard]] std::vector<double> const& valid_times() const noexcept { return valid_times_; }
    /// \}

    /// Trims the valid times and moves the rows into the outcome. On the root: samples, times, phases and the means
    /// over the kept samples. On every rank: its own durations of the same rows. Collective. \param corrects  whether
    /// the corrected times are meaningful  \param step  resolution of the clock
    void finish(Comm const& comm, EstimateRule rule, bool corrects, seconds step, EpochOutcome& outcome);

private:
    enum class Use : char { invalid, valid, kept };
    [[nodiscard]] std::vector<Use> uses(double trim) const;
    [[nodiscard]] std::int64_t fewest_iterations() const noexcept;  ///< minimum over the valid rows
    void join_kept(std::vector<Use> const& uses, bool corrects, EpochOutcome& outcome) const;

    std::size_t phases_;
    std::vector<double> own_durations_{};
    std::vector<double> own_phases_{};  ///< [rows][phases]
    std::vector<Sample> samples_{};
    std::vector<double> corrected_{};
    std::vector<double> joined_phases_{};  ///< [rows][phases]
    std::vector<double> valid_times_{};    ///< times of the valid rows, read by the stopping rules after each stage
};

}  // namespace measure::detail
