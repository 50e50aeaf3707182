// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/campaign.hpp"

#include "program/engine/rules.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace program::engine {

namespace {

using measure::Measurement;
using measure::Point;
using measure::Record;

/// What users see of a point of a sweep: without the benchmark, which stands beside it.
Point visible(Point const& at) {
    Point result;
    for (auto const& [name, value] : at.coordinates())
        if (name != benchmark_axis)
            result.set(name, value);
    return result;
}

measure::Axis names_of(Group const& group) {
    measure::Axis axis{benchmark_axis, {}};
    for (auto const* const benchmark : group)
        axis.values.emplace_back(benchmark->name);
    return axis;
}

measure::Benchmark const& find(Group const& group, Point const& at) {
    auto const& name = at.text(benchmark_axis);
    return **std::find_if(group.begin(), group.end(), [&](auto const* each) { return each->name == name; });
}

/// A ratio as a row of the table, with the counts of the record that it belongs to.
Record row(measure::Ratio const& ratio, Record const& over, std::string const& under) {
    return {.benchmark = "  to " + under,
            .at = over.at,
            .quantity = measure::Quantity::ratio,
            .value = ratio.value,
            .outcome = over.outcome,
            .estimate = measure::Estimate{.value = ratio.value,
                                          .standard_error = ratio.standard_error,
                                          .confidence = ratio.confidence,
                                          .interval = ratio.interval},
            .attempts = over.attempts,
            .valid = over.valid};
}

std::string ranks_text(int ranks) { return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks"); }

std::string hosts_text(std::vector<measure::Host> const& hosts) {
    if (hosts.size() > 1)
        return fmt::format("{} hosts", hosts.size());
    return hosts.empty() ? std::string{} : fmt::format("{} ({} cores)", hosts.front().name, hosts.front().cores);
}

class Campaign {
public:
    Campaign(measure::Program const& program, Options const& options, program::Session& session)
        : program_{program}, options_{options}, session_{session}, world_{session.world()},
          groups_{groups(program, options.names)}, axes_{axes(options, world_.size(), session.common().list)},
          refine_{refinement(program, options, axes_, session.common().shuffle)}, table_{session.text()} {}

    void list() {
        for (auto const& group : groups_)
            for (auto const& at : measure::points_of(axes_))
                for (auto const* const benchmark : group)
                    session_.text() << benchmark->name << ' ' << at.text() << '\n';
    }

    void measure() {
        begin();
        for (auto const& group : groups_)
            measure(group);
        end();
    }

private:
    void begin() {
        program::warn_of_oversubscription(session_);
        plan_ = engine::plan(program_, options_, session_);
        auto const sync = engine::sync(plan_.start, session_.common());
        if (sync)
            clock_ = measure::synchronise(world_, plan_.timer, *sync);
        for_spans(plan_.start);
        take_control();
        auto const start = start_name(plan_.start, world_.oversubscribed());
        auto const& run = session_.begin(plan_.timer, describe(groups_, axes_, refine_, start, sync),
                                         clock_ ? std::optional{clock_->report()} : std::nullopt);
        if (world_.is_root())
            session_.text() << heading(run, start);
        std::int64_t points = 0;
        for (auto const& group : groups_)
            points += std::ssize(measure::points_of(axes_)) * std::ssize(group);
        session_.plan(points);
    }

    /// The program's own hooks for epochs and stages stay.
    void take_control() {
        auto const control = session_.control();
        plan_.control.stop = control.stop;
        plan_.control.decision = control.decision;
        plan_.control.in_body = control.in_body;
        plan_.control.deadline = control.deadline;
    }

    /// A barrier needs no clock, but spans and imbalances do.
    void for_spans(measure::Start& start) const {
        if (auto* const barrier = std::get_if<measure::BarrierStart>(&start))
            barrier->clock = clock_;
        if (auto* const barrier = std::get_if<measure::DisseminationStart>(&start))
            barrier->clock = clock_;
    }

    [[nodiscard]] std::string heading(measure::Environment const& run, std::string const& start) const {
        auto text =
            fmt::format("# {} {}: {} on {}, {}\n# timer {} (step {}, reading {}), start {}", program_.name, run.version,
                        ranks_text(run.ranks), hosts_text(run.hosts), run.mpi_library.value_or("no MPI"),
                        run.timer.name, measure::text(run.timer.resolution), measure::text(run.timer.overhead), start);
        if (run.clock_sync)
            text += fmt::format(", clocks {}{}", run.clock_sync->algorithm,
                                run.clock_sync->bound
                                    ? fmt::format(" within {}", measure::text(measure::seconds{*run.clock_sync->bound}))
                                    : std::string{});
        if (!plan_.settling)
            text += ", not settled (--settle off)";
        return text + "\n";
    }

    void measure(Group const& group) {
        measure::SweepOptions options{.refine = refine_,
                                      .variants = names_of(group),
                                      .retries = session_.common().retry,
                                      .shuffle = session_.common().shuffle,
                                      .seed = session_.common().seed};
        options.before = [&](Point const& at) { program::before_point(session_, find(group, at).name)(visible(at)); };
        auto const result = measure::detail::sweep(
            world_, plan_, axes_,
            [&](measure::Comm const& team, measure::Plan const& plan, std::vector<Point> const& variants) {
                std::vector<measure::detail::LoopMaker> makers;
                for (auto const& at : variants)
                    makers.emplace_back(
                        [&](measure::Comm const& epoch) { return find(group, at).make(epoch, plan, visible(at)); });
                return measure::detail::run_together(team, plan, makers, options.seed, true);
            },
            options, [&](Record const& record, Measurement const& m) { write(group, record, m); });
        if (refine_ && world_.is_root())
            session_.text() << fmt::format("# refinement of {} ended by: {}\n", axes_.back().name,
                                           measure::name(result.refinement));
    }

    /// Root only.
    void write(Group const& group, Record record, Measurement const& m) {
        auto const& benchmark = find(group, record.at);
        record.benchmark = benchmark.name;
        record.at = visible(record.at);
        if (benchmark.finish)
            benchmark.finish(record);
        std::optional<measure::Ratio> ratio;
        if (&benchmark == group.front())
            reference_ = record;
        else
            ratio = measure::ratio_in_turn(record, reference_, m.ratio);
        if (ratio)
            record.derived["ratio"] = measure::describe(*ratio, reference_.benchmark);
        table_.write(record);
        if (ratio)
            table_.write(row(*ratio, record, reference_.benchmark));
        session_.point(record, m);
        if (program_.sink)
            program_.sink(record, m);
        records_.push_back(std::move(record));
    }

    void end() {
        if (clock_)
            session_.clock_sync_residual(measure::residual(world_, *clock_));
        if (!world_.is_root() || !program_.summarize)
            return;
        for (auto const& summary : program_.summarize(records_)) {
            session_.text() << fmt::format("# {}: {} {}\n", summary.name,
                                           summary.value ? fmt::format("{:.6g}", *summary.value) : "-", summary.unit);
            session_.summary(summary);
        }
    }

    measure::Program const& program_;
    Options const& options_;
    program::Session& session_;
    measure::Comm const& world_;
    std::vector<Group> groups_;
    std::vector<measure::Axis> axes_;
    std::optional<measure::Refinement> refine_;
    measure::TableSink table_;
    measure::Plan plan_;
    std::optional<measure::GlobalClock> clock_;
    Record reference_;             ///< of the point that is measured
    std::vector<Record> records_;  ///< root only
};

}  // namespace

void run(measure::Program const& program, Options const& options, program::Session& session) {
    Campaign campaign{program, options, session};
    if (session.common().list)
        campaign.list();
    else
        campaign.measure();
}

}  // namespace program::engine
