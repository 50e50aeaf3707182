// SPDX-License-Identifier: BSD-3-Clause
#include "run/epoch.hpp"

#include "core/agreed_text.hpp"
#include "run/attempts.hpp"
#include "run/stage_wire.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace measure::detail {

namespace {

using Steady = SteadyClock;

// A point without any valid sample ends after this many stages.
constexpr int empty_stages_at_most = 20;
// Calls without a common start may overlap, so a single call may take longer than they suggest. After this many stages
// without a valid sample the slot length is determined again.
constexpr int overlapping_stages = 3;
// Each stage changes the iterations by a factor of up to 16, so this suffices from a nanosecond to an hour.
constexpr int steering_stages_at_most = 12;

class CommGate final : public Gate {
public:
    CommGate(Comm const& comm, GlobalClock const& clock, StartKind kind, double ahead)
        : comm_{comm}, clock_{clock}, kind_{kind}, ahead_{ahead} {
        yields = comm.oversubscribed();
    }
    void barrier() override {
        if (kind_ == StartKind::dissemination)
            dissemination_barrier(comm_);
        else
            comm_.barrier();
    }
    double announce() override {
        comm_.barrier();
        double start = clock_.now().count() + ahead_;
        comm_.broadcast(start);
        return start;
    }
    std::int64_t agree(std::int64_t round) override {
        comm_.broadcast(round);
        return round;
    }
    void idle() noexcept override { sched_yield(); }

private:
    Comm const& comm_;
    GlobalClock const& clock_;
    StartKind kind_;
    double ahead_;
};

}  // namespace

/// One epoch on one rank. Before each stage the root decides and broadcasts an order, which every rank executes:
///
///     warm-up --> calls --> steering --> settling --> counting --> end
///                  | ^        | ^          | ^          | ^
///                  +-+        +-+          +-+          +-+        until it is done
///
///     state      order                                              done when
///     warm-up    plan.warm_up samples of one iteration              after one stage
///     calls      unseen calls without synchronisation               Settling::least_calls or least_time is reached
///     steering   one sample with other iterations                   the iterations do not change (TargetDuration)
///     settling   a stage; the previous one is discarded             the settler is done, or half the limit is used up
///     counting   a stage                                            the stopping rule, a limit or the deadline ends it
///     end        no samples
///
/// A state without a rule in the plan is skipped. Settling stages are measured like counting stages, so that the last
/// one can be the first that counts. An interruption or an exception ends every state.
class Epoch::State {
public:
    State(EpochSetting const& s, Loop& loop)
        : s_{s}, loop_{loop}, phases_{std::min(loop.operation().phase_names().size(), max_phases)}, attempts_{phases_},
          slot_{slot_limits()}, iterations_{first_iterations(s.batch)} {
        if (phases_ > 0 && (iterations_ != 1 || !std::holds_alternative<FixedCount>(s.batch)))
            throw UsageError("phases need a batch of one iteration per sample");
        if (s_.start.scheduled())
            ahead_ = std::min(disagreement.count(), broadcast_bound(s_.comm, s_.start.broadcast_factor,
                                                                    seconds{s_.clock.report().bound.value_or(0)},
                                                                    s_.start.kind == StartKind::roundtime)
                                                        .count());
        tolerance_ = slot_tolerance(seconds{s_.reading}, s_.step).count();
        // Ranks that share a core cannot end their waits with nanosecond accuracy. For them a start counts as common if
        // it is within the time allowed for the root's broadcast.
        if (s_.comm.oversubscribed())
            tolerance_ = std::max(tolerance_, ahead_);
        if (s_.plan.control.epoch)
            s_.plan.control.epoch(s_.clock, seconds{ahead_});
    }

    void warm_up(bool keep_last) {
        keep_last_ = keep_last;
        settling_ = true;
        while (obey(next_order(false)).samples > 0) {
        }
        settling_ = false;
    }

    bool stage(bool anyway) { return obey(next_order(anyway)).more != 0; }

    EpochOutcome finish() {
        if (s_.comm.is_root() && s_.start.scheduled())
            outcome_.broadcast_bound = ahead_;
        attempts_.finish(s_.comm, s_.plan.estimate, s_.overhead.has_value(), s_.step, outcome_);
        return std::move(outcome_);
    }

private:
    [[nodiscard]] SlotLength::Limits slot_limits() const {
        // After a clock step, clocks may be known only to within seconds, and no slot would be long enough.
        double const bound = std::min(disagreement.count(), s_.clock.report().bound.value_or(0));
        double const tolerance = slot_tolerance(seconds{s_.reading}, s_.step).count();
        return {.growth = s_.start.slot.growth,
                .invalid_share = s_.start.slot.invalid_share,
                .rule = s_.start.slot.rule,
                .floor = 10 * tolerance + 4 * (bound + s_.reading)};
    }

    StageOrder const& obey(StageOrder const& order) {
        if (order.interrupted != 0)
            throw Interrupted(order.interrupted);
        if (order.body_failed != 0)
            throw BodyError(agreed_text(s_.comm, error_));
        if (order.discard != 0) {
            discard();
            // The stage in this order may be the first that counts.
            if (order.samples > 0)
                began_ = stage_began_;
        }
        if (order.samples > 0)
            execute(order);
        return order;
    }

    /// Discards everything measured so far, because it was warm-up.
    void discard() {
        attempts_.clear();
        previous_ = 0;
        began_.reset();
        auto& o = outcome_;
        o.stage_medians.clear();
        o.slot_lengths.clear();
        o.page_faults = 0;
        o.settling.faults_counted = 0;
        o.settling.runs_counted = 0;
        o.settling.involuntary_switches = 0;
    }

    // ---- the root's side of a decision

    StageOrder next_order(bool anyway) {
        StageOrder order;
        if (s_.comm.is_root())
            order = decide_or_fail(anyway);
        if (s_.plan.control.decision)
            s_.plan.control.decision();
        if (s_.comm.is_root()) {
            double const pause = s_.start.scheduled() ? back_off() : 0;
            order.ahead_limit += pause;
            order.first_start = s_.clock.now().count() + (s_.start.scheduled() ? ahead_ : 0) + pause;
        }
        s_.comm.broadcast(order);
        return order;
    }

    /// If a rule throws, the other ranks must still receive an order.
    StageOrder decide_or_fail(bool anyway) {
        StageOrder order;
        try {
            return settling_ ? decide_warm_up() : decide(anyway);
        } catch (std::exception const& e) {
            error_ = e.what();
        } catch (...) {
            error_ = "the stopping rule threw something that is not a std::exception";
        }
        order.body_failed = 1;
        return order;
    }

    /// Delays the next stage after stages without a valid sample, longer each time. Otherwise a rank that is not
    /// running for a time slice would use up all attempts of a point whose slots are a thousand times shorter.
    [[nodiscard]] double back_off() const {
        constexpr double first = 50e-6;
        constexpr double longest = 20e-3;
        return empty_stages_ == 0 ? 0 : std::min(longest, first * std::pow(2.0, empty_stages_ - 1));
    }

    /// Half of the plan's limit for a point is used up.
    [[nodiscard]] bool is_half_over() const {
        return s_.plan.limit && Steady::now() - created_ >= *s_.plan.limit / s_.plan.epochs / 2;
    }

    /// The plan's limit for a point is used up and there are enough samples for a result.
    [[nodiscard]] bool is_long() const {
        constexpr std::size_t enough = 3;
        return s_.plan.limit && attempts_.valid_times().size() >= enough &&
               Steady::now() - created_ >= *s_.plan.limit / s_.plan.epochs;
    }

    [[nodiscard]] bool too_late() const {
        return s_.plan.control.deadline && Steady::now() >= *s_.plan.control.deadline;
    }

    /// The part of an order that all stages share.
    [[nodiscard]] StageOrder order_of(int samples) const {
        StageOrder order;
        order.samples = samples;
        order.interrupted = interrupted_;
        order.body_failed = threw_;
        order.start = s_.start.kind;
        order.tolerance = tolerance_;
        order.ahead_limit = ahead_ + disagreement.count();
        order.slot_length = slot_.value();
        order.first_index = executed_;
        order.first_sample = static_cast<std::int64_t>(attempts_.size());
        order.iterations = iterations_;
        if (auto const* until = std::get_if<TimeBudget>(&s_.batch)) {
            order.until = true;
            order.budget = until->budget.count();
        }
        return order;
    }

    [[nodiscard]] StageOrder warm_up_order(int samples) const {
        StageOrder order = order_of(samples);
        order.slot_length = 0;
        order.until = false;
        return order;
    }

    /// Order for a stage that counts or may count.
    StageOrder counting_order(int samples) {
        if (!began_) {
            began_ = Steady::now();
            if (s_.start.kind == StartKind::slot && slot_.value() <= 0)
                slot_.after_warm_up({.samples = 1, .elapsed = 10 * ahead_});
        }
        stage_began_ = Steady::now();
        StageOrder order = order_of(samples);
        order.stage = ++stage_;
        return order;
    }

    /// The next order before counting starts; without samples if the warm-up has ended.
    StageOrder decide_warm_up() {
        if (interrupted_ != 0 || threw_)
            return order_of(0);
        if (too_late())
            return after_settling();
        if (!warm_ && s_.plan.warm_up > 0) {
            StageOrder order = warm_up_order(s_.plan.warm_up);
            order.iterations = 1;
            return order;
        }
        warm_ = true;
        if (auto const calls = missing_calls(); calls > 0) {
            // No rank waits for another: connections, memory and algorithms get the same calls anyway.
            StageOrder order = warm_up_order(calls);
            order.start = StartKind::free;
            order.iterations = 1;
            order.unseen = 1;
            return order;
        }
        if (steering_ && steering_stages_ < steering_stages_at_most)
            return warm_up_order(1);
        if (!s_.plan.settling || settler_.done() || is_half_over())
            return after_settling();
        bool const first = settler_.runs() == 0;
        stage_ = 0;
        StageOrder order = counting_order(fitting(settler_.next_runs()));
        if (!first) {
            order.discard = 1;
            order.first_sample = 0;  // on execution, the earlier samples are discarded
        }
        return order;
    }

    StageOrder after_settling() {
        StageOrder order = order_of(0);
        empty_stages_ = 0;
        auto& report = outcome_.settling;
        report.runs = executed_;
        if (s_.plan.settling) {
            // If the least warm-up was cut short, the result of the settler proves nothing.
            report.reason = settler_.done() && !is_warm_up_cut() ? settler_.reason() : "time";
            report.faults_first = settler_.faults_first();
            report.faults_last = settler_.faults_last();
            report.ratio = settler_.ratio();
            if (keep_last_)
                report.runs -= last_runs_;
            else
                order.discard = 1;
            stage_ = keep_last_ ? stage_ : 0;
        }
        return order;
    }

    /// Calls that the least warm-up still needs. The time of a call is the shortest observed, because time slices lost
    /// to other processes are not warm-up.
    [[nodiscard]] std::int64_t calls_to_least() const {
        auto const& rule = *s_.plan.settling;
        std::int64_t const left = rule.least_calls - executed_;
        double const call = period_ > 0 ? period_ : quickest_call_;
        double const time_left = rule.least_time.count() - call * static_cast<double>(executed_);
        if (left <= 0 || time_left <= 0)
            return 0;
        double const fits = call > 0 ? time_left / call : static_cast<double>(left);
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(fits, static_cast<double>(left))));
    }

    /// Whether other processes took the cores for so long that the remaining warm-up calls are skipped.
    [[nodiscard]] bool is_warm_up_cut() const {
        constexpr double patience = 10;
        return warm_time_ >= patience * s_.plan.settling->least_time.count() && calls_to_least() > 0;
    }

    /// Number of the missing calls to execute in the next stage.
    [[nodiscard]] int missing_calls() const {
        constexpr std::int64_t steepest = 8;
        if (!s_.plan.settling || is_warm_up_cut())
            return 0;
        return static_cast<int>(std::min(calls_to_least(), steepest * std::max<std::int64_t>(executed_, 1)));
    }

    /// Number of samples of a stage, limited so that the stage uses only a fraction of the point's time.
    [[nodiscard]] int fitting(std::int64_t samples) const {
        constexpr double part = 20;
        double sample = call_ * static_cast<double>(iterations_);
        if (auto const* until = std::get_if<TimeBudget>(&s_.batch))
            sample = std::max(sample, until->budget.count());
        double most = std::numeric_limits<double>::infinity();
        if (s_.plan.limit)
            most = s_.plan.limit->count() / part;
        if (auto const& cut = s_.plan.stage_time; cut && sample * static_cast<double>(samples) > 2 * cut->count())
            most = std::min(most, cut->count());
        if (sample <= 0)
            return static_cast<int>(samples);
        return static_cast<int>(std::clamp(most / sample, 1.0, static_cast<double>(samples)));
    }

    StageOrder decide(bool anyway) {
        if (attempts_.size() == 0 && too_late())
            outcome_.decision = {StopVerdict::no_valid_samples, "budget"};
        else if (outcome_.decision.verdict == StopVerdict::more && attempts_.size() > 0)
            outcome_.decision = verdict();
        bool const ended = outcome_.decision.verdict != StopVerdict::more;
        if ((ended && (!anyway || too_late())) || interrupted_ != 0 || threw_) {
            StageOrder order = order_of(0);
            order.more = !ended;
            return order;
        }
        StageOrder order = counting_order(next_stage());
        order.more = !ended;
        return order;
    }

    [[nodiscard]] int next_stage() const {
        auto const valid = static_cast<std::int64_t>(attempts_.valid_times().size());
        std::int64_t samples = s_.plan.stage;
        if (s_.plan.stage_share > 0 && valid >= samples)
            samples = static_cast<std::int64_t>(std::floor(s_.plan.stage_share * static_cast<double>(valid)));
        return fitting(std::clamp<std::int64_t>(samples, 1, std::max<std::int64_t>(s_.plan.at_most - valid, 1)));
    }

    Decision verdict() {
        Progress const progress{.samples = attempts_.valid_times(),
                                .attempts = static_cast<std::int64_t>(attempts_.size()),
                                .spent = Steady::now() - *began_,
                                .previous = previous_,
                                .resolution = s_.step,
                                .iterations_per_sample = outcome_.iterations};
        Decision decision = s_.plan.stop(progress);
        if (decision.verdict == StopVerdict::more &&
            (too_late() || (s_.start.limit && progress.spent >= *s_.start.limit) || is_long()))
            decision = {StopVerdict::exhausted, "budget"};
        if (decision.verdict == StopVerdict::more && empty_stages_ >= empty_stages_at_most)
            decision = {StopVerdict::exhausted, "exhausted"};
        if (decision.verdict != StopVerdict::more && attempts_.valid_times().empty())
            decision.verdict = StopVerdict::no_valid_samples;
        return decision;
    }

    // ---- a stage, on every rank

    void execute(StageOrder const& order) {
        samples_.resize(static_cast<std::size_t>(order.samples));
        LocalStage seen{.samples = samples_, .in_sample = s_.plan.control.in_sample};
        CommGate gate(s_.comm, s_.clock, order.start, ahead_);
        auto const& in_body = s_.plan.control.in_body;
        if (in_body)
            in_body(true);
        KernelCounts const before = kernel_counts();
        loop_.stage(order, s_.clock, gate, seen);
        seen.counts = kernel_counts() - before;
        if (in_body)
            in_body(false);
        if (seen.threw && error_.empty())
            error_ = seen.error;
        if (order.stage > 0) {
            outcome_.page_faults += seen.counts.page_faults;
            for (auto const& sample : samples_)
                attempts_.add_own(sample);
        }
        join(order, seen);
        if (s_.plan.control.stage && order.unseen == 0)
            s_.plan.control.stage(report(order));
    }

    [[nodiscard]] StageReport report(StageOrder const& order) const {
        StageReport stage{.stage = order.stage, .first_sample = order.first_sample};
        if (order.start == StartKind::slot && order.stage > 0)
            stage.slot = seconds{order.slot_length};
        for (auto const& own : samples_) {
            SampleReport sample{seconds{own.duration / static_cast<double>(own.iterations)}, own.invalid};
            if (s_.comm.is_root() && order.stage > 0) {
                auto const& joined = attempts_[static_cast<std::size_t>(order.first_sample) + stage.samples.size()];
                sample.invalid = joined.invalid;
                sample.time = seconds{joined.time};
            }
            stage.samples.push_back(sample);
        }
        return stage;
    }

    void join(StageOrder const& order, LocalStage const& seen) {
        int const looked_at = order.unseen != 0 ? 0 : order.samples;
        StageWire wire(looked_at, phases_, s_.plan.combine == Combine::mean);
        wire.put(StageWire::elapsed, seen.elapsed);
        wire.put(StageWire::first_late, seen.samples[0].invalid == InvalidReason::late);
        wire.put(StageWire::disagree, seen.clocks_disagree);
        wire.put(StageWire::threw, seen.threw);
        wire.put(StageWire::stop, stop_flag(s_.plan.control));
        wire.put(StageWire::page_faults, seen.counts.page_faults);
        wire.put(StageWire::switches, seen.counts.involuntary_switches);
        for (int l = 0; l < looked_at; ++l)
            wire.put(l, seen.samples[static_cast<std::size_t>(l)], s_.overhead.value_or(0));
        wire.join(s_.comm);
        std::vector<double> ends;
        if (s_.plan.keep == Keep::samples && order.stage > 0 && s_.clock.synchronised())
            ends = gather_ends(seen);
        if (s_.comm.is_root())
            absorb(order, seen, wire, ends);
    }

    /// [ranks][samples][begin, end] on the root
    std::vector<double> gather_ends(LocalStage const& seen) {
        std::vector<double> mine;
        for (auto const& sample : seen.samples) {
            mine.push_back(sample.begin);
            mine.push_back(sample.end);
        }
        return s_.comm.gather(mine);
    }

    /// The value of one sample, combined over the ranks by plan.combine.
    [[nodiscard]] double lead(double root, StageWire const& wire, std::size_t row, int l, double span) const {
        switch (s_.plan.combine) {
        case Combine::root:
            return root;
        case Combine::max:
            break;
        case Combine::min:
            return wire.least(row, l);
        case Combine::mean:
            return wire.sum(row, l) / s_.comm.size();
        case Combine::span:
            return span;
        }
        return wire.most(row, l);
    }

    void absorb(StageOrder const& order, LocalStage const& seen, StageWire const& wire,
                std::vector<double> const& ends) {
        interrupted_ = static_cast<int>(wire.most(StageWire::stop));
        threw_ = wire.most(StageWire::threw) > 0;
        outcome_.clocks_disagree = outcome_.clocks_disagree || wire.most(StageWire::disagree) > 0;
        for (int l = 0; l < order.samples; ++l)
            executed_ += seen.samples[static_cast<std::size_t>(l)].iterations;
        for (auto const& sample : seen.samples) {
            std::optional<double>* const calls[] = {&outcome_.first_call, &outcome_.second_call};
            if (calls_ < std::ssize(calls) && sample.invalid != InvalidReason::backward)
                *calls[calls_] = sample.duration / static_cast<double>(sample.iterations);
            ++calls_;
        }
        if (order.unseen != 0) {
            absorb_unseen(order, seen, wire);
            return;
        }
        StageFacts const facts = facts_of(order, wire);
        call_ = facts.typical / static_cast<double>(order.until ? 1 : order.iterations);
        if (order.stage == 0) {
            absorb_warm_up(order, seen, facts, went_back(order, wire));
            return;
        }
        if (order.start == StartKind::slot)
            outcome_.slot_lengths.push_back(order.slot_length);
        previous_ = attempts_.valid_times().size();
        for (int l = 0; l < order.samples; ++l)
            absorb_sample(order, seen, wire, ends, l);
        for (auto const& own : seen.samples)
            outcome_.settling.runs_counted += own.iterations;
        auto const fresh = std::span{attempts_.valid_times()}.subspan(previous_);
        empty_stages_ = fresh.empty() ? empty_stages_ + 1 : 0;
        outcome_.stage_medians.push_back(fresh.empty() ? std::numeric_limits<double>::quiet_NaN() : median(fresh));
        outcome_.settling.faults_counted += wire.most(StageWire::page_faults);
        outcome_.settling.involuntary_switches += static_cast<std::int64_t>(wire.most(StageWire::switches));
        if (settling_) {
            last_runs_ = executed_ - order.first_index;
            settler_.add({.times = fresh,
                          .runs = order.samples,
                          .faults = wire.most(StageWire::page_faults),
                          .elapsed = seconds{Steady::now() - stage_began_}.count(),
                          .clock_step = s_.step.count() / static_cast<double>(outcome_.iterations)});
        }
        // Slots cannot repair clocks that disagree; longer slots would only prolong the point.
        if (s_.start.kind == StartKind::slot && !outcome_.clocks_disagree) {
            if (empty_stages_ > 0 && empty_stages_ % overlapping_stages == 0)
                slot_.forget();
            slot_.after_stage(facts);
            late_starts_ = wire.most(StageWire::first_late) > 0 ? late_starts_ + 1 : 0;
            if (late_starts_ >= 2) {
                ahead_ = std::min(2 * ahead_, disagreement.count());
                late_starts_ = 0;
            }
        }
        if (auto const next =
                went_back(order, wire) ? iterations_ : next_iterations(s_.batch, iterations_, seconds{facts.typical});
            next != iterations_) {
            iterations_ = next;
            slot_.forget();
        }
    }

    /// Whether the clock went backwards in every sample of a stage, so that there are no durations.
    [[nodiscard]] static bool went_back(StageOrder const& order, StageWire const& wire) {
        for (int l = 0; l < order.samples; ++l)
            if (wire.worst(l) != InvalidReason::backward)
                return false;
        return true;
    }

    void absorb_unseen(StageOrder const& order, LocalStage const& seen, StageWire const& wire) {
        double const elapsed = std::max(wire.most(StageWire::elapsed), 0.0);
        warm_time_ += elapsed;
        call_ = elapsed / order.samples;
        note_quick_call();
        note_period(order, seen);
        slot_.after_warm_up({.samples = order.samples, .elapsed = elapsed, .typical = call_});
        forget_short_samples();
    }

    void absorb_warm_up(StageOrder const& order, LocalStage const& seen, StageFacts const& facts, bool went_back) {
        warm_ = true;
        warm_time_ += std::max(facts.elapsed, 0.0);
        note_quick_call();
        // Waiting for a common start is not time of the operation.
        if (order.start == StartKind::free)
            note_period(order, seen);
        slot_.after_warm_up(facts);
        if (steering_) {
            ++steering_stages_;
        }
        if (steering_ && !went_back) {
            iterations_ = next_iterations(s_.batch, order.iterations, seconds{facts.typical});
            steering_ = iterations_ != order.iterations;
        }
        forget_short_samples();
    }

    void note_quick_call() { quickest_call_ = quickest_call_ > 0 ? std::min(quickest_call_, call_) : call_; }

    /// Measures the period from call to call, which includes what a body does outside its laps. Uses the median, so
    /// that time slices lost to other processes and a slow first call do not count.
    void note_period(StageOrder const& order, LocalStage const& seen) {
        std::vector<double> periods;
        for (std::size_t i = 1; i < seen.samples.size(); ++i)
            periods.push_back((seen.samples[i].begin - seen.samples[i - 1].begin) /
                              static_cast<double>(order.iterations));
        if (double const period = periods.empty() ? 0 : median(periods); period > 0)
            period_ = period_ > 0 ? std::min(period_, period) : period;
    }

    /// Samples that count have more iterations than warm-up samples.
    void forget_short_samples() {
        if (auto const* fixed = std::get_if<FixedCount>(&s_.batch); fixed == nullptr || fixed->iterations > 1)
            slot_.forget();
    }

    /// An invalid sample is due to the schedule only if it ended after its slot although all ranks were running. A rank
    /// was not running if it left its wait too late, missed the first start, or needed longer than any sample is
    /// expected to. The samples after that one missed their starts because of it, up to the next valid sample.
    StageFacts facts_of(StageOrder const& order, StageWire const& wire) const {
        StageFacts facts{.samples = order.samples, .elapsed = wire.most(StageWire::elapsed)};
        std::vector<double> busy;
        std::vector<double> begun;  // samples that began on time
        double const ceiling = slot_.ceiling();
        bool not_running = false;
        for (int l = 0; l < order.samples; ++l) {
            busy.push_back(wire.most(StageWire::busy, l));
            facts.global_elapsed = std::max(facts.global_elapsed, wire.most(StageWire::end, l));
            auto const invalid = wire.worst(l);
            if (invalid == InvalidReason::none || invalid == InvalidReason::overrun)
                begun.push_back(busy.back());
            bool const lost = invalid == InvalidReason::slip || invalid == InvalidReason::backward ||
                              (l == 0 && invalid == InvalidReason::late) ||
                              (invalid == InvalidReason::overrun && ceiling > 0 && busy.back() > ceiling);
            not_running = invalid != InvalidReason::none && (lost || not_running);
            facts.invalid += invalid != InvalidReason::none;
            facts.slipped += not_running;
        }
        facts.typical = median(begun.empty() ? busy : begun);
        // If clocks differ by seconds, ends in global time say nothing about the stage.
        if (outcome_.clocks_disagree)
            facts.global_elapsed = 0;
        return facts;
    }

    void absorb_sample(StageOrder const& order, LocalStage const& seen, StageWire const& wire,
                       std::vector<double> const& ends, int l) {
        LocalSample const& own = seen.samples[static_cast<std::size_t>(l)];
        auto const n = static_cast<double>(own.iterations);
        outcome_.iterations = own.iterations;
        Sample sample;
        sample.stage = order.stage;
        sample.iterations = own.iterations;
        sample.invalid = wire.worst(l);
        double const span = (wire.most(StageWire::end, l) - wire.least(StageWire::begin, l)) / n;
        sample.time = lead(own.duration / n, wire, StageWire::time, l, span);
        if (s_.clock.synchronised()) {
            sample.span = span;
            sample.start_imbalance = wire.most(StageWire::begin, l) - wire.least(StageWire::begin, l);
            sample.exit_imbalance = wire.most(StageWire::end, l) - wire.least(StageWire::end, l);
        }
        for (std::size_t r = 0; r < ends.size() / (2 * samples_.size()); ++r) {
            std::size_t const at = 2 * (r * samples_.size() + static_cast<std::size_t>(l));
            sample.ranks.push_back({ends[at], ends[at + 1]});
        }
        double const q = s_.overhead.value_or(0) / n;
        double const corrected = lead(own.duration / n - q, wire, StageWire::corrected, l, span - q);
        std::array<double, max_phases> phases{};
        for (std::size_t p = 0; p < phases_; ++p) {
            auto const row = StageWire::phase(p);
            phases[p] = lead(own.phases[p], wire, row, l, wire.most(row, l));
        }
        attempts_.add_joined(std::move(sample), corrected, std::span{phases}.first(phases_));
    }

    EpochSetting s_;
    Loop& loop_;
    std::size_t phases_;
    std::vector<LocalSample> samples_;
    std::string error_;
    Attempts attempts_;

    SlotLength slot_;
    std::int64_t iterations_;
    double ahead_ = 0;
    double tolerance_ = 0;
    EpochOutcome outcome_;
    std::optional<Steady::time_point> began_;
    std::int64_t executed_ = 0;
    std::int64_t calls_ = 0;  ///< number of samples in all stages
    std::size_t previous_ = 0;
    int stage_ = 0;
    int empty_stages_ = 0;
    int late_starts_ = 0;
    int interrupted_ = 0;
    bool threw_ = false;
    bool warm_ = false;
    bool steering_ = std::holds_alternative<TargetDuration>(s_.batch);  ///< warm-up is still adjusting the iterations
    int steering_stages_ = 0;

    Settler settler_{s_.plan.settling.value_or(Settling{}), s_.plan.stage};
    Steady::time_point created_ = Steady::now();
    Steady::time_point stage_began_{};
    bool settling_ = false;       ///< the epoch is still in its warm-up
    bool keep_last_ = true;       ///< the stage that settles the point counts
    double warm_time_ = 0;        ///< duration of the calls before the first settling stage, in seconds
    double call_ = 0;             ///< time of one iteration in the last stage, in seconds
    double quickest_call_ = 0;    ///< time of one iteration in the fastest warm-up stage, in seconds; 0: unknown
    double period_ = 0;           ///< time from one call to the next in the fastest such stage, in seconds; 0: unknown
    std::int64_t last_runs_ = 0;  ///< number of runs in the last settling stage
};

Epoch::Epoch(EpochSetting const& setting, Loop& loop) : state_{std::make_unique<State>(setting, loop)} {}
Epoch::Epoch(Epoch&&) noexcept = default;
Epoch::~Epoch() = default;
void Epoch::warm_up(bool keep_last) { state_->warm_up(keep_last); }
bool Epoch::stage(bool anyway) { return state_->stage(anyway); }
EpochOutcome Epoch::finish() { return state_->finish(); }

int stop_flag(Control const& control) noexcept { return control.stop.load(); }

}  // namespace measure::detail
