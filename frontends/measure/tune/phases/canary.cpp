// SPDX-License-Identifier: BSD-3-Clause
#include "tune/phases/canary.hpp"

#include "shared/inputs.hpp"

#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace measure::tool::tune {

namespace {

constexpr int canary_launches = 3;
constexpr double canary_factor = 2;  // minimum slowdown against the default, large enough to be seen

}  // namespace

void look_for_effect(Context& c, std::map<Place, std::vector<ScreenedTime>> const& screened) {
    // The algorithm that is slowest relative to the default, at any screened size of any collective.
    ScreenedTime const* slowest = nullptr;
    Place place;
    double factor = canary_factor;
    for (auto const& [its_place, times] : screened) {
        auto const names = usable(c.out, its_place);
        for (auto const& one : times)
            for (auto const& own : times)
                if (own.bytes == one.bytes && own.algorithm == default_name && one.time >= factor * own.time &&
                    std::find(names.begin(), names.end(), one.algorithm) != names.end()) {
                    slowest = &one;
                    place = its_place;
                    factor = one.time / own.time;
                }
    }
    if (slowest == nullptr) {
        c.out.doubt = "could not show that the library reads the file: no algorithm takes twice as long as the default";
        return;
    }
    // Measured again in separate launches, because a disturbance of the screen may look like a slow algorithm.
    std::vector<double> factors;
    for (int launch = 1; launch <= canary_launches; ++launch) {
        c.next(fmt::format("slow algorithm {}/{}", launch, canary_launches));
        std::map<std::string, double> times;
        for (auto const& each : c.launches_of({.phase = Phase::screen,
                                .seed = static_cast<std::uint64_t>(launch),
                                .blocks = decision_blocks,
                                .side = "canary",
                                .points = {{place, slowest->bytes, {std::string{default_name}, slowest->algorithm}}}}))
            for (auto const& point : c.run(each).record.points)
                if (auto const time = median_of(point))
                    times[point.at.text("algorithm")] = *time;
        if (times.size() == 2)
            factors.push_back(times[slowest->algorithm] / times[std::string{default_name}]);
    }
    factor = factors.empty() ? 0 : measure::median(factors);
    if (factor < canary_factor) {
        c.out.doubt = fmt::format("could not show that the library reads the file: {} for {}{} is less than twice as "
                                  "slow when measured again",
                                  slowest->algorithm, text_of(place), size_text(slowest->bytes));
        return;
    }
    std::vector<TunedCollective> const canary{{place, {{slowest->bytes, slowest->bytes, slowest->algorithm}}}};
    auto const path = c.write_file("canary", c.file_text(canary));
    auto const settings = of_file(c.out.facts.family, path);
    std::vector<double> with;
    std::vector<double> without;
    for (int launch = 1; launch <= canary_launches; ++launch)
        for (bool const has_file : {false, true}) {
            c.next(fmt::format("canary {}/{}", launch, canary_launches));
            auto const& launched = c.launches.run({.phase = Phase::canary,
                                                   .seed = static_cast<std::uint64_t>(launch),
                                                   .blocks = decision_blocks,
                                                   .side = has_file ? word_of(canary) : "",
                                                   .points = {{place, slowest->bytes, {std::string{default_name}}}}},
                                                  has_file ? settings : Settings{});
            if (!launched.failure.empty())
                throw std::runtime_error(fmt::format("a launch {}{}", launched.failure,
                                                     has_file ? fmt::format(" with the file '{}'", path) : ""));
            for (auto const& point : launched.record.points)
                if (auto const time = median_of(point))
                    (has_file ? with : without).push_back(*time);
        }
    if (with.empty() || without.empty())
        throw std::runtime_error("the canary has no value, so it is unknown whether the file has an effect");
    double const seen = measure::median(with) / measure::median(without);
    if (seen < std::sqrt(factor))
        throw std::runtime_error(fmt::format(
            "the file has no effect: with {} for {}{} the default is {:.2f} times as slow instead of about {:.1f}; "
            "check that the launcher passes {} on, that all hosts see '{}', and that no other variable chooses "
            "algorithms",
            slowest->algorithm, text_of(place), size_text(slowest->bytes), seen, factor, settings.back().first, path));
    std::filesystem::remove(path);
    c.out.canary = fmt::format("a file with {} for {}{} made the default {:.1f} times as slow ({:.1f} expected)",
                               slowest->algorithm, text_of(place), size_text(slowest->bytes), seen, factor);
}

}  // namespace measure::tool::tune
