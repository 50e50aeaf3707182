// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/benchmark_runner.hpp"

#include "pmb/method.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>
#include <measure/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <thread>
#include <utility>

namespace pmb {

namespace {

using measure::Bytes;
using measure::PointStatus;

/// The first text that is not empty, on the root. On the other ranks only tells whether there is one. Collective.
std::optional<std::string> agreed(measure::Comm const& world, std::string const& mine) {
    if (world.max(mine.empty() ? 0 : 1) == 0)
        return std::nullopt;
    auto const all = world.gather(mine);
    auto const first = std::find_if(all.begin(), all.end(), [](auto const& text) { return !text.empty(); });
    return first == all.end() ? std::string{} : *first;
}

std::string from_on(std::optional<Bytes> length) {
    return length ? fmt::format("lengths from {} on not measured", *length) : "not measured";
}

constexpr char const* failed_before = "the benchmark has failed before";

double gbytes(Bytes n) { return static_cast<double>(n) / static_cast<double>(measure::gibi); }

}  // namespace

std::vector<std::optional<Bytes>> lengths_of(Benchmark const& b, Setup const& setup) {
    if (b.kind == Class::sync)
        return {std::nullopt};
    if (b.one_element)
        return {unit_of(b, setup.parameters)};
    auto const unit = unit_of(b, setup.parameters);
    auto const all = setup.lengths ? rounded(*setup.lengths, unit) : lengths(unit, setup.parameters);
    return {all.begin(), all.end()};
}

BenchmarkRunner::BenchmarkRunner(Context const& context, Benchmark const& benchmark, Grouping const& grouping,
                                 measure::Comm const* team)
    : context_{context}, setup_{context.setup}, benchmark_{benchmark}, head_{head_of(benchmark, context.setup,
                                                                                     grouping)},
      grouping_{grouping}, team_{team}, shape_{shape(benchmark, setup_)}, lengths_{lengths_of(benchmark, setup_)},
      largest_{largest_within_memory()}, verifier_{team != nullptr ? team->rank() : -1} {}

bool BenchmarkRunner::measure() {
    bool going_on = true;
    for (Mode const mode : modes_of(benchmark_, setup_)) {
        if (going_on)
            going_on = table(mode);
        else
            skip_table(mode);
    }
    return going_on;
}

void BenchmarkRunner::begin_table(Mode mode) {
    head_.mode = mode;
    place_ = 0;
    earlier_.clear();
    notes_.clear();
    begun_ = measure::SteadyClock::now();
    flagged_ = {};
    kept_.clear();
    round_ = 0;
    refiner_.reset();
    refined_.clear();
    is_refining_ = false;
    if (auto const unit = unit_of(benchmark_, setup_.parameters); setup_.refine && benchmark_.kind != Class::sync)
        refiner_.emplace(measure::Refinement{.tolerance = *setup_.refine, .multiple_of = unit, .min_distance = unit});
}

bool BenchmarkRunner::table(Mode mode) {
    begin_table(mode);
    context_.output.write(context_.output.table().head(head_, shape_));
    if (lengths_.empty())
        note("no length is left: except for 0, no length in the range is a multiple of the benchmark's element");
    bool const ready = mode != modes_of(benchmark_, setup_).front() || make_kernel();
    bool complete = false;
    try {
        complete = ready && listed_lengths() && more_rounds() && refined_lengths();
    } catch (...) {
        // Publishes rows that were measured before an interruption.
        publish_rounds();
        write_notes();
        throw;
    }
    publish_rounds();
    write_notes();
    return complete;
}

/// Readers of IMB's tables treat each line up to an empty one as a row, so notes are printed below the table.
void BenchmarkRunner::note(std::string text) {
    if (is_imb(setup_.part))
        notes_.push_back(std::move(text));
    else
        context_.output.comment(text);
}

void BenchmarkRunner::write_notes() {
    for (std::size_t i = 0; i < row_flags.size(); ++i)
        if (auto text = flagged_text(row_flags[i], head_, shape_, flagged_[i]); !text.empty())
            notes_.push_back(std::move(text));
    context_.output.comments(notes_);
    notes_.clear();
    flagged_ = {};
}

/// Prepares for the largest length that fits into memory.
bool BenchmarkRunner::make_kernel() {
    // If no length fits into memory, none is measured.
    while (is_any_within_memory()) {
        std::string failure;
        bool out_of_memory = false;
        try {
            make_kernel_here();
        } catch (KernelError const& error) {
            failure = error.what();
        } catch (std::bad_alloc const&) {
            out_of_memory = true;
        }
        if (world().max(out_of_memory ? 1 : 0) > 0) {
            kernel_.reset();
            refused_ = largest_;
            largest_ = largest_within_memory();
            continue;
        }
        auto const text = agreed(world(), failure);
        if (text)
            crash(lengths_.front(), *text);
        return !text;
    }
    return true;
}

/// Collective over the team. \throws KernelError, std::bad_alloc
void BenchmarkRunner::make_kernel_here() {
    if (team_ == nullptr)
        return;
    int const group = grouping_.group_of(world().rank());
    task_.emplace(Task{.team = *team_,
                       .world_rank = world().rank(),
                       .timer = context_.timer,
                       .parameters = setup_.parameters,
                       .largest = largest_,
                       .rotate_root = setup_.rotate_root,
                       .each = benchmark_.each,
                       .check = setup_.check,
                       .times = setup_.keeps_times ? &times_ : nullptr,
                       .verifier = verifier_,
                       .files = {context_.file, setup_.multi ? group : -1, context_.keep},
                       .cpu = context_.cpu,
                       .in_body = context_.session.control().in_body});
    kernel_ = benchmark_.make(*task_);
}

Bytes BenchmarkRunner::needed(Bytes length) const {
    return benchmark_.memory(length, grouping_.processes, setup_.parameters, setup_.check);
}

/// The reason why a length does not fit into memory, by -mem or on the machine; no value if it fits.
std::optional<BenchmarkRunner::Skip> BenchmarkRunner::lack_of_memory(Length length) const {
    if (!length)
        return refused_ ? std::optional{Skip{"out of memory", "out of memory", true}} : std::nullopt;
    auto const need = needed(*length);
    if (need > setup_.memory)
        return Skip{"memory",
                    fmt::format("{} bytes: needs {:.3g} GByte per process, -mem allows {:g}", *length, gbytes(need),
                                setup_.memory_gbytes),
                    true};
    if (need > context_.room)
        return Skip{"out of memory",
                    fmt::format("{} bytes: out of memory: needs {:.3g} GByte per process, but {:.3g} are available",
                                *length, gbytes(need), gbytes(context_.room)),
                    true};
    if (refused_ && *length >= *refused_)
        return Skip{"out of memory", fmt::format("{} bytes: out of memory", *length), true};
    return std::nullopt;
}

/// The largest of the lengths whose buffers fit into memory.
Bytes BenchmarkRunner::largest_within_memory() const {
    Bytes largest = 0;
    for (auto const& length : lengths_)
        if (length && !lack_of_memory(length))
            largest = std::max(largest, *length);
    return largest;
}

bool BenchmarkRunner::is_any_within_memory() const {
    return std::any_of(lengths_.begin(), lengths_.end(),
                       [this](auto const& length) { return !lack_of_memory(length); });
}

std::optional<BenchmarkRunner::Skip> BenchmarkRunner::reason_to_end(Length length) {
    if (context_.session.meet())
        return Skip{"time_budget", "time budget spent: " + from_on(length)};
    if (setup_.time && timed_out())
        return Skip{"time", "time-out: " + from_on(length)};
    return std::nullopt;
}

bool BenchmarkRunner::timed_out() const {
    // IMB's lengths are 0, 2^A, .., 2^B. IMB counts B - A of them, or all explicit lengths if there are more.
    auto const& p = setup_.parameters;
    auto const counted = is_imb(setup_.part) ? std::max(setup_.lengths ? std::ssize(*setup_.lengths) : 0,
                                                        std::ptrdiff_t{p.max_log - p.min_log})
                                             : std::ssize(lengths_);
    auto const intervals = static_cast<double>(std::max<std::ptrdiff_t>(2, counted) - 1);
    bool over = measure::SteadyClock::now() - begun_ > *setup_.time * intervals * setup_.rounds;
    world().broadcast(over);
    return over;
}

bool BenchmarkRunner::listed_lengths() {
    bool warm = setup_.parameters.warm_up == 0 || has_imb_loops();
    for (place_ = 0; place_ < lengths_.size(); ++place_) {
        Length const length = lengths_[place_];
        if (auto const reason = reason_to_end(length)) {
            publish_rounds();
            skip_from(place_, *reason);
            refiner_.reset();
            return true;
        }
        if (auto const lack = lack_of_memory(length)) {
            skip(length, *lack);
            continue;
        }
        if (!std::exchange(warm, true) && !warm_up())
            return false;
        if (place_ == 0)
            begun_ = measure::SteadyClock::now();
        if (!row(length))
            return false;
    }
    return true;
}

/// Repeats all lengths in each round, so that a temporary disturbance affects one time of each length instead of all
/// times of one length.
bool BenchmarkRunner::more_rounds() {
    for (round_ = 1; round_ < setup_.rounds; ++round_) {
        earlier_.clear();
        for (place_ = 0; place_ < lengths_.size(); ++place_) {
            Length const length = lengths_[place_];
            if (lack_of_memory(length))
                continue;
            if (auto const reason = reason_to_end({})) {
                context_.session.incomplete();
                publish_rounds();
                note("rounds not finished: " + reason->reason);
                return true;
            }
            if (!row(length))
                return false;
        }
    }
    return true;
}

bool BenchmarkRunner::refined_lengths() {
    place_ = lengths_.size();
    while (refiner_) {
        Bytes length = world().is_root() ? refiner_->next().value_or(-1) : 0;
        world().broadcast(length);
        if (length < 0)
            return true;
        if (auto const reason = reason_to_end({})) {
            context_.session.incomplete();
            note("refinement not finished: " + reason->reason);
            return true;
        }
        if (!std::exchange(is_refining_, true))
            context_.output.comment("refined lengths, in the order in which they were added");
        if (!row(length))
            return false;
    }
    return true;
}

/// Measures a row and drops the result. \returns false if it failed
bool BenchmarkRunner::warm_up() {
    Length const length = benchmark_.kind == Class::sync ? Length{} : Length{largest_};
    if (!begin(length) || !attempt(length, [&] { kernel_->warm_up(setup_.parameters.warm_up); }))
        return false;
    end();
    return true;
}

/// \returns false on all ranks if a rank could not prepare the length
bool BenchmarkRunner::begin(Length length) {
    return attempt(length, [&] { kernel_->begin(head_.mode, length.value_or(0)); });
}

/// Collective over the world.
/// \returns false on all ranks if the work of an active process failed on any rank; the point is then recorded as
///     crashed
bool BenchmarkRunner::attempt(Length length, std::function<void()> const& work) {
    return agree(length, failure_of(work));
}

/// The error message of this process. Collective over the team.
std::string BenchmarkRunner::failure_of(std::function<void()> const& work) {
    try {
        if (kernel_)
            work();
    } catch (KernelError const& error) {
        return error.what();
    } catch (measure::UsageError const& error) {
        // The counts do not fit MPI's int.
        return error.what();
    }
    return {};
}

bool BenchmarkRunner::agree(Length length, std::string const& failure) {
    auto const text = agreed(world(), failure);
    if (!text)
        return true;
    end();
    crash(length, *text);
    return false;
}

void BenchmarkRunner::end() {
    if (kernel_)
        kernel_->end();
}

/// Measures the row, or the rows of the groups, of one length. \returns false if the rest of the benchmark cannot be
/// measured
bool BenchmarkRunner::row(Length length) {
    auto const begun = measure::SteadyClock::now();
    context_.session.next(fmt::format("{} {}", title(head_), point(length).text()));
    verifier_.falsify(context_.corruption);
    auto const n = begin(length) ? repetitions_of(length) : std::nullopt;
    if (!n)
        return false;
    std::optional<measure::Measurement> measurement;
    Report mine;
    auto const failure = failure_of([&] {
        mine = report(*n, measurement);
        if (setup_.adds_synchronised)
            synchronised_ = synchronised(*n);
    });
    // Idle processes wait here.
    world().barrier();
    if (!agree(length, failure))
        return false;
    auto reports = world().gather(mine);
    auto const elapsed = measure::SteadyClock::now() - begun;
    if (setup_.keeps_times)
        slowest_times(*n);
    if (world().is_root() && setup_.rounds > 1)
        keep(std::move(reports), elapsed);
    else if (world().is_root())
        publish(length, {std::move(reports)}, measurement, elapsed);
    if (setup_.pauses)
        std::this_thread::sleep_for(std::max<measure::seconds>(measure::seconds{0.1}, elapsed / 10));
    end();
    return true;
}

/// Replaces the time of each repetition by that of the slowest process, scaled as in rows. Collective.
void BenchmarkRunner::slowest_times(std::int64_t n) {
    times_.resize(static_cast<std::size_t>(n));
    std::vector<double> slowest(world().is_root() ? times_.size() : 0);
    measure::check(MPI_Reduce(times_.data(), slowest.data(), measure::to_int(n, "repetitions"), MPI_DOUBLE, MPI_MAX, 0,
                              world().native()),
                   "MPI_Reduce");
    for (double& time : slowest)
        time *= benchmark_.time_scale * 1e6;
    times_ = std::move(slowest);
}

/// The repetitions of a row that is ready; the row stays ready. Collective if the number depends on time.
/// \returns no value if the length could not be prepared again
std::optional<std::int64_t> BenchmarkRunner::repetitions_of(Length length) {
    if (is_apart(setup_.part))
        return own_repetitions(length);
    if (has_imb_loops())
        return imb_repetitions(length);
    auto const& p = setup_.parameters;
    bool const few = head_.mode == Mode::non_aggregate || benchmark_.few;
    std::int64_t n = repetitions(length.value_or(0), few ? p.non_aggregate : p.repetitions, p.volume);
    bool const dynamic = setup_.policy == Policy::dynamic;
    if (!setup_.time && !dynamic)
        return n;
    constexpr measure::seconds usual{10};
    double mine = 0;
    if (!attempt(length, [&] { mine = kernel_->loop(1).time; }))
        return std::nullopt;
    end();
    if (!begin(length))
        return std::nullopt;
    double const probe = world().max(mine);
    // Repeated loops share the time limit.
    double const loops = setup_.by_plan() && !setup_.start ? fewest_loops : 1;
    double const fit = probe > 0 ? setup_.time.value_or(usual).count() / probe / loops : static_cast<double>(n);
    if (fit < static_cast<double>(n))
        n = std::max<std::int64_t>(1, static_cast<std::int64_t>(fit));
    if (dynamic) {
        // No more than in earlier rows. For refined lengths only shorter lengths count.
        for (auto const& row : earlier_)
            if (!is_refining_ || row.length < length.value_or(0))
                n = std::min(n, row.repetitions);
        earlier_.push_back({length.value_or(0), n});
    }
    return n;
}

/// Whether loops follow IMB's rules for repetitions instead of the library's.
bool BenchmarkRunner::has_imb_loops() const noexcept { return is_imb(setup_.part) && !setup_.by_plan(); }

/// The time per repetition of the slowest process; no value if the length failed.
std::optional<double> BenchmarkRunner::tried(Length length, std::int64_t n) {
    double mine = 0;
    // Overlapped computing does not count.
    auto const once = [&] {
        auto const reading = kernel_->loop(n);
        mine = reading.pure > 0 ? reading.pure : reading.time;
    };
    if (!attempt(length, once))
        return std::nullopt;
    return world().max(mine);
}

/// The repetitions by IMB's policies, including the trials and the warm-up before the row.
std::optional<std::int64_t> BenchmarkRunner::imb_repetitions(Length length) {
    auto const& p = setup_.parameters;
    Bytes const bytes = length.value_or(0);
    bool const few = head_.mode == Mode::non_aggregate || benchmark_.few;
    auto n = repetitions(bytes, few ? p.non_aggregate : p.repetitions, p.volume);
    wanted_ = 0;
    auto const policy = setup_.policy != Policy::automatic ? setup_.policy
                        : benchmark_.rooted                ? Policy::multiple_np
                                                           : Policy::dynamic;
    if (policy == Policy::dynamic) {
        auto time = tried(length, 1);
        if (!time)
            return std::nullopt;
        if (auto const more = std::min(n, probes(measure::seconds{*time}, is_io(setup_.part))); more > 1)
            time = tried(length, more);
        if (!time)
            return std::nullopt;
        wanted_ = std::min(n, p.repetitions);
        n = dynamic_repetitions(n, *setup_.time, measure::seconds{*time}, earlier_, p.repetitions,
                                setup_.lengths || is_refining_ ? length : std::nullopt);
        earlier_.push_back({bytes, n});
    } else {
        auto const most = n;
        n = policy == Policy::off ? p.repetitions : multiple_repetitions(bytes, grouping_.processes, p);
        // Reads must not pass the end of the file.
        if (is_io(setup_.part))
            n = std::min(n, most);
        if (p.warm_up > 0 && !tried(length, n))
            return std::nullopt;
    }
    // Trials are not part of the row, so it is prepared again; with a data check also after the warm-up.
    auto const again = [&] {
        end();
        verifier_.falsify(context_.corruption);
        return begin(length);
    };
    if (!again())
        return std::nullopt;
    bool const warms = p.warm_up > 0 && !is_io(setup_.part);
    if (warms && !attempt(length, [&] { kernel_->warm_up(warm_up_of(n)); }))
        return std::nullopt;
    if (warms && setup_.check && !again())
        return std::nullopt;
    return n;
}

/// The repetitions of parts with their own rules, and the warm-up of the row.
std::optional<std::int64_t> BenchmarkRunner::own_repetitions(Length length) {
    if (setup_.part == Part::imb_mt) {
        int const warm = setup_.parameters.warm_up;
        if (warm > 0 && !attempt(length, [&] { kernel_->warm_up(warm); }))
            return std::nullopt;
        return setup_.parameters.repetitions;
    }
    auto const n = rounded_repetitions(length.value_or(0), setup_.parameters.repetitions, setup_.parameters.volume);
    if (auto const warm = short_warm_up_of(n); warm > 0 && !attempt(length, [&] { kernel_->warm_up(warm); }))
        return std::nullopt;
    return n;
}

/// Measures the row by single calls with synchronised starts. Collective over the team.
measure::Measurement BenchmarkRunner::synchronised(std::int64_t n) {
    auto setup = setup_;
    setup.start = "slot";
    setup.policy = Policy::off;
    return kernel_->run(plan(setup, n, context_.timer, false, context_.session.control())).measurement;
}

/// Root only.
void BenchmarkRunner::add_synchronised(measure::Record& row) {
    auto const& m = *synchronised_;
    double const scale = benchmark_.time_scale;
    context_.session.add_synchronised(row, m, scale);
    std::string const which = row.at.has("bytes") ? fmt::format("{} bytes: ", row.at.integer("bytes")) : "";
    std::vector<std::string_view> doubts;
    std::copy_if(m.flags.begin(), m.flags.end(), std::back_inserter(doubts), measure::is_clock_flag);
    auto const flags = doubts.empty() ? std::string{} : fmt::format(" flags={}", fmt::join(doubts, ","));
    if (!m.estimate) {
        notes_.push_back(fmt::format("synchronised: {}no valid call of {}{}", which, m.attempts, flags));
        return;
    }
    double const error = relative_error(*m.estimate);
    notes_.push_back(fmt::format("synchronised: {}t={:.2f} usec{} valid={}/{} stop={}{}{}", which,
                                 m.estimate->value * scale * 1e6,
                                 std::isnan(error) ? "" : fmt::format(" error={:.1f}%", error * 100), m.valid,
                                 m.attempts, m.stop_reason, flags, head_.groups.size() > 1 ? " (first group)" : ""));
}

Report BenchmarkRunner::report(std::int64_t n, std::optional<measure::Measurement>& measurement) {
    if (!setup_.by_plan()) {
        times_.clear();
        auto const reading = kernel_->loop(n);
        return {.reading = reading, .page_faults = reading.counts.page_faults, .repetitions = n};
    }
    auto const& session = context_.session;
    auto measured = kernel_->run(plan(setup_, n, context_.timer, session.common().raw, context_.session.control()));
    measurement = std::move(measured.measurement);
    auto const& m = *measurement;
    return {.reading = {.time = m.mine.kept_mean,
                        .pure = measured.pure,
                        .cpu = measured.cpu,
                        .timed = measured.timed,
                        .counts = {m.settling.faults_counted, static_cast<double>(m.settling.involuntary_switches)},
                        .succeeded = m.invalid.failed == 0},
            .page_faults = team_->is_root() ? m.settling.faults_all_ranks : 0,
            .repetitions = n,
            .ending = ending_of(m)};
}

void BenchmarkRunner::keep(std::vector<Report> reports, measure::seconds elapsed) {
    auto& kept = kept_.try_emplace(place_, Kept{.wanted = wanted_}).first->second;
    kept.rounds.push_back(std::move(reports));
    kept.elapsed += elapsed;
}

/// \param but  index of a row that is reported separately
void BenchmarkRunner::publish_rounds(std::optional<std::size_t> but) {
    for (auto const& [place, kept] : std::exchange(kept_, {}))
        if (place != but) {
            wanted_ = kept.wanted;
            publish(lengths_[place], kept.rounds, {}, kept.elapsed);
        }
}

/// Publishes a row. Its value is that of the first round. Root only.
void BenchmarkRunner::publish(Length length, std::vector<std::vector<Report>> const& rounds,
                              std::optional<measure::Measurement> const& measurement, measure::seconds elapsed) {
    auto records = join(head_, grouping_, length, rounds.front(), setup_, measurement, context_.clock);
    if (setup_.rounds > 1) {
        std::vector<std::vector<measure::Record>> of_row(records.size());
        for (auto const& reports : rounds) {
            auto const again = join(head_, grouping_, length, reports, setup_, {}, context_.clock);
            for (std::size_t i = 0; i < records.size(); ++i)
                of_row[i].push_back(again[i]);
        }
        for (std::size_t i = 0; i < records.size(); ++i)
            add_rounds(records[i], of_row[i]);
    }
    // The root's measurement describes the first group.
    if (setup_.adds_synchronised && synchronised_ && records.front().value)
        add_synchronised(records.front());
    std::vector<measure::Record> rows;
    for (auto const& record : records)
        if (record.value)
            rows.push_back(record);
        else
            note(fmt::format("{}: {}", length ? fmt::format("{} bytes", *length) : "row",
                             record.message.empty() ? "no valid sample" : record.message));
    if (!rows.empty())
        context_.output.write(context_.output.table().rows(shape_, rows));
    if (!rows.empty() && setup_.show_tail)
        context_.output.write(context_.output.table().tail(times_));
    if (!rows.empty())
        context_.output.dump(length.value_or(0), times_);
    has_data_ = has_data_ || (!rows.empty() && length.value_or(0) > 0);
    double longest = 0;
    for (auto& record : records) {
        record.elapsed = elapsed;
        if (record.value && record.iterations_per_sample < wanted_)
            record.flag("shortened");
        context_.session.point(record);
        for (std::size_t i = 0; i < row_flags.size(); ++i)
            if (record.has_flag(row_flags[i]))
                flagged_[i].push_back(record.at);
        if (record.value && record.has_flag("few_valid"))
            note(fmt::format("few valid: {}{} of {} calls, the others were late or interrupted",
                             length ? fmt::format("{} bytes: ", *length) : "", record.valid, record.attempts));
        longest = std::max(longest, record.value.value_or(0));
    }
    // Lengths with an unknown time are never refined.
    bool const known = rows.size() == records.size();
    if (refiner_ && length && refined_.insert(*length).second)
        refiner_->add(*length, known ? longest : 0);
    for (auto const& reports : rounds)
        tell_defects(length, reports);
}

/// Warns about the first defect of a row. Root only.
void BenchmarkRunner::tell_defects(Length length, std::vector<Report> const& reports) {
    for (std::size_t rank = 0; rank < reports.size(); ++rank) {
        auto const& d = reports[rank].reading.defect;
        if (d.error < 1)
            continue;
        found_ = Found::defects;
        auto const where = fmt::format("{} {} bytes on {} processes, repetition {}, rank {}: {}", title(head_),
                                       length.value_or(0), grouping_.processes, d.repetition, rank, text(d));
        note("defect: " + where);
        context_.session.check_failed();
        context_.session.warn(where);
        return;
    }
}

measure::Point BenchmarkRunner::point(Length length, std::optional<int> group) const {
    return at(head_, length, setup_.multi, group);
}

void BenchmarkRunner::skip(Length length, Skip const& why) {
    if (!why.comment.empty())
        note(why.comment);
    leave(length, PointStatus::skipped, why.reason, why.no_memory);
}

/// Records points without a value for a length, one for each group if groups have rows.
void BenchmarkRunner::leave(Length length, PointStatus status, std::string const& reason, bool no_memory) {
    bool const per_group = setup_.multi == 1;
    for (int g = 0; g < (per_group ? grouping_.groups : 1); ++g) {
        auto record = measure::make_record(title(head_), point(length, per_group ? std::optional{g} : std::nullopt),
                                           status, reason);
        if (no_memory)
            record.flag("no_memory");
        context_.session.point(record);
    }
}

void BenchmarkRunner::skip_from(std::size_t i, Skip why) {
    for (; i < lengths_.size(); ++i) {
        skip(lengths_[i], why);
        why.comment.clear();
    }
}

/// Ends the benchmark: skips the rest of the table. \param text  known on the root
void BenchmarkRunner::crash(Length length, std::string const& text) {
    found_ = Found::nothing;
    if (!world().is_root())
        return;
    publish_rounds(place_);
    note(text);
    leave(place_ < lengths_.size() ? lengths_[place_] : length, PointStatus::crashed, text);
    if (round_ == 0)
        skip_from(place_ + 1, {failed_before});
}

void BenchmarkRunner::skip_table(Mode mode) {
    begin_table(mode);
    found_ = Found::nothing;
    skip_from(0, {failed_before});
}

void BenchmarkRunner::leave_out() {
    for (Mode const mode : modes_of(benchmark_, setup_))
        skip_table(mode);
}

}  // namespace pmb
