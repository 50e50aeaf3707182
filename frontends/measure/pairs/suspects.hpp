// SPDX-License-Identifier: BSD-3-Clause
/// Suspects: links and nodes that look slow, and their confirmation by new measurements with controls.
///
/// The tournament only proposes suspects. Rare long delays spoil its medians, so a test of them would exceed the
/// stated rate of false alarms.
///
///     tournament -> fit -> screen --suspects--> sieve: 9 trials each --remaining--> 24 or more trials each
///                                               median <= 0: dropped                signed rank test, Holm
#pragma once

#include "pairs/fit.hpp"

#include <measure/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace measure::tool::pairs {

struct Rules {
    double threshold = 0.05;  ///< slowdowns up to this share are ignored, >= 0
    double alpha = 0.05;      ///< probability of any false alarm, in (0, 1); separately for groups and for bindings
    double power = 0.99;      ///< probability of finding a slowdown that is reported as detectable, in (0, 1)
    int sieve = 9;            ///< trials per suspect that select the remaining suspects, >= 1
    int confirm = 24;         ///< minimum trials per remaining suspect; many suspects need more
    std::uint64_t seed = 1;   ///< seed of the choice of controls and of the order of trials
};

/// Classes and fit of all pairs for one quantity.
struct Seen {
    ClassOf class_of{};
    Fit fit{};
};

enum class Kind { link, node, group, binding };

/// A pair whose times match another class.
struct Moved {
    int node = 0;      ///< the partner
    int of_class = 0;  ///< the class that its times match
};

struct Suspect {
    Kind kind = Kind::link;
    std::size_t quantity = 0;    ///< index in the list of `Seen`
    int a = 0;                   ///< node, group, or end of a link: the smaller node, or the sender if directed
    int b = 0;                   ///< other end of the link
    bool receives = false;       ///< directed values, node: it receives more slowly than it sends
    double effect = 0;           ///< estimate from the tournament, as a logarithm
    std::vector<Moved> moved{};  ///< binding: pairs that match another class, in the order of nodes
};

/// Selects links with a residual, and nodes with an effect, above both log(1 + threshold) and 2.5 scales. Per quantity
/// the max(10, n) largest links and all such nodes are kept. Directed values are tested in both directions. Empty with
/// fewer than `fewest_nodes` nodes. Collective over the processes with rows; only the selected links are sent to the
/// root. \return the suspects, on the root
[[nodiscard]] std::vector<Suspect> screen(measure::Comm const& comm, std::span<Seen const> seen, double threshold);

/// Keeps the suspects that exceed the threshold by more than normally distributed scatter would anywhere, except with
/// probability alpha. For suspects that are not measured again. They stay unconfirmed, because rare long delays are not
/// normally distributed. Pure and local, like all functions below.
[[nodiscard]] std::vector<Suspect> beyond_scatter(std::span<Seen const> seen, std::vector<Suspect> suspects,
                                                  Rules const& rules);

/// A new measurement of a suspect together with controls, within seconds.
struct Trial {
    std::size_t suspect = 0;  ///< index in the list of suspects
    std::size_t quantity = 0;
    Pair candidate{};  ///< the link, or the node and a partner; directed values: sender first
    /// For a link (i, j): (i, x) and (y, j) of its class. For a node i with partner p: (q, p), or (p, q) if it
    /// receives. For a binding: as for a node, with a partner whose class would change.
    std::vector<Pair> controls{};
};

/// Values of a trial on the scale of the fit, or `not_measured` after a failure.
struct Outcome {
    double candidate = not_measured;
    std::vector<double> controls{};  ///< in the order of the trial's controls
};

/// Carries out trials in the given order. \return one outcome per trial
using CarryOut = std::function<std::vector<Outcome>(std::span<Trial const>)>;

/// The nodes with which a node was measured, in ascending order, whichever process has its row. \see partners_of
using PartnersOf = std::function<std::vector<int>(std::size_t quantity, int node)>;

struct Finding {
    Suspect suspect{};
    double effect = 0;                            ///< slowdown as a share, from the confirmation alone
    std::optional<measure::Interval> interval{};  ///< 95 % interval of the effect, from order statistics
    double p = 1;                                 ///< one-sided signed rank test
    double adjusted_p = 1;                        ///< p adjusted by Holm over the remaining suspects
    std::size_t trials = 0;                       ///< number of trials of the confirmation
    std::size_t controls = 0;                     ///< number of controls measured with them
    bool confirmed = false;                       ///< adjusted_p <= alpha
};

struct Verdict {
    std::size_t screened = 0;         ///< number of suspects
    std::size_t sieved = 0;           ///< number of suspects that remained after the sieve
    int confirm = 0;                  ///< trials of each remaining suspect
    std::vector<Finding> findings{};  ///< the remaining suspects, the confirmed ones first, then by effect
};

/// Sieves, confirms and tests the suspects. Trials are in random order. A suspect without possible controls is not
/// tested and stays unconfirmed with p = 1.
[[nodiscard]] Verdict confirm(std::span<Seen const> seen, std::span<Suspect const> suspects, Rules const& rules,
                              CarryOut const& carry_out, PartnersOf const& partners);

/// The smallest slowdowns that would have been found with probability `power`. Screen, sieve and test may each miss a
/// third of 1 - power.
struct Detectable {
    double link = 0;  ///< slowdown of a link, as a share
    double node = 0;  ///< slowdown of a node, as a share
};
/// \param noise  standard deviation of the logarithm of one measurement
/// \param repetitions  repetitions of the tournament
/// \param suspects  number of suspects among which the test divides alpha, at least 1
[[nodiscard]] Detectable detectable(Fit const& fit, double noise, int repetitions, std::size_t suspects,
                                    Rules const& rules);

/// The effort needed to find an effect.
struct Effort {
    int repetitions = 0;  ///< repetitions of the tournament
    int confirm = 0;      ///< trials of each suspect
    Detectable reach{};   ///< slowdowns that this effort finds
};

/// The fewest repetitions, then the fewest trials, that find links and nodes slower by `effect`. If no effort suffices,
/// the largest one. \param first  fit of one repetition; all of its scatter is taken as noise
/// \param effect  slowdown as a share  \param most  maximum number of repetitions, at least 3
[[nodiscard]] Effort effort_for(Fit const& first, double effect, int most, Rules rules);

}  // namespace measure::tool::pairs
