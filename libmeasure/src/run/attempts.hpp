// SPDX-License-Identifier: BSD-3-Clause
/// Attempts: the samples of an epoch, one row each, valid or not. A row is filled once, when its stage has ended:
///
///     every rank    own duration and phases
///     root          what the ranks' samples were joined to: the sample itself, its corrected time, its phases
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

    /// This rank's part of one row, s per iteration.
    void add_own(LocalSample const& own);
    /// The root's part of the next row. \param corrected, phases  count where the sample is valid
    void add_joined(Sample sample, double corrected, std::span<double const> phases);
    /// Forgets all rows: they were warm-up.
    void clear();

    /// Root.
    /// \{
    [[nodiscard]] std::size_t size() const noexcept { return samples_.size(); }
    [[nodiscard]] Sample const& operator[](std::size_t row) const { return samples_[row]; }
    [[nodiscard]] std::vector<double> const& valid_times() const noexcept { return valid_times_; }
    /// \}

    /// Trims the valid times, and moves the rows into the outcome: on the root samples, times, phases and the means
    /// over what was kept; on every rank its own durations of the same rows. Collective. \param corrects  whether the
    /// corrected times mean something  \param step  of the clock
    void finish(Comm const& comm, EstimateRule rule, bool corrects, seconds step, EpochOutcome& outcome);

private:
    enum class Use : char { invalid, valid, kept };
    [[nodiscard]] std::vector<Use> uses(double trim) const;
    [[nodiscard]] std::int64_t fewest_iterations() const noexcept;  ///< of the valid rows
    void join_kept(std::vector<Use> const& uses, bool corrects, EpochOutcome& outcome) const;

    std::size_t phases_;
    std::vector<double> own_durations_{};
    std::vector<double> own_phases_{};  ///< [rows][phases]
    std::vector<Sample> samples_{};
    std::vector<double> corrected_{};
    std::vector<double> joined_phases_{};  ///< [rows][phases]
    std::vector<double> valid_times_{};    ///< of the valid rows, for the rules, which look at them after each stage
};

}  // namespace measure::detail
