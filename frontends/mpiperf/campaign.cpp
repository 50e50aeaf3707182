// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/campaign.hpp"

#include "bodies/memory.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/chosen.hpp"
#include "mpiperf/noise.hpp"
#include "mpiperf/operations/memory_test.hpp"
#include "mpiperf/operations/nonblocking.hpp"
#include "mpiperf/operations/topologies.hpp"
#include "mpiperf/operations/transfer.hpp"
#include "mpiperf/plugin/plugin.hpp"
#include "mpiperf/plugin/pmpi_flag.hpp"
#include "mpiperf/report/columns.hpp"
#include "mpiperf/report/log.hpp"
#include "mpiperf/report/report.hpp"
#include "mpiperf/report/result.hpp"
#include "mpiperf/rules.hpp"
#include "program/engine/campaign.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/test_hooks.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>
#include <measure/main.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

namespace mpiperf {

namespace {

using Clock = measure::SteadyClock;

bool looks_at_memory(Options const& options, std::span<Test const> own) {
    return std::any_of(options.tests.begin(), options.tests.end(), [own](std::string const& text) {
        return find_test(named_test(text).name, own).name == memory_test;
    });
}

Memory memory_for(Options const& o, measure::Comm const& world) {
    Memory memory;
    memory.policy.alignment = o.alignment;
    memory.policy.limit =
        o.max_memory ? std::min(*o.max_memory, bodies::memory_left(world)) : bodies::memory_share(world);
    if (o.cold) {
        memory.policy.blocks = o.cold_blocks;
        memory.cache = bodies::last_level_cache();
    }
    return memory;
}

Messages messages(Options const& o, program::Session& session) {
    Messages m{.datatype = o.datatype};
    if (auto const hook = session.test_hook("MEASURE_TEST_INT_MAX"))
        m.limits = limits_from(*hook);
    return m;
}

/// The part of the setting that follows from the command line.
Setting setting(Options const& o, program::Session& session) {
    return {.messages = messages(o, session),
            .verify = o.verify,
            .root = {o.root, o.rotate_root},
            .nonblocking = nonblocking_rules(o, session.common()),
            .window = o.window,
            .threads = o.threads,
            .partitions = o.partitions,
            .reorder = o.reorder,
            .scratch = o.scratch};
}

/// Multiplies the times of the ranks by a factor.
std::vector<measure::RankSummary> scaled(std::vector<measure::RankSummary> ranks, double factor) {
    for (auto& rank : ranks) {
        for (double* const time : {&rank.mean, &rank.median, &rank.min, &rank.max, &rank.kept_mean})
            *time *= factor;
        if (rank.standard_error)
            *rank.standard_error *= factor;
    }
    return ranks;
}

measure::Value footprint_value(Footprint const& f) {
    measure::Value value = measure::Value::Object{{"per_rank", f.per_rank}, {"blocks", f.blocks}};
    if (f.cache > 0) {
        value["cache"] = f.cache;
        value["in_sum"] = f.in_sum;
        value["cut"] = f.cut;
    }
    return value;
}

/// One launch of the program: its options and files, and the callbacks for the engine.
class Campaign {
public:
    Campaign(Options const& options, std::span<Test const> own, program::Session& session)
        : o_{options}, session_{session}, world_{session.world()}, setting_{setting(options, session)},
          chosen_{chosen(
              options, session.common(), own, world_.size(),
              [this](std::string const& path) { return program::read_file(world_, path); }, setting_.messages.limits)},
          style_{style(options)}, looks_at_memory_{mpiperf::looks_at_memory(options, own)}, topologies_{options,
                                                                                                        chosen_} {
        for (Test const* const test : chosen_.tests)
            program::add_once(style_.of_run, rows_of(*test, options));
        style_.memory = looks_at_memory_;
    }

    void list() {
        for (auto const& at : memory_points())
            session_.text() << memory_test << ' ' << at.text() << '\n';
        if (!chosen_.tests.empty())
            program::list(program(), session_);
    }

    void measure() {
        look_at_memory();
        prepare();
        program::run(program(), context(), session_);
        report_memory();
        if (o_.format == Format::text)
            session_.text() << closing(Clock::now() - started_);
        per_process_.finish();
        log_.close();
    }

private:
    /// Only the root's file system decides what is a folder.
    void check_scratch() const {
        measure::on_root(world_, [this] {
            std::error_code none;
            if (!std::filesystem::is_directory(o_.scratch, none))
                throw measure::UsageError(fmt::format("--scratch: '{}' is not a folder", o_.scratch));
            if (::access(o_.scratch.c_str(), W_OK | X_OK) != 0)
                throw measure::UsageError(fmt::format("--scratch: '{}': {}", o_.scratch, std::strerror(errno)));
        });
    }

    /// Opens files first, so that a bad path costs no measurement.
    void prepare() {
        if (o_.scratch != Options{}.scratch)
            check_scratch();
        if (!o_.per_process.empty())
            per_process_ = program::open_file(world_, o_.per_process, "-o");
        if (!o_.log.empty())
            log_.open(world_, o_.log, o_.log_master, [this](std::string text) { session_.fail(std::move(text)); });
        if (auto const hook = session_.test_hook("MEASURE_TEST_DELAY"))
            setting_.delay = program::delay_from(*hook);
        if (auto const hook = session_.test_hook("MEASURE_TEST_CORRUPT"))
            setting_.corruption = corruption_from(*hook);
        warn_of_oversubscription(session_);
        noise_ = note_noise(session_);
        hostnames_ = hostnames(world_);
        warn_of_tests_without_check();
        warn_of_threads();
        setting_.memory = memory_for(o_, world_);
        setting_.footprint = [this](measure::Point const& at, Footprint const& f) {
            footprints_[at] = f;
            log_.buffers(f);
        };
        setting_.warn = [this](std::string text) { session_.warn(std::move(text)); };
    }

    [[nodiscard]] measure::Program program() {
        measure::Program program{.name = "mpiperf", .axes = chosen_.axes};
        for (Test const* const test : chosen_.tests)
            program.benchmarks.push_back(benchmark(*test));
        program.plan = plan(o_, session_.common(), measure::AnyTimer{});
        program.plan.control.in_sample = &mpiperf_is_measure_started;
        log_.watch(program.plan.control);
        if (o_.refine)
            program.refine = measure::Refinement{.tolerance = *o_.refine};
        program.prepare = [this](measure::Plan& plan, measure::Environment const& run) {
            setting_.timer = plan.timer;
            setting_.nonblocking.floor = std::max(run.timer.overhead, run.timer.resolution);
            log_.timer(plan.timer);
            write_memory();
        };
        program.before = [this](measure::Benchmark const& row, measure::Point const& at) {
            footprints_[at] = {};
            log_.end_point();
            log_.begin_point(row.name, at);
        };
        program.after = [this](measure::Benchmark const& row) {
            log_.end_point();
            if (memory_test_)
                memory_test_->after(row.name);
            write_memory();
        };
        program.page = {
            .head = [this](measure::Environment const& run) { return head(run); },
            .begin = [this](measure::Benchmark const& row) { return begin(row.name); },
            .row = [this](measure::Record const& record, measure::Measurement const& m) { return row(record, m); },
            .end = [](measure::Benchmark const&) { return std::string{}; }};
        return program;
    }

    [[nodiscard]] program::RunContext context() const {
        program::RunContext context{.options = describe(o_, session_.common(), chosen_.axes, world_.oversubscribed())};
        if (uses_clock(o_))
            context.sync = sync(o_, session_.common());
        if (o_.first_calls)
            context.retries = 0;
        context.points_beside = std::ssize(memory_points());
        return context;
    }

    [[nodiscard]] measure::Benchmark benchmark(Test const& test) {
        auto row = benchmark_of(test, o_);
        bool const has_batch = test.batch > 1 || (test.batch_bytes > 0 && !o_.is_nosync());
        if (has_batch && !session_.common().batch)
            row.adjust = [adjust = std::move(row.adjust), &test](measure::Point const& at, measure::Plan& plan) {
                adjust(at, plan);
                plan.batch = measure::FixedCount{batch_of(test, at)};
            };
        then(row, [this, &test](measure::Record& record) { describe_point(test, record); });
        topologies_.apply(test, row);
        test.build(test, setting_, row);
        then(row, [this](measure::Record& record, measure::Measurement const& m) { compare(record, m); });
        return row;
    }

    [[nodiscard]] Test const& test_of(std::string_view name) const {
        return **std::find_if(chosen_.tests.begin(), chosen_.tests.end(),
                              [&](Test const* test) { return test->name == name; });
    }

    [[nodiscard]] std::vector<measure::Point> memory_points() const {
        std::vector<std::string> names;
        for (Test const* const test : chosen_.tests)
            names.emplace_back(test->name);
        int const world = session_.common().ranks.value_or(world_.size());
        return looks_at_memory_ ? mpiperf::memory_points(memory_processes(o_, world), names, world)
                                : std::vector<measure::Point>{};
    }

    /// Runs first, because opening files and synchronising clocks already connects the ranks.
    void look_at_memory() {
        if (!looks_at_memory_)
            return;
        memory_test_.emplace(world_, memory_processes(o_, world_.size()));
        memory_test_->meet();
    }

    void write_memory() {
        if (!memory_test_)
            return;
        for (auto& row : memory_test_->rows()) {
            if (world_.is_root())
                session_.point(memory_record(row));
            memory_rows_.push_back(std::move(row));
        }
    }

    void report_memory() {
        if (!memory_test_)
            return;
        auto const model = memory_test_->model();
        auto const variables = mpi_variables();
        if (o_.format == Format::csv) {
            // Without other tests the titles have not been written yet.
            if (chosen_.tests.empty())
                session_.text() << fmt::format("{}\n", fmt::join(memory_columns(), ","));
            session_.text() << memory_lines(memory_rows_, chosen_.tests.empty() ? memory_columns() : csv_titles());
        } else {
            session_.text() << memory_table(memory_rows_, model, variables);
        }
        session_.summary(memory_summary(model, variables));
    }

    [[nodiscard]] std::string head(measure::Environment const& run) {
        HeaderFacts facts{.tests = chosen_.tests,
                          .axes = chosen_.axes,
                          .hostnames = hostnames_,
                          .start = start_name(o_, world_.oversubscribed()),
                          .stop = session_.common().stop.value_or(""),
                          .noise = noise_,
                          .topology = topologies_.text(),
                          .settles = settles(o_, session_.common()),
                          .epochs = session_.common().epochs,
                          .compared =
                              std::any_of(chosen_.tests.begin(), chosen_.tests.end(),
                                          [this](Test const* t) { return benchmark_of(*t, o_).variants.has_value(); }),
                          .shuffled = session_.common().shuffle,
                          .seed = session_.common().seed};
        if (looks_at_memory_)
            facts.tests.insert(facts.tests.begin(), &find_test(memory_test));
        if (o_.format == Format::csv)
            return {};
        auto text = header(run, o_, facts);
        per_process_.stream() << text;
        return text;
    }

    [[nodiscard]] std::vector<std::string> csv_titles() const {
        std::vector<std::string> titles;
        for (auto const& column : columns(style_, false))
            titles.push_back(column.heading);
        return titles;
    }

    /// In csv each row names the test, and one title line covers the columns of all tests.
    [[nodiscard]] std::string begin(std::string_view name) {
        style_.rows = rows_of(test_of(name), o_);
        footprint_text_.clear();
        if (o_.format == Format::csv && std::exchange(headed_, true))
            return {};
        per_process_.stream() << heading(name, o_.confidence, style_, true);
        return heading(name, o_.confidence, style_, false);
    }

    [[nodiscard]] static bool checks_itself(Test const& test) {
        return test.checks_data || (test.plugin != nullptr && test.plugin->calls.verify != nullptr);
    }

    void warn_of_tests_without_check() {
        for (Test const* const test : chosen_.tests)
            if (o_.verify && test->shape == nullptr && test->element > 0 && !checks_itself(*test))
                session_.warn(fmt::format("--verify: {} cannot check its data", test->name));
    }

    void warn_of_threads() {
        bool const has = std::any_of(chosen_.tests.begin(), chosen_.tests.end(),
                                     [](Test const* t) { return t->name == thread_test; });
        if (has && chosen_.tests.size() > 1)
            session_.warn(
                fmt::format("{} needs MPI_THREAD_MULTIPLE, which makes the calls of all tests slower", thread_test));
    }

    void describe_point(Test const& test, measure::Record& record) {
        if (auto const* const f = footprints_.find(record.at); f != nullptr && f->per_rank > 0)
            record.derived["footprint"] = footprint_value(*f);
        if (record.has_flag("no_memory"))
            record.message +=
                fmt::format(", or the buffers of a process need more than {} (--max-mem, or the free memory)",
                            measure::text_bytes(setting_.memory.policy.limit));
        describe_messages(test, record);
    }

    void describe_messages(Test const& test, measure::Record& record) const {
        auto const count = record.at.integer("count");
        auto const layout = layout_at(record.at);
        if (record.at.has(datatype_axis))
            record.derived["datatype"] = datatype_value(layout, count);
        if (test.shape == nullptr || test.int_counts)
            return;
        auto const c =
            bodies::carrier(*test.shape, test.name, layout, count, record.at.ranks(), setting_.messages.limits);
        if (c.wide || c.chunk > 1)
            record.derived["large_count"] =
                measure::Value::Object{{"functions", c.wide ? "large" : "int"}, {"chunk", c.chunk}};
    }

    /// Computes the ratio of the previous point, with a datatype, to this point with bytes.
    void compare(measure::Record& record, measure::Measurement const& m) {
        ratio_.reset();
        if (!is_contiguous(record)) {
            before_ = record;
            return;
        }
        // Ratio of the first variant to this one.
        ratio_ = ratio_in_turn(record, before_, m.ratio);
        // An interval that reaches zero cannot be inverted.
        if (ratio_ && ratio_->interval && !(ratio_->interval->first > 0))
            ratio_->interval.reset();
        if (ratio_ && ratio_->value > 0)
            ratio_ = inverse(*ratio_);
        if (ratio_)
            record.derived["ratio"] = measure::describe(*ratio_, before_.at.text(datatype_axis));
    }

    [[nodiscard]] std::string row(measure::Record const& record, measure::Measurement const& m) {
        std::string text;
        auto const* const f = footprints_.find(record.at);
        if (f != nullptr && f->cache > 0 && f->per_rank > 0 && o_.format == Format::text)
            if (auto line = footprint(record, *f); line != footprint_text_)
                text = footprint_text_ = std::move(line);
        text += point(record, style_, ratio_);
        if (o_.format == Format::csv || !is_contiguous(record))
            per_process_.stream() << by_process(record, scaled(m.ranks, test_of(record.benchmark).scale), style_);
        log_.result(record);
        return text;
    }

    Options const& o_;
    program::Session& session_;
    measure::Comm const& world_;
    Clock::time_point started_ = Clock::now();
    Setting setting_;
    Chosen chosen_;
    Style style_;
    bool headed_ = false;         ///< csv: the titles are written
    std::string footprint_text_;  ///< last printed line; points with computing have the same buffers as the others
    ByPoint<Footprint> footprints_;
    bool looks_at_memory_;
    std::optional<MemoryTest> memory_test_;
    std::vector<MemoryRow> memory_rows_;
    Topologies topologies_;
    program::OutputFile per_process_;
    Log log_;
    std::string noise_;
    std::vector<std::string> hostnames_;
    measure::Record before_;               ///< the last point that is not the bytes partner of a datatype
    std::optional<measure::Ratio> ratio_;  ///< of the point being written
};

}  // namespace

void measure_tests(Options const& options, std::span<Test const> own, program::Session& session) {
    Campaign campaign{options, own, session};
    if (session.common().list)
        campaign.list();
    else
        campaign.measure();
}

std::vector<std::string> hostnames(measure::Comm const& world) { return world.gather(world.host_name()); }

}  // namespace mpiperf
