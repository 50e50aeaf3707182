// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: from what a library offers to files that are proved: check, search, decision, canary, proof. Local.
#pragma once

#include "program/runtime/session.hpp"
#include "tune/context.hpp"
#include "tune/earlier.hpp"

#include <string>

namespace measure::tool::tune {

/// The phases of a campaign.
///
///     list -> check -> budget -> search -> decision -- nothing differs from the default --> over
///                                          decision -> canary -> proof -- the file holds --> over
///                                          proof -- a choice is slower: it gets the default back --> proof
///                                          proof -- none holds --> over, without
///     any   -- the budget is spent --> over, incomplete
class Campaign {
public:
    /// \param base  text of the file to build on; empty: the library's own
    Campaign(TuneOptions const& options, Launches& launches, RunFolder& folder, std::string base,
             program::Session& session);

    /// Works through all phases. What is known when the budget is spent is in the outcome.
    /// \throws std::runtime_error where the default itself fails, and where the file has no effect
    [[nodiscard]] Outcome run();

    /// Only the proof of an earlier campaign's file, which stays what it is.
    /// \throws measure::UsageError where it is for more ranks; std::runtime_error where it has no effect
    [[nodiscard]] Outcome prove(EarlierTuning const& earlier);

private:
    template <class Phases>
    [[nodiscard]] Outcome outcome_of(Phases phases);

    Context c_;
};

}  // namespace measure::tool::tune
