// SPDX-License-Identifier: BSD-3-Clause
/// Verdicts of `measure compare` and `measure run` about simulated launches with known differences. Prints tables of
/// false alarms, of found differences, and of runs between which the machine changed. With one standard library, the
/// same number of repetitions gives the same numbers. The exit code is 1 if there are more false alarms than promised;
/// nothing else is asserted.
#include "analysis/compare/compare.hpp"
#include "run/answer.hpp"
#include "shared/inputs.hpp"
#include "support/launch_model.hpp"
#include "support/share.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using measure::ComparedPoint;
using measure::Comparison;
using measure::Launch;
using measure::Verdict;
using test::LaunchModel;
using test::Mishap;
using test::ModelSide;
using test::Share;
using Random = std::mt19937_64;

/// Verdicts of comparisons in which only the last operation may differ.
struct Counts {
    Share alarm{};         ///< any other operation or one of its points is reported as different
    Share in_decided{};    ///< an unchanged point is reported as different, in an operation that differs
    Share found{};         ///< the last operation is reported as slower
    Share wrong_sign{};    ///< the last operation, or one of its slower points, is reported as faster
    Share same{};          ///< the last operation, or one of its slower points, is reported as the same
    Share points_found{};  ///< all slower points of the last operation are reported as slower
};

bool differs(ComparedPoint const& point) { return is_difference(point.verdict); }

void count(Counts& counts, Comparison const& comparison, LaunchModel const& model, ModelSide const& side) {
    auto const is_changed_operation = [&](ComparedPoint const& point) {
        return side.slower != 1 && point.point.benchmark == last_operation(model);
    };
    auto const is_changed = [&](ComparedPoint const& point) {
        return is_changed_operation(point) &&
               point.point.at.bytes("bytes") < (std::int64_t{8} << std::min<std::size_t>(side.slower_sizes, 30));
    };
    bool alarm = false;
    bool found = false;
    bool wrong_sign = false;
    bool same = false;
    for (auto const& operation : comparison.operations) {
        alarm |= !is_changed_operation(operation) && differs(operation);
        found |= is_changed_operation(operation) && operation.verdict == Verdict::slower;
        wrong_sign |= is_changed_operation(operation) && operation.verdict == Verdict::faster;
        same |= is_changed_operation(operation) && operation.verdict == Verdict::same;
    }
    bool in_decided = false;
    bool points_found = true;
    for (auto const& point : comparison.points) {
        alarm |= !is_changed_operation(point) && differs(point);
        in_decided |= !is_changed(point) && differs(point) && point.adjusted_p.has_value();
        wrong_sign |= is_changed(point) && point.verdict == Verdict::faster;
        same |= is_changed(point) && point.verdict == Verdict::same;
        points_found &= !is_changed(point) || point.verdict == Verdict::slower;
    }
    counts.alarm.count(alarm);
    counts.in_decided.count(in_decided);
    counts.found.count(found);
    counts.wrong_sign.count(wrong_sign);
    counts.same.count(same);
    counts.points_found.count(points_found);
}

/// The verdicts of `measure compare`, without controls, and of `measure run` for the same launches.
struct Both {
    Counts compare{};
    Counts run{};
};

using Runs = std::vector<std::vector<Launch>>;

/// \param earlier  runs before `a`
Comparison run_comparison(std::vector<Launch> const& a, std::vector<Launch> const& b, bool in_turn,
                          Runs const& earlier = {}) {
    // For two sides that were measured in turn, this run is the first side. For two runs, the opponent is the older
    // run.
    auto const& own = in_turn ? a : b;
    auto const& other = in_turn ? b : a;
    return *measure::tool::runs::answer(own, measure::tool::runs::Opponent{"other", "", other, in_turn, earlier})
                .comparison;
}

std::vector<Launch> without_controls(std::vector<Launch> launches) {
    for (auto& launch : launches)
        std::erase_if(launch.record.points, [](auto const& p) { return measure::is_control(p.benchmark); });
    return launches;
}

Both simulated(LaunchModel model, ModelSide b_side, bool with_run, int repetitions) {
    model.has_controls = with_run;
    Both both;
    Random random{1};
    auto const mishap = b_side.mishap;
    for (int i = 0; i < repetitions; ++i) {
        // The bad launch alternates between the sides.
        b_side.mishap = i % 2 == 0 ? mishap : Mishap::none;
        ModelSide const a_side{.launches = b_side.launches, .mishap = i % 2 == 0 ? Mishap::none : mishap};
        auto const a = launches_of(model, a_side, random);
        auto const b = launches_of(model, b_side, random);
        if (with_run) {
            count(both.run, run_comparison(a, b, true), model, b_side);
            count(both.compare, compare_sides(without_controls(a), without_controls(b), {}), model, b_side);
        } else
            count(both.compare, compare_sides(a, b, {}), model, b_side);
    }
    return both;
}

struct Grid {
    std::string name;
    LaunchModel model;
};

std::vector<Grid> grids() {
    return {{"1 operation, 2 points", {.operations = 1, .sizes = 2}},
            {"5 operations, 21 points", {.operations = 4, .sizes = 5, .has_barrier = true}},
            {"40 operations, 200 points", {.operations = 40, .sizes = 5}}};
}

std::string name(Mishap mishap) {
    switch (mishap) {
    case Mishap::slow_launch:
        return "one launch 3 times as slow";
    case Mishap::wild_point:
        return "one point 1000 times as slow";
    case Mishap::none:
        break;
    }
    return "none";
}

using Cell = std::function<void(Grid const&, ModelSide const&)>;

/// Calls `cell` for each number of launches and each mishap. \param grid  number of points: 0, 1 or 2, see `grids`
void for_all(int grid, double sd, Cell const& cell) {
    auto chosen = grids()[static_cast<std::size_t>(grid)];
    chosen.model.sd = sd;
    for (std::size_t const launches : {6U, 8U, 10U, 20U})
        for (auto const mishap : {Mishap::none, Mishap::slow_launch, Mishap::wild_point})
            cell(chosen, {.launches = launches, .mishap = mishap});
}

/// \return whether the false alarms are within the promised 5 %
bool false_alarms(int grid, double sd, int repetitions) {
    constexpr double promised = 0.05;
    bool are_few = true;
    auto const judge = [&](Share const& alarm) { are_few = are_few && !alarm.is_above(promised); };
    fmt::print("| points | sd | launches | mishap | compare: false alarms [%] | run: false alarms [%] |\n");
    for_all(grid, sd, [&](Grid const& at, ModelSide const& side) {
        auto const both = simulated(at.model, side, true, repetitions);
        fmt::print("| {} | {:.0f} % | {} | {} | {} | {} |\n", at.name, 100 * sd, side.launches, name(side.mishap),
                   both.compare.alarm.text(), both.run.alarm.text());
        std::fflush(stdout);
        judge(both.compare.alarm);
        judge(both.run.alarm);
    });
    return are_few;
}

void power(int grid, double sd, int repetitions) {
    fmt::print("| points | sd | launches | mishap | slower by | found [%] | run: found [%] | at all sizes [%] | "
               "wrong sign [%] | same [%] | others different [%] |\n");
    for_all(grid, sd, [&](Grid const& at, ModelSide side) {
        for (double const slower : {1.05, 1.1, 1.5}) {
            side.slower = slower;
            auto const [compare, run] = simulated(at.model, side, true, repetitions);
            fmt::print("| {} | {:.0f} % | {} | {} | {:.0f} % | {} | {} | {} | {} | {} | {} |\n", at.name, 100 * sd,
                       side.launches, name(side.mishap), 100 * (slower - 1), compare.found.text(), run.found.text(),
                       compare.points_found.text(), compare.wrong_sign.text(), compare.same.text(),
                       compare.alarm.text());
            std::fflush(stdout);
        }
    });
}

/// Tests an operation that is slower at two of its five sizes.
void some_sizes(double sd, int repetitions) {
    fmt::print(
        "| sd | launches | slower by | operation found [%] | both sizes found [%] | other sizes different [%] |\n");
    auto model = grids()[1].model;
    model.sd = sd;
    for (std::size_t const launches : {8U, 10U, 20U})
        for (double const slower : {1.1, 1.5, 3.0}) {
            auto const found =
                simulated(model, {.launches = launches, .slower = slower, .slower_sizes = 2}, false, repetitions)
                    .compare;
            fmt::print("| {:.0f} % | {} | {:.0f} % | {} | {} | {} |\n", 100 * sd, launches, 100 * (slower - 1),
                       found.found.text(), found.points_found.text(), found.in_decided.text());
            std::fflush(stdout);
        }
}

/// Variation of the machine's speed over successive launches, as logarithms of times.
struct Wander {
    std::string name;
    double of_run = 0;   ///< standard deviation of the level of a run
    double of_step = 0;  ///< standard deviation of the change from launch to launch
};

/// Levels for each run and launch.
std::vector<std::vector<double>> levels(Wander const& wander, std::size_t runs, std::size_t launches, Random& random) {
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> result(runs);
    double walked = 0;
    for (auto& run : result) {
        double const of_run = wander.of_run * normal(random);
        for (std::size_t i = 0; i < launches; ++i) {
            walked += wander.of_step * normal(random);
            run.push_back(of_run + walked);
        }
    }
    return result;
}

/// Counts for equal sides and for sides that differ by 10 %.
struct Rule {
    Counts same{};
    Counts slower{};
};

std::vector<Wander> wanders(std::size_t launches) {
    std::vector<Wander> all{{.name = "steady"}};
    for (double const of_run : {0.01, 0.02, 0.05, 0.1})
        all.push_back({.name = fmt::format("each run has a factor, sd {:.0f} %", 100 * of_run), .of_run = of_run});
    for (double const end : {0.02, 0.05, 0.1, 0.2})
        all.push_back({.name = fmt::format("random walk, sd {:.0f} % after {} launches", 100 * end, launches),
                       .of_step = end / std::sqrt(static_cast<double>(launches))});
    return all;
}

/// Two successive runs of 30 launches, with and without nine runs before them, and the same number of launches in turn.
void wandering(double sd, int repetitions) {
    constexpr std::size_t launches = 30;
    constexpr std::size_t runs = 11;
    auto model = grids()[1].model;
    model.sd = sd;
    model.has_controls = true;
    fmt::print("| level | sd | `compare` [%] | two runs [%] | ten earlier runs [%] | in turn [%] | 10 % slower, "
               "`compare` [%] | two runs [%] | ten earlier runs [%] | in turn [%] |\n");
    for (auto const& wander : wanders(launches)) {
        Random random{1};
        Rule plain;
        Rule two;
        Rule ten;
        Rule turn;
        for (int i = 0; i < repetitions; ++i) {
            auto const level = levels(wander, runs, launches, random);
            Runs earlier;
            for (auto const& run : level)
                earlier.push_back(launches_of(model, {.launches = launches, .level = run}, random));
            earlier.pop_back();
            auto const a = earlier.back();
            earlier.pop_back();
            for (bool const is_slower : {false, true}) {
                ModelSide side{.launches = launches, .slower = is_slower ? 1.1 : 1, .level = level.back()};
                auto const counted = [&](Rule& rule) -> Counts& { return is_slower ? rule.slower : rule.same; };
                auto const b = launches_of(model, side, random);
                count(counted(plain), compare_sides(without_controls(a), without_controls(b), {}), model, side);
                count(counted(two), run_comparison(a, b, false), model, side);
                count(counted(ten), run_comparison(a, b, false, earlier), model, side);
                // In turn, each side has the level of every second launch.
                ModelSide first{.launches = launches};
                side.level.clear();
                for (std::size_t k = 0; k < 2 * launches; ++k)
                    (k % 2 == 0 ? first : side).level.push_back(level[k < launches ? 0 : 1][k % launches]);
                count(counted(turn),
                      run_comparison(launches_of(model, first, random), launches_of(model, side, random), true), model,
                      side);
            }
        }
        fmt::print("| {} | {:.0f} % |", wander.name, 100 * sd);
        for (auto const* const rule : {&plain, &two, &ten, &turn})
            fmt::print(" {} |", rule->same.alarm.text());
        for (auto const* const rule : {&plain, &two, &ten, &turn})
            fmt::print(" {} |", rule->slower.found.text());
        fmt::print("\n");
        std::fflush(stdout);
    }
}

/// Sides in turn, on a machine with two states. In the slow state, operations take 1.5 times as long and cache lines
/// three times. From one launch to the next, the state stays the same with a probability of 3/4.
void states(double sd, int repetitions) {
    auto model = grids()[1].model;
    model.sd = sd;
    model.has_controls = true;
    constexpr double factor = 1.5;
    fmt::print(
        "| launches | sd | `compare` [%] | within states [%] | 10 % slower, `compare` [%] | within states [%] |\n");
    for (std::size_t const launches : {10U, 20U, 60U, 120U}) {
        Random random{1};
        Rule plain;
        Rule within;
        for (int i = 0; i < repetitions; ++i)
            for (bool const is_slower : {false, true}) {
                ModelSide a_side{.launches = launches};
                ModelSide b_side{.launches = launches, .slower = is_slower ? 1.1 : 1};
                bool is_slow_state = random() % 2 == 0;
                for (std::size_t k = 0; k < 2 * launches; ++k) {
                    is_slow_state = is_slow_state != (random() % 4 == 0);
                    // A B B A
                    auto& side = k % 4 == 0 || k % 4 == 3 ? a_side : b_side;
                    side.level.push_back(is_slow_state ? std::log(factor) : 0);
                    side.in_slow_state.push_back(is_slow_state);
                }
                auto const a = launches_of(model, a_side, random);
                auto const b = launches_of(model, b_side, random);
                auto const counted = [&](Rule& rule) -> Counts& { return is_slower ? rule.slower : rule.same; };
                count(counted(plain), compare_sides(without_controls(a), without_controls(b), {}), model, b_side);
                count(counted(within), run_comparison(a, b, true), model, b_side);
            }
        fmt::print("| {} | {:.0f} % | {} | {} | {} | {} |\n", launches, 100 * sd, plain.same.alarm.text(),
                   within.same.alarm.text(), plain.slower.found.text(), within.slower.found.text());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string const part = argc > 1 ? argv[1] : "";
    int const repetitions = argc > 2 ? std::atoi(argv[2]) : 1000;
    double const sd = (argc > 3 ? std::atof(argv[3]) : 10) / 100;
    int const grid = argc > 4 ? std::atoi(argv[4]) : 1;
    if (repetitions < 1 || !(sd > 0) || grid < 0 || grid > 2) {
        fmt::print(stderr, "usage: compare_bench PART [REPETITIONS [SD_PERCENT [POINTS: 0, 1, 2]]]\n");
        return 2;
    }
    if (part == "alarms") {
        if (!false_alarms(grid, sd, repetitions)) {
            fmt::print(stderr, "compare_bench: more than 5 % false alarms\n");
            return 1;
        }
    } else if (part == "power")
        power(grid, sd, repetitions);
    else if (part == "sizes")
        some_sizes(sd, repetitions);
    else if (part == "wandering")
        wandering(sd, repetitions);
    else if (part == "states")
        states(sd, repetitions);
    else {
        fmt::print(stderr, "compare_bench: PART must be alarms, power, sizes, wandering or states\n");
        return 2;
    }
    return 0;
}
