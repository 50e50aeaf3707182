// SPDX-License-Identifier: BSD-3-Clause
#include "run/campaign.hpp"

#include "analysis/compare/compare.hpp"
#include "analysis/runs/meaning.hpp"
#include "analysis/runs/overlap.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/child.hpp"
#include "run/between_runs.hpp"
#include "run/device.hpp"
#include "run/memory_sizes.hpp"
#include "shared/plain_text.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/launches.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <map>
#include <span>
#include <stdlib.h>
#include <system_error>
#include <utility>

namespace measure::tool::runs {

namespace {

constexpr int pilot_launches = 3;
constexpr int most_failures = 3;
/// Points are left out only if the level of their operation drifts by at most this share. More drift means that the
/// launches saw several states of the machine.
constexpr double largest_drift = 0.1;
/// Reserved for merging, comparing, and writing the page.
constexpr measure::seconds closing_time{1.5};
/// Time limit of the first launch. It may be slow, but if it hangs, the run should fail with an error before the budget
/// is spent.
constexpr measure::seconds first_limit{60};

/// Time limit of `measure doctor`, which observes the machine for half a second.
constexpr measure::seconds doctor_limit{20};

/// The time stamp counter if the kernel itself uses it, otherwise CLOCK_MONOTONIC_RAW.
std::string best_timer() {
    std::ifstream file{"/sys/devices/system/clocksource/clocksource0/current_clocksource"};
    std::string source;
    file >> source;
    return source == "tsc" ? "tsc" : "monotonic_raw";
}

std::vector<std::string> joined(std::vector<std::string> a, std::vector<std::string> const& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// The records of each point over launches.
std::map<SweptPoint, std::vector<measure::Record const*>> by_point(std::vector<Launch> const& launches) {
    std::map<SweptPoint, std::vector<measure::Record const*>> points;
    for (auto const& launch : launches)
        for (auto const& record : launch.record.points)
            points[point_of(record)].push_back(&record);
    return points;
}

/// Samples that a point has cost: all attempts and the samples of settling.
double runs_of(measure::Record const& record) {
    return static_cast<double>(record.attempts) + record.derived.number({"settling", "runs"}).value_or(0);
}

/// Standard deviation of the samples relative to the median, estimated from their quartiles.
double scatter_of(measure::Estimate const& e) {
    return e.median > 0 ? measure::quartile_deviation(e.quantiles).value_or(0) / e.median : 0;
}

PointCost cost_of(std::vector<measure::Record const*> const& records) {
    std::vector<double> per_sample;
    std::vector<double> within;
    std::vector<double> medians;
    for (auto const* const record : records) {
        per_sample.push_back(record->elapsed.count() / std::max(runs_of(*record), 1.0));
        if (auto const e = measure::estimate_of_value(*record)) {
            within.push_back(scatter_of(*e));
            medians.push_back(std::log(std::max(e->median, 1e-12)));
        }
    }
    PointCost cost{.per_sample = std::max(measure::median(per_sample), 1e-9)};
    // In a resumed run, earlier launches may have more samples than a pilot launch.
    std::vector<double> rests;
    for (auto const* const record : records) {
        double const samples = static_cast<double>(record->attempts) * cost.per_sample;
        rests.push_back(std::max(record->elapsed.count() - samples, 0.0));
    }
    cost.per_launch = measure::median(rests);
    if (!within.empty())
        cost.within = measure::median(within);
    if (medians.size() > 1)
        cost.between = measure::standard_deviation(medians);
    return cost;
}

/// Median time of a launch outside of its points, in seconds.
double launch_cost(std::vector<Launch> const& launches) {
    std::vector<double> rests;
    for (auto const& launch : launches) {
        double rest = launch.record.end->elapsed.value_or(0);
        for (auto const& point : launch.record.points)
            rest -= point.elapsed.count();
        rests.push_back(std::max(rest, 0.0));
    }
    return measure::median(rests);
}

/// Half the 95 % interval of the median over launches, as a share of the median; nothing if there are too few launches.
/// The step of the clock is not included, because more launches do not reduce it.
std::optional<double> half_interval(std::vector<measure::Record const*> const& records) {
    std::vector<double> medians;
    for (auto const* const record : records)
        if (auto const e = measure::estimate_of_launch(*record))
            medians.push_back(e->median);
    auto const interval = measure::batched_median_interval(medians, 0.95);
    if (!interval || !(measure::median(medians) > 0))
        return std::nullopt;
    return (interval->second - interval->first) / 2 / measure::median(medians);
}

/// The largest clock step relative to the value, over all points except the controls.
double largest_clock_step(std::vector<Launch> const& launches) {
    double largest = 0;
    for (auto const& launch : launches)
        for (auto const& record : launch.record.points)
            if (auto const e = measure::estimate_of_value(record); e && e->median > 0 && !is_control(record.benchmark))
                largest = std::max(largest, e->clock_step / e->median);
    return largest;
}

/// Points with a `half_interval` of at most `share`.
std::vector<SweptPoint> exact_points(std::vector<Launch> const& launches, double share) {
    std::vector<SweptPoint> exact;
    for (auto const& [point, records] : by_point(launches))
        if (auto const half = half_interval(records); half && *half <= share)
            exact.push_back(point);
    return exact;
}

/// The counted launches in one state of the machine.
std::vector<Launch> launches_in_state(std::size_t state, CountingLaunches const& counting) {
    std::vector<Launch> some;
    for (std::size_t i = 0; i < counting.all.size(); ++i)
        if (counting.states_of_all.of_launch[i] == state)
            some.push_back(counting.all[i]);
    return some;
}

/// Time from the first to the last launch.
measure::seconds span_of(std::span<Launch const> launches) {
    std::vector<std::int64_t> times;
    for (auto const& launch : launches)
        if (auto const time = started_at(launch.record.run))
            times.push_back(*time);
    auto const [first, last] = std::minmax_element(times.begin(), times.end());
    return measure::seconds{times.empty() ? 0.0 : static_cast<double>(*last - *first)};
}

std::string size_of(measure::Record const& record) {
    auto const bytes = integer_at(record.at, "bytes").value_or(0);
    return bytes > 0 ? " " + measure::text_bytes(bytes) : "";
}

/// The latest value, and the point with the widest interval: "Bcast 1 us; worst Alltoall 1 MiB 12%".
std::string found_so_far(std::vector<Launch> const& launches) {
    std::string newest;
    for (auto const& record : launches.back().record.points)
        if (auto const e = measure::estimate_of_value(record); e && !is_control(record.benchmark))
            newest = fmt::format("{} {}", record.benchmark, measure::text(measure::seconds{e->median}));
    double most = 0;
    std::string worst;
    for (auto const& [point, records] : by_point(launches))
        if (auto const half = half_interval(records); half && *half > most && !is_control(point.test)) {
            most = *half;
            worst = fmt::format("; worst {}{} {:.0f}%", point.test, size_of(*records.front()), most * 100);
        }
    return newest + worst;
}

/// The folder for the file of the topic io. Checks a given folder. The default, the folder of the runs, is created
/// later.
std::string scratch_folder(RunOptions const& options, std::filesystem::path const& runs) {
    if (options.io_folder.empty())
        return std::filesystem::absolute(runs).string();
    std::error_code code;
    if (!std::filesystem::is_directory(options.io_folder, code))
        throw measure::UsageError(fmt::format("--io-folder: '{}' is not a folder", options.io_folder));
    auto probe = (std::filesystem::path{options.io_folder} / "measure-run.XXXXXX").string();
    int const file = ::mkstemp(probe.data());
    if (file < 0)
        throw measure::UsageError(fmt::format("--io-folder: cannot write in '{}': {}", options.io_folder,
                                              std::generic_category().message(errno)));
    ::close(file);
    ::unlink(probe.c_str());
    return std::filesystem::absolute(options.io_folder).string();
}

/// Sets the folder for files. Drops the tests with direct access if the file system does not support it, unless --calls
/// names them.
void place_files(Plan& plan, RunOptions const& options, std::filesystem::path const& runs) {
    if (std::none_of(plan.sweep.begin(), plan.sweep.end(), [](auto const& test) { return is_file_test(test.name); })) {
        if (!options.io_folder.empty())
            throw measure::UsageError("--io-folder needs --what io");
        return;
    }
    plan.scratch = scratch_folder(options, runs);
    if (!options.calls.empty() || has_direct_access(plan.scratch))
        return;
    std::erase_if(plan.sweep, [](auto const& test) { return is_direct_test(test.name); });
    plan.notes.push_back(fmt::format(
        "the file system of '{}' does not support direct access; the device is not measured", plan.scratch));
}

/// Sizes for the topic memory. \param ranks  0: unknown, so one rank for each core of this host is assumed
std::vector<measure::Bytes> cached_sizes(RunOptions const& options, int ranks) {
    if (std::find(options.what.begin(), options.what.end(), Topic::memory) == options.what.end())
        return {};
    int const cores = measure::usable_cores();
    return memory_sizes(host_memory(), ranks == 0 ? cores : std::min(ranks, cores));
}

}  // namespace

Plan plan_of(RunOptions const& options, Surroundings const& around, std::string const& name,
             std::filesystem::path const& runs) {
    if (!options.launcher.empty())
        check_program(options.launcher.front(), "LAUNCHER");
    auto const start = launcher(options.launcher, options.ranks, around);
    auto const program = program_path("mpiperf", options.program, "--program");
    Plan plan{.timer = best_timer(), .launcher_note = start.note, .ranks = start.ranks};
    plan.sweep = sweep_of(options, start.ranks == 0 ? 2 : start.ranks, cached_sizes(options, start.ranks));
    place_files(plan, options, runs);
    plan.sides.push_back({.words = joined(start.words, {program}), .campaign = name});
    if (auto const own = own_path(); !own.empty())
        plan.doctor = joined(start.words, {own, "doctor", "--duration", "500ms"});
    if (!options.has_sides())
        return plan;
    auto other = start.words;
    if (!options.against_mpiexec.empty()) {
        check_program(options.against_mpiexec, "--against-mpiexec");
        other.front() = options.against_mpiexec;
    }
    auto const before = words_of("--against", options.against);
    if (!before.empty())
        check_program(before.front(), "--against");
    auto const other_program = options.against_program.empty()
                                   ? program
                                   : program_path("mpiperf", options.against_program, "--against-program");
    plan.sides.front().label = "as started";
    std::vector<std::string> label;
    for (auto const* const text : {&options.against, &options.against_mpiexec, &options.against_program})
        if (!text->empty())
            label.push_back(*text);
    plan.sides.push_back({.label = fmt::format("{}", fmt::join(label, " ")),
                          .words = joined(joined(before, other), {other_program}),
                          .campaign = campaign_of_side_b(name)});
    return plan;
}

std::vector<std::string> start_words(Side const& side, Plan const& plan, int number, int samples,
                                     measure::seconds limit, std::vector<SweptPoint> const& done) {
    auto words = joined(side.words, {"--timer", plan.timer, "--sync-alg", "auto", "--shuffle", "--seed",
                                     std::to_string(number), "--valid-runs", std::to_string(samples), "--min-runs",
                                     std::to_string(samples), "--max-runs", std::to_string(4 * samples), "--retry", "0",
                                     "--time-budget", fmt::format("{:.0f}s", std::ceil(limit.count()))});
    if (!plan.scratch.empty())
        words.insert(words.end(), {"--scratch", plan.scratch});
    if (std::any_of(plan.sweep.begin(), plan.sweep.end(), [](auto const& test) { return computes(test.name); }))
        words.insert(words.end(), {"-c", std::to_string(compute_points)});
    return joined(std::move(words), words_of(plan.sweep, done));
}

std::optional<std::string> too_few_launches(std::size_t launches, std::size_t operations) {
    if (launches >= launches_needed(operations, CompareRules{}.alpha))
        return std::nullopt;
    return fmt::format("{} of {} cannot show a difference", counted(launches, "launch", "launches"),
                       counted(operations, "operation", "operations"));
}

Campaign::Campaign(RunOptions const& options, Plan plan, RunFolder& folder, program::Session& session,
                   Clock::time_point begin)
    // `in_own_blocks` keeps the order of the sides in a resumed run.
    : Loop{session, plan.sides.size(), {plan.sides.size() > 1 ? First::in_own_blocks : First::a}, begin}, o_{options},
      plan_{std::move(plan)}, folder_{folder} {
    outcome_.notes = plan_.notes;
}

Outcome Campaign::run() {
    read_earlier();
    try {
        go();
    } catch (measure::Interrupted const& interrupt) {
        outcome_.interrupted = interrupt.value();
    } catch (std::exception const& error) {
        // For example a full disk. Complete launches still count.
        outcome_.failures.push_back(measure::error_text(error));
        outcome_.has_failed = true;
    }
    outcome_.is_short = counting() < fewest_starts;
    return std::move(outcome_);
}

measure::seconds Campaign::left() const { return o_.budget - closing_time - elapsed(); }

/// The number of counted launches in the most frequent state of the machine, of the side that has fewer. Launches that
/// do not count are replaced by further ones.
int Campaign::counting() const {
    int least = complete();
    for (std::size_t side = 0; side < sides(); ++side)
        least = std::min(least, static_cast<int>(counting_[side].main.size()));
    return least;
}

void Campaign::read_earlier() {
    std::array<int, 2> last{};
    for (auto& launch : launches_in(folder_.launches())) {
        auto const& campaign = launch.record.run.campaign;
        for (std::size_t side = 0; campaign && side < sides(); ++side)
            if (campaign->id == plan_.sides[side].campaign) {
                last[side] = std::max(last[side], campaign->launch);
                outcome_.launches[side].push_back(std::move(launch));
                break;
            }
    }
    for (std::size_t side = 0; side < sides(); ++side) {
        go_on(side, static_cast<int>(outcome_.launches[side].size()), last[side]);
        counting_[side] = counting_launches(outcome_.launches[side]);
    }
    earlier_ = complete();
}

/// Runs `measure doctor` and collects its warnings. Its own failure is ignored: if it cannot be started, the launches
/// that follow report that.
void Campaign::look() {
    if (plan_.doctor.empty())
        return;
    session().next("the machine");
    auto const log = folder_.file(doctor_file);
    std::filesystem::remove(log);
    static_cast<void>(program::run_child({.command = plan_.doctor, .log = log.string(), .limit = doctor_limit}));
    constexpr std::string_view mark = "warning  ";
    std::ifstream stream{log};
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with(mark))
            outcome_.warnings.push_back(line.substr(mark.size()));
}

void Campaign::go() {
    session().tell_watcher(fmt::format("{}: checking the machine", plan_.launcher_note));
    look();
    while (complete() < pilot_launches)
        if (!round())
            return;
    settle_schedule();
    while (fits()) {
        if (!round())
            return;
        leave_out_exact_points();
        if (done_.size() == points_of(plan_.sweep).size()) {
            auto note =
                fmt::format("ended early: all points are known to +- {:.3g} % within this run", o_.precision * 100);
            if (auto const step = largest_clock_step(outcome_.launches.front()); step > o_.precision)
                note += fmt::format(", not counting the step of the clock, which is at most {:.2g} %", step * 100);
            outcome_.notes.push_back(std::move(note));
            return;
        }
    }
}

/// The expected time of a launch, from the last five. They may be faster than the first ones.
measure::seconds Campaign::usual_time() const {
    constexpr std::ptrdiff_t some = 5;
    auto const last = std::min(some, std::ssize(taken_));
    if (last == 0)
        return schedule_.start_time;
    return measure::seconds{measure::median(std::vector<double>(taken_.end() - last, taken_.end()))};
}

bool Campaign::fits() const {
    Extent const extent{.least = fewest_starts, .budget = o_.budget - closing_time, .is_strict = true};
    auto const next = usual_time() * static_cast<double>(sides());
    return rounds_in_all(extent, counting(), elapsed(), next) > counting();
}

/// The costs of the points that are still measured.
std::vector<PointCost> Campaign::costs() const {
    auto const wanted_points = points_of(plan_.sweep);
    std::vector<PointCost> found;
    for (auto const& [point, records] : by_point(outcome_.launches.front()))
        if (std::find(wanted_points.begin(), wanted_points.end(), point) != wanted_points.end())
            // A control is measured twice.
            found.insert(found.end(), is_control(point.test) ? 2 : 1, cost_of(records));
    return found;
}

/// Uses the cost of the pilot launches to choose the numbers of launches and samples. Leaves out points if the budget
/// is too small.
void Campaign::settle_schedule() {
    // Records do not include the time of the launcher.
    double const overhead =
        launch_cost(outcome_.launches.front()) + (launching_.empty() ? 0 : std::max(measure::median(launching_), 0.0));
    int const had = complete();
    auto const settle = [&] {
        schedule_ = schedule(overhead, costs(), left() / static_cast<double>(sides()));
        return schedule_.launches + had >= fewest_starts;
    };
    auto const whole = plan_.sweep;
    while (!settle()) {
        if (!thin(plan_.sweep)) {
            // Even the smallest sweep does not fit, so leaving out points would not help.
            plan_.sweep = whole;
            static_cast<void>(settle());
            break;
        }
    }
    auto const without_controls = [](std::vector<SweptTest> const& sweep) {
        auto const points = points_of(sweep);
        return std::count_if(points.begin(), points.end(), [](auto const& point) { return !is_control(point.test); });
    };
    auto const all = without_controls(whole);
    if (auto const spared = all - without_controls(plan_.sweep); spared > 0)
        outcome_.notes.push_back(fmt::format("{} of {} points were measured only in the pilot; the budget is too short "
                                             "for {} launches with all points",
                                             spared, all, fewest_starts));
    warn_of_few(static_cast<std::size_t>(schedule_.launches + had));
    schedule_.launches = std::max(schedule_.launches + had, fewest_starts);
    tell_expected_resolution();
}

/// The estimate comes from consecutive launches. If the machine changes during the run, the run detects less.
void Campaign::tell_expected_resolution() const {
    std::vector<double> shares;
    for (auto const& cost : costs())
        shares.push_back(expected_resolution(cost.between, schedule_.launches));
    if (shares.empty())
        return;
    session().tell_watcher(fmt::format("{} of {:.2g} s; they cannot detect differences below {:.2g} %",
                                       counted(static_cast<std::size_t>(schedule_.launches), "launch", "launches"),
                                       schedule_.start_time.count(), measure::median(shares) * 100));
}

/// Warns early, before time is spent on a run that cannot show any difference.
/// \param launches  number of launches that fit into the budget
void Campaign::warn_of_few(std::size_t launches) {
    auto const operations = static_cast<std::size_t>(
        std::count_if(plan_.sweep.begin(), plan_.sweep.end(), [](auto const& test) { return !test.is_control; }));
    auto const why = too_few_launches(launches, operations);
    if (!why)
        return;
    auto const more = static_cast<double>(launches_needed(operations, CompareRules{}.alpha) - launches);
    auto const needed = o_.budget + more * schedule_.start_time * static_cast<double>(sides());
    session().warn(fmt::format("{}; use --budget {:.0f}min or fewer --calls", *why, std::ceil(needed.count() / 60)));
}

/// Whether another launch makes sense. A launch that timed out is repeated with a longer limit. After any other failure
/// of the first launch, further launches would fail in the same way.
bool Campaign::goes_on(std::size_t side) {
    counting_[side] = counting_launches(outcome_.launches[side]);
    bool const has_other_failure = failed_in_a_row(side) > late_in_a_row(side);
    if (failed_in_a_row(side) >= most_failures || (has_other_failure && complete(side) == 0)) {
        outcome_.has_failed = true;
        return false;
    }
    return left().count() > 0;
}

/// Time limit of a launch: ten times the longest so far, at least 10 s. It triples after each launch that timed out.
measure::seconds Campaign::patience(std::size_t side) const {
    auto const usual = longest_.count() > 0 ? std::max(10 * longest_, measure::seconds{10}) : first_limit;
    return usual * std::pow(3, late_in_a_row(side));
}

/// The reason why a launch does not count; empty if it counts.
std::string Campaign::problem_of(Started const& started) const {
    if (!started.failure.empty())
        return started.failure;
    if (started.launches.size() != 1)
        return fmt::format("left the records of {} programs instead of one", started.launches.size());
    if (!started.launches.front().record.end)
        return "left a record without an end line";
    int const ranks = started.launches.front().record.run.ranks;
    if (plan_.ranks > 0 && ranks != plan_.ranks)
        return fmt::format("had {} instead of {}; the launcher may belong to another MPI library",
                           counted(static_cast<std::size_t>(ranks), "rank", "ranks"), plan_.ranks);
    return {};
}

void Campaign::announce(Turn const& /*turn*/) {
    int const next = complete() + 1;
    if (schedule_.launches == 0) {
        session().next(fmt::format("pilot launch {} of {}", next, pilot_launches));
        return;
    }
    int const all = std::max(next, schedule_.launches);
    session().plan(all - earlier_, "launches");
    session().next(fmt::format("launch {} of {}", next, all));
}

Started Campaign::started(Turn const& turn) {
    auto const& side = plan_.sides[turn.side];
    auto const limit = std::max(left(), measure::seconds{1});
    auto const samples = schedule_.samples > 0 ? schedule_.samples : pilot_samples;
    auto result = start({.command = start_words(side, plan_, turn.number, samples, limit, done_),
                         .campaign = side.campaign,
                         .number = turn.number,
                         .record = folder_.file(launch_file).string(),
                         .log = folder_.file(launch_log).string(),
                         .limit = std::min(limit + measure::seconds{5}, patience(turn.side))});
    result.failure = problem_of(result);
    return result;
}

/// Reports a failed launch as a warning. Before the first complete launch there is no warning: the failure then ends
/// the run with an error.
void Campaign::failed(Turn const& turn, Started const& started) {
    folder_.check_room();
    outcome_.is_refused = started.is_refused;
    auto const* const side = sides() == 1 ? "" : turn.side == 0 ? " of A" : " of B";
    auto text = fmt::format("launch {}{} {}", turn.number, side, started.failure);
    if (complete() > 0)
        session().warn(text);
    outcome_.failures.push_back(std::move(text));
}

void Campaign::keep(Turn const& turn, Started&& started) {
    auto& launch = started.launches.front();
    longest_ = std::max(longest_, started.elapsed);
    taken_.push_back(started.elapsed.count());
    launching_.push_back(started.elapsed.count() - launch.record.end->elapsed.value_or(0));
    folder_.add(started.text);
    join_computing(launch);
    outcome_.launches[turn.side].push_back(std::move(launch));
    if (turn.side == 0)
        session().found(found_so_far(outcome_.launches.front()));
}

void Campaign::leave_out_exact_points() {
    // Launches within a short time may agree only because the machine did not change its state.
    auto const here = std::span{outcome_.launches.front()}.subspan(static_cast<std::size_t>(earlier_));
    if (complete() < fewest_starts || span_of(here) < o_.budget / 2)
        return;
    std::map<SweptPoint, std::size_t> exact;
    std::size_t sides_in_main = 0;
    for (std::size_t side = 0; side < sides(); ++side) {
        auto const& counting = counting_[side];
        // The next launch probably sees the same state as the last one.
        auto const state = counting.states.of_launch.back().value_or(0);
        sides_in_main += state == 0 ? 1U : 0U;
        auto const launches = launches_in_state(state, counting);
        for (auto const& point : exact_points(launches, o_.precision))
            exact[point] += drift(launches, point.test) <= largest_drift ? 1U : 0U;
    }
    done_.clear();
    for (auto const& [point, number] : exact)
        if (number == sides() && !is_control(point.test))
            done_.push_back(point);
    // Controls are measured until all points are done in the most frequent state.
    auto const all = points_of(plan_.sweep);
    auto const controls = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](auto const& point) { return is_control(point.test); }));
    if (done_.size() + controls == all.size() && sides_in_main == sides())
        done_ = all;
}

}  // namespace measure::tool::runs
