// SPDX-License-Identifier: BSD-3-Clause
/// Decisions of `measure tune` about algorithms whose times are known. Prints tables of best algorithms that the
/// screening loses, of brackets of switches, and of decisions. With one standard library, the same number of campaigns
/// gives the same numbers. Nothing is asserted.
#include "support/tune_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using Random = std::mt19937_64;

double in_percent(int part, int whole) { return whole == 0 ? 0 : 100.0 * part / whole; }

void screens(int points) {
    fmt::print("| noise of a block | best lost [% of points] | measured [% of the full plan] |\n| --- | --- | --- |\n");
    for (double const noise : {0.02, 0.05, 0.1, 0.2}) {
        Random random{1};
        auto const screened = test::screened_points({.noise = noise, .spikes = 0.02}, points, random);
        fmt::print("| {:.0f} % | {:.1f} | {:.0f} |\n", 100 * noise, in_percent(screened.lost, points),
                   in_percent(screened.measurements, screened.planned));
    }
}

void brackets(int campaigns) {
    fmt::print("\n| noise of a block | `--gain` | crossing inside [%] | size of that gain inside [%] |\n"
               "| --- | --- | --- | --- |\n");
    for (double const noise : {0.01, 0.02, 0.05})
        for (double const gain : {0.0, 0.02, 0.05}) {
            Random random{1};
            std::uniform_real_distribution<double> log_size{std::log(4096), std::log(65536)};
            int with_crossing = 0;
            int with_gain = 0;
            for (int i = 0; i < campaigns; ++i) {
                test::CrossingModel const model{.crossing = std::exp(log_size(random)), .noise = noise, .gain = gain};
                auto const bracket = test::bracket_of(model, random);
                with_crossing += bracket && bracket->holds(model.crossing) ? 1 : 0;
                with_gain += bracket && bracket->holds(model.switches_at()) ? 1 : 0;
            }
            fmt::print("| {:.0f} % | {:.0f} % | {:.0f} | {:.0f} |\n", 100 * noise, 100 * gain,
                       in_percent(with_crossing, campaigns), in_percent(with_gain, campaigns));
        }
}

void decisions(int campaigns) {
    constexpr int better = 20;
    fmt::print("\n| noise of a launch | launches | taken [%] | false among taken [%] | "
               "equal algorithms: campaigns with a change [%] |\n| --- | --- | --- | --- | --- |\n");
    for (double const noise : {0.02, 0.03, 0.05})
        for (std::size_t const launches : {8U, 10U, 12U, 16U}) {
            Random random{1};
            auto const found = test::decided_campaigns(
                {.better = better, .rivals = 1, .noise = noise, .launches = launches}, campaigns, random);
            auto const alike = test::decided_campaigns({.better = 0, .rivals = 7, .noise = noise, .launches = launches},
                                                       campaigns, random);
            fmt::print("| {:.0f} % | {} | {:.0f} | {:.1f} | {:.1f} |\n", 100 * noise, launches,
                       in_percent(found.taken, better * campaigns),
                       in_percent(found.false_ones, found.taken + found.false_ones),
                       in_percent(alike.with_change, campaigns));
            std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv) {
    int const campaigns = argc > 1 ? std::atoi(argv[1]) : 100;
    if (campaigns < 1) {
        fmt::print(stderr, "usage: tune_bench [CAMPAIGNS]\n");
        return 2;
    }
    screens(campaigns);
    brackets(campaigns);
    decisions(campaigns);
    return 0;
}
