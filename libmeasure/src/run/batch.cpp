// SPDX-License-Identifier: BSD-3-Clause
#include "measure/batch.hpp"

#include "core/number_text.hpp"
#include "measure/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace measure {

namespace {

struct First {
    std::int64_t operator()(FixedCount const& b) const {
        if (b.iterations < 1)
            throw UsageError("a batch needs at least one iteration");
        return b.iterations;
    }
    std::int64_t operator()(TargetDuration const& b) const {
        bool const ascends = b.low > seconds{0} && b.high >= b.low && std::isfinite(b.high.count());
        if (b.first < 1 || b.at_most < b.first || !ascends)
            throw UsageError("a batch in a window needs 1 <= first <= at_most and 0 < low <= high");
        return b.first;
    }
    std::int64_t operator()(TimeBudget const& b) const {
        if (!(b.budget > seconds{0}) || !std::isfinite(b.budget.count()))
            throw UsageError("a time-driven batch needs a budget > 0");
        return 1;
    }
    std::int64_t operator()(AutoBatch const&) const { return 1; }
};

[[noreturn]] void no_batch(std::string_view text, std::string const& why) {
    throw UsageError(fmt::format("'{}' is not a batch: {}", text, why));
}

seconds duration_in(std::string_view batch, std::string_view text) {
    auto const duration = detail::duration_from(text);
    if (!duration || !(duration->count() > 0))
        no_batch(batch, fmt::format("'{}' is not a time above 0 with a unit ({})", text, detail::duration_units));
    return *duration;
}

}  // namespace

Batch batch_from(std::string_view text) {
    constexpr std::string_view time = "time:";
    constexpr std::string_view until = "until:";
    if (text == "auto")
        return AutoBatch{};
    if (text.starts_with(time)) {
        auto const middle = duration_in(text, text.substr(time.size()));
        return TargetDuration{.low = middle * 2 / 3, .high = middle * 4 / 3};
    }
    if (text.starts_with(until))
        return TimeBudget{duration_in(text, text.substr(until.size()))};
    auto const iterations = detail::number_from<std::int64_t>(text).value_or(0);
    if (iterations < 1)
        no_batch(text, "use a number >= 1, auto, time:DURATION or until:DURATION");
    return FixedCount{iterations};
}

std::int64_t first_iterations(Batch const& batch) { return std::visit(First{}, batch); }

std::int64_t next_iterations(Batch const& batch, std::int64_t iterations, seconds typical) {
    auto const* window = std::get_if<TargetDuration>(&batch);
    if (window == nullptr || (typical >= window->low && typical <= window->high))
        return iterations;
    constexpr double steepest = 16;
    double const middle = std::sqrt(window->low.count() * window->high.count());
    double const factor = typical.count() > 0 ? std::clamp(middle / typical.count(), 1 / steepest, steepest) : steepest;
    double const wanted = std::round(static_cast<double>(iterations) * factor);
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(window->at_most)));
}

std::int64_t next_block(LoopLimit const& limit, std::int64_t block, std::int64_t done, seconds elapsed,
                        CallTime call) noexcept {
    constexpr double parts = 8;
    std::int64_t const missing = limit.at_most - done;
    // If the clock went backwards, the elapsed time is unknown.
    if (missing < 1 || (limit.until && elapsed < seconds{0}))
        return 0;
    auto const calls = static_cast<double>(done);
    if (limit.termination == Termination::classic)
        return !limit.until || elapsed * (calls + 1) / calls <= *limit.until ? 1 : 0;
    std::int64_t const next = block > missing / 2 ? missing : 2 * block;
    double const mean = call.mean.count();
    if (!limit.until || !(mean > 0))
        return next;
    double const left = std::floor((*limit.until - elapsed).count() / mean);
    if (!(left >= 1))
        return 0;
    double const shortest = call.latest.count() > 0 ? std::min(mean, call.latest.count()) : mean;
    double const longest = std::max(1.0, std::floor(limit.until->count() / (parts * shortest)));
    // Compares as doubles, because the number of calls that fit may overflow an integer.
    double const room = std::min(left, longest);
    return room < static_cast<double>(next) ? static_cast<std::int64_t>(room) : next;
}

}  // namespace measure
