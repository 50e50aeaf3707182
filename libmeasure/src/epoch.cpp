// SPDX-License-Identifier: BSD-3-Clause
#include "epoch.hpp"

#include "stage_wire.hpp"

#include <sched.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace measure::detail {

namespace {

using Steady = std::chrono::steady_clock;

// A point without a single valid sample ends after so many stages.
constexpr int empty_stages_at_most = 20;
// A factor of 16 each: enough from a nanosecond to an hour.
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

double mean_at(std::vector<double> const& xs, std::vector<std::size_t> const& indices) {
    double sum = 0;
    for (auto const i : indices)
        sum += xs[i];
    return sum / static_cast<double>(indices.size());
}

std::optional<double> mean_of(std::vector<Sample const*> const& kept, std::optional<double> Sample::*member) {
    double sum = 0;
    for (auto const* s : kept) {
        if (!(s->*member))
            return std::nullopt;
        sum += *(s->*member);
    }
    return kept.empty() ? std::nullopt : std::optional{sum / static_cast<double>(kept.size())};
}

class Epoch {
public:
    Epoch(EpochSetting const& s, Loop& loop)
        : s_{s}, loop_{loop}, phases_{std::min(loop.phase_names().size(), max_phases)}, slot_{slot_limits()},
          iterations_{first_iterations(s.plan.batch)} {
        if (phases_ > 0 && (iterations_ != 1 || !std::holds_alternative<Fixed>(s.plan.batch)))
            throw UsageError("phases need a batch of one iteration per sample");
        if (s_.start.scheduled())
            ahead_ = std::min(disagreement.count(), broadcast_bound(s_.comm, s_.start.broadcast_factor,
                                                                    seconds{s_.clock.report().bound.value_or(0)},
                                                                    s_.start.kind == StartKind::roundtime)
                                                        .count());
        tolerance_ = slot_tolerance(seconds{s_.reading}, s_.plan.timer.resolution()).count();
        // Ranks that share a core cannot leave their waits to the nanosecond: there a start counts as common if it
        // comes within the time that the root's word may take.
        if (s_.comm.oversubscribed())
            tolerance_ = std::max(tolerance_, ahead_);
        if (s_.plan.control.epoch)
            s_.plan.control.epoch(s_.clock, seconds{ahead_});
    }

    EpochOutcome measure() {
        outcome_.phases.resize(phases_);
        for (;;) {
            StageOrder const order = next_order();
            if (order.interrupted != 0)
                throw Interrupted(order.interrupted);
            if (order.body_failed != 0)
                throw BodyError(agreed_text(s_.comm, error_));
            if (order.samples == 0)
                break;
            execute(order);
        }
        finish();
        return std::move(outcome_);
    }

private:
    [[nodiscard]] SlotLength::Limits slot_limits() const {
        double const bound = s_.clock.report().bound.value_or(0);
        double const tolerance = slot_tolerance(seconds{s_.reading}, s_.plan.timer.resolution()).count();
        return {.growth = s_.start.slot.growth,
                .invalid_share = s_.start.slot.invalid_share,
                .rule = s_.start.slot.rule,
                .floor = 10 * tolerance + 4 * (bound + s_.reading)};
    }

    // ---- the root's side of a decision

    StageOrder next_order() {
        StageOrder order;
        if (s_.comm.is_root())
            order = decide_or_fail();
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

    /// A rule that throws must not leave the others waiting for an order.
    StageOrder decide_or_fail() {
        StageOrder order;
        try {
            return decide();
        } catch (std::exception const& e) {
            error_ = e.what();
        } catch (...) {
            error_ = "the stopping rule threw something that is not a std::exception";
        }
        order.body_failed = 1;
        return order;
    }

    /// After stages without a valid sample the next one waits, longer each time: a rank that is not running for a time
    /// slice would otherwise use up all attempts of a point whose slots are a thousand times shorter.
    [[nodiscard]] double back_off() const {
        constexpr double first = 50e-6;
        constexpr double longest = 20e-3;
        return empty_stages_ == 0 ? 0 : std::min(longest, first * std::pow(2.0, empty_stages_ - 1));
    }

    [[nodiscard]] bool too_late() const {
        return s_.plan.control.deadline && Steady::now() >= *s_.plan.control.deadline;
    }

    StageOrder decide() {
        StageOrder order;
        order.interrupted = interrupted_;
        order.body_failed = threw_;
        order.start = s_.start.kind;
        order.tolerance = tolerance_;
        order.ahead_limit = ahead_ + disagreement.count();
        order.slot_length = slot_.value();
        order.first_index = executed_;
        order.first_sample = static_cast<std::int64_t>(outcome_.samples.size());
        order.iterations = iterations_;
        if (auto const* until = std::get_if<Until>(&s_.plan.batch)) {
            order.until = true;
            order.budget = until->budget.count();
        }
        bool const warming = !warm_ && s_.plan.warm_up > 0;
        if (!began_ && too_late()) {
            outcome_.decision = {Verdict::no_valid_samples, "budget"};
            return order;
        }
        if (warming || (steering_ && steering_stages_ < steering_stages_at_most)) {
            order.samples = warming ? s_.plan.warm_up : 1;
            order.slot_length = 0;
            order.iterations = warming ? 1 : iterations_;
            order.until = false;
            return order;
        }
        if (!began_) {
            began_ = Steady::now();
            if (s_.start.kind == StartKind::slot && s_.plan.warm_up == 0)
                slot_.after_warm_up({.samples = 1, .elapsed = 10 * ahead_});
            order.slot_length = slot_.value();
        } else {
            outcome_.decision = verdict();
        }
        if (outcome_.decision.verdict != Verdict::more)
            return order;
        order.samples = next_stage();
        order.stage = ++stage_;
        if (s_.start.kind == StartKind::slot)
            outcome_.slot_lengths.push_back(order.slot_length);
        return order;
    }

    [[nodiscard]] int next_stage() const {
        auto const valid = static_cast<std::int64_t>(outcome_.valid_times.size());
        std::int64_t samples = s_.plan.stage;
        if (s_.plan.stage_share > 0 && valid >= samples)
            samples = static_cast<std::int64_t>(std::floor(s_.plan.stage_share * static_cast<double>(valid)));
        return static_cast<int>(
            std::clamp<std::int64_t>(samples, 1, std::max<std::int64_t>(s_.plan.at_most - valid, 1)));
    }

    Decision verdict() {
        Progress const progress{.samples = outcome_.valid_times,
                                .attempts = static_cast<std::int64_t>(outcome_.samples.size()),
                                .spent = Steady::now() - *began_,
                                .previous = previous_,
                                .resolution = s_.plan.timer.resolution(),
                                .iterations_per_sample = outcome_.iterations};
        Decision decision = s_.plan.stop(progress);
        if (decision.verdict == Verdict::more && (too_late() || (s_.start.limit && progress.spent >= *s_.start.limit)))
            decision = {Verdict::exhausted, "budget"};
        if (decision.verdict == Verdict::more && empty_stages_ >= empty_stages_at_most)
            decision = {Verdict::exhausted, "exhausted"};
        if (decision.verdict != Verdict::more && outcome_.valid_times.empty())
            decision.verdict = Verdict::no_valid_samples;
        return decision;
    }

    // ---- a stage, on every rank

    void execute(StageOrder const& order) {
        samples_.resize(static_cast<std::size_t>(order.samples));
        LocalStage seen{.samples = samples_, .in_sample = s_.plan.control.in_sample};
        CommGate gate(s_.comm, s_.clock, s_.start.kind, ahead_);
        auto const& in_body = s_.plan.control.in_body;
        if (in_body)
            in_body(true);
        loop_.stage(order, s_.clock, gate, seen);
        if (in_body)
            in_body(false);
        if (seen.threw && error_.empty())
            error_ = seen.error;
        if (order.stage > 0)
            for (auto const& sample : samples_) {
                durations_.push_back(sample.duration / static_cast<double>(sample.iterations));
                if (phases_ > 0)
                    phase_durations_.push_back(sample.phases);
            }
        join(order, seen);
        if (s_.plan.control.stage)
            s_.plan.control.stage(report(order));
    }

    [[nodiscard]] StageReport report(StageOrder const& order) const {
        StageReport stage{.stage = order.stage, .first_sample = order.first_sample};
        if (order.start == StartKind::slot && order.stage > 0)
            stage.slot = seconds{order.slot_length};
        for (auto const& own : samples_) {
            SampleReport sample{seconds{own.duration / static_cast<double>(own.iterations)}, own.fault};
            if (s_.comm.is_root() && order.stage > 0) {
                auto const& joined =
                    outcome_.samples[static_cast<std::size_t>(order.first_sample) + stage.samples.size()];
                sample.fault = joined.fault;
                sample.time = seconds{joined.time};
            }
            stage.samples.push_back(sample);
        }
        return stage;
    }

    void join(StageOrder const& order, LocalStage const& seen) {
        StageWire wire(order.samples, phases_, s_.plan.combine == Combine::mean);
        wire.put(StageWire::elapsed, seen.elapsed);
        wire.put(StageWire::first_late, seen.samples[0].fault == Fault::late);
        wire.put(StageWire::disagree, seen.clocks_disagree);
        wire.put(StageWire::threw, seen.threw);
        wire.put(StageWire::stop, stop_flag(s_.plan.control));
        for (int l = 0; l < order.samples; ++l)
            wire.put(l, seen.samples[static_cast<std::size_t>(l)], s_.overhead.value_or(0));
        wire.join(s_.comm);
        std::vector<double> ends;
        if (s_.plan.detail == Detail::samples && order.stage > 0 && s_.clock.synchronised())
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

    /// The leading number of one sample out of what the ranks say and the root's own.
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
            auto& call = !outcome_.first_call ? outcome_.first_call : outcome_.second_call;
            if (!outcome_.second_call)
                call = sample.duration / static_cast<double>(sample.iterations);
        }

        StageFacts const facts = facts_of(order, wire);
        if (order.stage == 0) {
            warm_ = true;
            slot_.after_warm_up(facts);
            if (steering_) {
                ++steering_stages_;
                iterations_ = next_iterations(s_.plan.batch, order.iterations, seconds{facts.typical});
                steering_ = iterations_ != order.iterations;
            }
            if (auto const* fixed = std::get_if<Fixed>(&s_.plan.batch); fixed == nullptr || fixed->iterations > 1)
                slot_.forget();
            return;
        }
        previous_ = outcome_.valid_times.size();
        for (int l = 0; l < order.samples; ++l)
            absorb_sample(order, seen, wire, ends, l);
        empty_stages_ = outcome_.valid_times.size() > previous_ ? 0 : empty_stages_ + 1;
        // Slots cannot repair clocks that disagree; longer ones would only make the point longer.
        if (s_.start.kind == StartKind::slot && !outcome_.clocks_disagree) {
            slot_.after_stage(facts);
            late_starts_ = wire.most(StageWire::first_late) > 0 ? late_starts_ + 1 : 0;
            if (late_starts_ >= 2) {
                ahead_ = std::min(2 * ahead_, disagreement.count());
                late_starts_ = 0;
            }
        }
        if (auto const next = next_iterations(s_.plan.batch, iterations_, seconds{facts.longest});
            next != iterations_) {
            iterations_ = next;
            slot_.forget();
        }
    }

    static StageFacts facts_of(StageOrder const& order, StageWire const& wire) {
        StageFacts facts{.samples = order.samples, .elapsed = wire.most(StageWire::elapsed)};
        std::vector<double> busy;
        bool after_slip = false;
        for (int l = 0; l < order.samples; ++l) {
            busy.push_back(wire.most(StageWire::busy, l));
            facts.global_elapsed = std::max(facts.global_elapsed, wire.most(StageWire::end, l));
            auto const fault = wire.worst(l);
            after_slip = fault == Fault::slip || (after_slip && fault != Fault::none);
            facts.invalid += fault != Fault::none;
            facts.slipped += after_slip;
        }
        facts.longest = *std::max_element(busy.begin(), busy.end());
        facts.typical = median(busy);
        return facts;
    }

    void absorb_sample(StageOrder const& order, LocalStage const& seen, StageWire const& wire,
                       std::vector<double> const& ends, int l) {
        LocalSample const& own = seen.samples[static_cast<std::size_t>(l)];
        auto const n = static_cast<double>(own.iterations);
        outcome_.iterations = own.iterations;
        Sample sample;
        sample.stage = order.stage;
        sample.fault = wire.worst(l);
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
        outcome_.invalid.add(sample.fault);
        if (sample.fault == Fault::none) {
            double const q = s_.overhead.value_or(0) / n;
            outcome_.valid_times.push_back(sample.time);
            corrected_.push_back(lead(own.duration / n - q, wire, StageWire::corrected, l, span - q));
            valid_.push_back(outcome_.samples.size());
            for (std::size_t p = 0; p < phases_; ++p) {
                auto const row = StageWire::phase(p);
                outcome_.phases[p].push_back(lead(own.phases[p], wire, row, l, wire.most(row, l)));
            }
        }
        outcome_.samples.push_back(std::move(sample));
    }

    // ---- the end of the epoch

    void finish() {
        std::vector<char> state;  // per attempt: 0 void, 1 valid, 2 kept
        if (s_.comm.is_root()) {
            outcome_.estimate = estimate(outcome_.valid_times, s_.plan.estimate);
            state.assign(outcome_.samples.size(), 0);
            auto const kept = kept_indices();
            for (auto const i : valid_)
                state[i] = 1;
            std::vector<Sample const*> kept_samples;
            for (auto const i : kept) {
                state[valid_[i]] = 2;
                kept_samples.push_back(&outcome_.samples[valid_[i]]);
            }
            outcome_.span = mean_of(kept_samples, &Sample::span);
            outcome_.start_imbalance = mean_of(kept_samples, &Sample::start_imbalance);
            outcome_.exit_imbalance = mean_of(kept_samples, &Sample::exit_imbalance);
            if (s_.overhead && !kept.empty())
                outcome_.corrected = mean_at(corrected_, kept);
            if (s_.start.scheduled())
                outcome_.broadcast_bound = ahead_;
        }
        s_.comm.broadcast(state);
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (state[i] > 0)
                outcome_.mine.push_back(durations_[i]);
            if (state[i] > 0 && phases_ > 0)
                outcome_.mine_phases.push_back(phase_durations_[i]);
            if (state[i] > 1)
                outcome_.mine_kept.push_back(durations_[i]);
        }
    }

    /// Indices into the valid samples that the estimate is made of.
    [[nodiscard]] std::vector<std::size_t> kept_indices() const {
        auto kept = trimmed_indices(outcome_.valid_times, s_.plan.estimate.trim);
        if (kept.empty()) {
            kept.resize(outcome_.valid_times.size());
            std::iota(kept.begin(), kept.end(), std::size_t{0});
        }
        return kept;
    }

    EpochSetting s_;
    Loop& loop_;
    std::size_t phases_;
    std::vector<LocalSample> samples_;
    std::vector<double> durations_;  ///< this rank's, per attempt
    std::vector<std::array<double, max_phases>> phase_durations_;
    std::string error_;

    SlotLength slot_;
    std::int64_t iterations_;
    double ahead_ = 0;
    double tolerance_ = 0;
    EpochOutcome outcome_;
    std::vector<double> corrected_;
    std::vector<std::size_t> valid_;
    std::optional<Steady::time_point> began_;
    std::int64_t executed_ = 0;
    std::size_t previous_ = 0;
    int stage_ = 0;
    int empty_stages_ = 0;
    int late_starts_ = 0;
    int interrupted_ = 0;
    bool threw_ = false;
    bool warm_ = false;
    bool steering_ = std::holds_alternative<InWindow>(s_.plan.batch);  ///< warm-up stages that find the iterations
    int steering_stages_ = 0;
};

}  // namespace

EpochOutcome measure_epoch(EpochSetting const& setting, Loop& loop) { return Epoch(setting, loop).measure(); }

std::string agreed_text(Comm const& comm, std::string const& mine) {
    auto const all = comm.gather(mine);
    std::string text;
    for (std::size_t i = 0; i < all.size() && text.empty(); ++i)
        if (!all[i].empty())
            text = comm.size() > 1 ? "rank " + std::to_string(i) + ": " + all[i] : all[i];
    comm.broadcast(text);
    return text;
}

int stop_flag(Control const& control) noexcept {
    return control.stop == nullptr ? 0 : control.stop->load(std::memory_order_relaxed);
}

}  // namespace measure::detail
