// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/campaign.hpp"

#include "program/cli/values.hpp"

#include <measure/clock_sync.hpp>
#include <measure/report.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace program {

namespace {

using measure::Benchmark;
using measure::Measurement;
using measure::Record;

/// Benchmarks that are measured together at each point, the reference first. Without a reference, each benchmark is a
/// group.
using Group = std::vector<Benchmark const*>;

std::vector<Group> groups(measure::Program const& program) {
    Group all;
    for (auto const& benchmark : program.benchmarks)
        all.push_back(&benchmark);
    auto const reference =
        std::find_if(all.begin(), all.end(), [&](auto const* each) { return each->name == program.reference; });
    if (!program.reference.empty() && reference != all.end()) {
        std::rotate(all.begin(), reference, reference + 1);
        return {all};
    }
    std::vector<Group> groups;
    for (auto const* const benchmark : all)
        groups.push_back({benchmark});
    return groups;
}

/// The points of a benchmark before measuring: its axes and variants, with completed coordinates. Coordinates that
/// result from a measurement are missing.
std::vector<measure::Point> points(measure::Program const& program, Benchmark const& benchmark) {
    auto axes = measure::axes_of(benchmark, program.axes);
    if (benchmark.variants)
        axes.push_back(*benchmark.variants);
    auto points = measure::points_of(axes);
    if (benchmark.complete)
        for (auto& at : points)
            benchmark.complete(at);
    return points;
}

/// Names of the coordinates that points have before they are measured, for all benchmarks.
std::vector<std::string> coordinates(measure::Program const& program) {
    std::vector<std::string> names;
    for (auto const& benchmark : program.benchmarks) {
        auto const all = points(program, benchmark);
        for (auto const& name : all.empty() ? std::vector<std::string>{} : all.front().names())
            add_once(names, name);
        if (benchmark.innermost)
            add_once(names, benchmark.innermost->name);
    }
    return names;
}

/// Texts to append to a point in a list, one for each value of the innermost axis.
std::vector<std::string> innermost_texts(Benchmark const& benchmark) {
    if (!benchmark.innermost || benchmark.innermost->texts.empty())
        return {""};
    std::vector<std::string> texts;
    for (auto const& text : benchmark.innermost->texts)
        texts.push_back(fmt::format(" {}={}", benchmark.innermost->name, text));
    return texts;
}

/// A ratio as a row of the table, with the status and the counts of the record `over`.
Record row(measure::Ratio const& ratio, Record const& over, std::string const& under) {
    return {.benchmark = "  to " + under,
            .at = over.at,
            .quantity = measure::Quantity::ratio,
            .value = ratio.value,
            .status = over.status,
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
    Campaign(measure::Program const& program, RunContext const& context, Session& session)
        : program_{program}, context_{context}, session_{session}, world_{session.world()},
          out_{context.out != nullptr ? *context.out : session.text()}, people_{out_, program.form},
          for_programs_{out_, program.form, coordinates(program)}, columns_{out_, program.form, program.columns} {}

    void measure() {
        begin();
        for (auto const& group : groups(program_))
            measure(group);
        end();
    }

private:
    void begin() {
        warn_of_oversubscription(session_);
        plan_ = program_.plan;
        if (!has_own_timer(plan_) || session_.common().timer != plan_.timer.name())
            plan_.timer = measure::timer_from(session_.common().timer, world_, session_.common().seed);
        if (context_.sync)
            clock_ = measure::synchronise(world_, plan_.timer, *context_.sync);
        give_clock(plan_.start);
        take_control();
        auto const& run =
            session_.begin(plan_.timer, context_.options, clock_ ? std::optional{clock_->report()} : std::nullopt);
        if (program_.prepare)
            program_.prepare(plan_, run);
        print([&] { return program_.page.head ? program_.page.head(run) : has_comments() ? heading(run) : ""; });
        std::int64_t count = context_.points_beside;
        for (auto const& benchmark : program_.benchmarks)
            count += std::ssize(points(program_, benchmark)) *
                     (1 + (benchmark.innermost ? std::ssize(benchmark.innermost->texts) : 0));
        session_.plan(count);
    }

    /// Takes the session's control, but keeps the program's hooks for epochs and stages.
    void take_control() {
        auto const control = session_.control();
        plan_.control.stop = control.stop;
        plan_.control.decision = control.decision;
        plan_.control.in_body = control.in_body;
        plan_.control.deadline = control.deadline;
    }

    /// Barrier starts work without a clock, but spans and imbalances need one.
    void give_clock(measure::Start& start) const {
        if (auto* const barrier = std::get_if<measure::BarrierStart>(&start))
            barrier->clock = clock_;
        if (auto* const barrier = std::get_if<measure::DisseminationStart>(&start))
            barrier->clock = clock_;
    }

    /// Prints on the root what text() returns.
    template <class Text>
    void print(Text&& text) {
        session_.erase_progress();
        if (world_.is_root())
            out_ << text() << std::flush;
    }

    [[nodiscard]] std::string heading(measure::Environment const& run) const {
        auto text = fmt::format("# {} {}: {} on {}, {}\n# timer {} (step {}, reading {}), start {}", program_.name,
                                run.version, ranks_text(run.ranks), hosts_text(run.hosts),
                                run.mpi_library.value_or("no MPI"), run.timer.name, measure::text(run.timer.resolution),
                                measure::text(run.timer.overhead), start_name(plan_.start, world_.oversubscribed()));
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
        auto const& first = *group.front();
        if (program_.page.begin)
            print([&] { return program_.page.begin(first); });
        measure::SweepOptions const options{.refine = program_.refine,
                                            .retries = context_.retries.value_or(session_.common().retry),
                                            .shuffle = session_.common().shuffle,
                                            .seed = session_.common().seed,
                                            .before = before()};
        auto const result =
            measure::sweep(world_, plan_, program_.axes, group, options,
                           [&](Record const& record, Measurement const& m) { write(first.name, record, m); });
        print([&] { return program_.page.end ? program_.page.end(first) : refinement(result); });
        if (program_.after)
            program_.after(first);
    }

    [[nodiscard]] measure::Callback<void(Benchmark const&, measure::Point const&)> before() {
        return [own = program_.before, meet = before_point(session_)](Benchmark const& benchmark,
                                                                      measure::Point const& at) {
            // The program's hook comes first: the ranks may be interrupted in `meet`, and a program that keeps a log
            // must close the previous point before.
            if (own)
                own(benchmark, at);
            meet(benchmark, at);
        };
    }

    [[nodiscard]] std::string refinement(measure::SweepResult const& result) const {
        if (!program_.refine || !has_comments())
            return {};
        return fmt::format("# refinement of {} ended by: {}\n", program_.axes.back().name,
                           measure::name(result.refinement));
    }

    /// Called on the root only.
    void write(std::string const& reference, Record record, Measurement const& m) {
        std::optional<measure::Ratio> ratio;
        if (record.benchmark == reference)
            reference_ = record;
        else
            ratio = measure::ratio_in_turn(record, reference_, m.ratio);
        if (ratio)
            record.derived["ratio"] = measure::describe(*ratio, reference_.benchmark);
        write_row(record, m);
        if (ratio)
            write_row(row(*ratio, record, reference_.benchmark), m);
        session_.point(record, m);
        if (program_.sink)
            program_.sink(record, m);
        if (program_.summarize)
            records_.push_back(std::move(record));
    }

    void write_row(Record const& record, Measurement const& m) {
        session_.erase_progress();
        if (program_.page.row)
            out_ << program_.page.row(record, m) << std::flush;
        else if (!program_.columns.empty())
            write_columns(record);
        else if (is_for_programs())
            for_programs_.write(record);
        else
            people_.write(record);
        has_rows_ = true;
    }

    /// Whether the table is for programs: full precision in a single unit.
    [[nodiscard]] bool is_for_programs() const noexcept {
        using measure::TableForm;
        auto const form = program_.form;
        return form == TableForm::csv || form == TableForm::tsv || form == TableForm::dat;
    }

    void write_columns(Record const& record) {
        if (!has_rows_)
            columns_.head();
        columns_.write(record);
    }

    /// Only text and dat tables have comment lines.
    [[nodiscard]] bool has_comments() const noexcept {
        return program_.form == measure::TableForm::text || program_.form == measure::TableForm::dat;
    }

    void end() {
        if (!program_.page.row && has_rows_)
            print([&] { return measure::table_foot(program_.form); });
        if (clock_)
            session_.clock_sync_residual(measure::residual(world_, *clock_));
        if (!world_.is_root() || !program_.summarize)
            return;
        for (auto const& summary : program_.summarize(records_)) {
            if (has_comments())
                out_ << fmt::format("# {}: {} {}\n", summary.name,
                                    summary.value ? fmt::format("{:.6g}", *summary.value) : "-", summary.unit);
            session_.summary(summary);
        }
    }

    measure::Program const& program_;
    RunContext const& context_;
    Session& session_;
    measure::Comm const& world_;
    std::ostream& out_;
    measure::TableSink people_;
    measure::CsvSink for_programs_;
    measure::Table columns_;
    bool has_rows_ = false;
    measure::Plan plan_;
    std::optional<measure::GlobalClock> clock_;
    Record reference_;             ///< record of the reference at the current point
    std::vector<Record> records_;  ///< all records, on the root of a program with summaries
};

}  // namespace

bool has_own_timer(measure::Plan const& plan) {
    auto const name = plan.timer.name();
    auto const known = measure::timer_names();
    return std::find(known.begin(), known.end(), name) == known.end() && !name.starts_with("synthetic:");
}

std::optional<measure::Sync> sync_of(measure::Start const& start) {
    return std::visit(
        [](auto const& each) -> std::optional<measure::Sync> {
            if constexpr (requires { each.slot.sync; })
                return each.slot.sync;
            else if constexpr (requires { each.sync; })
                return each.sync;
            else
                return std::nullopt;
        },
        start);
}

std::string start_name(measure::Start const& start, bool oversubscribed) {
    if (std::holds_alternative<measure::AutoStart>(start))
        return oversubscribed ? "roundtime" : "slot";
    return std::string{measure::name(start)};
}

void list(measure::Program const& program, Session& session) {
    for (auto const& group : groups(program)) {
        // Compared benchmarks are listed together at each point.
        std::vector<std::vector<measure::Point>> all;
        std::vector<std::vector<std::string>> innermost;
        for (auto const* const benchmark : group) {
            all.push_back(points(program, *benchmark));
            innermost.push_back(innermost_texts(*benchmark));
        }
        for (std::size_t i = 0; i < all.front().size(); ++i)
            for (std::size_t b = 0; b < group.size(); ++b)
                for (auto const& text : innermost[b])
                    session.text() << group[b]->name << ' ' << all[b][i].text() << text << '\n';
    }
}

void run(measure::Program const& program, RunContext const& context, Session& session) {
    if (session.common().list)
        list(program, session);
    else
        Campaign{program, context, session}.measure();
}

}  // namespace program
