// SPDX-License-Identifier: BSD-3-Clause
#include "tune/phases/decision.hpp"

#include "shared/inputs.hpp"
#include "tune/decide.hpp"

#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace measure::tool::tune {

namespace {

WorkerPlan decision_plan(Context const& c, int launch) {
    WorkerPlan plan{.phase = Phase::decide, .seed = static_cast<std::uint64_t>(launch), .blocks = decision_blocks};
    for (auto const& one : c.out.segments) {
        if (one.segment.algorithms.size() < 2)
            continue;
        auto names = one.segment.algorithms;
        names.insert(names.begin() + 1, std::string{default_again});
        for (auto const bytes : one.segment.sizes)
            plan.points.push_back({one.place, bytes, names});
    }
    return plan;
}

/// Notes if the launches are too few to show any gain.
void note_power(Context& c, std::vector<SegmentLaunches> const& all) {
    std::size_t tests = 0;
    for (auto const& one : all)
        tests += one.rivals.size();
    double const needed = std::ceil(std::log2(static_cast<double>(std::max<std::size_t>(tests, 1)) / c.options.fdr));
    if (tests == 0 || needed <= c.options.launches)
        return;
    c.out.notes.push_back(fmt::format("{} launches cannot show a single gain among {} tests; use --launches {:.0f}",
                                      c.options.launches, tests, needed));
    // Printed before the launches, because they take most of the time.
    auto& text = c.options.json == "-" ? std::cerr : c.session.text();
    text << fmt::format("# expected: {}\n", c.out.notes.back()) << std::flush;
}

}  // namespace

void decide_all(Context& c) {
    // [segment] its rivals with one gain per launch
    std::vector<SegmentLaunches> all;
    std::vector<std::vector<double>> default_times(c.out.segments.size());
    for (auto const& one : c.out.segments) {
        SegmentLaunches launches{.collective = text_of(one.place)};
        for (std::size_t i = 1; i < one.segment.algorithms.size(); ++i)
            launches.rivals.push_back({.algorithm = one.segment.algorithms[i]});
        all.push_back(std::move(launches));
    }
    note_power(c, all);
    for (int launch = 1; launch <= c.options.launches; ++launch) {
        auto const plan = decision_plan(c, launch);
        if (plan.points.empty())
            break;
        c.next(fmt::format("decide {}/{}", launch, c.options.launches));
        std::map<std::tuple<Place, measure::Bytes, std::string>, double> times;
        for (auto const& each : c.launches_of(plan)) {
            auto const& launched = c.run(each);
            if (!launched.failure.empty())
                throw std::runtime_error(fmt::format("a launch {} while deciding", launched.failure));
            c.note_missing(launched, Phase::decide);
            for (auto const& point : launched.record.points) {
                auto const& algorithm = point.at.text("algorithm");
                if (is_excluded(point))
                    c.exclude({place_of(point), point.at.bytes("bytes"), algorithm}, point);
                else if (auto const time = median_of(point))
                    times[{place_of(point), point.at.bytes("bytes"), algorithm}] = *time;
            }
        }
        for (std::size_t s = 0; s < all.size(); ++s) {
            auto const& one = c.out.segments[s];
            // Mean over the sizes of log(default / algorithm); empty if a size has no value.
            auto const gain = [&](std::string const& algorithm) -> std::optional<double> {
                double sum = 0;
                for (auto const bytes : one.segment.sizes) {
                    auto const mine = times.find({one.place, bytes, algorithm});
                    auto const its = times.find({one.place, bytes, std::string{default_name}});
                    if (mine == times.end() || its == times.end())
                        return std::nullopt;
                    sum += std::log(its->second / mine->second);
                }
                return sum / static_cast<double>(one.segment.sizes.size());
            };
            for (auto& rival : all[s].rivals)
                if (auto const value = gain(rival.algorithm))
                    rival.gains.push_back(*value);
            if (auto const value = gain(std::string{default_again}))
                all[s].noise.push_back(*value);
            std::vector<double> its;
            for (auto const bytes : one.segment.sizes)
                if (auto const found = times.find({one.place, bytes, std::string{default_name}}); found != times.end())
                    its.push_back(found->second);
            if (its.size() == one.segment.sizes.size())
                default_times[s].push_back(measure::log_mean(its));
        }
    }
    // Algorithms that were excluded during the decision are not rivals.
    for (std::size_t s = 0; s < all.size(); ++s)
        std::erase_if(all[s].rivals, [&](Rival const& rival) {
            return std::any_of(c.out.excluded.begin(), c.out.excluded.end(), [&](auto const& e) {
                return is_of(e, c.out.segments[s]) && e.algorithm == rival.algorithm;
            });
        });
    auto const choices = decide(all, {.gain = c.options.gain, .fdr = c.options.fdr});
    for (std::size_t s = 0; s < all.size(); ++s) {
        c.out.segments[s].choice = choices[s];
        c.out.segments[s].launches = default_times[s].size();
        if (!default_times[s].empty())
            c.out.segments[s].default_time = measure::median(default_times[s]);
        bool const is_measured = c.out.segments[s].segment.algorithms.size() > 1;
        if (is_measured && 2 * c.out.segments[s].launches < static_cast<std::size_t>(c.options.launches))
            c.out.missing.push_back(
                fmt::format("{}{}: all sizes have values in only {} of {} launches", text_of(c.out.segments[s].place),
                            size_text(c.out.segments[s].segment.low), c.out.segments[s].launches, c.options.launches));
    }
    if (std::any_of(choices.begin(), choices.end(),
                    [](Choice const& choice) { return choice.reason.starts_with(not_certain); }))
        c.out.notes.emplace_back("more launches (--launches) may confirm the gains that are not certain");
    dissolve_islands(c.out.segments);
}

}  // namespace measure::tool::tune
