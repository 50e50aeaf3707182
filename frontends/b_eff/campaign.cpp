// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/campaign.hpp"

#include "b_eff/files.hpp"
#include "b_eff/hpcc.hpp"
#include "b_eff/loops.hpp"
#include "b_eff/pace.hpp"
#include "b_eff/plot.hpp"
#include "b_eff/report.hpp"
#include "b_eff/result.hpp"
#include "b_eff/rules.hpp"
#include "b_eff/tables.hpp"
#include "bodies/memory.hpp"
#include "program/runtime/ending_text.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>
#include <measure/shuffle.hpp>

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace b_eff {

namespace {

using Clock = measure::SteadyClock;

double since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

std::string system_text() {
    utsname u{};
    uname(&u);
    return fmt::format("{} {} {} {} {}", u.sysname, u.nodename, u.release, u.version, u.machine);
}

/// Allocates the memory before the first measurement, or ends the run on all ranks. Collective.
std::unique_ptr<Mailbox> take_memory(measure::Comm const& world, Setup const& setup) {
    auto const refusal = [&](char const* how) {
        return measure::UsageError(
            fmt::format("--mem: the buffers (12 times Lmax) need {} bytes, which {} on rank {}; choose a smaller size",
                        setup.buffers(), how, world.rank()));
    };
    auto const left = bodies::memory_left(world);
    measure::agree_on_failure(world, [&] {
        if (setup.buffers() > left)
            throw refusal("exceed the memory of a process");
    });
    return measure::agree_on_failure(world, [&] {
        try {
            return std::make_unique<Mailbox>(setup.largest());
        } catch (std::bad_alloc const&) {
            throw refusal("cannot be allocated");
        }
    });
}

class Campaign {
public:
    Campaign(Setup const& setup, program::Session& session, Clock::time_point started)
        : setup_{setup}, session_{session}, world_{session.world()}, started_{started},
          box_{take_memory(world_, setup)}, loops_{world_, setup, *box_}, files_{world_, setup.prefix},
          results_{setup.ranks, setup.lengths, setup.patterns, setup.methods,
                   static_cast<std::size_t>(setup.repetitions)},
          pace_{setup, results_} {
        if (world_.oversubscribed())
            session.warn("OVERSUBSCRIBED: more processes than cores, so the times include waiting for a core");
        program::warn_of_quota(session);
        timer_ = measure::timer_from(session.common().timer, world_, session.common().seed);
        environment_ = &session.begin(timer_, describe(setup, loops_.orders()));
        loops_.use(timer_, environment_->timer.step(), session.control());
        session.plan(points());
    }

    void measure() {
        write_head();
        try {
            if (measure_cells())
                finish();
            else
                break_off("FAILED: wrong data");
        } catch (...) {
            break_off(program::ending_text());
            throw;
        }
    }

private:
    /// \returns false if the data check failed
    bool measure_cells() {
        auto const begun = Clock::now();
        for (std::size_t r = 0; r < results_.repetitions; ++r) {
            if (!begin_repetition(r))
                return false;
            for (std::size_t l = 0; l < length_count; ++l)
                if (!measure_length(r, l))
                    return false;
        }
        loop_elapsed_ = since(begun) - prepared_;
        return true;
    }

    /// Writes to the reports that the run ended early.
    void break_off(std::string const& how) {
        for (auto* const file : {&files_.protocol, &files_.analysis, &files_.sum})
            files_.write(*file, how + ": no b_eff\n");
    }

    [[nodiscard]] std::int64_t points() const {
        std::size_t n = 0;
        for (Pattern const& p : setup_.patterns)
            for (Method const m : setup_.methods)
                n += p.allows(m) ? results_.repetitions * length_count : 0;
        return static_cast<std::int64_t>(n);
    }

    [[nodiscard]] RunFacts facts() const {
        bool const shortened = cuts_.any() || stopped_;
        return {.environment = *environment_,
                .marks = marks(setup_, shortened, world_.oversubscribed()),
                .system = system_text(),
                .loop_elapsed = loop_elapsed_,
                .wall_clock = since(started_),
                .last_two = cuts_.last_two};
    }

    void write_head() {
        if (!world_.is_root())
            return;
        auto const f = facts();
        files_.write(files_.protocol, head(setup_, f, loops_.orders()));
        files_.write(files_.analysis, head(setup_, f, {}));
        files_.write(files_.sum, page_head(setup_, f));
    }

    /// Sets the first loop lengths. Oversubscribed hosts would take minutes for 300 executions.
    /// \returns false if the data check failed
    bool begin_repetition(std::size_t repetition) {
        auto const begun = Clock::now();
        for (std::size_t m = 0; m < setup_.methods.size(); ++m) {
            if (setup_.loop == LoopRule::classic && !world_.oversubscribed())
                pace_.begin(m, std::nullopt, 0);
            else if (!calibrate(repetition, m))
                return false;
        }
        prepared_ += since(begun);
        return true;
    }

    /// Calibrates with all patterns, or only with the rings for the classic rule.
    bool calibrate(std::size_t repetition, std::size_t method) {
        session_.next(fmt::format("calibration {}", name(setup_.methods[method])));
        double sum = 0;
        int count = 0;
        for (std::size_t p = 0; p < setup_.patterns.size(); ++p) {
            Pattern const& q = setup_.patterns[p];
            bool const is_part = setup_.loop == LoopRule::timed || q.family == Family::ring;
            if (!q.allows(setup_.methods[method]) || !is_part || stopped_)
                continue;
            auto const joined = measured({repetition, 0, p, method}, calibration_loop);
            if (!joined)
                return false;
            sum += joined->time.max * calibration_loop / static_cast<double>(joined->loop);
            ++count;
        }
        pace_.begin(method, sum, count);
        return true;
    }

    /// Checks for signals and the time budget. It is not called before every loop, because on a busy machine waiting
    /// ranks would give their cores away. Loops exchange stop requests themselves. Collective.
    void meet() { stopped_ = session_.meet() || stopped_; }

    /// Returns nothing if the data check failed. \throws std::runtime_error on all ranks if MPI failed on one
    [[nodiscard]] std::optional<Joined> measured(Place place, std::int64_t loop) {
        auto joined = loops_.measure(place.pattern, setup_.methods[place.method], place.length, loop);
        if (joined.halts)
            meet();
        if (joined.fault == Joined::Failure::none)
            return joined;
        if (joined.fault == Joined::Failure::mpi)
            throw std::runtime_error(fmt::format("{} {}: {}", setup_.patterns[place.pattern].key,
                                                 name(setup_.methods[place.method]), joined.text));
        give_up(place, joined.text);
        return std::nullopt;
    }

    /// \returns false if the data check failed
    bool measure_length(std::size_t repetition, std::size_t length) {
        meet();
        auto const begun = Clock::now();
        Order order;
        if (world_.is_root())
            order = pace_.order(repetition, length, cuts_, time_left());
        world_.broadcast(order);
        auto const now = in_effect(order.cuts, length);
        cuts_ = {cuts_.no_extra || now.no_extra, cuts_.last_two || now.last_two};
        bool const only_best = in_effect(cuts_, length).last_two;
        if (only_best) {
            best_methods_ = pace_.best_methods();
            world_.broadcast(best_methods_);
        }
        if (only_best && length == last_length && repetition >= repetitions_of_last) {
            copy_repetition(results_, repetition, length);
            return true;
        }
        auto const refreshed = Clock::now();
        loops_.refresh();
        prepared_ += since(refreshed);
        for (std::size_t p = 0; p < setup_.patterns.size(); ++p)
            if (!measure_pattern({repetition, length, p, 0}, order, only_best))
                return false;
        if (world_.is_root()) {
            if (only_best)
                copy_methods(results_, repetition, length);
            if (!stopped_)
                pace_.learn(repetition, length, since(begun), in_effect(cuts_, length));
        }
        return true;
    }

    bool measure_pattern(Place place, Order const& order, bool only_best) {
        Pattern const& p = setup_.patterns[place.pattern];
        if (!p.counts() && in_effect(cuts_, place.length).no_extra)
            return true;
        for (place.method = 0; place.method < setup_.methods.size(); ++place.method) {
            bool const is_left_out = only_best && static_cast<int>(place.method) != best_methods_[place.pattern];
            if (!p.allows(setup_.methods[place.method]) || is_left_out)
                continue;
            if (stopped_)
                skip(place);
            else if (!measure_cell(place, only_best ? 1 : order.loops[place.method]))
                return false;
        }
        return true;
    }

    /// Records a skipped cell. Patterns for analysis are not recorded.
    void skip(Place place) {
        if (world_.is_root() && setup_.patterns[place.pattern].counts())
            session_.left_out(measure::make_record("b_eff", coordinates(results_, place), measure::PointStatus::skipped,
                                                   "time_budget"));
    }

    bool measure_cell(Place place, std::int64_t loop) {
        session_.next(fmt::format("{} bytes={} {}", setup_.patterns[place.pattern].key, setup_.lengths[place.length],
                                  name(setup_.methods[place.method])));
        auto const begun = Clock::now();
        auto const joined = measured(place, loop);
        if (!joined)
            return false;
        if (!world_.is_root())
            return true;
        results_.at(place) = {.state = joined->is_resolved ? Cell::State::measured : Cell::State::unresolved,
                              .lengthened = joined->loop > longest_loop && setup_.loop == LoopRule::classic,
                              .late_start = setup_.slots && joined->by_barrier,
                              .is_backward = joined->is_backward,
                              .loop = joined->loop,
                              .time = joined->time,
                              .elapsed = since(begun),
                              .runs = joined->runs,
                              .settling = joined->settling};
        write(place);
        return true;
    }

    void write(Place place) {
        auto r = record(results_, place);
        if (world_.oversubscribed())
            r.flag("oversubscribed");
        if (in_effect(cuts_, place.length).last_two)
            r.flag("shortened");
        // An unresolved cell counts as missing only if no other method has a value.
        if (r.value)
            session_.point(r);
        else
            session_.left_out(r);
    }

    void give_up(Place place, std::string const& text) {
        session_.check_failed();
        if (!world_.is_root())
            return;
        auto const what =
            fmt::format("{}: {} bytes, {}, repetition {}: {}", setup_.patterns[place.pattern].key,
                        setup_.lengths[place.length], name(setup_.methods[place.method]), place.repetition + 1, text);
        program::stderr_line(fmt::format("{}: error: {}", environment_->program, what));
        session_.left_out(
            measure::make_record("b_eff", coordinates(results_, place), measure::PointStatus::crashed, text));
    }

    // The following functions run on the root.

    /// Remaining seconds of the time budget.
    [[nodiscard]] std::optional<double> time_left() const {
        auto const budget = session_.common().time_budget;
        return budget && !stopped_ ? std::optional{budget->count() - since(started_)} : std::nullopt;
    }

    /// Prints the result before it writes the files, so that a file that cannot be written costs nothing else.
    void finish() {
        Averages const averages{results_};
        bool has_b_eff = false;
        measure::on_root(world_, [&] {
            auto const f = figures(averages);
            auto run = facts();
            has_b_eff = f.b_eff.has_value();
            run.noise = noise(averages, f.b_eff ? Number{f.b_eff->both} : Number{}, world_.oversubscribed());
            note(f, run);
            session_.text() << (has_b_eff ? final_line(setup_, f.b_eff->both, run)
                                          : "no b_eff: a pattern or length has no value")
                            << '\n'
                            << std::flush;
            for (auto const& s : summaries(averages, f,
                                           {.memory = setup_.memory,
                                           .rmax = setup_.rmax,
                                           .marks = run.marks,
                                           .noise = run.noise,
                                           .pair = ping_pong_hosts(*environment_)}))
                session_.summary(s);
            session_.summary(summary(hpcc(results_)));
            write_files(averages, f, run);
        });
        if (world_.is_root() && !has_b_eff)
            session_.incomplete();
        if (!files_.fault().empty())
            session_.fail(files_.fault());
    }

    void note(Figures const& f, RunFacts& run) {
        if (cuts_.last_two)
            run.notes.emplace_back("CAUTION: methods cannot be compared at the two longest lengths");
        if (world_.oversubscribed())
            run.notes.emplace_back(
                "OVERSUBSCRIBED: more processes than cores, so the times include waiting for a core");
        if (auto const late =
                std::count_if(results_.cells.begin(), results_.cells.end(),
                              [](Cell const& c) { return c.late_start && c.state != Cell::State::copied; });
            late > 0)
            run.notes.push_back(fmt::format("SLOT: {} loops missed the common start and began with a barrier", late));
        if (f.spread && *f.spread > largest_spread)
            run.notes.push_back(fmt::format(
                "WARNING: the median difference of repetitions is {:.0f} %: the machine is busy", *f.spread * 100));
        if (!run.notes.empty() && run.notes.back().starts_with("WARNING: "))
            session_.warn(run.notes.back().substr(9));
        else if (f.b_eff && !run.noise.reason.empty())
            session_.warn("repeat: " + run.noise.reason);
    }

    void write_files(Averages const& a, Figures const& f, RunFacts const& run) {
        auto const last = f.b_eff ? final_line(setup_, f.b_eff->both, run) + "\n" : "";
        files_.write(files_.protocol, loop(run) + loop_lengths(results_, run) + values(results_) + last);
        auto const final_section = beff(setup_, a, f, run);
        files_.write(files_.analysis, elapsed(results_, run) + patterns(a) + by_methods(a) + by_repetitions(a) +
                                          by_methods_and_lengths(a) + by_lengths(a) + by_patterns_and_lengths(a, f) +
                                          final_section);
        files_.write(files_.sum, final_section);
        if (!f.b_eff)
            return;
        files_.fill(files_.plot, plot(a));
        files_.fill(files_.script, script(setup_, a, files_.plot.path()));
    }

    Setup const& setup_;
    program::Session& session_;
    measure::Comm const& world_;
    Clock::time_point started_;
    std::unique_ptr<Mailbox> box_;
    Loops loops_;
    Files files_;
    Results results_;  ///< filled on the root
    Pace pace_;
    measure::AnyTimer timer_{};
    measure::Environment const* environment_ = nullptr;
    double loop_elapsed_ = 0;
    double prepared_ = 0;   ///< seconds of calibrations and synchronisations, which are not measurements
    bool stopped_ = false;  ///< whether the time budget is spent
    Cuts cuts_{};
    std::vector<int> best_methods_{};  ///< [patterns], for the two longest lengths
};

}  // namespace

void measure_all(Setup const& setup, program::Session& session, Clock::time_point started) {
    Campaign{setup, session, started}.measure();
}

void list_all(Setup const& setup, program::Session& session, bool supposed) {
    std::vector<std::vector<int>> orders;
    measure::RandomOrders random{setup.ranks, setup.seed};
    if (session.world().is_root())
        for (int r = 0; r < setup.random; ++r)
            orders.push_back(random.next());
    auto options = describe(setup, orders);
    if (supposed)
        options["ranks"] = setup.ranks;
    auto const& world = session.world();
    session.begin(measure::timer_from(session.common().timer, world, session.common().seed), std::move(options));
    if (world.is_root())
        session.text() << "processes         : " << setup.ranks << '\n'
                       << plan(setup) << rings_text(setup) << polygons(orders, setup.seed);
}

}  // namespace b_eff
