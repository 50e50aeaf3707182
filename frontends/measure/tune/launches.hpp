// SPDX-License-Identifier: BSD-3-Clause
/// Launches of a campaign: each is one start of the worker, kept with its plan, and not repeated when the campaign is
/// gone on with. Local.
#pragma once

#include "starts/folder.hpp"
#include "tune/library/settings.hpp"
#include "tune/options.hpp"
#include "tune/plan.hpp"

#include <measure/read.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace measure::tool::tune {

/// The time of the campaign is up.
class BudgetSpent : public std::runtime_error {
public:
    BudgetSpent() : std::runtime_error{"the budget is spent"} {}
};

/// A launch that is over.
struct Launched {
    measure::RunRecord record{};
    std::string failure{};  ///< why it ended early; empty: it did not
    double seconds = 0;     ///< that it took with its start; of one that was known already, without
};

/// What launches of a phase took.
struct PhaseCost {
    int launches = 0;
    double seconds = 0;
};

class Launches {
public:
    using Clock = measure::SteadyClock;

    /// \param folder  whose complete launches are known already, but for those that failed outside of the check
    /// \throws measure::UsageError as `refuse_chosen` does
    Launches(TuneOptions const& options, RunFolder& folder, std::string campaign, Clock::time_point begin);

    /// The launch of that plan, as it is known or as it now runs. \param settings  of its environment
    /// \throws BudgetSpent; measure::Interrupted; measure::UsageError where the ranks cannot be started at all
    [[nodiscard]] Launched const& run(WorkerPlan const& plan, Settings const& settings = {});

    /// Of all launches, those of earlier commands too.
    [[nodiscard]] std::map<Phase, PhaseCost> const& costs() const noexcept { return costs_; }

    /// Of the budget; 0: there is none. \throws BudgetSpent
    [[nodiscard]] measure::seconds left() const;

    /// The largest size that was screened before this command began; nothing where none was.
    [[nodiscard]] std::optional<measure::Bytes> largest_screened() const noexcept { return largest_screened_; }

private:
    Launched started(WorkerPlan const& plan, Settings const& settings);
    void keep(Phase phase, std::string const& plan, Launched launched);

    TuneOptions const& o_;
    RunFolder& folder_;
    std::string campaign_;
    Clock::time_point begin_;
    int number_ = 0;
    std::map<std::string, Launched> known_{};
    std::map<Phase, PhaseCost> costs_{};
    std::optional<measure::Bytes> largest_screened_{};
};

}  // namespace measure::tool::tune
