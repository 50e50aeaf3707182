// SPDX-License-Identifier: BSD-3-Clause
// Text forms of the library's settings: stopping rules, batches, starts, synchronisers, timers and others.
#include "fuzz.hpp"
#include "program/cli/values.hpp"

#include <measure/batch.hpp>
#include <measure/clock_sync.hpp>
#include <measure/comm.hpp>
#include <measure/environment.hpp>
#include <measure/schedule.hpp>
#include <measure/slot_length.hpp>
#include <measure/statistics.hpp>
#include <measure/stopping.hpp>
#include <measure/timer.hpp>

#include <array>

void fuzz::parse(std::string_view text) {
    properly([&] {
        auto const rule = measure::stop_from(text);
        rule.validate();
        constexpr std::array samples{1e-6, 2e-6, 1.5e-6, 1e-6};
        (void)rule({.samples = samples, .attempts = 4, .spent = measure::seconds{1}, .previous = 2});
        (void)rule({});
    });
    properly([&] {
        auto const batch = measure::batch_from(text);
        auto const first = measure::first_iterations(batch);
        demand(first >= 1 && measure::next_iterations(batch, first, measure::seconds{1e-9}) >= 1, "no iteration");
    });
    properly([&] { (void)measure::start_from(text); });
    properly([&] { (void)measure::sync_from(text); });
    properly([&] { (void)measure::slot_rule_from(text); });
    properly([&] { (void)measure::error_kind_from(text); });
    properly([&] { (void)measure::detail::campaign_from(text); });
    // Creating the time-stamp counter takes long, so texts with "tsc" are skipped.
    if (program::lower(text).find("tsc") == std::string::npos)
        properly([&] { (void)measure::timer_from(text, measure::Comm::solo()).name(); });
}
