// SPDX-License-Identifier: BSD-3-Clause
#include "tune/phases/search.hpp"

#include "shared/inputs.hpp"
#include "shared/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace measure::tool::tune {

namespace {

void note_screened(Context& c, measure::RunRecord const& record, WorkerPlan const& plan) {
    std::int64_t measured = 0;
    for (auto const& point : record.points) {
        if (is_excluded(point)) {
            c.exclude({place_of(point), point.at.bytes("bytes"), point.at.text("algorithm")}, point);
        } else if (auto const time = screened_time(point)) {
            c.out.screened[place_of(point)].push_back(*time);
            measured += point.kept;
        }
    }
    if (plan.via == Via::environment)
        return;
    for (auto const& point : plan.points)
        c.out.spared += static_cast<std::int64_t>(point.algorithms.size()) * plan.blocks;
    c.out.spared -= measured;
}

void screen_sizes(Context& c, std::map<Place, std::vector<measure::Bytes>> const& sizes) {
    // With one algorithm per launch, algorithms also differ by the differences between launches, so none is dropped.
    WorkerPlan plan{.phase = Phase::screen, .blocks = c.out.via == Via::mpi_t ? c.options.blocks : decision_blocks};
    for (auto const& [place, wanted] : sizes)
        for (auto const bytes : wanted)
            if (auto names = usable(c.out, place); names.size() > 1)
                plan.points.push_back({place, bytes, std::move(names)});
    if (plan.points.empty())
        return;
    c.next(fmt::format("screen {}", counted(plan.points.size(), "point", "points")));
    for (auto const& one : c.launches_of(std::move(plan))) {
        auto const& launched = c.run(one);
        if (!launched.failure.empty())
            throw std::runtime_error(fmt::format("a launch {} while screening", launched.failure));
        note_screened(c, launched.record, one);
        c.note_missing(launched, Phase::screen);
    }
}

std::map<Place, std::vector<ScreenedSize>> screened_sizes(Context const& c) {
    std::map<Place, std::vector<ScreenedSize>> result;
    for (auto const& [place, times] : c.out.screened) {
        auto const names = usable(c.out, place);
        std::map<measure::Bytes, ScreenedSize> by_size;
        for (auto const& name : names)  // in the order of the library, the default first
            for (auto const& one : times)
                if (one.algorithm == name && !one.is_dropped) {
                    auto& size = by_size[one.bytes];
                    size.bytes = one.bytes;
                    size.algorithms.push_back(name);
                    size.times.push_back(one.time);
                }
        for (auto& [bytes, size] : by_size)
            if (size.algorithms.front() == default_name)
                result[place].push_back(std::move(size));
    }
    return result;
}

}  // namespace

void search(Context& c) {
    std::map<Place, std::vector<measure::Bytes>> wanted;
    for (auto const& [place, sizes] : c.places)
        if (!sizes.empty())
            wanted[place] = sizes;
    std::map<Place, std::set<measure::Bytes>> asked;
    while (!wanted.empty()) {
        for (auto const& [place, sizes] : wanted)
            asked[place].insert(sizes.begin(), sizes.end());
        screen_sizes(c, wanted);
        wanted.clear();
        for (auto const& [place, sizes] : screened_sizes(c))
            if (is_sized(c.out.facts.family, place.collective))
                if (auto between = sizes_between(sizes, c.options.gain, asked[place]); !between.empty())
                    wanted.emplace(place, std::move(between));
    }
    auto const screened = screened_sizes(c);
    for (auto const& [place, sizes] : c.places) {
        auto const found = screened.find(place);
        for (auto const bytes : sizes)
            if (usable(c.out, place).size() > 1 &&
                (found == screened.end() || std::none_of(found->second.begin(), found->second.end(),
                                                         [&](auto const& size) { return size.bytes == bytes; })))
                c.out.missing.push_back(
                    fmt::format("{}{}: the screen has no value for the default", text_of(place), size_text(bytes)));
        if (found != screened.end())
            for (auto& segment :
                 segments_of(found->second, c.options.gain, is_sized(c.out.facts.family, place.collective)))
                c.out.segments.push_back({.place = place, .segment = std::move(segment)});
    }
}

}  // namespace measure::tool::tune
