// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "bodies/memory.hpp"
#include "catalogue.hpp"
#include "log.hpp"
#include "measuring.hpp"
#include "memory_test.hpp"
#include "noise.hpp"
#include "nonblocking.hpp"
#include "plugin.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/test_hooks.hpp"
#include "report.hpp"
#include "result.hpp"
#include "rules.hpp"
#include "topologies.hpp"
#include "transfer.hpp"

#include <measure/clock_sync.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace mpiperf {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<Test const*> chosen_tests(Options const& options, std::span<Test const> own) {
    std::vector<Test const*> chosen;
    for (auto const& name : options.tests)
        if (Test const& test = find_test(name, own); test.measure != nullptr)
            chosen.push_back(&test);
    return chosen;
}

bool looks_at_memory(Options const& options, std::span<Test const> own) {
    return std::any_of(options.tests.begin(), options.tests.end(),
                       [own](std::string const& name) { return find_test(name, own).name == memory_test; });
}

Memory memory_for(Options const& o, measure::Comm const& world) {
    Memory memory;
    memory.policy.alignment = o.alignment;
    memory.policy.limit = o.max_memory ? *o.max_memory : bodies::memory_share(world);
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

measure::Value footprint_value(Footprint const& f) {
    measure::Value value = measure::Value::Object{{"per_rank", f.per_rank}, {"blocks", f.blocks}};
    if (f.cache > 0) {
        value["cache"] = f.cache;
        value["in_sum"] = f.in_sum;
        value["cut"] = f.cut;
    }
    return value;
}

/// One start of the program: its options, files and clock, and the tests one after another.
class Campaign {
public:
    Campaign(Options const& options, std::span<Test const> own, program::Session& session)
        : o_{options}, session_{session}, world_{session.world()}, tests_{chosen_tests(options, own)},
          messages_{messages(options, session)}, axes_{axes(options, tests_,
                                                            session.common().ranks.value_or(world_.size()),
                                                            messages_.limits)},
          style_{style(options)}, looks_at_memory_{mpiperf::looks_at_memory(options, own)}, topologies_{options, world_,
                                                                                                        tests_, axes_} {
    }

    void list() {
        for (auto const& at : memory_points())
            session_.text() << memory_test << ' ' << at.text() << '\n';
        for (Test const* const test : tests_) {
            auto const row = benchmark_of(*test, o_);
            auto axes = axes_of(*test, axes_);
            if (row.variants)
                axes.push_back(*row.variants);
            for (auto at : measure::points_of(axes)) {
                row.complete(at);
                for (auto const& inner : inner_texts(*test))
                    session_.text() << test->name << ' ' << at.text() << inner << '\n';
            }
        }
    }

    void measure() {
        look_at_memory();
        prepare();
        print_header();
        write_memory();
        for (Test const* const test : tests_) {
            measure(*test);
            if (memory_test_)
                memory_test_->after(test->name);
            write_memory();
        }
        report_memory();
        if (clock_)
            session_.clock_sync_residual(measure::residual(world_, *clock_));
        if (o_.format == Format::text)
            session_.text() << closing(Clock::now() - started_);
        per_process_.flush();
        log_.close();
    }

private:
    /// What follows the text of a point: times of computing are multiples of a time that is not known yet.
    [[nodiscard]] std::vector<std::string> inner_texts(Test const& test) const {
        if (rows_of(test, o_) != Rows::overlap)
            return {""};
        std::vector<std::string> texts;
        for (double const share : compute_times(1, o_.compute_points))
            texts.push_back(fmt::format(" {}={:g}*blocking_time", compute_coordinate, share));
        return texts;
    }

    /// Files first, so that nothing is measured in vain.
    void prepare() {
        if (!o_.per_process.empty())
            per_process_ = program::open_file(world_, o_.per_process, "-o");
        if (!o_.log.empty())
            log_.open(world_, o_.log, o_.log_master, [this](std::string text) { session_.fail(std::move(text)); });
        if (auto const hook = session_.test_hook("MEASURE_TEST_DELAY"))
            delay_ = program::delay_from(*hook);
        if (auto const hook = session_.test_hook("MEASURE_TEST_CORRUPT"))
            corruption_ = corruption_from(*hook);
        warn_of_oversubscription(session_);
        noise_ = note_noise(session_);
        warn_of_tests_without_check();
        memory_ = memory_for(o_, world_);
        timer_ = measure::timer_from(timer_name(o_, session_.common()), world_, session_.common().seed);
        if (uses_clock(o_))
            clock_ = measure::synchronise(world_, timer_, sync(o_, session_.common()));
        log_.timer(timer_);
    }

    [[nodiscard]] std::vector<std::string> test_names() const {
        std::vector<std::string> names;
        for (Test const* const test : tests_)
            names.emplace_back(test->name);
        return names;
    }

    [[nodiscard]] std::vector<measure::Point> memory_points() const {
        int const world = session_.common().ranks.value_or(world_.size());
        return looks_at_memory_ ? mpiperf::memory_points(memory_processes(o_, world), test_names(), world)
                                : std::vector<measure::Point>{};
    }

    /// First of all, because files and clocks make the ranks meet.
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
        session_.text() << memory_table(memory_rows_, model, variables, o_.format);
        session_.summary(memory_summary(model, variables));
    }

    void print_header() {
        auto options = mpiperf::describe(o_, session_.common(), axes_, world_.oversubscribed());
        auto const report = clock_ ? std::optional{clock_->report()} : std::nullopt;
        auto const& run = session_.begin(timer_, std::move(options), report);
        floor_ = std::max(run.timer.overhead, run.timer.resolution);
        HeaderFacts facts{.tests = tests_,
                          .axes = axes_,
                          .hostnames = hostnames(world_),
                          .start = start_name(o_, world_.oversubscribed()),
                          .noise = noise_,
                          .settles = settles(o_, session_.common()),
                          .epochs = session_.common().epochs,
                          .shuffled = session_.common().shuffle,
                          .seed = session_.common().seed};
        if (looks_at_memory_)
            facts.tests.insert(facts.tests.begin(), &find_test(memory_test));
        facts.topology = topologies_.text();
        if (!world_.is_root() || o_.format == Format::csv)
            return;
        auto const text = header(run, o_, facts);
        session_.text() << text;
        per_process_.stream() << text;
    }

    void measure(Test const& test) {
        style_.rows = rows_of(test, o_);
        footprint_text_.clear();
        print_heading(test);
        Footprint footprint;
        Job job{.world = world_,
                .plan = plan_of(test, o_, plan(o_, session_.common(), timer_, clock_)),
                .axes = axes_of(test, axes_),
                .row = benchmark_of(test, o_),
                .options = sweep_options(o_, session_.common()),
                .memory = memory_,
                .messages = messages_,
                .verify = o_.verify,
                .corruption = corruption_,
                .root = {o_.root, o_.rotate_root},
                .nonblocking = nonblocking_rules(o_, session_.common(), floor_),
                .delay = delay_,
                .collective = test.collective,
                .plugin = test.plugin,
                .footprint =
                    [&](Footprint const& f) {
                        footprint = f;
                        log_.buffers(f);
                    },
                .write = [&](measure::Record const& record,
                             measure::Measurement const& m) { write(record, m, footprint); }};
        job.warn = [this](std::string text) { session_.warn(std::move(text)); };
        job.plan.control = session_.control();
        job.plan.control.in_sample = &mpiperf_is_measure_started;
        log_.watch(job.plan.control);
        job.options.before = [this, meet = before_point(session_)](auto const& row, auto const& at) {
            log_.end_point();
            meet(row, at);
            log_.begin_point(row.name, at);
        };
        job.row.finish = [&](measure::Record& record) {
            if (footprint.per_rank > 0)
                record.derived["footprint"] = footprint_value(footprint);
            if (record.has_flag("no_memory"))
                record.reason += fmt::format(", or more than {} for the buffers of a process (--max-mem)",
                                             measure::text_bytes(memory_.policy.limit));
            describe_messages(test, record);
        };
        topologies_.apply(test, job);
        auto measurements = std::ssize(memory_points());
        for (Test const* const each : tests_)
            measurements += mpiperf::measurements(*each, o_, axes_);
        session_.plan(measurements);
        test.measure(job);
        log_.end_point();
    }

    /// csv names the test in each row, and its columns where they change.
    void print_heading(Test const& test) {
        if (o_.format == Format::csv && headed_ == style_.rows)
            return;
        headed_ = style_.rows;
        session_.text() << heading(test.name, o_.confidence, style_, false);
        per_process_.stream() << heading(test.name, o_.confidence, style_, true);
    }

    [[nodiscard]] static bool checks_itself(Test const& test) {
        return test.plugin != nullptr && test.plugin->calls.verify != nullptr;
    }

    void warn_of_tests_without_check() {
        for (Test const* const test : tests_)
            if (o_.verify && test->shape == nullptr && test->element > 0 && !checks_itself(*test))
                session_.warn(fmt::format("--verify: the data of {} are not checked", test->name));
    }

    void describe_messages(Test const& test, measure::Record& record) const {
        auto const count = record.at.integer("count");
        auto const layout = layout_at(record.at);
        if (record.at.has(datatype_axis))
            record.derived["datatype"] = datatype_value(layout, count);
        if (test.shape == nullptr || test.int_counts)
            return;
        auto const c = bodies::carrier(*test.shape, test.name, layout, count, record.at.ranks(), messages_.limits);
        if (c.wide || c.chunk > 1)
            record.derived["large_count"] =
                measure::Value::Object{{"functions", c.wide ? "large" : "int"}, {"chunk", c.chunk}};
    }

    /// The ratio of the point before, with a datatype, to this one with bytes.
    std::optional<measure::Ratio> compare(measure::Record& record, measure::Measurement const& m) {
        if (!is_contiguous(record)) {
            before_ = record;
            return std::nullopt;
        }
        // Of the first variant to this one.
        auto r = ratio_in_turn(record, before_, m.ratio);
        if (r && r->value > 0)
            r = inverse(*r);
        if (r)
            record.derived["ratio"] = measure::describe(*r, before_.at.text(datatype_axis));
        return r;
    }

    void write(measure::Record record, measure::Measurement const& m, Footprint const& f) {
        if (f.cache > 0 && f.per_rank > 0 && o_.format == Format::text)
            if (auto text = footprint(record, f); text != footprint_text_) {
                session_.text() << text;
                footprint_text_ = std::move(text);
            }
        auto const ratio = compare(record, m);
        session_.text() << point(record, style_, ratio);
        if (o_.format == Format::csv || !is_contiguous(record))
            per_process_.stream() << by_process(record, m.ranks, style_);
        log_.result(record);
        session_.point(record, m);
    }

    Options const& o_;
    program::Session& session_;
    measure::Comm const& world_;
    Clock::time_point started_ = Clock::now();
    std::vector<Test const*> tests_;
    Messages messages_;
    std::vector<measure::Axis> axes_;
    Style style_;
    std::optional<Rows> headed_;  ///< what the columns named last are of
    std::string footprint_text_;  ///< printed last: points that compute have the buffers of the others
    measure::seconds floor_{0};   ///< the cost of a reading or the step of the clock, whichever is more
    bool looks_at_memory_;
    std::optional<MemoryTest> memory_test_;
    std::vector<MemoryRow> memory_rows_;
    Topologies topologies_;
    program::OutputFile per_process_;
    Log log_;
    std::optional<program::Delay> delay_;
    std::string noise_;
    std::optional<Corruption> corruption_;
    measure::Record before_;  ///< the last point that was not the one with bytes beside another
    Memory memory_;
    measure::AnyTimer timer_;
    std::optional<measure::GlobalClock> clock_;
};

}  // namespace

void measure_tests(Options const& options, std::span<Test const> own, program::Session& session) {
    Campaign campaign{options, own, session};
    if (session.common().list)
        campaign.list();
    else
        campaign.measure();
}

std::string timer_name(Options const& options, program::CommonOptions const& common) {
    return options.timer.value_or(common.timer);
}

std::vector<std::string> hostnames(measure::Comm const& world) {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    measure::check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    return world.gather(std::string(name.data(), static_cast<std::size_t>(length)));
}

}  // namespace mpiperf
