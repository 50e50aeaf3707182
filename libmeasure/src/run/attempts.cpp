// SPDX-License-Identifier: BSD-3-Clause
#include "run/attempts.hpp"

#include "run/epoch.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace measure::detail {

namespace {

/// Mean of a member; empty if there are no samples or one of them has no value.
std::optional<double> mean_of(std::vector<Sample const*> const& samples, std::optional<double> Sample::*member) {
    double sum = 0;
    for (auto const* s : samples) {
        if (!(s->*member))
            return std::nullopt;
        sum += *(s->*member);
    }
    return samples.empty() ? std::nullopt : std::optional{sum / static_cast<double>(samples.size())};
}

}  // namespace

void Attempts::add_own(LocalSample const& own) {
    own_durations_.push_back(own.duration / static_cast<double>(own.iterations));
    own_phases_.insert(own_phases_.end(), own.phases.begin(),
                       own.phases.begin() + static_cast<std::ptrdiff_t>(phases_));
}

void Attempts::add_joined(Sample sample, double corrected, std::span<double const> phases) {
    if (sample.invalid == InvalidReason::none)
        valid_times_.push_back(sample.time);
    corrected_.push_back(corrected);
    joined_phases_.insert(joined_phases_.end(), phases.begin(), phases.end());
    samples_.push_back(std::move(sample));
}

void Attempts::clear() { *this = Attempts{phases_}; }

/// How each row is used. If trimming would leave nothing, all valid rows are kept.
std::vector<Attempts::Use> Attempts::uses(double trim) const {
    std::vector<std::size_t> valid;
    std::vector<Use> uses(samples_.size(), Use::invalid);
    for (std::size_t row = 0; row < samples_.size(); ++row)
        if (samples_[row].invalid == InvalidReason::none)
            valid.push_back(row);
    auto const kept = trimmed_indices(valid_times_, trim);
    for (auto const row : valid)
        uses[row] = kept.empty() ? Use::kept : Use::valid;
    for (auto const i : kept)
        uses[valid[i]] = Use::kept;
    return uses;
}

std::int64_t Attempts::fewest_iterations() const noexcept {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (auto const& sample : samples_)
        if (sample.invalid == InvalidReason::none)
            fewest = std::min(fewest, sample.iterations);
    return fewest;
}

void Attempts::finish(Comm const& comm, EstimateRule rule, bool corrects, seconds step, EpochOutcome& outcome) {
    std::vector<Use> chosen;
    if (comm.is_root()) {
        rule.clock_step = step.count() / static_cast<double>(fewest_iterations());
        outcome.estimate = estimate(valid_times_, rule);
        chosen = uses(rule.trim);
        join_kept(chosen, corrects, outcome);
        outcome.samples = std::move(samples_);
        outcome.valid_times = std::move(valid_times_);
    }
    comm.broadcast(chosen);
    for (std::size_t row = 0; row < chosen.size(); ++row) {
        if (chosen[row] == Use::invalid)
            continue;
        outcome.mine.push_back(own_durations_[row]);
        if (chosen[row] == Use::kept)
            outcome.mine_kept.push_back(own_durations_[row]);
        if (phases_ > 0)
            std::copy_n(own_phases_.begin() + static_cast<std::ptrdiff_t>(row * phases_), phases_,
                        outcome.mine_phases.emplace_back().begin());
    }
}

void Attempts::join_kept(std::vector<Use> const& uses, bool corrects, EpochOutcome& outcome) const {
    std::vector<Sample const*> kept;
    double corrected = 0;
    outcome.phases.resize(phases_);
    for (std::size_t row = 0; row < samples_.size(); ++row) {
        outcome.invalid.add(samples_[row].invalid);
        if (uses[row] == Use::invalid)
            continue;
        for (std::size_t p = 0; p < phases_; ++p)
            outcome.phases[p].push_back(joined_phases_[row * phases_ + p]);
        if (uses[row] == Use::kept) {
            kept.push_back(&samples_[row]);
            corrected += corrected_[row];
        }
    }
    outcome.span = mean_of(kept, &Sample::span);
    outcome.start_imbalance = mean_of(kept, &Sample::start_imbalance);
    outcome.exit_imbalance = mean_of(kept, &Sample::exit_imbalance);
    if (corrects && !kept.empty())
        outcome.corrected = corrected / static_cast<double>(kept.size());
}

}  // namespace measure::detail
