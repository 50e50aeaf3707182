// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/checks.hpp"

#include "mpiperf/campaign.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/report/report.hpp"
#include "mpiperf/rules.hpp"

#include <measure/environment.hpp>
#include <measure/error.hpp>
#include <measure/schedule.hpp>
#include <measure/sweep.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace mpiperf {

namespace {

using measure::Comm;
using measure::Record;

std::string joined(measure::TimerCheck const& check) {
    auto lines = check.failures;
    for (auto const& warning : check.warnings)
        lines.push_back("warning: " + warning);
    return fmt::format("{}", fmt::join(lines, "; "));
}

/// Whether there are fewer cores than the first `ranks` ranks need. Collective.
bool too_many(Comm const& world, int ranks) {
    auto const team = world.first_ranks(ranks);
    bool result = team && team->oversubscribed();
    world.broadcast(result);
    return result;
}

/// Two clock readings, one clock step, and the inaccuracy of the start: the bound on the clocks (at most 0.7 us) or
/// the allowed delay of a start, whichever is larger. A worse clock bound does not widen the tolerance, because then
/// the synchronisation has failed.
double tolerance(measure::TimerInfo const& timer, measure::SyncState const& sync) {
    constexpr double useful_bound = 0.7e-6;
    double const start = std::max(std::min(sync.bound.value_or(0), useful_bound),
                                  measure::slot_tolerance(timer.overhead, timer.resolution).count());
    return 2 * timer.overhead.count() + timer.resolution.count() + start;
}

/// Compares measured with known durations.
class WaitCheck {
public:
    WaitCheck(Options const& options, program::Session& session)
        : o_{options}, session_{session}, world_{session.world()} {
        for (auto const n : sizes_to_check(o_, world_.size()))
            (too_many(world_, static_cast<int>(n)) ? skipped_ : sizes_).push_back(n);
    }

    void run() {
        auto names = std::vector<std::string>{session_.common().timer};
        if (session_.common().timer == all_timers)
            names.assign(measure::timer_names().begin(), measure::timer_names().end());
        auto const first = measure::timer_from(names.front(), world_, session_.common().seed);
        auto const clock = measure::synchronise(world_, first, sync(o_, session_.common()));
        warn_of_oversubscription(session_);
        session_.begin(first, options(), clock.report());
        session_.plan(static_cast<std::int64_t>(names.size() * sizes_.size() * known_waits().size()));
        session_.text() << check_titles();
        for (auto const& name : names)
            with_timer(name);
        session_.text() << fmt::format("# {} passed, {} failed, {} skipped\n", passed_, failed_, left_out_);
        session_.summary(
            {.name = "check",
             .value = failed_,
             .derived = measure::Value::Object{{"passed", passed_}, {"failed", failed_}, {"skipped", left_out_}}});
        // A check without any verdict has not passed. Only the root has seen the rows.
        if (world_.is_root() && (failed_ > 0 || passed_ == 0))
            session_.check_failed();
        session_.clock_sync_residual(measure::residual(world_, clock));
    }

private:
    [[nodiscard]] static std::vector<Test const*> known_waits() {
        std::vector<Test const*> found;
        for (Test const& test : tests())
            if (test.expected != nullptr)
                found.push_back(&test);
        return found;
    }

    [[nodiscard]] measure::Value options() const {
        auto const ranks = measure::values("ranks", sizes_to_check(o_, world_.size()));
        return describe(o_, session_.common(), {&ranks, 1}, world_.oversubscribed());
    }

    /// If all timers are requested, a timer that this machine lacks is not a failure.
    void with_timer(std::string const& name) {
        try {
            timer_ = measure::timer_from(name, world_, session_.common().seed);
        } catch (measure::UsageError const& error) {
            if (session_.common().timer != all_timers)
                throw;
            session_.text() << fmt::format("# {}: {}\n", name, error.what());
            return;
        }
        info_ = measure::calibrate(timer_);
        for (Test const* const test : known_waits()) {
            if (!sizes_.empty())
                measure(*test);
            for (auto const n : skipped_)
                skip(*test, n);
        }
    }

    void measure(Test const& test) {
        auto how = plan(o_, session_.common(), timer_);
        how.start_falls_back = false;  // the starts themselves are checked
        how.control = session_.control();
        how.keep = measure::Keep::ranks;
        measure::Benchmark row{.name = std::string{test.name}};
        row.complete = [this](measure::Point& at) { at.set("timer", timer_.name()); };
        Setting const setting{.timer = timer_};
        test.build(test, setting, row);
        measure::sweep(world_, how, {measure::values("ranks", sizes_)}, row, {.before = before_point(session_)},
                       [&](Record const& record, measure::Measurement const& m) { write(test, record, m); });
    }

    /// The flags that question the starts of a point. No flag alone does not prove correct starts; that needs a
    /// residual too.
    [[nodiscard]] static std::string doubts(Record const& record) {
        std::string text;
        for (auto const& flag : record.flags)
            if (measure::is_clock_flag(flag))
                text += (text.empty() ? "" : ", ") + flag;
        return text;
    }

    void write(Test const& test, Record record, measure::Measurement const& m) {
        std::vector<double> durations;
        for (auto const& rank : m.ranks)
            durations.push_back(rank.kept_mean);
        CheckRow const row{.timer = timer_.name(),
                           .test = std::string{test.name},
                           .processes = record.at.ranks(),
                           .expected = test.expected(record.at.ranks()),
                           .measured = record.value,
                           .tolerance = tolerance(info_, m.sync),
                           .residual = m.sync.residual,
                           .residual_bound = m.sync.residual_bound.value_or(0),
                           .span = span_of(durations, m.sync.residual_of_ranks),
                           .clocks = doubts(record),
                           .skipped = record.status == measure::PointStatus::skipped ? record.message : ""};
        record.derived["expected"] = row.expected;
        record.derived["tolerance"] = row.tolerance;
        if (row.span)
            record.derived["span_measured_again"] = *row.span;
        record.derived["passed"] = row.passed();
        session_.point(record);
        count(row);
    }

    void skip(Test const& test, std::int64_t n) {
        CheckRow const row{.timer = timer_.name(),
                           .test = std::string{test.name},
                           .processes = static_cast<int>(n),
                           .expected = test.expected(static_cast<int>(n)),
                           .skipped = "more ranks than cores"};
        count(row);
    }

    void count(CheckRow const& row) {
        session_.text() << check_row(row) << std::flush;
        ++(!row.skipped.empty() || row.too_coarse() ? left_out_ : row.passed() ? passed_ : failed_);
    }

    Options const& o_;
    program::Session& session_;
    Comm const& world_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::int64_t> skipped_;
    measure::AnyTimer timer_;
    measure::TimerInfo info_;
    int passed_ = 0;
    int failed_ = 0;
    int left_out_ = 0;
};

}  // namespace

void check_timer(program::Session& session) {
    Comm const& world = session.world();
    auto const timer = measure::timer_from(session.common().timer, world, session.common().seed);
    auto const run = measure::environment(world, timer);
    auto const mine = measure::check_timer(timer);
    auto const passed = world.gather(static_cast<int>(mine.failures.empty()));
    auto const texts = world.gather(joined(mine));
    auto const hosts = hostnames(world);
    if (!world.is_root())
        return;
    std::vector<TimerVerdict> verdicts;
    for (std::size_t i = 0; i < passed.size(); ++i) {
        verdicts.push_back({static_cast<int>(i), hosts[i], passed[i] != 0, texts[i]});
        if (passed[i] == 0)
            session.check_failed();
    }
    session.text() << timer_report(run, verdicts);
}

void check_waits(Options const& options, program::Session& session) { WaitCheck{options, session}.run(); }

}  // namespace mpiperf
