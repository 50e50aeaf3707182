// SPDX-License-Identifier: BSD-3-Clause
/// Decide: whether another algorithm replaces the default, from launches that measured both. Pure, local.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

struct DecideRules {
    double gain = 0.05;  ///< minimum gain: time of the default over that of the algorithm, minus 1
    double fdr = 0.05;   ///< expected share of changes whose true gain is not above the threshold
};

/// Results of the launches for one other algorithm of a segment.
struct Rival {
    std::string algorithm{};
    std::vector<double> gains{};  ///< [launch] mean over the sizes of log(default / algorithm), both of this launch
};

/// The results of the launches for one segment.
struct SegmentLaunches {
    std::string collective{};
    std::vector<Rival> rivals{};
    std::vector<double> noise{};  ///< [launch] the same for the default under a second name
};

/// Prefix of the reason of a choice that more launches may change.
inline constexpr std::string_view not_certain = "not certain";

struct Choice {
    std::string algorithm{};  ///< chosen algorithm; empty: the default is kept
    double threshold = 0;     ///< a gain must exceed this share
    double noise = 0;         ///< difference of the default from itself (A/A), as a share
    /// The chosen algorithm or, if the default is kept, the one with the largest gain. Empty without other algorithms.
    /// \{
    std::string best{};
    std::optional<double> gain{};  ///< median over launches, as a share
    std::optional<double> p{};     ///< p of the signed rank test
    std::optional<double> q{};     ///< p adjusted for all segments and algorithms
    /// \}
    std::string reason{};  ///< why the default is kept; empty if it is replaced
};

/// Adjusts the p-values of several tests. Among the tests with an adjusted value of at most q, the expected share of
/// true hypotheses is at most q (Benjamini and Hochberg 1995): min over j >= i of k p(j) / j, at most 1. Keeps the
/// order.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<double const> ps);

/// The apparent difference of the default from itself: |median| + 1.96 x 1.2533 s / sqrt(m) of the pooled A/A values,
/// as a ratio minus 1. Here s is their `measure::log_scale`, m the number of launches, and 1.2533 s / sqrt(m) the
/// standard error of a median. 0 for fewer than two values.
/// \param values  logarithms of ratios  \param launches  m
[[nodiscard]] double aa_noise(std::span<double const> values, std::size_t launches);

/// The choice for each segment. Wilcoxon's signed rank test decides whether an algorithm's gains exceed
/// log(1 + threshold); p is adjusted over all segments and rivals. The threshold of a segment is the larger of `gain`
/// and the `aa_noise` of all segments of its collective. Among the algorithms that pass, the one with the largest
/// median gain is chosen. If the choice of the previous segment of the collective also passes here and is within the
/// threshold of it, that algorithm is chosen instead. \param segments  the segments of each collective in ascending
/// order, one collective after another
[[nodiscard]] std::vector<Choice> decide(std::span<SegmentLaunches const> segments, DecideRules const& rules);

}  // namespace measure::tool::tune
