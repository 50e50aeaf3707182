// SPDX-License-Identifier: BSD-3-Clause
#include "measure/run.hpp"

#include "epoch.hpp"
#include "hash.hpp"
#include "mpi_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>

namespace measure {

namespace {

using detail::EpochOutcome;
using detail::StartChoice;
using detail::StartKind;

void validate(Comm const& comm, Plan const& plan) {
    auto const require = [](bool condition, char const* text) {
        if (!condition)
            throw UsageError(text);
    };
    require(plan.warm_up >= 0, "a plan needs warm_up >= 0");
    require(plan.stage >= 1, "a plan needs stage >= 1");
    require(plan.stage_share >= 0, "a plan needs stage_share >= 0");
    require(plan.at_most >= 1, "a plan needs at_most >= 1");
    require(plan.epochs >= 1, "a plan needs epochs >= 1");
    require(plan.estimate.trim >= 0 && plan.estimate.trim <= 0.5, "a plan needs a trim within [0, 0.5]");
    require(plan.estimate.confidence > 0 && plan.estimate.confidence < 1, "a plan needs a confidence within (0, 1)");
    (void)first_iterations(plan.batch);
    if (auto const* slot = std::get_if<SlotStart>(&plan.start))
        require(slot->growth >= 1.1 && slot->growth <= 2, "slots grow by a factor within [1.1, 2]");
    if (comm.is_solo() && plan.timer.name() == "mpi_wtime")
        require(detail::mpi_runs(), "mpi_wtime needs MPI_Init: take monotonic_raw without MPI");
#ifndef NDEBUG
    auto const mine = static_cast<double>(digest(plan) >> 12);
    require(comm.max(mine) == -comm.max(-mine), "the plan differs between ranks");
#endif
}

struct Choose {
    bool oversubscribed;

    StartChoice operator()(AutoStart const& s) const {
        if (!oversubscribed)
            return (*this)(s.slot);
        auto choice = (*this)(RoundTimeStart{
            .sync = s.slot.sync, .clock = s.slot.clock, .resync_after = s.slot.resync_after, .check = s.slot.check});
        choice.limit = s.limit;
        return choice;
    }
    StartChoice operator()(FreeStart const&) const { return {.kind = StartKind::free}; }
    StartChoice operator()(BarrierStart const& s) const { return {.kind = StartKind::barrier, .clock = s.clock}; }
    StartChoice operator()(DisseminationStart const& s) const {
        return {.kind = StartKind::dissemination, .clock = s.clock};
    }
    StartChoice operator()(SlotStart const& s) const {
        return {.kind = StartKind::slot,
                .sync = s.sync,
                .clock = s.clock,
                .resync_after = s.resync_after,
                .broadcast_factor = s.broadcast_factor,
                .check = s.check,
                .slot = s};
    }
    StartChoice operator()(RoundTimeStart const& s) const {
        return {.kind = StartKind::roundtime,
                .sync = s.sync,
                .clock = s.clock,
                .resync_after = s.resync_after,
                .broadcast_factor = s.broadcast_factor,
                .check = s.check};
    }
};

constexpr char const* kind_names[] = {"free", "barrier", "dissemination", "slot", "roundtime"};

/// The clock of an epoch: the caller's as long as it is young enough, otherwise a new one. Where the start needs no
/// clock, an unsynchronised one only fixes a common origin.
GlobalClock clock_for(Comm const& comm, Plan const& plan, StartChoice const& choice, bool anew) {
    // A start that needs no clock has it for span and imbalances only: any age will do.
    bool usable = choice.clock && (!choice.scheduled() || (!anew && choice.clock->is_young(choice.resync_after)));
    comm.broadcast(usable);
    return usable ? *choice.clock : synchronise(comm, plan.timer, choice.sync);
}

/// Cost of one reading as the loop sees it, s: the smallest mean of a few batches. Largest over ranks.
double reading_cost(Comm const& comm, AnyTimer const& timer) {
    constexpr int batches = 5;
    constexpr int readings = 50;
    double const mine = timer.visit([](auto const& t) {
        double best = std::numeric_limits<double>::infinity();
        for (int b = 0; b < batches; ++b) {
            auto const begin = t.now();
            auto last = begin;
            for (int i = 0; i < readings; ++i)
                last = t.now();
            best = std::min(best, t.between(begin, last).count() / readings);
        }
        return std::max(best, 0.0);
    });
    return comm.max(mine);
}

/// Makes the epoch's loop on every rank; a failure of any rank becomes one exception on all.
std::unique_ptr<detail::Loop> make_loop(Comm const& comm, detail::LoopMaker const& make) {
    enum Failure : int { none, unmeasurable, other, memory, usage };
    std::unique_ptr<detail::Loop> loop;
    std::string text;
    int failure = none;
    try {
        loop = make(comm);
    } catch (std::bad_alloc const&) {
        failure = memory;
        text = "out of memory";
    } catch (UsageError const& e) {
        failure = usage;
        text = e.what();
    } catch (Unmeasurable const& e) {
        failure = unmeasurable;
        text = e.what();
    } catch (std::exception const& e) {
        failure = other;
        text = e.what();
    } catch (...) {
        failure = other;
        text = "the maker threw something that is not a std::exception";
    }
    int const worst = static_cast<int>(comm.max(failure));
    if (worst == none)
        return loop;
    auto const agreed = detail::agreed_text(comm, failure == worst ? text : "");
    if (worst == memory)
        throw std::bad_alloc();
    if (worst == usage)
        throw UsageError(agreed);
    if (worst == unmeasurable)
        throw Unmeasurable(text.empty() ? agreed : text);
    throw BodyError(agreed);
}

/// What the operation's check finds wrong, with its rank; the same on all ranks. Collective.
std::string check_of(Comm const& comm, detail::Loop& loop) {
    std::optional<std::string> mine;
    try {
        mine = loop.check();
    } catch (std::exception const& e) {
        mine = e.what();
    } catch (...) {
        mine = "the check threw something that is not a std::exception";
    }
    return mine ? detail::agreed_text(comm, *mine) : "";
}

std::optional<double> as_double(std::optional<seconds> const& t) {
    return t ? std::optional{t->count()} : std::nullopt;
}

RankSummary summarise(int rank, std::vector<double> const& times, std::vector<double> const& kept) {
    RankSummary s{.rank = rank, .valid = static_cast<std::int64_t>(times.size())};
    if (times.empty())
        return s;
    s.mean = mean(times);
    s.median = median(times);
    s.standard_error = times.size() > 1 ? standard_error(times) : 0;
    auto const [low, high] = std::minmax_element(times.begin(), times.end());
    s.min = *low;
    s.max = *high;
    s.kept_mean = mean(kept);
    return s;
}

/// Mean of each phase; 0 without a sample.
std::array<double, max_phases> phase_means(std::vector<std::array<double, max_phases>> const& samples) {
    std::array<double, max_phases> means{};
    for (auto const& sample : samples)
        for (std::size_t p = 0; p < max_phases; ++p)
            means[p] += sample[p] / static_cast<double>(samples.size());
    return means;
}

/// Joins what the epochs found.
class RankJoin {
public:
    RankJoin(Comm const& comm, Plan const& plan, Measurement& m) : comm_{comm}, plan_{plan}, m_{m} {}

    void add(EpochOutcome&& e, double kept_mean) {
        m_.attempts += static_cast<std::int64_t>(e.samples.size());
        m_.valid += static_cast<std::int64_t>(e.valid_times.size());
        m_.kept += e.estimate ? static_cast<std::int64_t>(e.estimate->kept) : 0;
        m_.invalid.late += e.invalid.late;
        m_.invalid.overrun += e.invalid.overrun;
        m_.invalid.slip += e.invalid.slip;
        m_.invalid.failed += e.invalid.failed;
        m_.iterations_per_sample = e.iterations;
        if (!m_.first_call) {
            m_.first_call = e.first_call;
            m_.second_call = e.second_call;
        }
        m_.slot_lengths = std::move(e.slot_lengths);
        m_.broadcast_bound = e.broadcast_bound;
        if (e.clocks_disagree)
            m_.flag("clocks_disagree");
        m_.epochs.push_back({.estimate = e.estimate,
                             .attempts = static_cast<std::int64_t>(e.samples.size()),
                             .valid = static_cast<std::int64_t>(e.valid_times.size()),
                             .decision = e.decision});
        accumulate(corrected_, e.corrected);
        accumulate(span_, e.span);
        accumulate(start_imbalance_, e.start_imbalance);
        accumulate(exit_imbalance_, e.exit_imbalance);
        if (e.estimate)
            estimates_.push_back(*e.estimate);
        pooled_.insert(pooled_.end(), e.valid_times.begin(), e.valid_times.end());
        phases_.resize(e.phases.size());
        for (std::size_t p = 0; p < phases_.size(); ++p)
            phases_[p].insert(phases_[p].end(), e.phases[p].begin(), e.phases[p].end());
        if (plan_.detail == Detail::samples)
            std::move(e.samples.begin(), e.samples.end(), std::back_inserter(m_.samples));
        mine_.insert(mine_.end(), e.mine.begin(), e.mine.end());
        mine_phases_.insert(mine_phases_.end(), e.mine_phases.begin(), e.mine_phases.end());
        if (!e.mine_kept.empty())
            kept_means_.push_back(kept_mean);
    }

    void finish(std::vector<std::string> const& phase_names) {
        m_.mine = summarise(comm_.rank(), mine_, kept_means_);
        m_.mine.phases = phase_means(mine_phases_);
        auto const ranks = measure::over_ranks(comm_, m_.mine.kept_mean);
        if (comm_.is_root()) {
            if (!estimates_.empty()) {
                m_.estimate = join_epochs(estimates_, pooled_, plan_.estimate.confidence);
                m_.over_ranks = ranks;
            }
            m_.corrected = mean_or_nothing(corrected_);
            m_.span = mean_or_nothing(span_);
            m_.start_imbalance = mean_or_nothing(start_imbalance_);
            m_.exit_imbalance = mean_or_nothing(exit_imbalance_);
            for (std::size_t p = 0; p < phases_.size(); ++p)
                m_.phases.push_back({phase_names[p], estimate(phases_[p], plan_.estimate)});
        }
        if (plan_.detail != Detail::summary)
            m_.ranks = comm_.gather(m_.mine);
    }

private:
    static void accumulate(std::vector<double>& list, std::optional<double> const& value) {
        if (value)
            list.push_back(*value);
    }
    static std::optional<double> mean_or_nothing(std::vector<double> const& list) {
        return list.empty() ? std::nullopt : std::optional{mean(list)};
    }

    Comm const& comm_;
    Plan const& plan_;
    Measurement& m_;
    std::vector<Estimate> estimates_;
    std::vector<double> pooled_, corrected_, span_, start_imbalance_, exit_imbalance_, mine_, kept_means_;
    std::vector<std::vector<double>> phases_;
    std::vector<std::array<double, max_phases>> mine_phases_;
};

/// The verdict over all epochs: the worst of them decides, and gives the reason.
Decision overall(std::vector<EpochResult> const& epochs, std::int64_t valid) {
    if (valid == 0)
        return {Verdict::no_valid_samples, epochs.back().decision.reason};
    for (auto const& e : epochs)
        if (e.decision.verdict != Verdict::converged)
            return {Verdict::exhausted, e.decision.reason};
    return epochs.back().decision;
}

/// Everyone learns the verdict, the reason, the counts.
void tell(Comm const& comm, Measurement& m) {
    struct Counts {
        Verdict verdict;
        std::int64_t attempts, valid, kept, iterations;
        FaultCounts invalid;
    } counts{m.verdict, m.attempts, m.valid, m.kept, m.iterations_per_sample, m.invalid};
    comm.broadcast(counts);
    m.verdict = counts.verdict;
    m.attempts = counts.attempts;
    m.valid = counts.valid;
    m.kept = counts.kept;
    m.iterations_per_sample = counts.iterations;
    m.invalid = counts.invalid;
    comm.broadcast(m.reason);
    comm.broadcast(m.note);
}

void set_flags(Measurement& m, Plan const& plan, bool oversubscribed, double reading) {
    if (oversubscribed)
        m.flag("oversubscribed");
    if (!m.estimate)
        return;
    double const time = m.estimate->value;
    // A batch is what keeps short iterations away from the floor; a barrier that is corrected for is no floor.
    double const sample = time * static_cast<double>(m.iterations_per_sample);
    double const q = plan.correction == Correction::empty_loop ? m.correction.value_or(reading) : reading;
    if (sample < 10 * q || sample < 10 * plan.timer.resolution().count())
        m.flag("near_timer_floor");
    if (m.valid > 2 && is_autocorrelated(static_cast<std::size_t>(m.valid), m.estimate->autocorrelation))
        m.flag("autocorrelated");
    if (m.sync.residual && *m.sync.residual > std::max(1e-6, 0.05 * time))
        m.flag("sync_degraded");
}

std::string note_for(Measurement const& m) {
    if (m.verdict != Verdict::no_valid_samples)
        return {};
    auto const has = [&](char const* flag) { return std::find(m.flags.begin(), m.flags.end(), flag) != m.flags.end(); };
    if (has("clocks_disagree"))
        return "no sample was valid: the clocks of the ranks disagree, and are not synchronised";
    return fmt::format("no sample of {} was valid: {} late, {} overrun, {} slip, {} failed", m.attempts, m.invalid.late,
                       m.invalid.overrun, m.invalid.slip, m.invalid.failed);
}

}  // namespace

namespace detail {

template class TimedLoop<WtimeTimer>;
template class TimedLoop<GettimeofdayTimer>;
template class TimedLoop<TscTimer>;
template class TimedLoop<MonotonicTimer>;
template class TimedLoop<MonotonicRawTimer>;
template class TimedLoop<OwnTimer>;

Measurement run(Comm const& comm, Plan const& plan, LoopMaker const& make, bool fresh) {
    validate(comm, plan);
    if (int const flag = static_cast<int>(comm.max(stop_flag(plan.control))); flag != 0)
        throw Interrupted(flag);
    auto const began = std::chrono::steady_clock::now();
    StartChoice const choice = std::visit(Choose{comm.oversubscribed()}, plan.start);
    double const reading = reading_cost(comm, plan.timer);
    std::optional<double> overhead;
    if (plan.overhead)
        overhead = plan.overhead->count();
    else if (plan.correction != Correction::none)
        overhead = as_double(empty_sample(comm, plan));

    Measurement m;
    m.combine = plan.combine;
    m.start = kind_names[static_cast<int>(choice.kind)];
    RankJoin join(comm, plan, m);
    std::vector<std::string> phase_names;
    GlobalClock clock;
    for (int e = 0; e < plan.epochs; ++e) {
        bool const anew = plan.epochs > 1;
        Comm const duplicate = anew ? comm.duplicate() : Comm::solo();
        Comm const& team = anew ? duplicate : comm;
        auto const loop = make_loop(team, make);
        clock = clock_for(team, plan, choice, anew);
        phase_names = loop->phase_names();
        if (plan.combine == Combine::span && !clock.synchronised())
            throw UsageError("the span over ranks needs synchronised clocks");
        auto outcome = measure_epoch({team, plan, choice, clock, reading, overhead}, *loop);
        if (auto wrong = check_of(team, *loop); m.defect.empty())
            m.defect = std::move(wrong);
        double const kept_mean = mean(outcome.mine_kept);
        bool late = outcome.decision.reason == "budget" && plan.control.deadline &&
                    std::chrono::steady_clock::now() >= *plan.control.deadline;
        join.add(std::move(outcome), kept_mean);
        comm.broadcast(late);
        if (late)
            break;
    }
    join.finish(phase_names);

    if (overhead)
        m.correction = comm.max(*overhead);
    m.sync.algorithm = clock.report().algorithm;
    m.sync.bound = clock.report().bound;
    if (clock.synchronised() && comm.size() > 1) {
        m.sync.age = clock.age().count();
        // With more ranks than cores a single pair may take milliseconds: the point is flagged anyway.
        if (choice.check && !comm.oversubscribed())
            if (auto const r = residual(comm, clock)) {
                m.sync.residual = r->largest.count();
                m.sync.residual_rms = r->rms.count();
            }
    }
    if (comm.is_root()) {
        auto const decision = overall(m.epochs, m.valid);
        m.verdict = decision.verdict;
        m.reason = decision.reason;
        if (plan.epochs > 1 && !fresh)
            m.flag("same_buffers");
        set_flags(m, plan, comm.oversubscribed(), reading);
        m.note = note_for(m);
    }
    tell(comm, m);
    m.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return m;
}

}  // namespace detail

Plan detail::empty_plan(Plan const& plan) {
    constexpr std::int64_t enough = 64;
    constexpr std::int64_t at_most = 200;
    Plan empty = plan;
    empty.batch = Fixed{1};
    empty.stop = stop::Count{.valid = enough, .at_most = at_most};
    empty.correction = Correction::none;
    empty.overhead.reset();
    empty.epochs = 1;
    empty.stage = 8;
    empty.stage_share = 0;
    empty.at_most = at_most;
    empty.detail = Detail::summary;
    empty.control.epoch = nullptr;
    empty.control.stage = nullptr;
    empty.control.in_sample = nullptr;
    return empty;
}

std::optional<seconds> detail::cost_of(Measurement const& empty) {
    return empty.valid > 0 ? std::optional{seconds{empty.mine.median}} : std::nullopt;
}

std::optional<seconds> empty_sample(Comm const& comm, Plan const& plan) {
    if (plan.correction == Correction::barrier)
        return empty_sample(comm, plan, [&] { comm.barrier(); });
    return empty_sample(comm, plan, [] {});
}

OverRanks over_ranks(Comm const& comm, double value) {
    double extremes[] = {value, -value};
    double sum[] = {value};
    comm.max_to_root(extremes);
    comm.sum_to_root(sum);
    return {-extremes[1], sum[0] / comm.size(), extremes[0]};
}

std::uint64_t digest(Plan const& plan) {
    auto const text = fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
                                  plan.timer.name().substr(0, plan.timer.name().find(',')), name(plan.start),
                                  plan.batch.index(), first_iterations(plan.batch), static_cast<int>(plan.combine),
                                  plan.estimate.trim, static_cast<int>(plan.estimate.error), plan.estimate.confidence,
                                  static_cast<int>(plan.correction), plan.warm_up, plan.stage, plan.stage_share,
                                  plan.at_most, plan.epochs, static_cast<int>(plan.detail));
    return detail::fnv1a(text);
}

}  // namespace measure
