// SPDX-License-Identifier: BSD-3-Clause
/// Launches of a campaign: each is one start of the worker. Its record and its plan are kept, so that --resume does not
/// repeat it. Local.
#pragma once

#include "launching/folder.hpp"
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

/// Thrown when the time budget is spent.
class BudgetSpent : public std::runtime_error {
public:
    BudgetSpent() : std::runtime_error{"the budget is spent"} {}
};

/// A finished launch.
struct Launched {
    measure::RunRecord record{};
    std::string failure{};  ///< why it ended early; empty if it did not
    double seconds = 0;     ///< its time, including the start of the ranks unless it was read from a record
};

/// Number and time of the launches of a phase.
struct PhaseCost {
    int launches = 0;
    double seconds = 0;
};

class Launches {
public:
    using Clock = measure::SteadyClock;

    /// \param folder  its complete launches are not repeated, except failed launches of phases other than the check
    /// \throws measure::UsageError as `refuse_chosen` does
    Launches(TuneOptions const& options, RunFolder& folder, std::string campaign, Clock::time_point begin);

    /// Returns the launch with this plan, or carries it out. \param settings  its environment variables
    /// \throws BudgetSpent; measure::Interrupted; measure::UsageError if the ranks cannot be started at all
    [[nodiscard]] Launched const& run(WorkerPlan const& plan, Settings const& settings = {});

    /// Cost of all launches, including launches of earlier commands.
    [[nodiscard]] std::map<Phase, PhaseCost> const& costs() const noexcept { return costs_; }

    /// Time left of the budget; 0 without a budget. \throws BudgetSpent
    [[nodiscard]] measure::seconds left() const;

    /// The largest size that earlier commands screened; empty if they screened no size.
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
