// SPDX-License-Identifier: BSD-3-Clause
/// Suspects: links and nodes that look slow, and what fresh measurements beside controls say of them.
///
/// A single look at all pairs cannot hold a rate of false alarms where rare long delays spoil medians: it only
/// proposes.
///
///     tournament -> fit -> screen --suspects--> sieve: 9 trials each --who remains--> 24 or more trials each
///                                                  median <= 0: out                    signed rank test, Holm
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
    double threshold = 0.05;  ///< what does not matter, as a share, >= 0
    double alpha = 0.05;      ///< chance of a false alarm, of groups and of bindings as much each, (0, 1)
    double power = 0.99;      ///< chance to find what is said to be found, (0, 1)
    int sieve = 9;            ///< trials of each suspect that only decide who remains, >= 1
    int confirm = 24;         ///< trials of each that remains, at least; more where there are many
    std::uint64_t seed = 1;   ///< of controls and orders
};

/// What was seen of all pairs of one quantity.
struct Seen {
    ClassOf class_of{};
    Fit fit{};
};

enum class Kind { link, node, group, binding };

/// A class that a pair behaves as.
struct Moved {
    int node = 0;  ///< the partner
    int of_class = 0;
};

struct Suspect {
    Kind kind = Kind::link;
    std::size_t quantity = 0;    ///< which of those seen
    int a = 0;                   ///< node, group, or an end of a link: the smaller one, or the one that sends
    int b = 0;                   ///< the other end
    bool receives = false;       ///< of directed values, a node: what it receives is slower than what it sends
    double effect = 0;           ///< as it looks: a logarithm
    std::vector<Moved> moved{};  ///< of a binding: pairs that behave as of another class, by node
};

/// Whose residual or effect is above log(1 + threshold) and above 2.5 scales: the largest max(10, n) links and the
/// largest max(10, n) nodes of each quantity; of directed values either way. Nothing of fewer than `fewest_nodes`.
/// Collective over those who have rows; no more than these come to the root. \return on the root
[[nodiscard]] std::vector<Suspect> screen(measure::Comm const& comm, std::span<Seen const> seen, double threshold);

/// Those suspects that nobody measures again: above the threshold by more than normal scatter would show anywhere, but
/// in a chance of alpha. Rare long delays are not normal, so these stay suspects. Pure, local, as all that follows.
[[nodiscard]] std::vector<Suspect> beyond_scatter(std::span<Seen const> seen, std::vector<Suspect> suspects,
                                                  Rules const& rules);

/// One fresh measurement of a suspect, and of others in the same seconds.
struct Trial {
    std::size_t suspect = 0;  ///< number in the list
    std::size_t quantity = 0;
    Pair candidate{};  ///< of a node: it and a partner; of directed values in the order sent
    /// Of a link (i, j): (i, x) and (y, j) of its class; of a node i with partner p: (q, p), and where it receives (p,
    /// q); of a binding as of a node, with partners whose class would be another one.
    std::vector<Pair> controls{};
};

/// Values as they were fitted; `not_measured` where one failed.
struct Outcome {
    double candidate = not_measured;
    std::vector<double> controls{};  ///< as in the trial
};

/// Carries out trials in the order given. \return one outcome each
using CarryOut = std::function<std::vector<Outcome>(std::span<Trial const>)>;

/// The nodes with which a node was measured, in ascending order, whoever has its row. \see partners_of
using PartnersOf = std::function<std::vector<int>(std::size_t quantity, int node)>;

struct Finding {
    Suspect suspect{};
    double effect = 0;                            ///< share by which it is slower, of the confirmation alone
    std::optional<measure::Interval> interval{};  ///< 95 %, order statistics
    double p = 1;                                 ///< signed rank test, one-sided
    double adjusted_p = 1;                        ///< Holm, over those that remained
    std::size_t trials = 0;                       ///< of the confirmation
    std::size_t controls = 0;                     ///< measured beside them
    bool confirmed = false;                       ///< adjusted_p <= alpha
};

struct Verdict {
    std::size_t screened = 0;         ///< suspects
    std::size_t sieved = 0;           ///< that remained
    int confirm = 0;                  ///< trials of each of these
    std::vector<Finding> findings{};  ///< of those that remained, the confirmed ones first, then by effect
};

/// Sieve, confirmation and test of the suspects. Trials are in random order. A suspect for which no control can be
/// drawn is not tested and stands unconfirmed with p = 1.
[[nodiscard]] Verdict confirm(std::span<Seen const> seen, std::span<Suspect const> suspects, Rules const& rules,
                              CarryOut const& carry_out, PartnersOf const& partners);

/// The smallest effects that would have been found with the power asked for: screen, sieve and test miss a third of the
/// rest each.
struct Detectable {
    double link = 0;  ///< share
    double node = 0;
};
/// \param noise  standard deviation of the logarithm of one measurement  \param repetitions  of the tournament
/// \param suspects  among how many the test divides alpha, at least 1
[[nodiscard]] Detectable detectable(Fit const& fit, double noise, int repetitions, std::size_t suspects,
                                    Rules const& rules);

/// What it takes to find an effect.
struct Effort {
    int repetitions = 0;  ///< of the tournament
    int confirm = 0;      ///< trials of each suspect
    Detectable reach{};   ///< with these
};

/// The fewest repetitions, and then trials, with which links and nodes slower by `effect` are found; the most where
/// that is not reached. \param first  fit of one repetition: all of its scatter is taken for noise \param effect  a
/// share  \param most  repetitions, at least 3
[[nodiscard]] Effort effort_for(Fit const& first, double effect, int most, Rules rules);

}  // namespace measure::tool::pairs
