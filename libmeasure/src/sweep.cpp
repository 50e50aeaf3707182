// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sweep.hpp"

#include "epoch.hpp"
#include "measure/error.hpp"
#include "measure/shuffle.hpp"
#include "mpi_state.hpp"

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

namespace detail {

namespace {

/// The communicator of a number of ranks with the clock that its points share.
struct Team {
    std::optional<Comm> comm;  ///< nothing on the ranks outside
    std::optional<GlobalClock> clock;
    std::optional<seconds> overhead;
    bool warmed = false;  ///< the operation has had its least warm-up on this communicator
};

/// A point without a value: no number, which refinement takes for a missing neighbour.
constexpr std::pair<double, double> nothing{std::numeric_limits<double>::quiet_NaN(), 0};

class PointWalk {
public:
    PointWalk(Comm const& comm, Plan const& plan, Measure const& measure, SweepOptions const& options,
              Write const& write)
        : comm_{comm}, plan_{plan}, measure_{measure}, options_{options}, write_{write} {}

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
                    throw UsageError("axis '" + last.name + "' is not of integers and cannot be refined");
                at(std::get<std::int64_t>(value));
            }
            while (auto const x = next(refiner))
                at(*x);
            result_.refinement = refiner.end();
            comm_.broadcast(result_.refinement);
        }
    }

    /// Measures again what is worth it, and records it.
    void again() {
        again_ = true;
        for (int round = 1; round <= options_.retries && !pending_.empty(); ++round) {
            for (std::size_t i = 0; i < pending_.size(); ++i) {
                auto& point = pending_[i];
                auto found = late_ ? std::nullopt : attempt(point.variants, point.stop);
                ++point.attempts;
                if (!found)
                    continue;
                Measured second{point.variants, point.stop, std::move(*found), point.attempts};
                for (auto& m : second.measurements)
                    m.attempt = point.attempts;
                if (quality(second) >= quality(point))
                    point = std::move(second);
            }
            std::vector<Measured> left;
            for (auto& point : std::exchange(pending_, {}))
                if (round < options_.retries && !late_ && is_worth_another(point))
                    left.push_back(std::move(point));
                else
                    record(point);
            pending_ = std::move(left);
        }
    }

    /// Writes what was held back, when a sweep ends early. Local to the root.
    void write_pending() {
        for (auto const& point : pending_)
            for (std::size_t i = 0; i < point.variants.size() && comm_.is_root(); ++i) {
                auto held = make_record(options_.benchmark, point.variants[i], point.measurements[i]);
                if (options_.finish)
                    options_.finish(held);
                write_(held, point.measurements[i]);
            }
    }

    [[nodiscard]] SweepResult result() const { return result_; }

private:
    /// The root's choice of the next x.
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

    /// A point with its variants, measured: what is recorded of it, now or at the end.
    struct Measured {
        std::vector<Point> variants;
        StoppingRule stop;
        std::vector<Measurement> measurements;  ///< [variants]
        int attempts = 1;
    };

    /// Measures a point with its variants; value and half width of the first one's interval, on the root.
    std::pair<double, double> point(Point const& at) {
        std::vector<Point> variants;
        if (!options_.variants) {
            variants.push_back(at);
        } else {
            for (auto const& value : options_.variants->values)
                variants.push_back(Point{at}.set(options_.variants->name, value));
        }
        if (options_.complete)
            for (auto& each : variants)
                options_.complete(each);
        if (!options_.innermost)
            return measured(std::move(variants));
        std::optional<std::pair<double, double>> first;
        for (auto const& each : variants) {
            auto const value = with_innermost(each);
            first = first.value_or(value);
        }
        return first.value_or(nothing);
    }

    /// One point that needs no other one.
    std::pair<double, double> measured(std::vector<Point> variants) {
        auto found = attempt(variants, plan_.stop);
        if (!found)
            return nothing;
        auto const value = value_of(found->front());
        Measured point{std::move(variants), plan_.stop, std::move(*found)};
        if (options_.retries > 0 && is_worth_another(point))
            pending_.push_back(std::move(point));
        else
            record(point);
        return value;
    }

    std::pair<double, double> with_innermost(Point const& at) {
        auto const& innermost = options_.innermost;
        auto const found = attempt({at}, innermost->stop);
        if (!found)
            return nothing;
        auto const& m = found->front();
        auto const values = values_at(at, m);
        if (values.empty())
            record(at, m);
        for (double const x : values)
            static_cast<void>(measured({Point{at}.set(innermost->name, x)}));
        return value_of(m);
    }

    [[nodiscard]] static std::pair<double, double> value_of(Measurement const& m) {
        if (!m.estimate || !m.defect.empty())
            return nothing;
        auto const& interval = m.estimate->interval;
        return {m.estimate->value, interval ? (interval->second - interval->first) / 2 : 0};
    }

    /// How far a measurement is to be believed. An operation that fails, or whose data are wrong, does so again.
    enum class Quality { none, few_valid, trend, good };
    [[nodiscard]] static Quality quality(Measurement const& m) {
        bool const failed = m.invalid.failed > 0 && m.invalid.failed == m.invalid.total() && m.valid == 0;
        if (failed || !m.defect.empty() || m.has_flag("clocks_disagree"))
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

    /// Collective.
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
        for (std::size_t i = 0; i < point.variants.size(); ++i)
            record(point.variants[i], point.measurements[i]);
    }

    /// The values of the innermost axis at a point; none where it could not be measured. Collective.
    std::vector<double> values_at(Point const& at, Measurement const& m) {
        std::vector<double> values;
        on_root([&] {
            if (m.estimate)
                values = options_.innermost->values(at, m);
        });
        comm_.broadcast(values);
        if (options_.shuffle)
            shuffle(std::span{values}, random_);
        return values;
    }

    /// One measurement of all variants, complete on the root; nothing where it could not be made, which is then
    /// recorded. Collective.
    std::optional<std::vector<Measurement>> attempt(std::vector<Point> const& variants, StoppingRule const& stop) {
        for (auto const& each : variants)
            if (options_.before)
                options_.before(each);
        auto const& at = variants.front();
        auto const ranks = static_cast<int>(at.has("ranks") ? at.integer("ranks") : comm_.size());
        Team& team = team_of(ranks);

        bool late = plan_.control.deadline && std::chrono::steady_clock::now() >= *plan_.control.deadline;
        comm_.broadcast(late);
        if (late) {
            late_ = true;
            skip(variants, "time_budget", false);
            return std::nullopt;
        }
        std::vector<Measurement> found;
        Fate fate;
        std::string text;
        std::exception_ptr error;
        if (team.comm) {
            try {
                found = measure_(*team.comm, plan_for(team, stop), variants);
            } catch (std::bad_alloc const&) {
                fate.no_memory = true;
            } catch (Unmeasurable const& e) {
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
        team.warmed = true;
        if (!comm_.is_root())
            found.assign(variants.size(), {});
        if (fate.no_memory || fate.left_out) {
            skip(variants, fate.no_memory ? "out of memory" : text, fate.no_memory);
            return std::nullopt;
        }
        // The time ran out in the warm-up: the point has not begun.
        bool unbegun = comm_.is_root() && found.front().attempts == 0 && found.front().reason == "budget";
        comm_.broadcast(unbegun);
        if (unbegun) {
            late_ = true;
            skip(variants, "time_budget", false);
            return std::nullopt;
        }
        // Clocks that moved apart are synchronised again before the next point; the root decides on a clock's age.
        for (auto const& m : found)
            for (char const* const flag : {"sync_degraded", "sync_poor"})
                if (team.clock && m.has_flag(flag))
                    team.clock->expire();
        return found;
    }

    /// Records points that cannot be measured; while points are measured again, the earlier measurement stays.
    void skip(std::vector<Point> const& variants, std::string const& reason, bool no_memory) {
        if (again_)
            return;
        for (auto const& at : variants) {
            if (reason != "time_budget")
                ++result_.points;
            auto skipped = make_record(options_.benchmark, at, Outcome::skipped, reason);
            if (no_memory)
                skipped.flag("no_memory");
            record(std::move(skipped), {}, true);
        }
    }

    /// How a point ended, but for its numbers.
    struct Fate {
        bool no_memory = false;
        bool left_out = false;
        bool failed = false;
        int interrupted = 0;
    };

    /// The ranks outside the team wait asleep for its end and learn of it: an exception of the team, which the root
    /// always belongs to, becomes one on all ranks, and so does the reason of a point that is left out; a stop flag of
    /// any rank ends the sweep.
    void agree(Fate& fate, std::string& text, std::exception_ptr const& error) {
        comm_.sleeping_barrier();
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

    void record(Point const& at, Measurement const& m) {
        ++result_.points;
        record(make_record(options_.benchmark, at, m), m, m.verdict == Verdict::no_valid_samples || !m.defect.empty());
    }

    /// Writes on the root, and tells everyone whether the point is incomplete. Collective.
    void record(Record r, Measurement const& m, bool incomplete) {
        on_root([&] {
            if (options_.finish)
                options_.finish(r);
            write_(r, m);
        });
        comm_.broadcast(incomplete);
        result_.incomplete += incomplete;
    }

    /// What a call on the root throws is thrown on all ranks. Collective.
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
        return teams_.emplace(ranks, Team{comm_.first(ranks), {}, {}}).first->second;
    }

    /// The plan with the team's clock and overhead, both measured when first needed. Collective over the team.
    Plan plan_for(Team& team, StoppingRule const& stop) {
        Plan plan = plan_;
        plan.stop = stop;
        if (team.warmed && plan.settling && plan.epochs == 1)
            plan.settling->least_calls = 0;
        Comm const& comm = *team.comm;
        std::visit([&](auto& start) { keep_clock(comm, team, start); }, plan.start);
        if (plan.correction != Correction::none && !plan.overhead) {
            if (!team.overhead)
                team.overhead = options_.empty ? options_.empty(comm, plan) : empty_sample(comm, plan);
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
    Measure const& measure_;
    SweepOptions const& options_;
    Write const& write_;
    std::map<int, Team> teams_;
    std::mt19937_64 random_{options_.seed};
    SweepResult result_;
    std::vector<Measured> pending_;  ///< measured, to be measured again at the end
    bool late_ = false;
    bool again_ = false;  ///< that end has come
};

}  // namespace

SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes, Measure const& measure,
                  SweepOptions const& options, Write const& write) {
    need_mpi(comm);
    if (options.refine && options.shuffle)
        throw UsageError("refinement chooses its own order: it cannot be shuffled");
    if (options.retries < 0 || options.retries > 10)
        throw UsageError("a sweep measures a point again 0 to 10 times");
    PointWalk walk(comm, plan, measure, options, write);
    try {
        if (options.refine)
            walk.refined(axes, *options.refine);
        else if (options.shuffle)
            walk.shuffled(points_of(axes));
        else
            walk.in_order(points_of(axes));
        walk.again();
    } catch (...) {
        walk.write_pending();
        throw;
    }
    return walk.result();
}

SweepResult sweep_made(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes, MakeAt const& make,
                       SweepOptions const& options, Write const& write) {
    auto const measure = [&](Comm const& team, Plan const& team_plan, std::vector<Point> const& variants) {
        // Operations die with their epoch, before the next one's communicators take these places.
        std::vector<std::optional<Comm>> own(variants.size());
        std::vector<LoopMaker> makers;
        for (std::size_t i = 0; i < variants.size(); ++i)
            makers.emplace_back([&, i](Comm const& epoch) {
                own[i].reset();
                if (options.communicator)
                    own[i] = options.communicator(epoch, variants[i]);
                return make(team_plan.timer, own[i] ? *own[i] : epoch, variants[i]);
            });
        return run_together(team, team_plan, makers, options.seed, true);
    };
    return detail::sweep(comm, plan, axes, measure, options, write);
}

}  // namespace detail
}  // namespace measure
