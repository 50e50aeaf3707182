// SPDX-License-Identifier: BSD-3-Clause
#include "measure/slot_length.hpp"

#include "core/names.hpp"

#include <algorithm>
#include <array>

namespace measure {

SlotRule slot_rule_from(std::string_view name) {
    constexpr std::array<std::string_view, 2> names{"doubling", "paper"};
    return detail::index_of("slot rule", name, names) == 0 ? SlotRule::doubling : SlotRule::paper;
}

double SlotLength::ceiling() const noexcept {
    constexpr double least = 100e-6;
    constexpr double times = 64;
    return typical_ > 0 ? std::max(least, times * typical_) : 0;
}

double SlotLength::from_time_of(StageFacts const& stage) const {
    bool const global = limits_.rule == SlotRule::paper && stage.global_elapsed > 0;
    return limits_.growth * (global ? stage.global_elapsed : stage.elapsed) / stage.samples;
}

void SlotLength::set(double length) {
    if (limits_.rule == SlotRule::paper) {
        length_ = length;
        return;
    }
    length_ = std::max(length, limits_.floor);
    if (typical_ > 0)
        length_ = std::min(length_, ceiling());
}

void SlotLength::after_warm_up(StageFacts const& stage) {
    if (stage.samples == 0)
        return;
    typical_ = stage.typical;
    set(from_time_of(stage));
}

void SlotLength::after_stage(StageFacts const& stage) {
    if (limits_.rule == SlotRule::paper) {
        if (stage.invalid > limits_.invalid_share * stage.samples)
            set(from_time_of(stage));
        return;
    }
    typical_ = typical_ > 0 ? std::min(typical_, stage.typical) : stage.typical;
    set(length_);
    double const share = static_cast<double>(stage.invalid - stage.slipped) / stage.samples;
    if (share > limits_.invalid_share) {
        clean_ = 0;
        set(std::max(2 * length_, from_time_of(stage)));
        return;
    }
    clean_ = stage.invalid == stage.slipped && stage.typical < length_ / 4 ? clean_ + 1 : 0;
    if (clean_ >= 2) {
        set(std::max(4 * stage.typical, length_ / 2));
        clean_ = 0;
    }
}

}  // namespace measure
