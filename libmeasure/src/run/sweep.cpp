// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sweep.hpp"

#include "core/mpi_state.hpp"
#include "measure/error.hpp"
#include "measure/shuffle.hpp"
#include "run/epoch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <new>
#include <random>
#include <span>

namespace measure {

Axis powers_of_two(std::string name, std::int64_t low, std::int64_t high) {
    Axis axis{std::move(name), {}};
    for (auto const x : geometric_points(low, high, 2))
        axis.values.emplace_back(x);
    return axis;
}

Axis values(std::string name, std::vector<std::int64_t> list) {
    if (list.empty())
        throw UsageError("axis '" + name + "' has no values");
    Axis axis{std::move(name), {}};
    for (auto const x : list)
        axis.values.emplace_back(x);
    return axis;
}

std::vector<Point> points_of(std::vector<Axis> const& axes) {
    std::vector<Point> points{Point{}};
    for (auto const& axis : axes) {
        if (axis.values.empty())
            throw UsageError("axis '" + axis.name + "' has no values");
        std::vector<Point> longer;
        for (auto const& point : points)
            for (auto const& value : axis.values)
                longer.push_back(Point{point}.set(axis.name, value));
        points = std::move(longer);
    }
    return points;
}

std::vector<Axis> axes_of(Benchmark const& benchmark, std::vector<Axis> axes) {
    for (auto const& own : benchmark.axes) {
        auto const found =
            std::find_if(axes.begin(), axes.end(), [&](Axis const& axis) { return axis.name == own.name; });
        if (found == axes.end())
            throw UsageError(benchmark.name + ": there is no axis '" + own.name + "'");
        if (own.values.empty())
            axes.erase(found);
        else
            *found = own;
    }
    return axes;
}

namespace detail {

namespace {

/// Settling for an operation that was already warmed up at another point.
Settling of_later_point(Settling settling) {
    settling.least_calls = std::min(settling.least_calls, settling.least_calls_later);
    settling.least_time = std::min(settling.least_time, settling.least_time_later);
    return settling;
}

/// Communicator for a number of ranks, with the clock that its points share.
struct Team {
    std::optional<Comm> comm;  ///< empty on ranks outside
    std::optional<GlobalClock> clock;
    std::optional<seconds> overhead;
    bool warmed = false;  ///< the operation has completed its least warm-up on this communicator
};

/// A point without a value: NaN, which refinement treats as a missing neighbour.
constexpr std::pair<double, double> nothing{std::numeric_limits<double>::quiet_NaN(), 0};

/// A benchmark at a point, measured alone or together with others.
struct Contestant {
    Benchmark const* benchmark;
    Point at;
};

class PointWalk {
public:
    PointWalk(Comm const& comm, Plan const& plan, std::vector<Benchmark const*> const& compared,
              SweepOptions const& options, Write const& write)
        : comm_{comm}, plan_{plan}, compared_{compared}, first_{*compared.front()}, options_{options}, write_{write} {}

    void shuffled(std::vector<Point> points) {
        shuffle(std::span{points}, random_);
        for (auto const& p : points)
            point(p);
    }

    void in_order(std::vector<Point> const& points) {
        for (auto const& p : points)
            point(p);
    }

    void refined(std::vector<Axis> axes, Refinement const& rule) {
        if (axes.empty())
            throw UsageError("there is no axis to refine");
        Axis const last = axes.back();
        axes.pop_back();
        for (auto const& setting : points_of(axes)) {
            Refiner refiner(rule);
            auto const at = [&](std::int64_t x) {
                auto const [t, half_width] = point(Point{setting}.set(last.name, x));
                refiner.add(x, t, half_width);
            };
            for (auto const& value : last.values) {
                if (!std::holds_alternative<std::int64_t>(value))
                    throw UsageError("axis '" + last.name + "' has values that are not integers and cannot be refined");
                at(std::get<std::int64_t>(value));
            }
            while (auto const x = next(refiner))
                at(*x);
            result_.refinement = refiner.end();
            comm_.broadcast(result_.refinement);
        }
    }

    /// Repeats measurements that are worth it, and records them.
    void again() {
        again_ = true;
        for (int round = 1; round <= options_.retries && !pending_.empty(); ++round) {
            for (std::size_t i = 0; i < pending_.size(); ++i) {
                auto& point = pending_[i];
                auto found = late_ ? std::nullopt : attempt(point.contestants, std::nullopt);
                ++point.attempts;
                if (!found)
                    continue;
                Measured second{point.contestants, std::move(*found), point.attempts};
                for (auto& m : second.measurements)
                    m.attempt = point.attempts;
                if (quality(second) >= quality(point))
                    point = std::move(second);
            }
            // Points are removed one by one: if recording throws, the others can still be written.
            for (std::size_t i = 0; i < pending_.size();) {
                if (round < options_.retries && !late_ && is_worth_another(pending_[i])) {
                    ++i;
                    continue;
                }
                Measured const point = std::move(pending_[i]);
                pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
                record(point);
            }
        }
    }

    /// Writes pending points if a sweep ends early. Local to the root.
    void write_pending() {
        for (auto const& point : pending_)
            for (std::size_t i = 0; i < point.contestants.size() && comm_.is_root(); ++i) {
                auto const& [benchmark, at] = point.contestants[i];
                write(*benchmark, make_record(benchmark->name, at, point.measurements[i]), point.measurements[i]);
            }
    }

    [[nodiscard]] SweepResult result() const { return result_; }

private:
    /// Broadcasts the root's choice of the next x.
    std::optional<std::int64_t> next(Refiner& refiner) {
        struct {
            bool more = false;
            std::int64_t x = 0;
        } word;
        if (comm_.is_root() && !late_)
            if (auto const x = refiner.next())
                word = {true, *x};
        comm_.broadcast(word);
        return word.more ? std::optional{word.x} : std::nullopt;
    }

    /// A point with all of its measurements, to be recorded now or at the end.
    struct Measured {
        std::vector<Contestant> contestants;
        std::vector<Measurement> measurements;  ///< [contestants]
        int attempts = 1;
    };

    [[nodiscard]] std::vector<Contestant> contestants(Point const& at) const {
        std::vector<Contestant> result;
        for (auto const* const benchmark : compared_) {
            if (!benchmark->variants) {
                result.push_back({benchmark, at});
            } else {
                for (auto const& value : benchmark->variants->values)
                    result.push_back({benchmark, Point{at}.set(benchmark->variants->name, value)});
            }
        }
        for (auto& [benchmark, point] : result)
            if (benchmark->complete)
                benchmark->complete(point);
        return result;
    }

    /// Measures a point with all contestants. Returns value and half width of the interval of the first one, on the
    /// root.
    std::pair<double, double> point(Point const& at) {
        auto all = contestants(at);
        if (!first_.innermost)
            return measured(std::move(all));
        std::optional<std::pair<double, double>> first;
        for (auto const& each : all) {
            auto const value = with_innermost(each);
            first = first.value_or(value);
        }
        return first.value_or(nothing);
    }

    /// Measures one point without an innermost axis.
    std::pair<double, double> measured(std::vector<Contestant> all) {
        auto found = attempt(all, std::nullopt);
        if (!found)
            return nothing;
        auto const value = value_of(found->front());
        Measured point{std::move(all), std::move(*found)};
        if (options_.retries > 0 && is_worth_another(point))
            pending_.push_back(std::move(point));
        else
            record(point);
        return value;
    }

    std::pair<double, double> with_innermost(Contestant const& contestant) {
        auto const& innermost = first_.innermost;
        auto const& at = contestant.at;
        auto const found = attempt({contestant}, innermost->stop);
        if (!found)
            return nothing;
        auto const& m = found->front();
        auto const values = values_at(at, m);
        if (values.empty())
            record(contestant, m);
        for (double const x : values)
            static_cast<void>(measured({{contestant.benchmark, Point{at}.set(innermost->name, x)}}));
        return value_of(m);
    }

    [[nodiscard]] static std::pair<double, double> value_of(Measurement const& m) {
        if (!m.estimate || !m.data_error.empty())
            return nothing;
        auto const& interval = m.estimate->interval;
        return {m.estimate->value, interval ? (interval->second - interval->first) / 2 : 0};
    }

    /// Trust in a measurement. An operation that fails or has wrong data would fail again, so repeating is pointless.
    enum class Quality { none, few_valid, trend, good };
    [[nodiscard]] static Quality quality(Measurement const& m) {
        bool const failed = m.invalid.failed > 0 && m.invalid.failed == m.invalid.total() && m.valid == 0;
        if (failed || !m.data_error.empty() || m.has_flag("clocks_disagree"))
            return Quality::good;
        return !m.estimate               ? Quality::none
               : m.has_flag("few_valid") ? Quality::few_valid
               : m.trend                 ? Quality::trend
                                         : Quality::good;
    }
    [[nodiscard]] static Quality quality(Measured const& point) {
        Quality least = Quality::good;
        for (auto const& m : point.measurements)
            least = std::min(least, quality(m));
        return least;
    }

    /// Whether to repeat the point. Collective.
    bool is_worth_another(Measured const& point) {
        bool again = false;
        if (comm_.is_root()) {
            auto const q = quality(point);
            again = q < Quality::trend || (q == Quality::trend && point.attempts == 1);
        }
        comm_.broadcast(again);
        return again;
    }

    void record(Measured const& point) {
        for (std::size_t i = 0; i < point.contestants.size(); ++i)
            record(point.contestants[i], point.measurements[i]);
    }

    /// Values of the innermost axis at a point; empty if it could not be measured. Collective.
    std::vector<double> values_at(Point const& at, Measurement const& m) {
        std::vector<double> values;
        on_root([&] {
            if (m.estimate)
                values = first_.innermost->values(at, m);
        });
        comm_.broadcast(values);
        if (options_.shuffle)
            shuffle(std::span{values}, random_);
        return values;
    }

    /// Whether a benchmark has its own communicators. These are new for each point and need a full warm-up.
    [[nodiscard]] static bool has_own_communicators(std::vector<Contestant> const& all) {
        return std::any_of(all.begin(), all.end(),
                           [](Contestant const& each) { return bool{each.benchmark->communicator}; });
    }

    /// Runs the operations from their makers in the library's loop.
    std::vector<Measurement> run_makers(Comm const& team, Plan const& plan, std::vector<Contestant> const& all) {
        // Operations are destroyed with their epoch, before the communicators of the next epoch replace these.
        std::vector<std::optional<Comm>> own(all.size());
        std::vector<LoopMaker> makers;
        for (std::size_t i = 0; i < all.size(); ++i)
            makers.emplace_back([&, i](Comm const& epoch) {
                auto const& [benchmark, at] = all[i];
                own[i].reset();
                if (benchmark->communicator)
                    own[i] = benchmark->communicator(epoch, at);
                return benchmark->make(own[i] ? *own[i] : epoch, plan, at);
            });
        return run_together(team, plan, makers, options_.seed,
                            has_own_communicators(all) ? MadeAnew::communicator : MadeAnew::operation);
    }

    std::vector<Measurement> run_all(Comm const& team, Plan const& plan, std::vector<Contestant> const& all) {
        if (!first_.loop)
            return run_makers(team, plan, all);
        std::vector<Point> points;
        for (auto const& each : all)
            points.push_back(each.at);
        auto found = first_.loop(team, plan, points);
        if (team.is_root() && found.size() != points.size())
            throw UsageError(first_.name + ": its loop must return one measurement per variant");
        return found;
    }

    /// One measurement of all contestants, complete on the root. Empty if it could not be made; the point is then
    /// recorded as skipped. Collective.
    std::optional<std::vector<Measurement>> attempt(std::vector<Contestant> const& all,
                                                    std::optional<StoppingRule> const& stop) {
        for (auto const& [benchmark, point] : all)
            if (options_.before)
                options_.before(*benchmark, point);
        auto const& at = all.front().at;
        auto const ranks = static_cast<int>(at.has("ranks") ? at.integer("ranks") : comm_.size());
        Team& team = team_of(ranks);

        bool late = plan_.control.deadline && SteadyClock::now() >= *plan_.control.deadline;
        comm_.broadcast(late);
        if (late) {
            late_ = true;
            skip(all, "time_budget", false);
            return std::nullopt;
        }
        std::vector<Measurement> found;
        Fate fate;
        std::string text;
        std::exception_ptr error;
        if (team.comm) {
            try {
                found = run_all(*team.comm, plan_for(team, all, stop), all);
            } catch (std::bad_alloc const&) {
                fate.no_memory = true;
            } catch (SkipPoint const& e) {
                fate.left_out = true;
                text = e.what();
            } catch (Interrupted const& e) {
                fate.interrupted = e.value();
            } catch (std::exception const& e) {
                fate.failed = true;
                text = e.what();
                error = std::current_exception();
            } catch (...) {
                fate.failed = true;
                text = "the operation threw something that is not a std::exception";
                error = std::current_exception();
            }
        }
        agree(fate, text, error);
        team.warmed |= !fate.no_memory && !fate.left_out;
        if (!comm_.is_root())
            found.assign(all.size(), {});
        if (fate.no_memory || fate.left_out) {
            skip(all, fate.no_memory ? "out of memory" : text, fate.no_memory);
            return std::nullopt;
        }
        // If time ran out during warm-up, the point has not started.
        bool unbegun = comm_.is_root() && found.front().attempts == 0 && found.front().stop_reason == "budget";
        comm_.broadcast(unbegun);
        if (unbegun) {
            late_ = true;
            skip(all, "time_budget", false);
            return std::nullopt;
        }
        // If clocks have drifted apart, they are synchronised before the next point. The root decides about the age of
        // a clock.
        for (auto const& m : found)
            for (char const* const flag : {"sync_degraded", "sync_poor"})
                if (team.clock && m.has_flag(flag))
                    team.clock->expire();
        return found;
    }

    /// Records points that cannot be measured. In repetitions the earlier measurement is kept.
    void skip(std::vector<Contestant> const& all, std::string const& reason, bool no_memory) {
        if (again_)
            return;
        for (auto const& [benchmark, at] : all) {
            if (reason != "time_budget")
                ++result_.points;
            auto skipped = make_record(benchmark->name, at, PointStatus::skipped, reason);
            if (no_memory)
                skipped.flag("no_memory");
            record(*benchmark, std::move(skipped), {}, true);
        }
    }

    /// Outcome of a point, apart from its values.
    struct Fate {
        bool no_memory = false;
        bool left_out = false;
        bool failed = false;
        int interrupted = 0;
    };

    /// Agrees on the outcome. Ranks outside the team wait without spinning. The root belongs to the team. An exception
    /// in the team is thrown on all ranks. The reason of a skipped point is broadcast. A stop flag on any rank ends the
    /// sweep.
    void agree(Fate& fate, std::string& text, std::exception_ptr const& error) {
        comm_.idle_barrier();
        comm_.broadcast(fate);
        if (fate.interrupted == 0)
            fate.interrupted = static_cast<int>(comm_.max(stop_flag(plan_.control)));
        if (fate.interrupted != 0)
            throw Interrupted(fate.interrupted);
        if (fate.failed || fate.left_out)
            comm_.broadcast(text);
        if (!fate.failed)
            return;
        if (error)
            std::rethrow_exception(error);
        throw BodyError(text);
    }

    void record(Contestant const& contestant, Measurement const& m) {
        auto const& [benchmark, at] = contestant;
        ++result_.points;
        record(*benchmark, make_record(benchmark->name, at, m), m,
               m.verdict == StopVerdict::no_valid_samples || !m.data_error.empty());
    }

    /// Root only.
    void write(Benchmark const& benchmark, Record record, Measurement const& m) const {
        record.semantics = benchmark.semantics;
        if (benchmark.finish)
            benchmark.finish(record, m);
        write_(record, m);
    }

    /// Writes on the root, and counts incomplete points on all ranks. Collective.
    void record(Benchmark const& benchmark, Record r, Measurement const& m, bool incomplete) {
        on_root([&] { write(benchmark, std::move(r), m); });
        comm_.broadcast(incomplete);
        result_.incomplete += incomplete;
    }

    /// Runs a call on the root; an exception is thrown on all ranks. Collective.
    template <class Call>
    void on_root(Call&& call) {
        std::exception_ptr error;
        std::string text;
        if (comm_.is_root()) {
            try {
                call();
            } catch (std::exception const& e) {
                error = std::current_exception();
                text = e.what();
            } catch (...) {
                error = std::current_exception();
                text = "the caller's part threw something that is not a std::exception";
            }
        }
        bool failed = error != nullptr;
        comm_.broadcast(failed);
        if (!failed)
            return;
        comm_.broadcast(text);
        if (error)
            std::rethrow_exception(error);
        throw BodyError(text);
    }

    Team& team_of(int ranks) {
        auto const found = teams_.find(ranks);
        if (found != teams_.end())
            return found->second;
        return teams_.emplace(ranks, Team{comm_.first_ranks(ranks), {}, {}}).first->second;
    }

    /// The plan with the team's clock and overhead, both measured when first needed. Collective over the team.
    /// \param stop  replaces the plan's rule
    Plan plan_for(Team& team, std::vector<Contestant> const& all, std::optional<StoppingRule> const& stop) {
        Plan plan = plan_;
        if (first_.adjust)
            first_.adjust(all.front().at, plan);
        if (stop)
            plan.stop = *stop;
        if (team.warmed && plan.settling && plan.epochs == 1 && !has_own_communicators(all))
            *plan.settling = of_later_point(*plan.settling);
        Comm const& comm = *team.comm;
        std::visit([&](auto& start) { keep_clock(comm, team, start); }, plan.start);
        if (plan.correction != Correction::none && !plan.overhead) {
            if (!team.overhead)
                team.overhead = first_.empty ? first_.empty(comm, plan) : empty_sample(comm, plan);
            plan.overhead = team.overhead;
        }
        return plan;
    }

    template <class S>
    void keep_clock(Comm const& comm, Team& team, S& start) {
        if constexpr (std::is_same_v<S, AutoStart>) {
            keep_clock(comm, team, start.slot);
        } else if constexpr (requires { start.resync_after; }) {
            if (start.clock || plan_.epochs > 1)
                return;
            bool young = team.clock && team.clock->is_young(start.resync_after);
            comm.broadcast(young);
            if (!young)
                team.clock = team.clock ? synchronise(comm, plan_.timer, start.sync, *team.clock)
                                        : synchronise(comm, plan_.timer, start.sync);
            start.clock = team.clock;
        }
    }

    Comm const& comm_;
    Plan const& plan_;
    std::vector<Benchmark const*> const& compared_;
    Benchmark const& first_;
    SweepOptions const& options_;
    Write const& write_;
    std::map<int, Team> teams_;
    std::mt19937_64 random_{options_.seed};
    SweepResult result_;
    std::vector<Measured> pending_;  ///< measured points that will be repeated at the end
    bool late_ = false;
    bool again_ = false;  ///< points are being repeated
};

void check(std::vector<Benchmark const*> const& compared, SweepOptions const& options) {
    if (options.refine && options.shuffle)
        throw UsageError("refinement chooses its own order and cannot be combined with shuffling");
    if (options.retries < 0 || options.retries > 10)
        throw UsageError("retries must be between 0 and 10");
    if (compared.empty())
        throw UsageError("there is no benchmark");
    for (auto const* const each : compared) {
        if (!each->make && !each->loop)
            throw UsageError(each->name + ": it has neither a maker nor a loop");
        if (compared.size() > 1 && (each->loop || each->variants || each->innermost || !each->axes.empty()))
            throw UsageError(each->name +
                             ": benchmarks that are compared cannot have their own variants, loop or axes");
    }
}

}  // namespace

SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes,
                  std::vector<Benchmark const*> const& compared, SweepOptions const& options, Write const& write) {
    need_mpi(comm);
    check(compared, options);
    auto const& first = *compared.front();
    auto const own_axes = axes_of(first, axes);
    PointWalk walk(comm, plan, compared, options, write);
    try {
        if (options.refine)
            walk.refined(own_axes, *options.refine);
        else if (options.shuffle)
            walk.shuffled(points_of(own_axes));
        else
            walk.in_order(points_of(own_axes));
        walk.again();
    } catch (...) {
        walk.write_pending();
        throw;
    }
    return walk.result();
}

}  // namespace detail
}  // namespace measure
