// SPDX-License-Identifier: BSD-3-Clause
/// Answers of `measure run` for a simulated machine with two states. Prints a table of false alarms between equal runs,
/// of intervals that contain the median of their state, and of single states that are split. If states are not
/// separated, intervals must contain the median over all launches. With one standard library, the same number of
/// repetitions gives the same numbers. The exit code is 1 if there are more false alarms, missed medians or split
/// states than promised.
#include "run/answer.hpp"
#include "support/launch_model.hpp"
#include "support/share.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using measure::Launch;
using test::Share;
using Random = std::mt19937_64;

constexpr std::size_t operations = 5;
constexpr double between_starts = 0.03;  ///< standard deviation of the logarithm of an operation's time within a state

/// A simulated machine. Its unit of time is the duration of a launch.
struct Machine {
    double share = 0.3;     ///< share of time in the second state
    double distance = 2;    ///< factor on the times of cache lines in the second state
    double scatter = 0.05;  ///< standard deviation of the logarithm of a control within a state
    double duration = 10;   ///< mean duration of the second state, in launches
    double drift = 0;       ///< change of all operations from the beginning of a run to its end, as a logarithm
};

/// The state of the machine over time, with exponentially distributed durations.
class Course {
public:
    Course(Machine const& machine, Random& random) : machine_{machine}, random_{random} {
        is_second_ = std::bernoulli_distribution{machine.share}(random);
        left_ = duration();
    }
    [[nodiscard]] bool is_second() const { return is_second_; }
    void go_on(double time) {
        while (machine_.share > 0 && time >= left_) {
            time -= left_;
            is_second_ = !is_second_;
            left_ = duration();
        }
        left_ -= time;
    }

private:
    [[nodiscard]] double duration() {
        double const first = machine_.duration * (1 - machine_.share) / std::max(machine_.share, 1e-9);
        return std::exponential_distribution<double>{1 / (is_second_ ? machine_.duration : first)}(random_);
    }

    Machine const& machine_;
    Random& random_;
    bool is_second_ = false;
    double left_ = 0;
};

/// Factor on the time of an operation in the second state.
double factor_of(Machine const& machine, std::size_t operation) {
    // From 1 for the first operation to the factor of the control for the last one.
    return std::pow(machine.distance, static_cast<double>(operation) / (operations - 1));
}

std::string operation_name(std::size_t operation) { return fmt::format("Operation {}", operation); }

/// Launches, and the number of them that began in the second state.
struct Run {
    std::vector<Launch> starts{};
    std::size_t in_second = 0;
};

/// A launch: controls, operations, controls. \param level  added to the logarithms of the operations' times
Launch start_of(Machine const& machine, Course& course, double level, double slower, Random& random) {
    std::normal_distribution<double> normal;
    Launch launch{.name = "start"};
    auto& points = launch.record.points;
    auto const controls = [&] {
        for (auto const name : measure::all_controls) {
            double const state = name == measure::line_control && course.is_second() ? machine.distance : 1;
            double const scatter = name == measure::line_control ? machine.scatter : 0.01;
            points.push_back(
                test::model_point(std::string{name}, 0, 1e-7 * state * std::exp(scatter * normal(random))));
        }
    };
    controls();
    for (std::size_t operation = 0; operation < operations; ++operation) {
        course.go_on(0.5 / operations);
        double const state = course.is_second() ? factor_of(machine, operation) : 1;
        double const other = operation == operations - 1 ? slower : 1;
        points.push_back(test::model_point(operation_name(operation), 0,
                                           1e-6 * state * other * std::exp(level + between_starts * normal(random))));
    }
    controls();
    course.go_on(0.5);
    launch.record.run.suite = launch.record.run.program = "mpiperf";
    launch.record.run.ranks = 2;
    launch.record.end = measure::EndRecord{.elapsed = 0.3};
    return launch;
}

Run run_of(Machine const& machine, Course& course, std::size_t starts, Random& random) {
    Run run;
    for (std::size_t i = 0; i < starts; ++i) {
        double const place = (static_cast<double>(i) + 0.5) / static_cast<double>(starts) - 0.5;
        run.in_second += course.is_second() ? 1U : 0U;
        run.starts.push_back(start_of(machine, course, machine.drift * place, 1, random));
    }
    return run;
}

struct Found {
    Share split{};    ///< runs with several states
    Share alarms{};   ///< equal sides in turn that are reported as different
    Share later{};    ///< equal successive runs that are reported as different
    Share machine{};  ///< equal successive runs with the verdict machine
    Share slower{};   ///< sides in turn in which an operation that takes 10 % longer is found
    Share held{};     ///< intervals that contain the median of their state
    std::vector<double> halves{};
};

bool has_alarm(measure::Comparison const& comparison, std::size_t all) {
    for (std::size_t operation = 0; operation < all; ++operation)
        for (auto const& one : comparison.operations)
            if (one.point.benchmark == operation_name(operation) && is_difference(one.verdict))
                return true;
    return false;
}

/// The median of a mixture of two log-normal distributions with medians 1 and `factor`.
/// \param share  share of the second distribution
double median_of_mixture(double factor, double share) {
    auto const below = [](double x) { return std::erfc(-x / (between_starts * std::sqrt(2.0))) / 2; };
    double low = std::min(0.0, std::log(factor)) - 1;
    double high = std::max(0.0, std::log(factor)) + 1;
    for (int i = 0; i < 60; ++i) {
        double const middle = (low + high) / 2;
        bool const is_low = (1 - share) * below(middle) + share * below(middle - std::log(factor)) < 0.5;
        (is_low ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

/// The true median of an operation in the state that the values of a run come from, or over all launches if states are
/// not separated.
double truth_of(Machine const& machine, Run const& run, measure::tool::runs::Answer const& answer,
                std::size_t operation) {
    double const factor = factor_of(machine, operation);
    if (!answer.states.are_several())
        return 1e-6 *
               median_of_mixture(factor, static_cast<double>(run.in_second) / static_cast<double>(run.starts.size()));
    bool const is_second = answer.states.states.front().centres.front() > 1e-7 * std::sqrt(machine.distance);
    return 1e-6 * (is_second ? factor : 1);
}

void count_intervals(Found& found, Machine const& machine, Run const& run, measure::tool::runs::Answer const& answer) {
    for (auto const& row : answer.rows)
        for (std::size_t operation = 0; operation < operations; ++operation)
            if (row.operation == operation_name(operation) && row.cells.front().estimate &&
                row.cells.front().estimate->interval) {
                auto const [low, high] = *row.cells.front().estimate->interval;
                double const truth = truth_of(machine, run, answer, operation);
                found.held.count(low <= truth && truth <= high);
                found.halves.push_back((high - low) / 2 / truth);
            }
}

Found simulated(Machine const& machine, std::size_t starts, int repetitions) {
    Found found;
    Random random{1};
    for (int i = 0; i < repetitions; ++i) {
        Course course{machine, random};
        auto const before = run_of(machine, course, starts, random);
        auto const now = run_of(machine, course, starts, random);
        auto const answer =
            measure::tool::runs::answer(now.starts, measure::tool::runs::Opponent{"before", "", before.starts, false});
        found.split.count(answer.states.are_several());
        found.later.count(!answer.machine_changed && has_alarm(*answer.comparison, operations));
        found.machine.count(answer.machine_changed);
        count_intervals(found, machine, now, answer);
        for (double const slower : {1.0, 1.1}) {
            std::vector<Launch> a;
            std::vector<Launch> b;
            for (std::size_t k = 0; k < 2 * starts; ++k) {
                bool const is_a = k % 4 == 0 || k % 4 == 3;
                (is_a ? a : b).push_back(start_of(machine, course, 0, is_a ? 1 : slower, random));
            }
            auto const in_turn = measure::tool::runs::answer(a, measure::tool::runs::Opponent{"b", "", b, true});
            if (slower == 1)
                found.alarms.count(has_alarm(*in_turn.comparison, operations));
            else
                for (auto const& one : in_turn.comparison->operations)
                    if (one.point.benchmark == operation_name(operations - 1))
                        found.slower.count(one.verdict == measure::Verdict::slower);
        }
    }
    return found;
}

/// \return whether the promises hold
bool row(Machine const& machine, std::size_t starts, int repetitions) {
    auto const found = simulated(machine, starts, repetitions);
    fmt::print(
        "| {:.0f} | {:.1f} | {:.0f} | {:.1f} | {:.0f} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {:.1f} | "
        "{:.1f} |\n",
        100 * machine.share, machine.distance, 100 * machine.scatter, machine.duration, 100 * machine.drift, starts,
        100 * found.split.value(), 100 * found.alarms.value(), 100 * found.later.value(), 100 * found.machine.value(),
        100 * found.slower.value(), 100 * found.held.value(), 100 * measure::median(found.halves));
    std::fflush(stdout);
    Share missed{.seen = found.held.of - found.held.seen, .of = found.held.of};
    bool const is_split_wrongly = machine.share == 0 && found.split.is_above(0.01);
    // States that the controls do not show look like changes between runs.
    bool const are_seen = machine.share == 0 || std::log(machine.distance) >= 5 * machine.scatter;
    return !found.alarms.is_above(0.05) && !(are_seen && found.later.is_above(0.05)) && !missed.is_above(0.07) &&
           !is_split_wrongly;
}

}  // namespace

int main(int argc, char** argv) {
    int const repetitions = argc > 1 ? std::atoi(argv[1]) : 200;
    if (repetitions < 1) {
        fmt::print(stderr, "usage: states_bench [REPETITIONS]\n");
        return 2;
    }
    fmt::print(
        "| share [%] | distance | scatter [%] | duration [launches] | drift [%] | launches | split [%] | in turn: "
        "different [%] | one after the other: different [%] | machine [%] | 10 % slower found [%] | interval "
        "holds [%] | half width [%] |\n");
    bool holds = true;
    auto const check = [&](Machine const& machine, std::size_t starts) {
        holds = row(machine, starts, repetitions) && holds;
    };
    for (std::size_t const starts : {12U, 40U, 87U, 200U}) {
        for (double const scatter : {0.01, 0.05, 0.2})
            check({.share = 0, .distance = 1, .scatter = scatter}, starts);
        for (double const share : {0.05, 0.1, 0.3, 0.5})
            check({.share = share}, starts);
        for (double const distance : {1.1, 1.2, 5.0})
            for (double const scatter : {0.01, 0.05, 0.2})
                check({.distance = distance, .scatter = scatter}, starts);
        for (double const duration : {0.1, 1.0, 3.0, static_cast<double>(starts) / 2})
            check({.duration = duration}, starts);
        for (double const drift : {0.02, 0.1})
            check({.drift = drift}, starts);
    }
    if (!holds)
        fmt::print(stderr, "states_bench: more false alarms, missed medians or split states than promised\n");
    return holds ? 0 : 1;
}
