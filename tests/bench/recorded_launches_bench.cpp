// SPDX-License-Identifier: BSD-3-Clause
/// Verdicts of `measure run` about launches that were recorded on a real machine. The launches are divided into sides
/// that do not differ, without and with a Bcast that is made slower. Also prints how often intervals contain the median
/// of all runs. FILE is the launches.jsonl of a long `measure run --precision 0.01`.
#include "analysis/runs/meaning.hpp"
#include "analysis/runs/points.hpp"
#include "program/runtime/files.hpp"
#include "run/answer.hpp"
#include "run/control.hpp"
#include "shared/inputs.hpp"

#include <measure/launches.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using measure::Comparison;
using measure::Launch;
using measure::Verdict;
using measure::tool::runs::Opponent;
using Launches = std::vector<Launch>;

constexpr char const* changed = "Bcast";

Launches slower(Launches launches, double by) {
    for (auto& launch : launches)
        for (auto& point : launch.record.points)
            if (point.benchmark == changed && point.estimate) {
                *point.value *= by;
                point.estimate->value *= by;
                point.estimate->median *= by;
            }
    return launches;
}

struct Counts {
    int runs = 0;
    int alarms = 0;
    int found = 0;
    int wrong_sign = 0;
    int machine = 0;

    void count(std::optional<Comparison> const& comparison, bool machine_changed, double by) {
        ++runs;
        if (machine_changed) {
            ++machine;
            return;
        }
        bool alarm = false;
        for (auto const& operation : comparison->operations) {
            bool const is_changed = by != 1 && operation.point.benchmark == changed;
            alarm |= !is_changed && is_difference(operation.verdict);
            found += is_changed && operation.verdict == Verdict::slower ? 1 : 0;
            wrong_sign += is_changed && operation.verdict == Verdict::faster ? 1 : 0;
        }
        alarms += alarm ? 1 : 0;
    }
    [[nodiscard]] std::string text() const {
        auto const share = [this](int part) { return 100.0 * part / runs; };
        return fmt::format("{} | {:.0f} | {:.0f} | {:.0f} | {:.0f}", runs, share(alarms), share(machine), share(found),
                           share(wrong_sign));
    }
};

Launches part(Launches const& all, std::size_t begin, std::size_t number) {
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(number)};
}

/// Compares two sides whose launches alternate: A B B A or B A A B. \param pairs  launches of each side
void in_turn(Launches const& all, std::size_t pairs, double by, int repetitions, bool with_controls) {
    std::mt19937_64 random{1};
    Counts counts;
    for (int i = 0; i < repetitions && 2 * pairs <= all.size(); ++i) {
        auto const begin = std::uniform_int_distribution<std::size_t>{0, all.size() - 2 * pairs}(random);
        Launches sides[2];
        bool is_turned = false;
        for (std::size_t k = 0; k < pairs; ++k) {
            is_turned = k % 2 == 0 ? random() % 2 == 0 : !is_turned;
            sides[is_turned ? 1 : 0].push_back(all[begin + 2 * k]);
            sides[is_turned ? 0 : 1].push_back(all[begin + 2 * k + 1]);
        }
        sides[1] = slower(std::move(sides[1]), by);
        if (!with_controls) {
            for (auto& side : sides)
                for (auto& launch : side)
                    std::erase_if(launch.record.points, [](auto const& p) { return measure::is_control(p.benchmark); });
            counts.count(measure::compare_sides(sides[0], sides[1], {}), false, by);
            continue;
        }
        auto const answer = measure::tool::runs::answer(sides[0], Opponent{"b", "", sides[1], true});
        counts.count(answer.comparison, answer.machine_changed, by);
    }
    if (counts.runs > 0)
        fmt::print("| in turn, {} | {} | {:.0f} % | {} |\n", with_controls ? "`run`" : "`compare`", pairs,
                   100 * (by - 1), counts.text());
    std::fflush(stdout);
}

/// Compares two runs, with launches between them and runs before the first one.
/// \param starts  launches of a run  \param between  launches between two runs  \param earlier  runs before the first
/// one
void apart(Launches const& all, std::size_t launches, std::size_t between, std::size_t earlier, double by,
           bool with_controls) {
    Counts counts;
    std::size_t const step = launches + between;
    for (std::size_t begin = 0; begin + (earlier + 1) * step + launches <= all.size(); begin += 7) {
        Opponent before{.name = "a"};
        for (std::size_t k = 0; k < earlier; ++k)
            before.earlier.push_back(part(all, begin + k * step, launches));
        before.launches = part(all, begin + earlier * step, launches);
        auto const now = slower(part(all, begin + (earlier + 1) * step, launches), by);
        if (!with_controls) {
            counts.count(measure::compare_sides(before.launches, now, {}), false, by);
            continue;
        }
        auto const answer = measure::tool::runs::answer(now, before);
        counts.count(answer.comparison, answer.machine_changed, by);
    }
    if (counts.runs > 0)
        fmt::print(
            "| {} launches between, {}{} | {} | {:.0f} % | {} |\n", between, with_controls ? "`run`" : "`compare`",
            earlier > 0 ? fmt::format(", {} earlier runs", earlier + 1) : "", launches, 100 * (by - 1), counts.text());
    std::fflush(stdout);
}

using Points = std::vector<measure::Record>;
using measure::Interval;

/// Counts the intervals that contain the median of all runs, and collects their half widths.
struct Coverage {
    int held = 0;
    std::vector<double> halves{};

    void count(Interval const& interval, double middle) {
        held += interval.first <= middle && middle <= interval.second ? 1 : 0;
        halves.push_back((interval.second - interval.first) / 2 / middle);
    }
    [[nodiscard]] std::string text() const {
        return fmt::format("{:.0f} | {:.0f}", 100.0 * held / static_cast<double>(halves.size()),
                           100 * measure::median(halves));
    }
};

/// Prints the coverage of intervals. \param starts  successive launches of a run
void intervals(Launches const& all, std::size_t launches) {
    std::vector<Points> runs;  // the latest first
    for (std::size_t begin = 0; begin + launches <= all.size(); begin += launches) {
        std::vector<Points> points;
        for (auto const& launch : part(all, begin, launches))
            points.push_back(launch.record.points);
        auto run = measure::merge_launches(points);
        measure::widen_by_runs(run, std::span{runs}.first(std::min<std::size_t>(runs.size(), 10)));
        runs.insert(runs.begin(), std::move(run));
    }
    std::map<std::pair<std::string, std::int64_t>, Points> found;
    for (auto const& run : runs)
        for (auto const& point : run)
            if (point.estimate && point.estimate->median_interval)
                found[{point.benchmark, measure::integer_at(point.at, "bytes").value_or(0)}].push_back(point);
    Coverage by_order;
    Coverage by_batches;
    Coverage by_runs;
    for (auto const& [name, points] : found) {
        std::vector<double> medians;
        for (auto const& point : points)
            medians.push_back(*point.value);
        double const middle = measure::median(medians);
        for (auto const& point : points) {
            std::vector<double> values;
            for (auto const& value : measure::launch_values(point))
                if (value)
                    values.push_back(*value);
            by_order.count(*measure::median_interval(values, 0.95), middle);
            by_batches.count(*measure::own_interval(point), middle);
            by_runs.count(*point.estimate->median_interval, middle);
        }
    }
    if (!by_runs.halves.empty())
        fmt::print("| {} | {} | {} | {} | {} |\n", launches, by_runs.halves.size(), by_order.text(), by_batches.text(),
                   by_runs.text());
}

}  // namespace

int main(int argc, char** argv) {
    int const repetitions = argc > 2 ? std::atoi(argv[2]) : 200;
    if (argc < 2 || repetitions < 1) {
        fmt::print(stderr, "usage: recorded_launches_bench FILE [REPETITIONS]\n");
        return 2;
    }
    auto all = measure::tool::launches_of(program::file_text(argv[1], program::Limit::line), argv[1]);
    for (auto& launch : all)
        for (auto& point : launch.record.points)
            point.derived = {};
    fmt::print("{} launches\n", all.size());
    fmt::print(
        "| launches of a run | intervals | order statistics hold [%] | half width [%] | eight parts hold [%] | half "
        "width [%] | earlier runs hold [%] | half width [%] |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (std::size_t const launches : {10U, 20U, 40U, 80U, 160U})
        intervals(all, launches);
    fmt::print("\n| sides | launches of each | Bcast slower by | comparisons | false alarms [%] | machine [%] | "
               "found [%] | faster [%] |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (std::size_t const pairs : {20U, 60U, 120U})
        for (double const by : {1.0, 1.03, 1.1, 1.5})
            for (bool const with_controls : {false, true})
                in_turn(all, pairs, by, repetitions, with_controls);
    for (double const by : {1.0, 1.1, 1.5})
        for (std::size_t const between : {0U, 100U}) {
            apart(all, 40, between, 0, by, false);
            apart(all, 40, between, 0, by, true);
            apart(all, 40, between, 7, by, true);
        }
    return 0;
}
