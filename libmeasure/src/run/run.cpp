// SPDX-License-Identifier: BSD-3-Clause
#include "measure/run.hpp"

#include "clock/clock_check.hpp"
#include "core/agreed_text.hpp"
#include "core/hash.hpp"
#include "core/mpi_state.hpp"
#include "core/require.hpp"
#include "measure/run_each.hpp"
#include "measure/shuffle.hpp"
#include "measure/two_samples.hpp"
#include "run/epoch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <random>

namespace measure {

namespace {

using detail::EpochOutcome;
using detail::StartChoice;
using detail::StartKind;

/// Checks the parameters of a start. Comparisons are written to reject NaN.
struct ValidateStart {
    static void common(double broadcast_factor, std::optional<seconds> const& resync_after) {
        require(broadcast_factor > 0 && std::isfinite(broadcast_factor), "a start needs a broadcast_factor > 0");
        require(!resync_after || *resync_after >= seconds{0}, "a start needs resync_after >= 0");
    }
    void operator()(SlotStart const& s) const {
        require(s.growth >= 1.1 && s.growth <= 2, "slots grow by a factor within [1.1, 2]");
        require(s.invalid_share >= 0 && s.invalid_share <= 1, "slots need an invalid_share within [0, 1]");
        common(s.broadcast_factor, s.resync_after);
    }
    void operator()(RoundTimeStart const& s) const { common(s.broadcast_factor, s.resync_after); }
    void operator()(AutoStart const& s) const {
        (*this)(s.slot);
        require(s.limit > seconds{0}, "a start needs a limit > 0");
    }
    void operator()(FreeStart const&) const {}
    void operator()(BarrierStart const&) const {}
    void operator()(DisseminationStart const&) const {}
};

void validate(Comm const& comm, Plan const& plan) {
    detail::need_mpi(comm);
    // Checked first: a rank that rejected its own plan alone would leave the others waiting.
    double mine = 0;
    try {
        mine = static_cast<double>(digest(plan) >> 12);
    } catch (UsageError const&) {  // from an invalid batch, which is reported below
    }
    require(comm.max(mine) == -comm.max(-mine), "the plan differs between ranks");
    require(plan.warm_up >= 0, "a plan needs warm_up >= 0");
    require(plan.stage >= 1, "a plan needs stage >= 1");
    require(plan.stage_share >= 0, "a plan needs stage_share >= 0");
    require(!plan.stage_time || *plan.stage_time > seconds{0}, "a plan needs a stage_time > 0, or none");
    require(plan.at_most >= 1, "a plan needs at_most >= 1");
    require(plan.epochs >= 1, "a plan needs epochs >= 1");
    require(!plan.limit || *plan.limit > seconds{0}, "a plan needs a limit > 0, or none");
    if (auto const& s = plan.settling)
        require(s->least_calls >= 0 && s->least_time >= seconds{0} && s->least_calls_later >= 0 &&
                    s->least_time_later >= seconds{0} && s->at_most >= 1 && s->at_most_time >= seconds{0},
                "settling needs numbers of calls >= 0, at_most >= 1 and times >= 0");
    require(plan.estimate.trim >= 0 && plan.estimate.trim <= 0.5, "a plan needs a trim within [0, 0.5]");
    require(plan.estimate.confidence > 0 && plan.estimate.confidence < 1, "a plan needs a confidence within (0, 1)");
    (void)first_iterations(plan.batch);
    std::visit(ValidateStart{}, plan.start);
    plan.stop.validate();
    if (comm.is_solo() && plan.timer.name() == "mpi_wtime")
        require(detail::mpi_runs(), "mpi_wtime needs MPI_Init: use monotonic_raw without MPI");
}

struct Choose {
    bool oversubscribed;
    bool solo;

    StartChoice operator()(AutoStart const& s) const {
        if (solo)
            return (*this)(FreeStart{});
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

/// The clock of an epoch. Reuses the clock of the previous epoch on the same communicator, or the caller's, if it is
/// young enough; otherwise makes a new one. If the start needs no clock, an unsynchronised one only fixes a common
/// origin. \param previous  clock of the previous epoch, if there was one
GlobalClock clock_for(Comm const& comm, Plan const& plan, StartChoice const& choice, bool anew,
                      std::optional<GlobalClock> const& previous) {
    // A start without clocks uses one only for span and imbalances, at any age.
    auto const& at_hand = !anew && previous ? previous : choice.clock;
    bool usable = at_hand && (!choice.scheduled() || (!anew && at_hand->is_young(choice.resync_after)));
    comm.broadcast(usable);
    if (usable)
        return *at_hand;
    auto const& earlier = previous ? previous : choice.clock;
    bool known = earlier.has_value();
    comm.broadcast(known);
    return known ? synchronise(comm, plan.timer, choice.sync, *earlier) : synchronise(comm, plan.timer, choice.sync);
}

/// Cost of one timer reading in a loop, in seconds: the smallest mean of several batches, largest over ranks.
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

/// Makes a loop on every rank. A failure on any rank becomes the same exception on all ranks.
template <class L>
detail::Owned<L> make_loop(Comm const& comm, Callback<detail::Owned<L>(Comm const&)> const& make) {
    enum Failure : int { none, unmeasurable, other, memory, usage };
    detail::Owned<L> loop;
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
    } catch (SkipPoint const& e) {
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
        throw SkipPoint(text.empty() ? agreed : text);
    throw BodyError(agreed);
}

/// The error that the operation's check finds, with its rank; identical on all ranks. Collective.
std::string check_of(Comm const& comm, detail::AnyOperation& operation) {
    std::optional<std::string> mine;
    try {
        mine = operation.check();
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
    if (times.size() > 1)
        s.standard_error = standard_error(times);
    auto const [low, high] = std::minmax_element(times.begin(), times.end());
    s.min = *low;
    s.max = *high;
    s.kept_mean = mean(kept);
    return s;
}

/// Mean of each phase; 0 without samples.
std::array<double, max_phases> phase_means(std::vector<std::array<double, max_phases>> const& samples) {
    std::array<double, max_phases> means{};
    for (auto const& sample : samples)
        for (std::size_t p = 0; p < max_phases; ++p)
            means[p] += sample[p] / static_cast<double>(samples.size());
    return means;
}

/// Joins the results of the epochs.
class RankJoin {
public:
    RankJoin(Comm const& comm, Plan const& plan, Measurement& m) : comm_{comm}, plan_{plan}, m_{m} {}

    void add(EpochOutcome&& e, double kept_mean) {
        m_.attempts += static_cast<std::int64_t>(e.samples.size());
        m_.valid += static_cast<std::int64_t>(e.valid_times.size());
        m_.kept += e.estimate ? static_cast<std::int64_t>(e.estimate->kept) : 0;
        m_.invalid += e.invalid;
        m_.iterations_per_sample = e.iterations;
        if (!m_.first_call) {
            m_.first_call = e.first_call;
            m_.second_call = e.second_call;
        }
        m_.slot_lengths = std::move(e.slot_lengths);
        m_.broadcast_bound = e.broadcast_bound;
        if (e.clocks_disagree)
            m_.flag("clocks_disagree");
        add(e.settling, e.page_faults);
        if (plan_.settling && !m_.trend && e.estimate)
            m_.trend = find_trend(e.valid_times, 0.001, 0.02, e.estimate->clock_step);
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
        if (plan_.keep == Keep::samples)
            std::move(e.samples.begin(), e.samples.end(), std::back_inserter(m_.samples));
        mine_.insert(mine_.end(), e.mine.begin(), e.mine.end());
        mine_phases_.insert(mine_phases_.end(), e.mine_phases.begin(), e.mine_phases.end());
        if (!e.mine_kept.empty())
            kept_means_.push_back(kept_mean);
    }

    void finish(std::vector<std::string> const& phase_names) {
        m_.mine = summarise(comm_.rank(), mine_, kept_means_);
        m_.mine.phases = phase_means(mine_phases_);
        m_.settling.faults_all_ranks = comm_.sum(page_faults_);
        auto const ranks = measure::over_ranks(comm_, m_.mine.kept_mean);
        double clock_step = 0;
        if (comm_.is_root()) {
            if (!estimates_.empty()) {
                m_.estimate = join_epochs(estimates_, pooled_, plan_.estimate.confidence);
                m_.over_ranks = ranks;
                clock_step = m_.estimate->clock_step;
            }
            m_.corrected = mean_or_nothing(corrected_);
            m_.span = mean_or_nothing(span_);
            m_.start_imbalance = mean_or_nothing(start_imbalance_);
            m_.exit_imbalance = mean_or_nothing(exit_imbalance_);
            EstimateRule rule = plan_.estimate;
            rule.clock_step = clock_step;
            for (std::size_t p = 0; p < phases_.size(); ++p)
                m_.phases.push_back({phase_names[p], estimate(phases_[p], rule)});
        }
        comm_.broadcast(clock_step);
        if (m_.mine.standard_error)
            m_.mine.standard_error = std::max(*m_.mine.standard_error, least_error(clock_step));
        if (plan_.keep != Keep::summary)
            m_.ranks = comm_.gather(m_.mine);
    }

private:
    /// Takes the report of the worst epoch and adds up its counts.
    void add(SettlingReport const& s, double page_faults) {
        auto const counted = m_.settling.faults_counted + s.faults_counted;
        auto const runs_counted = m_.settling.runs_counted + s.runs_counted;
        auto const switches = m_.settling.involuntary_switches + s.involuntary_switches;
        auto const runs = m_.settling.runs + s.runs;
        if (m_.epochs.empty() || m_.settling.settled())
            m_.settling = s;
        m_.settling.faults_counted = counted;
        m_.settling.runs_counted = runs_counted;
        m_.settling.involuntary_switches = switches;
        m_.settling.runs = runs;
        page_faults_ += page_faults;
    }

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
    double page_faults_ = 0;  ///< page faults of this rank in the samples
    std::vector<Estimate> estimates_;
    std::vector<double> pooled_, corrected_, span_, start_imbalance_, exit_imbalance_, mine_, kept_means_;
    std::vector<std::vector<double>> phases_;
    std::vector<std::array<double, max_phases>> mine_phases_;
};

/// Verdict and reason of the worst epoch.
Decision overall(std::vector<EpochResult> const& epochs, std::int64_t valid) {
    if (valid == 0)
        return {StopVerdict::no_valid_samples, epochs.back().decision.reason};
    for (auto const& e : epochs)
        if (e.decision.verdict != StopVerdict::converged)
            return {StopVerdict::exhausted, e.decision.reason};
    return epochs.back().decision;
}

/// Broadcasts verdict, reason and counts.
void tell(Comm const& comm, Measurement& m) {
    struct Counts {
        StopVerdict verdict;
        std::int64_t attempts, valid, kept, iterations;
        InvalidCounts invalid;
    } counts{m.verdict, m.attempts, m.valid, m.kept, m.iterations_per_sample, m.invalid};
    comm.broadcast(counts);
    m.verdict = counts.verdict;
    m.attempts = counts.attempts;
    m.valid = counts.valid;
    m.kept = counts.kept;
    m.iterations_per_sample = counts.iterations;
    m.invalid = counts.invalid;
    comm.broadcast(m.stop_reason);
    comm.broadcast(m.message);
}

bool is_unsettled(Measurement const& m, Plan const& plan) {
    if (plan.settling)
        return !m.settling.settled();
    return measure::is_unsettled(m.settling.faults_counted, static_cast<double>(m.settling.runs_counted));
}

void set_flags(Measurement& m, Plan const& plan, bool oversubscribed, seconds reading, seconds step) {
    if (oversubscribed)
        m.flag("oversubscribed");
    if (!m.estimate)
        return;
    if (is_unsettled(m, plan))
        m.flag("unsettled");
    if (m.trend)
        m.flag("trend");
    if (2 * m.valid < m.attempts)
        m.flag("few_valid");
    if (20 * m.invalid.overrun > m.valid + m.invalid.overrun)
        m.flag("censored");
    double const time = m.estimate->value;
    // Batches keep short iterations above the floor. A barrier that is corrected for is not part of the floor.
    seconds const sample{time * static_cast<double>(m.iterations_per_sample)};
    bool const is_corrected = plan.correction == Correction::empty_loop && m.correction;
    if (is_near_timer_floor(sample, is_corrected ? seconds{*m.correction} : reading, step))
        m.flag(near_timer_floor);
    if (m.valid > 2 && is_autocorrelated(static_cast<std::size_t>(m.valid), m.estimate->autocorrelation))
        m.flag("autocorrelated");
}

/// \param parts  plural name of the epochs: "epochs" or "placements"
std::string message_for(Measurement const& m, char const* parts = "epochs") {
    if (m.verdict == StopVerdict::exhausted && m.epochs.size() > 1) {
        auto const cut = std::count_if(m.epochs.begin(), m.epochs.end(), [](EpochResult const& e) {
            return e.decision.verdict != StopVerdict::converged;
        });
        return fmt::format("{} of {} {} stopped at their limit ({})", cut, m.epochs.size(), parts, m.stop_reason);
    }
    if (m.verdict != StopVerdict::no_valid_samples)
        return {};
    if (m.has_flag("clocks_disagree"))
        return fmt::format("no sample of {} was valid ({}): the clocks of the ranks disagree and are not synchronised",
                           m.attempts, text(m.invalid));
    if (m.has_flag("sync_poor"))
        return "no sample counts: the clock synchronisation became worse and could not be verified";
    return fmt::format("no sample of {} was valid: {}", m.attempts, text(m.invalid));
}

/// If samples failed, appends the error of the first failed operation on the lowest rank, with MPI's text. Collective.
/// \param code  of this rank's first failed operation
void note_failure(Comm const& comm, int code, Measurement& m) {
    if (m.invalid.failed == 0)
        return;
    auto const words = code > MPI_SUCCESS && detail::mpi_runs() ? detail::words_of(code) : "";
    auto const first = detail::agreed_text(
        comm, code == MPI_SUCCESS || code == detail::no_code
                  ? ""
                  : fmt::format("returned {}{}{}", code, words.empty() ? "" : ", for MPI: ", words));
    if (first.empty())
        return;
    m.message += m.message.empty() ? fmt::format("{} failed: ", m.invalid.failed) : "; ";
    m.message += first;
}

}  // namespace

namespace detail {

template class StageLoop<WtimeTimer>;
template class StageLoop<GettimeofdayTimer>;
template class StageLoop<TscTimer>;
template class StageLoop<MonotonicTimer>;
template class StageLoop<MonotonicRawTimer>;
template class StageLoop<OwnTimer>;
template int iterate_until<WtimeTimer>(AnyOperation&, TimedRegion<WtimeTimer>&, BlockCall);
template int iterate_until<GettimeofdayTimer>(AnyOperation&, TimedRegion<GettimeofdayTimer>&, BlockCall);
template int iterate_until<TscTimer>(AnyOperation&, TimedRegion<TscTimer>&, BlockCall);
template int iterate_until<MonotonicTimer>(AnyOperation&, TimedRegion<MonotonicTimer>&, BlockCall);
template int iterate_until<MonotonicRawTimer>(AnyOperation&, TimedRegion<MonotonicRawTimer>&, BlockCall);
template int iterate_until<OwnTimer>(AnyOperation&, TimedRegion<OwnTimer>&, BlockCall);

AnyOperation::~AnyOperation() = default;

bool AnyOperation::prepare(Iteration) { return false; }

std::optional<std::string> AnyOperation::check() { return std::nullopt; }

std::vector<std::string> const& AnyOperation::phase_names() const noexcept {
    static std::vector<std::string> const none;
    return names_ != nullptr ? *names_ : none;
}

bool AnyOperation::is_repeatable() const noexcept { return simple_ && phase_names().empty(); }

Loop::~Loop() = default;

namespace {

/// Text of the current exception.
std::string text_of_exception() {
    try {
        throw;
    } catch (std::exception const& e) {
        return e.what();
    } catch (...) {
        return "the body threw something that is not a std::exception";
    }
}

}  // namespace

void note_exception(LocalStage& out, LocalSample& sample) {
    sample.invalid = InvalidReason::failed;
    if (!std::exchange(out.threw, true))
        out.error = text_of_exception();
}

void note_exception(EachBlock& block) {
    if (!block.error)
        block.error = text_of_exception();
}

namespace {

/// The member of the calls for a timer.
/// \{
TimedCall<WtimeTimer> call_for(WtimeTimer const&, TimedCalls const& calls) { return calls.wtime; }
TimedCall<GettimeofdayTimer> call_for(GettimeofdayTimer const&, TimedCalls const& calls) { return calls.gettimeofday; }
TimedCall<TscTimer> call_for(TscTimer const&, TimedCalls const& calls) { return calls.tsc; }
TimedCall<MonotonicTimer> call_for(MonotonicTimer const&, TimedCalls const& calls) { return calls.monotonic; }
TimedCall<MonotonicRawTimer> call_for(MonotonicRawTimer const&, TimedCalls const& calls) { return calls.monotonic_raw; }
TimedCall<OwnTimer> call_for(OwnTimer const&, TimedCalls const& calls) { return calls.own; }
/// \}

}  // namespace

Owned<Loop> loop_for(AnyTimer const& timer, Owned<AnyOperation> operation, TimedCalls const& calls) {
    return timer.visit([&]<Timer T>(T const& t) {
        return Owned<Loop>{new StageLoop<T>(t, std::move(operation), call_for(t, calls))};
    });
}

namespace {

/// One of the operations that are measured together, over all epochs.
struct Variant {
    Variant(Comm const& comm, Plan const& plan, LoopMaker const& maker) : make{maker}, join{comm, plan, m} {}
    LoopMaker const& make;
    Measurement m{};
    RankJoin join;
    std::vector<std::string> phase_names{};
    int first_code = MPI_SUCCESS;                 ///< code of this rank's first failed operation
    bool is_unoptimised = false;                  ///< the body was compiled without optimisation
    std::vector<std::vector<double>> to_first{};  ///< [epochs][pairs of stages] medians / those of the first; root
};

/// Measures stages of the operations in turn, in a new order for each round, until no rule requires more and there are
/// enough pairs.
void measure_in_turn(std::vector<Epoch>& epochs, Plan const& plan, std::mt19937_64& random) {
    int const least_rounds = least_stages_in_turn(plan.epochs);
    std::vector<std::size_t> order(epochs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    bool more = true;
    for (int round = 0; more; ++round) {
        more = false;
        shuffle(std::span{order}, random);
        for (auto const i : order)
            more |= epochs[i].stage(true);
        // More rounds for enough pairs, but not beyond the plan's limit of samples.
        more |= round + 1 < least_rounds && plan.at_most > round * std::int64_t{plan.stage};
    }
}

/// Ratios of the medians of stages from the same round.
std::vector<double> pairs_of(std::vector<double> const& over, std::vector<double> const& under) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < std::min(over.size(), under.size()); ++r)
        if (over[r] > 0 && under[r] > 0)
            ratios.push_back(over[r] / under[r]);
    return ratios;
}

/// The ratio of operations measured in turn, with the error from the clock resolution of both values.
std::optional<Ratio> ratio_to(Measurement const& under, Measurement const& over, std::optional<Ratio> ratio) {
    if (!ratio || !under.estimate || !over.estimate)
        return ratio;
    return with_clock_step(*ratio, relative_clock_step(*over.estimate), relative_clock_step(*under.estimate));
}

/// The plan for operations that are measured together: several placements on the same communicator, in random order.
Plan plan_together(Plan const& plan, std::size_t variants, MadeAnew anew) {
    Plan together = plan;
    if (variants > 1 && anew != MadeAnew::nothing && plan.epochs == 1)
        together.epochs = placements;
    return together;
}

/// Makes the loops of all variants. Collective. \param order  order of creation, the same on all ranks
std::vector<Owned<Loop>> make_loops(Comm const& comm, std::vector<std::unique_ptr<Variant>> const& variants,
                                    std::vector<std::size_t> const& order) {
    std::vector<Owned<Loop>> loops(variants.size());
    for (auto const i : order)
        loops[i] = make_loop(comm, variants[i]->make);
    return loops;
}

/// The batch for this operation; resolves AutoBatch.
Batch batch_for(Comm const& comm, Plan const& plan, StartChoice const& choice, Loop const& loop, seconds reading,
                seconds step) {
    constexpr double readings = 50;
    constexpr double widest = 4;
    constexpr std::int64_t most = 1'000'000;  // limit for a body that the compiler has removed, which takes no time
    if (!std::holds_alternative<AutoBatch>(plan.batch))
        return plan.batch;
    bool const alone = comm.size() == 1 && choice.kind == StartKind::free;
    if (!alone || plan.combine == Combine::span || !loop.operation().is_repeatable())
        return FixedCount{1};
    seconds const low = readings * std::max(reading, step);
    return low > seconds{0} ? Batch{TargetDuration{.low = low, .high = widest * low, .at_most = most}}
                            : Batch{FixedCount{1}};
}

std::vector<Measurement> run_by_plan(Comm const& comm, Plan const& whole, std::vector<LoopMaker> const& makers,
                                     std::uint64_t seed, MadeAnew made) {
    validate(comm, whole);
    Plan const plan = plan_together(whole, makers.size(), made);
    // The least number of calls warms up the communicator, not the memory, so it is needed only once.
    Plan later = plan;
    if (later.settling && made != MadeAnew::communicator)
        later.settling->least_calls = 0;
    if (int const flag = static_cast<int>(comm.max(stop_flag(plan.control))); flag != 0)
        throw Interrupted(flag);
    auto const began = SteadyClock::now();
    StartChoice const choice = std::visit(Choose{comm.oversubscribed(), comm.is_solo()}, plan.start);
    double const reading = reading_cost(comm, plan.timer);
    std::optional<double> overhead;
    if (plan.overhead)
        overhead = plan.overhead->count();
    else if (plan.correction != Correction::none)
        overhead = as_double(empty_sample(comm, plan));

    std::vector<std::unique_ptr<Variant>> variants;
    for (auto const& make : makers) {
        variants.push_back(std::make_unique<Variant>(comm, plan, make));
        variants.back()->m.combine = plan.combine;
        variants.back()->m.start = kind_names[static_cast<int>(choice.kind)];
    }
    std::mt19937_64 random{seed};
    std::vector<std::size_t> order(variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::optional<GlobalClock> clock;
    seconds step{0};
    for (int e = 0; e < plan.epochs; ++e) {
        bool const anew = whole.epochs > 1;
        Comm const duplicate = anew ? comm.duplicate() : Comm::solo();
        Comm const& team = anew ? duplicate : comm;
        shuffle(std::span{order}, random);
        auto const loops = make_loops(team, variants, order);
        clock = clock_for(team, plan, choice, anew, clock);
        step = seconds{team.max(clock->step().count())};
        if (plan.combine == Combine::span && !clock->synchronised())
            throw UsageError("the span over ranks needs synchronised clocks");
        std::vector<Epoch> epochs;
        for (auto const& loop : loops) {
            epochs.emplace_back(EpochSetting{team, e == 0 || anew ? plan : later, choice, *clock, reading, step,
                                             overhead, batch_for(team, plan, choice, *loop, seconds{reading}, step)},
                                *loop);
            epochs.back().warm_up(loops.size() == 1);
        }
        if (epochs.size() > 1)
            measure_in_turn(epochs, plan, random);
        else
            while (epochs.front().stage()) {
            }
        bool late = false;
        std::vector<double> first_medians;
        for (std::size_t i = 0; i < variants.size(); ++i) {
            Variant& v = *variants[i];
            auto outcome = epochs[i].finish();
            v.phase_names = loops[i]->operation().phase_names();
            v.is_unoptimised = loops[i]->operation().is_unoptimised();
            if (v.first_code == MPI_SUCCESS)
                v.first_code = loops[i]->first_code();
            if (auto wrong = check_of(team, loops[i]->operation()); v.m.data_error.empty())
                v.m.data_error = std::move(wrong);
            if (i == 0)
                first_medians = outcome.stage_medians;
            v.to_first.push_back(pairs_of(outcome.stage_medians, first_medians));
            double const kept_mean = mean(outcome.mine_kept);
            late |= outcome.decision.reason == "budget" && plan.control.deadline &&
                    SteadyClock::now() >= *plan.control.deadline;
            v.join.add(std::move(outcome), kept_mean);
        }
        // Additional placements beyond the plan's epochs are skipped if the limit is reached.
        late |= plan.epochs > whole.epochs && plan.limit && SteadyClock::now() - began >= *plan.limit;
        comm.broadcast(late);
        if (late)
            break;
    }

    auto const residual = compare_clocks(comm, choice, *clock, variants.front()->m);
    std::vector<Measurement> measurements;
    for (auto const& v : variants) {
        Measurement& m = v->m;
        v->join.finish(v->phase_names);
        m.sync = measurements.empty() ? m.sync : measurements.front().sync;
        if (overhead)
            m.correction = comm.max(*overhead);
        if (comm.is_root()) {
            auto const decision = overall(m.epochs, m.valid);
            m.verdict = decision.verdict;
            m.stop_reason = decision.reason;
            if (whole.epochs > 1 && made == MadeAnew::nothing)
                m.flag("same_buffers");
            if (v != variants.front())
                m.ratio = ratio_to(measurements.front(), m,
                                   paired_ratio(v->to_first, {.confidence = plan.estimate.confidence}));
            if (v->is_unoptimised)
                m.flag("unoptimised");
            set_flags(m, plan, comm.oversubscribed(), seconds{reading}, step);
            if (residual)
                judge_clocks(m, *residual, {clock->synchronised(), clock->is_poor() && !comm.oversubscribed()});
            m.message = message_for(m, plan.epochs > whole.epochs ? "placements" : "epochs");
        }
        tell(comm, m);
        note_failure(comm, v->first_code, m);
        m.elapsed =
            std::chrono::duration<double>(SteadyClock::now() - began).count() / static_cast<double>(variants.size());
        measurements.push_back(std::move(m));
    }
    return measurements;
}

/// Whether the schedule of slots, rather than the operation or the clocks, made all samples of an operation invalid.
/// The same on all ranks.
bool is_lost_in_slots(Comm const& comm, std::vector<Measurement> const& measured) {
    bool is_lost = std::any_of(measured.begin(), measured.end(), [](Measurement const& m) {
        auto const& lost = m.invalid;
        return m.start == "slot" && m.attempts > 0 && lost.late + lost.overrun + lost.slip == m.attempts &&
               !m.has_flag("clocks_disagree");
    });
    comm.broadcast(is_lost);
    return is_lost;
}

}  // namespace

std::vector<Measurement> run_together(Comm const& comm, Plan const& plan, std::vector<LoopMaker> const& makers,
                                      std::uint64_t seed, MadeAnew made) {
    auto in_slots = run_by_plan(comm, plan, makers, seed, made);
    if (!plan.start_falls_back || plan.combine == Combine::span || !is_lost_in_slots(comm, in_slots))
        return in_slots;
    Plan after_barriers = plan;
    after_barriers.start = BarrierStart{};
    auto measured = run_by_plan(comm, after_barriers, makers, seed, made);
    // The deadline may have left no time for barriers.
    if (measured.front().attempts == 0)
        return in_slots;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        measured[i].flag("start_fell_back");
        measured[i].lost_in_slots = in_slots[i].attempts - in_slots[i].valid;
        // Wrong clocks may be the reason.
        measured[i].sync = in_slots[i].sync;
        for (auto const& flag : in_slots[i].flags)
            if (is_clock_flag(flag))
                measured[i].flag(flag);
        measured[i].slot_lengths = std::move(in_slots[i].slot_lengths);
        measured[i].elapsed += in_slots[i].elapsed;
    }
    return measured;
}

Measurement run(Comm const& comm, Plan const& plan, LoopMaker const& make, bool fresh) {
    return std::move(run_together(comm, plan, {make}, 1, fresh ? MadeAnew::operation : MadeAnew::nothing).front());
}

namespace {

/// The loop on this rank, and the results joined on the root.
class Each {
public:
    Each(Comm const& comm, EachPlan const& plan, EachLoop& loop) : comm_{comm}, plan_{plan}, loop_{loop} {
        phases_.resize(std::min(loop.operation->phase_names().size(), max_phases));
    }

    EachResult operator()() {
        auto const began = SteadyClock::now();
        seconds const reading{reading_cost(comm_, plan_.timer)};
        step_ = seconds{comm_.max(seen_step(plan_.timer).count())};
        make_room();
        warm_up();
        measure();
        join();
        if (comm_.is_root() && loop_.operation->is_unoptimised())
            m_.flag("unoptimised");
        if (comm_.is_root())
            set_flags(m_, as_plan(), comm_.oversubscribed(), reading, step_);
        m_.data_error = check_of(comm_, *loop_.operation);
        if (comm_.is_root())
            m_.message = message_for(m_);
        tell(comm_, m_);
        note_failure(comm_, first_code_, m_);
        m_.elapsed = std::chrono::duration<double>(SteadyClock::now() - began).count();
        return {std::move(m_), std::move(mine_), std::move(joined_)};
    }

private:
    static constexpr std::int64_t first_part = 10'000;  ///< iterations of a part while their time is unknown

    /// The part of the plan that flags depend on.
    [[nodiscard]] Plan as_plan() const { return {.timer = plan_.timer, .settling = {}}; }

    void warm_up() {
        if (plan_.warm_up == 0)
            return;
        auto const note_calls = [this](std::span<double const> times) {
            std::optional<double>* const calls[] = {&m_.first_call, &m_.second_call};
            for (std::size_t i = 0; comm_.is_root() && i < std::min(times.size(), std::size(calls)); ++i)
                if (std::isfinite(times[i]))
                    *calls[i] = times[i];
        };
        run_parts(plan_.warm_up, [&](std::int64_t done, std::int64_t n) {
            auto const times = std::span{mine_}.first(static_cast<std::size_t>(n));
            block(times, done);
            if (done == 0)
                note_calls(times);
        });
        std::fill(phases_.begin(), phases_.end(), 0);
        counts_ = {};
        invalid_ = 0;
    }

    /// Allocates memory for the times before the loops. Collective. \throws std::bad_alloc on all ranks
    void make_room() {
        bool has_memory = true;
        try {
            mine_.assign(
                static_cast<std::size_t>(std::max(plan_.iterations, std::min<std::int64_t>(plan_.warm_up, first_part))),
                0);
        } catch (std::bad_alloc const&) {
            has_memory = false;
        }
        if (comm_.max(has_memory ? 0 : 1) > 0)
            throw std::bad_alloc();
    }

    /// Runs the iterations in parts of about a second, at most as many as there is room for times. Ranks check the stop
    /// flag and the deadline between parts. \param part  called with the number of iterations done and of iterations in
    /// the part  \return iterations done
    template <class Part>
    std::int64_t run_parts(std::int64_t iterations, Part part) {
        constexpr double length = 1;  // seconds
        std::int64_t done = 0;
        bool late = false;
        while (done < iterations && !late) {
            std::int64_t const left = iterations - done;
            std::int64_t n =
                period_ > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(length / period_, 1e15)))
                            : first_part;
            n = std::min<std::int64_t>(n >= left / 2 ? left : n, std::ssize(mine_));
            auto const begin = SteadyClock::now();
            part(done, n);
            done += n;
            double const elapsed = std::chrono::duration<double>(SteadyClock::now() - begin).count();
            period_ = comm_.max(elapsed / static_cast<double>(n));
            late = done < iterations && plan_.control.deadline && SteadyClock::now() >= *plan_.control.deadline;
            comm_.broadcast(late);
        }
        return done;
    }

    void measure() {
        auto const done = run_parts(plan_.iterations, [&](std::int64_t from, std::int64_t n) {
            block(std::span{mine_}.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(n)),
                  plan_.warm_up + from);
        });
        bool const late = done < plan_.iterations;
        mine_.resize(static_cast<std::size_t>(done));
        m_.verdict = late ? StopVerdict::exhausted : StopVerdict::converged;
        m_.stop_reason = late ? "budget" : "count";
    }

    void block(std::span<double> times, std::int64_t first) {
        if (plan_.control.decision)
            plan_.control.decision();
        if (int const flag = static_cast<int>(comm_.max(stop_flag(plan_.control))); flag != 0)
            throw Interrupted(flag);
        EachBlock part{.comm = comm_,
                       .meets = plan_.meets,
                       .first = first,
                       .times = times,
                       .in_sample = plan_.control.in_sample,
                       .phases = phases_};
        if (plan_.control.in_body)
            plan_.control.in_body(true);
        KernelCounts const before = kernel_counts();
        static_cast<void>(noted_error());  // discards errors of earlier calls
        if (!plan_.meets)
            comm_.barrier();
        loop_.block(*loop_.operation, plan_.timer, part);
        counts_ += kernel_counts() - before;
        if (plan_.control.in_body)
            plan_.control.in_body(false);
        invalid_ += part.invalid;
        if (first_code_ == MPI_SUCCESS)
            first_code_ = part.first_code;
        if (comm_.max(part.error ? 1 : 0) > 0)
            throw BodyError(agreed_text(comm_, part.error.value_or("")));
    }

    void join() {
        m_.combine = plan_.combine;
        m_.start = kind_names[static_cast<int>(plan_.meets ? StartKind::barrier : StartKind::free)];
        m_.attempts = std::ssize(mine_);
        bool const all_valid = comm_.max(static_cast<double>(invalid_)) <= 0;
        auto valid = all_valid ? mine_ : without_invalid();
        m_.valid = m_.kept = std::ssize(valid);
        m_.mine = summary_of(valid);
        for (double& phase : phases_)
            phase /= static_cast<double>(std::max<std::int64_t>(m_.attempts - invalid_, 1));
        std::copy(phases_.begin(), phases_.end(), m_.mine.phases.begin());
        if (m_.valid == 0)
            m_.verdict = StopVerdict::no_valid_samples;
        join_counts();
        m_.ranks = comm_.gather(m_.mine);
        auto const ranks = over_ranks(comm_, m_.mine.mean);
        combine(valid);
        auto const own_phases = phases_;
        comm_.sum_to_root(phases_);
        if (!comm_.is_root() || m_.valid == 0)
            return;
        {
            Unwatched const sorting;
            m_.estimate = estimate(valid, {.trim = 0, .clock_step = step_.count()});
        }
        m_.over_ranks = ranks;
        auto const& names = loop_.operation->phase_names();
        for (std::size_t p = 0; p < phases_.size(); ++p)
            m_.phases.push_back(
                {names[p],
                 Estimate{.value = plan_.combine == Combine::root ? own_phases[p] : phases_[p] / comm_.size()}});
        joined_ = all_valid ? std::move(valid) : with_invalid(valid);
    }

    /// Summary of this rank. The watchdog is paused, because 10^8 times take as long to sort as a loop.
    [[nodiscard]] RankSummary summary_of(std::vector<double> const& valid) const {
        Unwatched const sorting;
        auto summary = summarise(comm_.rank(), valid, valid);
        if (summary.standard_error)
            summary.standard_error = std::max(*summary.standard_error, least_error(step_.count()));
        return summary;
    }

    /// Combines each iteration over the ranks, on the root.
    void combine(std::vector<double>& valid) {
        if (plan_.combine == Combine::max)
            comm_.reduce_max(valid);
        if (plan_.combine != Combine::mean)
            return;
        comm_.sum_to_root(valid);
        for (double& time : valid)
            time /= comm_.size();
    }

    /// This rank's times of the iterations that are valid on all ranks.
    std::vector<double> without_invalid() {
        reasons_.resize(mine_.size());
        std::transform(mine_.begin(), mine_.end(), reasons_.begin(), [](double time) {
            return static_cast<double>(std::isnan(time)   ? InvalidReason::failed
                                       : std::isinf(time) ? InvalidReason::backward
                                                          : InvalidReason::none);
        });
        comm_.reduce_max(reasons_);
        comm_.broadcast(reasons_);
        std::vector<double> valid;
        valid.reserve(mine_.size());
        for (std::size_t i = 0; i < mine_.size(); ++i) {
            auto const reason = static_cast<InvalidReason>(static_cast<int>(reasons_[i]));
            m_.invalid.add(reason);
            if (reason == InvalidReason::none)
                valid.push_back(mine_[i]);
        }
        return valid;
    }
    [[nodiscard]] std::vector<double> with_invalid(std::vector<double> const& valid) const {
        std::vector<double> all;
        all.reserve(reasons_.size());
        auto next = valid.begin();
        for (double const reason : reasons_)
            all.push_back(reason <= 0 ? *next++
                          : static_cast<InvalidReason>(static_cast<int>(reason)) == InvalidReason::failed
                              ? std::numeric_limits<double>::quiet_NaN()
                              : -std::numeric_limits<double>::infinity());
        return all;
    }

    void join_counts() {
        auto& s = m_.settling;
        s.faults_counted = comm_.max(counts_.page_faults);
        s.involuntary_switches = static_cast<std::int64_t>(comm_.max(counts_.involuntary_switches));
        s.faults_all_ranks = comm_.sum(counts_.page_faults);
        s.runs_counted = m_.attempts;
        s.runs = plan_.warm_up;
    }

    Comm const& comm_;
    EachPlan const& plan_;
    EachLoop& loop_;
    Measurement m_{};
    std::vector<double> mine_{};     ///< [iterations]
    std::vector<double> joined_{};   ///< [iterations] on the root
    std::vector<double> reasons_{};  ///< [iterations] InvalidReason joined over the ranks; empty if all are valid
    std::vector<double> phases_{};   ///< [phases] total, in seconds
    KernelCounts counts_{};
    seconds step_{0};    ///< resolution of the timer by `seen_step`, maximum over ranks
    double period_ = 0;  ///< time of an iteration in seconds, maximum over ranks; 0: unknown
    std::int64_t invalid_ = 0;
    int first_code_ = MPI_SUCCESS;
};

void validate(Comm const& comm, EachPlan const& plan) {
    need_mpi(comm);
    require(plan.warm_up >= 0, "a plan needs warm_up >= 0");
    require(plan.iterations >= 1, "a plan needs iterations >= 1");
    require(plan.combine == Combine::root || plan.combine == Combine::max || plan.combine == Combine::mean,
            "a loop combines its ranks by root, max or mean");
}

}  // namespace

EachResult run_each(Comm const& comm, EachPlan const& plan, EachMaker const& make) {
    validate(comm, plan);
    auto const loop = make_loop(comm, make);
    return Each{comm, plan, *loop}();
}

}  // namespace detail

Plan detail::empty_plan(Plan const& plan) {
    constexpr std::int64_t enough = 64;
    constexpr std::int64_t at_most = 200;
    Plan empty = plan;
    empty.batch = FixedCount{1};
    empty.settling.reset();
    empty.limit.reset();
    empty.stop = stop::Count{.valid = enough, .at_most = at_most};
    empty.correction = Correction::none;
    empty.overhead.reset();
    empty.epochs = 1;
    empty.stage = 8;
    empty.stage_share = 0;
    empty.at_most = at_most;
    empty.keep = Keep::summary;
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

RankSpread over_ranks(Comm const& comm, double value) {
    double extremes[] = {value, -value};
    double sum[] = {value};
    comm.reduce_max(extremes);
    comm.sum_to_root(sum);
    return {-extremes[1], sum[0] / comm.size(), extremes[0]};
}

std::uint64_t digest(Plan const& plan) {
    auto const settling = plan.settling.value_or(Settling{.at_most = 0});
    auto const text = fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
        plan.timer.name().substr(0, plan.timer.name().find(',')), name(plan.start), plan.batch.index(),
        first_iterations(plan.batch), static_cast<int>(plan.combine), plan.estimate.trim,
        static_cast<int>(plan.estimate.error), plan.estimate.confidence, static_cast<int>(plan.correction),
        plan.warm_up, plan.stage, plan.stage_share, plan.at_most, plan.epochs, static_cast<int>(plan.keep),
        settling.least_calls, settling.least_time.count(), settling.least_calls_later,
        settling.least_time_later.count(), settling.at_most, settling.at_most_time.count(),
        plan.limit.value_or(seconds{0}).count(), plan.stage_time.value_or(seconds{0}).count(), plan.start_falls_back);
    return detail::fnv1a(text);
}

}  // namespace measure
