// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the way from the library's algorithms to a proved file: check, search, decision, canary, proof. Local.
#pragma once

#include "program/runtime/session.hpp"
#include "tune/context.hpp"
#include "tune/earlier.hpp"

#include <string>

namespace measure::tool::tune {

/// The phases of a campaign.
///
///     list -> check -> budget -> search -> decision -- no change --> complete, no file
///                                          decision -> canary -> proof -- nothing is slower --> complete, file
///                                          proof -- a choice is slower: it gets the default back --> proof
///                                          proof -- no choice is left, or it still fails --> complete, no file
///     any   -- the budget is spent --> incomplete
class Campaign {
public:
    /// \param base  text of the file to change; empty: the library's own
    Campaign(TuneOptions const& options, Launches& launches, RunFolder& folder, std::string base,
             program::Session& session);

    /// Carries out all phases. If the budget is spent, the outcome has the results of the completed steps.
    /// \throws std::runtime_error if the default itself fails, or if the file has no effect
    [[nodiscard]] Outcome run();

    /// Only proves the file of an earlier campaign, without changing it. \throws measure::UsageError if it is for
    /// another library or another number of ranks; std::runtime_error if it has no effect
    [[nodiscard]] Outcome prove(EarlierTuning const& earlier);

private:
    template <class Phases>
    [[nodiscard]] Outcome outcome_of(Phases phases);

    Context c_;
};

}  // namespace measure::tool::tune
