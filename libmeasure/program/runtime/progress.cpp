// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/progress.hpp"

#include <fmt/format.h>

namespace program {
namespace {

constexpr measure::seconds interval{2};
constexpr measure::seconds silence{5};

/// Whole seconds below two minutes, whole minutes above: an estimate has no more digits than that.
std::string rough(measure::seconds t) {
    return t.count() < 120 ? fmt::format("{:.0f} s", t.count()) : fmt::format("{:.0f} min", t.count() / 60);
}

}  // namespace

bool Progress::due(measure::seconds elapsed) const noexcept {
    if (mode_ == ProgressMode::never || what_.empty())
        return false;
    if (mode_ == ProgressMode::automatic && elapsed < silence)
        return false;
    return !last_ || elapsed - *last_ >= interval;
}

std::optional<std::string> Progress::line(measure::seconds elapsed) {
    if (!due(elapsed))
        return std::nullopt;
    last_ = elapsed;
    // Points that are measured again are in no plan.
    if (planned_ <= 0 || done_ > planned_)
        return fmt::format("{}: {} points done, {}", what_, done_, rough(elapsed));
    std::string text = fmt::format("{}: {} of {} points done, {}", what_, done_, planned_, rough(elapsed));
    if (done_ > 0 && done_ < planned_)
        text += fmt::format(", about {} left",
                            rough(elapsed * static_cast<double>(planned_ - done_) / static_cast<double>(done_)));
    return text;
}

}  // namespace program
