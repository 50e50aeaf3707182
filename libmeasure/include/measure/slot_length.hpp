// SPDX-License-Identifier: BSD-3-Clause
/// SlotLength: the length of the slots of a point, adjusted from stage to stage. Pure.
#pragma once

#include "measure/units.hpp"

#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// Rule for the next slot length.
enum class SlotRule {
    /// After a stage whose share of invalid samples is larger than tolerated: max(2 length, growth * stage time /
    /// samples), as in MPIPerf 0.0.3. Invalid samples that a longer slot would not make valid are not counted. Slots
    /// also become shorter, and the length has a lower and an upper bound.
    doubling,
    /// Exactly as in the MPIPerf paper, section 4: gamma (tau' - tau) / k after the warm-up and after each stage whose
    /// share of invalid samples, for any reason, is larger than tolerated. gamma is the growth, and k the number of
    /// samples of the stage. tau is the first start of the stage, and tau' the latest end of its last sample on any
    /// rank, both by the global clock. The length has no bounds, and nothing else changes it.
    paper,
};
/// The rule with the given name: "doubling" or "paper". Local.
/// \throws UsageError for an unknown name; the text lists the known ones
[[nodiscard]] SlotRule slot_rule_from(std::string_view name);

/// Facts about a stage that determine the next slot length. Times in seconds.
struct StageFacts {
    int samples = 0;            ///< number of samples in the stage
    int invalid = 0;            ///< number of invalid samples
    int slipped = 0;            ///< samples that are invalid because a rank was not running, not because of the slot
    double elapsed = 0;         ///< time from the first begin to the last end, on the slowest rank
    double global_elapsed = 0;  ///< time from the stage's first start to the last end by the global clock; 0: not known
    /// Typical time of a sample: the median of the longest times over ranks, including `prepare`. It is taken over the
    /// samples that began in time, or over all samples if none did.
    double typical = 0;
};

/// The slot length of a point from stage to stage. Pure; only the root has one.
///
///     zero   -- after_warm_up -->                                              length
///     length -- after_stage, more invalid samples than tolerated -->           longer
///     length -- after_stage, second in a row that needs less than 1/4 -->      shorter
///     length -- after_stage, otherwise -->                                     unchanged, between floor and ceiling
///     length -- forget -->                                                     unchanged, the ceiling is not known
///
/// With SlotRule::paper only the first two transitions apply, without floor and ceiling.
class SlotLength {
public:
    /// Parameters of the rule; see SlotStart.
    struct Limits {
        double growth = 1.1;                 ///< gamma, in [1.1, 2]
        double invalid_share = 0.25;         ///< tolerated share of invalid samples in a stage, in [0, 1]
        SlotRule rule = SlotRule::doubling;  ///< rule for the next slot length
        double floor = 2e-6;                 ///< shortest length, s: 10 tolerances + 4 (clock bound + reading)
    };
    /// Starts with length zero, until `after_warm_up`.
    explicit SlotLength(Limits limits) : limits_{limits} {}

    [[nodiscard]] double value() const noexcept { return length_; }  ///< length of the next slots, s
    /// Sets the length after the warm-up stage, whose slots have length zero: growth * elapsed / samples. With
    /// SlotRule::paper, `global_elapsed` replaces `elapsed` if it is known.
    void after_warm_up(StageFacts const& stage);
    /// Adjusts the length after a stage. If the share of invalid samples that a longer slot could have saved is larger
    /// than tolerated, slots become longer. After two stages in a row without such samples, in which the typical sample
    /// needed less than a quarter of the slot, slots become shorter: max(4 typical, length / 2). The length is at least
    /// the floor and at most max(100 us, 64 typical), where typical is that of the fastest stage. The upper bound is
    /// necessary because a rank that did not run for a while makes a sample long, and longer slots make it more likely
    /// that a rank is pre-empted while it waits.
    void after_stage(StageFacts const& stage);
    /// Forgets the typical time of a sample. Called if the next samples may have another duration.
    void forget() noexcept { typical_ = 0; }
    /// Upper bound of the length, s: a sample that takes longer means that a rank was not running. 0: not known yet.
    [[nodiscard]] double ceiling() const noexcept;

private:
    [[nodiscard]] double from_time_of(StageFacts const& stage) const;
    void set(double length);
    Limits limits_;
    double length_ = 0;
    double typical_ = 0;  ///< typical time in the fastest stage, s; 0 before the first stage
    int clean_ = 0;       ///< number of stages in a row that allow shorter slots
};

}  // namespace measure
#pragma GCC visibility pop
