// SPDX-License-Identifier: BSD-3-Clause
/// SlotLength: how long the slots of a point are, from stage to stage. Pure.
#pragma once

#include "measure/units.hpp"

#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// How the next slot length is found.
enum class SlotRule {
    /// After more than the tolerated share of invalid samples max(2 length, growth * stage time / samples), as MPIPerf
    /// 0.0.3; what a longer slot does not cure is not counted. Slots also get shorter, within bounds.
    doubling,
    /// MPIPerf paper, section 4, to the letter: gamma (tau' - tau) / k after the warm-up and after each stage with more
    /// than the tolerated share of invalid samples, whatever their reason. Nothing else changes the length: no bounds,
    /// no shorter slots. gamma is the growth, k the number of samples of the stage, tau its first start, tau' the
    /// latest
    /// end over ranks of its last sample, by the global clock.
    paper,
};
/// "doubling", "paper". \throws UsageError that lists the known names
[[nodiscard]] SlotRule slot_rule_from(std::string_view name);

/// What the root learns of a stage, for the next slot length. Seconds.
struct StageFacts {
    int samples = 0;            ///< of the stage
    int invalid = 0;            ///< invalid samples
    int slipped = 0;            ///< those of them that come from a rank that was not running, which no length cures
    double elapsed = 0;         ///< longest local time of the stage's samples over ranks
    double global_elapsed = 0;  ///< from the stage's first start to the last end by the global clock; 0: not known
    /// Longest over ranks, `prepare` included: the median over the samples that began at their instant, over all if
    /// none did.
    double typical = 0;
};

/// The slot length of a point from stage to stage. Pure; kept by the root.
///
///     zero   -- after_warm_up -->                                              length
///     length -- after_stage, more than the tolerated share invalid -->         longer
///     length -- after_stage, the second that could do with less than 1/4 -->   shorter
///     length -- after_stage, any other -->                                     the same, between floor and ceiling
///     length -- forget -->                                                     the same, the ceiling not known
///
/// With SlotRule::paper only the first two lines hold, without floor and ceiling.
class SlotLength {
public:
    /// Within which slots change; as in SlotStart.
    struct Limits {
        double growth = 1.1;                 ///< gamma, in [1.1, 2]
        double invalid_share = 0.25;         ///< of invalid samples in a stage, in [0, 1]
        SlotRule rule = SlotRule::doubling;  ///< how slots grow
        double floor = 2e-6;                 ///< 10 tolerances + 4 (clock bound + reading), s
    };
    /// Of length zero, until the warm-up has been seen.
    explicit SlotLength(Limits limits) : limits_{limits} {}

    [[nodiscard]] double value() const noexcept { return length_; }  ///< length of the next slots, s
    /// Length after the warm-up stage of slots of length zero: growth * elapsed / samples.
    void after_warm_up(StageFacts const& stage);
    /// Lengthens after more than the tolerated share of invalid samples that a longer slot could have saved; shortens
    /// after two stages in a row without such a sample whose typical one needed less than a quarter: max(4 typical,
    /// length / 2). Not below the floor, and never above max(100 us, 64 typical of the quickest stage): a rank that was
    /// not running for a while makes a sample long, and the longer slots are, the likelier a rank is pre-empted while
    /// it waits.
    void after_stage(StageFacts const& stage);
    /// Samples become longer or shorter from here on: what is typical is learnt anew.
    void forget() noexcept { typical_ = 0; }
    /// What no sample of the operation is expected to need, s: beyond it a rank was not running. 0: not known yet.
    [[nodiscard]] double ceiling() const noexcept;

private:
    [[nodiscard]] double from_time_of(StageFacts const& stage) const;
    void set(double length);
    Limits limits_;
    double length_ = 0;
    double typical_ = 0;  ///< of the quickest stage so far; 0 before the first
    int clean_ = 0;       ///< stages in a row that could be shortened
};

}  // namespace measure
#pragma GCC visibility pop
