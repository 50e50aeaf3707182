// SPDX-License-Identifier: BSD-3-Clause
/// Decide: whether another algorithm takes the place of the default, from launches that measured both. Pure, local.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

struct DecideRules {
    double gain = 0.05;  ///< of the default's time over the other's, less 1: less changes nothing
    double fdr = 0.05;   ///< of the changes that are made, the expected share that gains no more than the threshold
};

/// What launches say of one other algorithm of a segment.
struct Rival {
    std::string algorithm{};
    std::vector<double> gains{};  ///< [launches] mean over the sizes of log(default / algorithm), both in the launch
};

/// A segment with its launches.
struct SegmentLaunches {
    std::string collective{};
    std::vector<Rival> rivals{};
    std::vector<double> noise{};  ///< [launches] the same for the default under a second name
};

/// The beginning of the reason of a choice that more launches may change.
inline constexpr std::string_view not_certain = "not certain";

struct Choice {
    std::string algorithm{};  ///< empty: the default stays
    double threshold = 0;     ///< that a gain has to exceed
    double noise = 0;         ///< the A/A part of the threshold
    /// Of the chosen algorithm; where the default stays of the one with the largest gain. Nothing without another one.
    /// \{
    std::string best{};
    std::optional<double> gain{};  ///< median over launches
    std::optional<double> p{};
    std::optional<double> q{};  ///< p adjusted for all segments and algorithms
    /// \}
    std::string reason{};  ///< why the default stays; empty: it does not
};

/// The p-values of several tests, so adjusted that of those below q an expected share of q are true hypotheses at most
/// (Benjamini and Hochberg 1995): min over j >= i of k p(j) / j, at most 1. The order is kept.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<double const> ps);

/// By how much the default seems to differ from itself over so many launches: |median| + 1.96 x 1.2533 s / sqrt(m) of
/// the pooled A/A values, as a ratio less 1, where s is their `measure::log_scale`, m the number of launches, and
/// 1.2533 s / sqrt(m) the standard error of a median. 0 for fewer than two values.
/// \param values  logarithms of ratios
[[nodiscard]] double aa_noise(std::span<double const> values, std::size_t launches);

/// For each segment. An algorithm's gains, less log(1 + threshold), are tested to lie above zero by Wilcoxon's signed
/// rank test; p is adjusted over all segments and rivals. The threshold of a segment is the larger of `gain` and the
/// `aa_noise` of all segments of its collective. Of those that pass the one with the largest median gain is taken; of
/// those that are within the threshold of it, the one that a neighbouring segment of the collective takes.
/// \param segments  of a collective in ascending order, one after another
[[nodiscard]] std::vector<Choice> decide(std::span<SegmentLaunches const> segments, DecideRules const& rules);

}  // namespace measure::tool::tune
