// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/noise.hpp"

#include "mpiperf/campaign.hpp"

#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mpiperf {

namespace {

using measure::DetourSummary;
using measure::seconds;

/// Watches in parts of 0.5 s, so that a signal is handled before the end.
std::vector<measure::Detours> watch(measure::AnyTimer const& timer, seconds duration, program::Session& session) {
    constexpr seconds part{0.5};
    std::vector<measure::Detours> seen;
    for (seconds left = duration; left > seconds{0}; left -= part) {
        static_cast<void>(session.meet());
        seen.push_back(measure::observe_detours(timer, {.duration = std::min(left, part)}));
    }
    return seen;
}

double largest_share(std::span<DetourSummary const> ranks) {
    double share = 0;
    for (auto const& rank : ranks)
        share = std::max(share, rank.share());
    return share;
}

double longest(std::span<DetourSummary const> ranks) {
    double detour = 0;
    for (auto const& rank : ranks)
        detour = std::max(detour, rank.longest);
    return detour;
}

std::string in_words(std::span<DetourSummary const> ranks) {
    return fmt::format("up to {:.3g} % of a core's time lost, longest interruption {}", largest_share(ranks) * 100,
                       measure::text(seconds{longest(ranks)}));
}

measure::Value value_of(DetourSummary const& rank) {
    return measure::Value::Object{{"duration", rank.duration}, {"threshold", rank.threshold}, {"detours", rank.detours},
                                  {"share", rank.share()},     {"shortest", rank.shortest},   {"median", rank.median},
                                  {"longest", rank.longest},   {"slices", rank.slices},       {"pauses", rank.pauses}};
}

/// The value in the record. \param ranks  at least one
measure::Value noise_value(std::span<DetourSummary const> ranks) {
    measure::Value::Array by_rank;
    for (auto const& rank : ranks)
        by_rank.push_back(value_of(rank));
    auto const warning = measure::detour_warning(ranks);
    return measure::Value::Object{{"share", largest_share(ranks)},
                                  {"longest", longest(ranks)},
                                  {"warning", warning.empty() ? measure::Value{} : measure::Value{warning}},
                                  {"by_rank", std::move(by_rank)}};
}

}  // namespace

void measure_noise(Options const& options, program::Session& session) {
    auto const& world = session.world();
    warn_of_oversubscription(session);
    auto const timer = measure::timer_from(session.common().timer, world, session.common().seed);
    auto const& run = session.begin(timer, measure::Value::Object{{"noise", *options.noise}});
    auto const ranks = world.gather(measure::summarise(watch(timer, *options.noise, session)));
    auto const hosts = hostnames(world);
    if (!world.is_root())
        return;
    session.text() << fmt::format("# Timer: {}; an interruption is a gap of more than {} between two readings\n",
                                  run.timer.name, measure::text(seconds{ranks.front().threshold}))
                   << noise_table(ranks, hosts);
    session.summary({.name = "noise", .value = largest_share(ranks), .derived = noise_value(ranks)});
}

std::string note_noise(program::Session& session) {
    constexpr seconds moment{0.02};
    auto const& world = session.world();
    auto const seen = measure::observe_detours(measure::MonotonicRawTimer{}, {.duration = moment});
    auto const ranks = world.gather(measure::summarise({&seen, 1}));
    if (!world.is_root())
        return {};
    session.add_to_run("noise", noise_value(ranks));
    auto const warning = measure::detour_warning(ranks);
    return fmt::format("{}, in {} before the first point{}", in_words(ranks), measure::text(moment),
                       warning.empty() ? "" : "; " + warning);
}

std::string noise_table(std::span<DetourSummary const> ranks, std::span<std::string const> hostnames) {
    auto text = fmt::format("# {:<6}{:<20}{:>10}{:>10}{:>11}{:>11}{:>12}{:>9}  (times in us)\n", "[Rank]", "[Host]",
                            "[Detours]", "[Lost %]", "[Shortest]", "[Median]", "[Longest]", "[Slices]");
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        auto const& r = ranks[i];
        text += fmt::format("  {:<6}{:<20}{:>10}{:>10.4f}{:>11.3f}{:>11.3f}{:>12.3f}{:>9}\n", i, hostnames[i],
                            r.detours, r.share() * 100, r.shortest * 1e6, r.median * 1e6, r.longest * 1e6, r.slices);
    }
    text += fmt::format("# {}\n", in_words(ranks));
    if (auto const warning = measure::detour_warning(ranks); !warning.empty())
        text += fmt::format("# {}\n", warning);
    return text;
}

}  // namespace mpiperf
