// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "cpu_loop.hpp"
#include "frontend/files.hpp"
#include "method.hpp"
#include "result.hpp"
#include "table.hpp"
#include "team.hpp"

#include <measure/error.hpp>
#include <measure/refine.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

namespace pmb {

namespace {

using measure::Bytes;
using measure::Outcome;
using measure::Record;

/// Why a length is not measured.
struct Skip {
    std::string reason;   ///< for the record
    std::string comment;  ///< for the table; empty: said already
    bool no_memory = false;
};

/// The first text that is not empty, on the root; whether there is one, on all. Collective.
std::optional<std::string> agreed(measure::Comm const& world, std::string const& mine) {
    if (world.max(mine.empty() ? 0 : 1) == 0)
        return std::nullopt;
    auto const all = world.gather(mine);
    auto const first = std::find_if(all.begin(), all.end(), [](auto const& text) { return !text.empty(); });
    return first == all.end() ? std::string{} : *first;
}

/// One run of one benchmark on so many processes, in one mode: a table.
struct Run {
    Head head;
    Grouping grouping;
    measure::Comm const* team = nullptr;  ///< nullptr: this process is idle
    Shape shape{};
    std::vector<std::optional<Bytes>> lengths{};
    std::unique_ptr<Kernel> kernel{};
};

class Campaign {
public:
    Campaign(Options const& options, Setup const& setup, frontend::Session& session)
        : o_{options}, setup_{setup}, session_{session}, world_{session.world()}, table_{options.format,
                                                                                         options.megabyte} {}

    void measure() {
        prepare();
        if (world_.is_root())
            write(table_.header(*environment_, setup_, cpu_ ? std::optional{cpu_->mflops()} : std::nullopt));
        for (Benchmark const* const b : setup_.benchmarks)
            measure(*b);
        close();
    }

private:
    void prepare() {
        if (!o_.output.empty())
            output_ = frontend::open_file(world_, o_.output);
        std::optional<Corruption> corruption;
        if (auto const hook = session_.test_hook("MEASURE_TEST_CORRUPT"))
            corruption = corruption_from(*hook);
        corruption_ = corruption;
        if (world_.oversubscribed())
            session_.warn("more processes than cores: times are those of the scheduler");
        timer_ = measure::timer_from(session_.common().timer, world_, session_.common().seed);
        environment_ = &session_.begin(timer_, describe(o_, setup_));
        if (std::any_of(setup_.benchmarks.begin(), setup_.benchmarks.end(), [](auto* b) { return b->non_blocking; }))
            cpu_ = std::make_unique<CpuLoop>(world_, timer_, setup_.parameters.cpu);
        session_.plan(points());
    }

    [[nodiscard]] std::vector<int> counts(Benchmark const& b) const {
        int const single = setup_.part == Part::io ? 1 : 2;
        if (b.kind == Class::single)
            return {std::min(single, world_.size())};
        return process_counts(world_.size(), setup_.at_least);
    }

    [[nodiscard]] std::vector<std::optional<Bytes>> lengths_of(Benchmark const& b) const {
        if (b.kind == Class::sync)
            return {std::nullopt};
        auto const all = setup_.lengths ? rounded(*setup_.lengths, b.unit) : lengths(b.unit, setup_.parameters);
        return {all.begin(), all.end()};
    }

    [[nodiscard]] std::int64_t points() const {
        std::size_t n = 0;
        for (Benchmark const* const b : setup_.benchmarks)
            for (int const q : counts(*b)) {
                int const groups = setup_.multi == 1 ? world_.size() / q : 1;
                n += b->modes.size() * lengths_of(*b).size() * static_cast<std::size_t>(groups);
            }
        return static_cast<std::int64_t>(n);
    }

    void measure(Benchmark const& b) {
        if (b.kind == Class::single && setup_.part != Part::io && world_.size() < 2) {
            write(fmt::format("\n{}\n",
                              table_.comment(fmt::format("!! Benchmark {} invalid for 1 process   !!", b.name))));
            session_.left_out(measure::make_record(std::string{b.name}, {{"ranks", std::int64_t{1}}}, Outcome::skipped,
                                                   "invalid for 1 process"));
            return;
        }
        Verdict verdict{std::string{b.name}};
        for (int const q : counts(b))
            if (!measure(b, q, verdict))
                break;
        verdicts_.push_back(verdict);
    }

    /// What checking found of a benchmark.
    struct Verdict {
        std::string name;
        bool successful = true;
    };

    /// \return false: the rest of the benchmark cannot be measured
    bool measure(Benchmark const& b, int processes, Verdict& verdict) {
        auto const grouping = Grouping::of(world_.size(), processes, setup_.multi.has_value());
        int const group = grouping.group_of(world_.rank());
        auto const team = world_.split(group);
        for (Mode const mode : b.modes) {
            Run run{.head = {b, mode, grouping.members(), grouping.idle()},
                    .grouping = grouping,
                    .team = team ? &*team : nullptr,
                    .shape = shape(b, setup_.multi, setup_.by_plan(), setup_.check),
                    .lengths = lengths_of(b)};
            if (!measure(run, group, verdict))
                return false;
        }
        return true;
    }

    bool measure(Run& run, int group, Verdict& verdict) {
        Bytes const largest = largest_within_memory(run);
        Verifier verifier{corruption_, run.team != nullptr ? run.team->rank() : -1};
        auto const control = session_.control();
        std::optional<Task> task;
        write(table_.head(run.head, run.shape));
        std::string failure;
        bool out_of_memory = false;
        if (run.team != nullptr) {
            task.emplace(Task{.team = *run.team,
                              .world_rank = world_.rank(),
                              .timer = timer_,
                              .mode = run.head.mode,
                              .parameters = setup_.parameters,
                              .largest = largest,
                              .rotate_root = setup_.rotate_root,
                              .check = setup_.check,
                              .verifier = verifier,
                              .files = {o_.file, setup_.multi ? group : -1, o_.keep},
                              .cpu = cpu_.get(),
                              .in_body = control.in_body});
            try {
                run.kernel = run.head.benchmark.make(*task);
            } catch (KernelError const& error) {
                failure = error.what();
            } catch (std::bad_alloc const&) {
                out_of_memory = true;
            }
        }
        if (world_.max(out_of_memory ? 1 : 0) > 0) {
            skip(run, 0, {"out of memory", fmt::format("{} bytes: out of memory", largest), true});
            return false;
        }
        if (auto const text = agreed(world_, failure)) {
            crash(run, run.lengths.front(), *text);
            return false;
        }
        return rows(run, largest, verdict);
    }

    /// The largest of the lengths whose buffers are within -mem.
    [[nodiscard]] Bytes largest_within_memory(Run const& run) const {
        Bytes largest = 0;
        for (auto const& length : run.lengths)
            if (length && needed(run, *length) <= setup_.memory)
                largest = std::max(largest, *length);
        return largest;
    }

    [[nodiscard]] Bytes needed(Run const& run, Bytes length) const {
        return run.head.benchmark.memory(length, run.grouping.processes, setup_.parameters);
    }

    /// All rows of a table. \return false: the rest of the benchmark cannot be measured
    bool rows(Run& run, Bytes largest, Verdict& verdict) {
        auto const begun = std::chrono::steady_clock::now();
        std::optional<measure::Refiner> refiner;
        if (setup_.refine)
            refiner.emplace(measure::Refinement{.tolerance = *setup_.refine,
                                                .multiple_of = run.head.benchmark.unit,
                                                .min_distance = run.head.benchmark.unit});
        previous_ = setup_.parameters.repetitions;
        bool warm = setup_.parameters.warm_up == 0;
        for (std::size_t i = 0; i < run.lengths.size(); ++i) {
            auto const length = run.lengths[i];
            if (session_.meet()) {
                skip(run, i, {"time_budget", "time budget spent: " + from_on(length)});
                return true;
            }
            if (setup_.time && timed_out(begun, run.lengths.size())) {
                skip(run, i, {"time", "time-out: " + from_on(length)});
                return true;
            }
            if (length && needed(run, *length) > setup_.memory) {
                skip_one(run, length, {"memory", memory_text(run, *length), true});
                continue;
            }
            if (!std::exchange(warm, true) && !warm_up(run, largest))
                return false;
            auto const time = row(run, length, verdict);
            if (!time)
                return false;
            if (refiner && length)
                refiner->add(*length, *time);
        }
        return !refiner || refined_rows(run, *refiner, verdict);
    }

    static std::string from_on(std::optional<Bytes> length) {
        return length ? fmt::format("lengths from {} on not measured", *length) : "not measured";
    }

    [[nodiscard]] std::string memory_text(Run const& run, Bytes length) const {
        auto const gbytes = [](Bytes n) { return static_cast<double>(n) / static_cast<double>(measure::gibi); };
        return fmt::format("{} bytes: needs {:.2f} GByte per process, -mem allows {:g}", length,
                           gbytes(needed(run, length)), gbytes(setup_.memory));
    }

    bool timed_out(std::chrono::steady_clock::time_point begun, std::size_t lengths) const {
        measure::seconds const spent = std::chrono::steady_clock::now() - begun;
        bool over = spent > *setup_.time * static_cast<double>(std::max<std::size_t>(1, lengths - 1));
        world_.broadcast(over);
        return over;
    }

    bool refined_rows(Run& run, measure::Refiner& refiner, Verdict& verdict) {
        bool first = true;
        while (true) {
            Bytes length = world_.is_root() ? refiner.next().value_or(-1) : 0;
            world_.broadcast(length);
            if (length < 0)
                return true;
            if (session_.meet()) {
                session_.incomplete();
                write(table_.comment("time budget spent: refinement not finished"));
                return true;
            }
            if (std::exchange(first, false))
                write(table_.comment("refined lengths, in the order in which they were added"));
            auto const time = row(run, length, verdict);
            if (!time)
                return false;
            refiner.add(length, *time);
        }
    }

    /// Like a row whose result is dropped. \return false: it failed
    bool warm_up(Run& run, Bytes largest) {
        if (!begin(run, run.head.benchmark.kind == Class::sync ? 0 : largest))
            return false;
        if (run.kernel) {
            static_cast<void>(run.kernel->loop(setup_.parameters.warm_up));
            run.kernel->end();
        }
        return true;
    }

    /// \return false, on all ranks, where a length could not be prepared on some rank; the point is recorded as crashed
    bool begin(Run& run, std::optional<Bytes> length) {
        std::string failure;
        try {
            if (run.kernel)
                run.kernel->begin(length.value_or(0));
        } catch (KernelError const& error) {
            failure = error.what();
        }
        auto const text = agreed(world_, failure);
        if (!text)
            return true;
        if (run.kernel)
            run.kernel->end();
        crash(run, length, *text);
        return false;
    }

    /// Measures and writes the row (or the rows of the groups) of one length.
    /// \return the longest time, on the root; nothing where the rest of the benchmark cannot be measured
    std::optional<double> row(Run& run, std::optional<Bytes> length, Verdict& verdict) {
        auto const begun = std::chrono::steady_clock::now();
        session_.next(fmt::format("{} {}", title(run.head), at(run.head, length, setup_.multi).text()));
        auto const n = begin(run, length) ? repetitions_of(run, length) : std::nullopt;
        if (!n)
            return std::nullopt;
        std::optional<measure::Measurement> measurement;
        Report const mine = run.kernel ? report(run, *n, measurement) : Report{};
        world_.barrier();
        auto const reports = world_.gather(mine);
        double longest = 0;
        if (world_.is_root()) {
            auto results = join(run.head, run.grouping, length, reports, setup_.multi == 1, setup_, measurement);
            measure::seconds const elapsed = std::chrono::steady_clock::now() - begun;
            print(run, length, results);
            for (auto& [row, record] : results) {
                record.elapsed = elapsed;
                session_.point(record);
                longest = std::max(longest, row.max);
            }
            tell_defects(run, length, reports, verdict);
        }
        if (run.kernel)
            run.kernel->end();
        return longest;
    }

    Report report(Run& run, std::int64_t n, std::optional<measure::Measurement>& measurement) {
        if (!setup_.by_plan())
            return {.reading = run.kernel->loop(n), .repetitions = n};
        measurement = run.kernel->run(plan(setup_, n, timer_, session_.common().raw, session_.control()));
        auto const& m = *measurement;
        Report report{.repetitions = n, .valid = m.valid, .attempts = m.attempts};
        report.reading.time = m.mine.kept_mean;
        report.reading.succeeded = m.invalid.failed == 0;
        report.relative_error = m.estimate ? relative_error(*m.estimate) : 0;
        return report;
    }

    /// Repetitions of a row that is ready, and stays so. Collective where they depend on time.
    /// \return nothing where the length could not be prepared again
    std::optional<std::int64_t> repetitions_of(Run& run, std::optional<Bytes> length) {
        auto const& p = setup_.parameters;
        bool const few = run.head.mode == Mode::non_aggregate || run.head.benchmark.few;
        std::int64_t n = repetitions(length.value_or(0), few ? p.non_aggregate : p.repetitions, p.volume);
        bool const dynamic = setup_.policy == Policy::dynamic;
        if (!setup_.time && !dynamic)
            return n;
        constexpr measure::seconds usual{10};
        double const probe = world_.max(run.kernel ? run.kernel->loop(1).time : 0);
        if (run.kernel)
            run.kernel->end();
        if (!begin(run, length))
            return std::nullopt;
        double const limit = setup_.time.value_or(usual).count();
        if (probe > 0)
            n = std::min(n, std::max<std::int64_t>(1, static_cast<std::int64_t>(limit / probe)));
        if (dynamic)
            n = std::min(n, previous_);
        previous_ = n;
        return n;
    }

    void print(Run const& run, std::optional<Bytes> length, std::vector<Result> const& results) {
        std::vector<Row> rows;
        for (auto const& [row, record] : results)
            if (record.value)
                rows.push_back(row);
            else
                write(table_.comment(fmt::format("{}: {}", length ? fmt::format("{} bytes", *length) : "row",
                                                 record.reason.empty() ? "no valid sample" : record.reason)));
        if (!rows.empty())
            write(table_.rows(run.head, run.shape, rows));
    }

    /// Warns of the first defect of a row. Root only.
    void tell_defects(Run const& run, std::optional<Bytes> length, std::vector<Report> const& reports,
                      Verdict& verdict) {
        for (std::size_t rank = 0; rank < reports.size(); ++rank) {
            auto const& d = reports[rank].reading.defect;
            if (d.error < 1)
                continue;
            verdict.successful = false;
            session_.check_failed();
            session_.warn(fmt::format("{} {} bytes, repetition {}, rank {}: {:g} at byte {} where {:g} was expected",
                                      title(run.head), length.value_or(0), d.repetition, rank, d.got, d.position,
                                      d.expected));
            return;
        }
    }

    void skip_one(Run const& run, std::optional<Bytes> length, Skip const& why) {
        if (!why.comment.empty())
            write(table_.comment(why.comment));
        int const groups = setup_.multi == 1 ? run.grouping.groups : 1;
        for (int g = 0; g < groups; ++g) {
            std::optional<int> const group = setup_.multi == 1 ? std::optional{g} : std::nullopt;
            auto record = measure::make_record(title(run.head), at(run.head, length, setup_.multi, group),
                                               Outcome::skipped, why.reason);
            if (why.no_memory)
                record.flag("no_memory");
            session_.point(record);
        }
    }

    /// The lengths from i on.
    void skip(Run const& run, std::size_t i, Skip why) {
        for (; i < run.lengths.size(); ++i) {
            skip_one(run, run.lengths[i], why);
            why.comment.clear();
        }
    }

    void crash(Run const& run, std::optional<Bytes> length, std::string const& text) {
        write(table_.comment(text));
        session_.point(
            measure::make_record(title(run.head), at(run.head, length, setup_.multi), Outcome::crashed, text));
    }

    void close() {
        if (setup_.check)
            write(verdict_text());
        if (world_.is_root())
            write(table_.closing(environment_->program, session_.result().code));
        output_.flush();
    }

    [[nodiscard]] std::string verdict_text() const {
        auto const failed = std::count_if(verdicts_.begin(), verdicts_.end(), [](auto& v) { return !v.successful; });
        std::string text = "\n";
        if (failed == 0)
            return text += table_.comment("Results checking: all benchmarks successful");
        text += table_.comment(fmt::format("Results checking: {} of {} benchmarks failed", failed, verdicts_.size()));
        for (auto const& v : verdicts_)
            text += table_.comment(fmt::format("  {} : {}", v.name, v.successful ? "Successful" : "FAILED"));
        return text;
    }

    /// A row is written out at once: a run that is killed leaves whole rows.
    void write(std::string const& text) {
        if (!world_.is_root() || text.empty())
            return;
        if (o_.output.empty()) {
            session_.text() << text << std::flush;
        } else {
            output_.stream() << text;
            output_.flush();
        }
    }

    Options const& o_;
    Setup const& setup_;
    frontend::Session& session_;
    measure::Comm const& world_;
    Table table_;
    frontend::OutputFile output_;
    std::optional<Corruption> corruption_{};
    measure::AnyTimer timer_;
    measure::Environment const* environment_ = nullptr;
    std::unique_ptr<CpuLoop> cpu_;
    std::int64_t previous_ = 0;  ///< repetitions of the length before
    std::vector<Verdict> verdicts_;
};

}  // namespace

void measure_benchmarks(Options const& options, Setup const& setup, frontend::Session& session) {
    Campaign{options, setup, session}.measure();
}

}  // namespace pmb
