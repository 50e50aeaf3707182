// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "copies.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/results.hpp"
#include "program/engine/unsettled.hpp"
#include "program/runtime/stderr_line.hpp"
#include "report.hpp"
#include "rules.hpp"

#include <measure/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cachebench {

namespace {

using measure::Bytes;

class Campaign {
public:
    Campaign(Setup const& setup, llcbench::Machine const& machine, program::Session& session)
        : setup_{setup}, machine_{machine}, session_{session}, results_{setup.output, machine, session} {
        if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
            damaged_ = *hook;
        if (setup.copies > usable_cores())
            session.warn("more copies than cores: they take turns");
        timer_ = measure::timer_from(session.common().timer, session.world(), session.common().seed);
        session.add_to_run("caches", llcbench::value(machine.caches));
        environment_ = &session.begin(timer_, describe(setup));
        flush_.emplace(setup.flush);
        if (setup.copies == 0)
            arena_.emplace(setup.layout, setup.largest(), setup.two_vectors());
        session.plan(static_cast<std::int64_t>(setup.tests.size() * setup.sizes.size()) * setup.repetitions *
                     std::max(setup.copies, 1));
    }

    void measure() {
        Report report{results_.stream(), setup_, machine_};
        for (Test const* const test : setup_.tests) {
            report.begin(*test, *environment_);
            for (Bytes const bytes : setup_.sizes)
                for (int repetition = 0; repetition < setup_.repetitions; ++repetition)
                    measure(report, {test, setup_.type, setup_.flavour, bytes, session_.common().seed}, repetition);
            report.end();
        }
        results_.keep(*environment_, build(setup_));
    }

private:
    void measure(Report& report, Task const& task, int repetition) {
        bool const budget_spent = session_.meet();
        auto const at = place(task, repetition);
        if (budget_spent) {
            for (int copy = std::min(setup_.copies, 1); copy <= setup_.copies; ++copy)
                skip(report, task, with_copy(at, copy), copy);
            return;
        }
        session_.next(fmt::format("{} bytes={}", task.test->name, task.bytes));
        if (setup_.copies > 0)
            measure_copies(report, task, at, repetition);
        else
            write(report, task, at, 0, time(task, repetition, *arena_, session_.control(), {}));
    }

    /// The flush comes between sizes, not between the repetitions of one.
    Timed time(Task const& task, int repetition, Arena const& arena, measure::Control control,
               std::function<void()> ready) {
        Operation operation{task, arena};
        Stopwatch const watch{.timer = timer_,
                              .resolution = std::max(environment_->timer.resolution, environment_->timer.overhead),
                              .flush = repetition == 0 && flush_->size() > 0 ? &*flush_ : nullptr,
                              .control = std::move(control),
                              .ready = std::move(ready)};
        return time_point(operation, setup_.rules, watch, task.test->name == damaged_);
    }

    void measure_copies(Report& report, Task const& task, measure::Point const& at, int repetition) {
        auto const control = session_.control();
        auto const copy = [&](std::function<void()> ready) {
            Arena const arena{setup_.layout, task.bytes, task.test->work == Work::copy};
            return time(task, repetition, arena, {.deadline = control.deadline}, std::move(ready));
        };
        auto const results = run_copies(setup_.copies, copy, control);
        std::vector<Figures> all;
        for (std::size_t i = 0; i < results.size(); ++i)
            if (auto const figures = write(report, task, at, static_cast<int>(i) + 1, results[i]))
                all.push_back(*figures);
        if (all.size() < results.size() || task.test->work == Work::latency)
            return;
        Figures const together = sum(all);
        print(report, {.bytes = task.bytes, .figures = together, .copy = 0});
        session_.summary({.name = "sum_of_copies",
                          .value = *together.rate * static_cast<double>(measure::mebi),
                          .unit = "B/s",
                          .derived = measure::Value::Object{{"benchmark", task.test->name},
                                                            {"bytes", task.bytes},
                                                            {"type", task.type->name},
                                                            {"flavour", task.flavour->name},
                                                            {"repetition", repetition},
                                                            {"copies", setup_.copies}}});
    }

    void skip(Report& report, Task const& task, measure::Point at, int copy) {
        auto const r =
            measure::make_record(std::string{task.test->name}, std::move(at), measure::Outcome::skipped, "time_budget");
        print(report, {.bytes = task.bytes, .copy = copy, .note = r.reason});
        session_.point(r);
    }

    void print(Report& report, Row const& row) {
        report.row(row);
        results_.check_row();
    }

    /// \return the figures, where they stand
    std::optional<Figures> write(Report& report, Task const& task, measure::Point const& at, int copy,
                                 Timed const& timed) {
        std::string const name{task.test->name};
        Counts const work = counts(*task.test, task.type->width, task.bytes);
        auto const r = record(name, with_copy(at, copy), timed, work);
        Row row{.bytes = task.bytes, .copy = copy, .note = r.reason, .unsettled = program::is_unsettled(r)};
        if (timed.stands())
            row.figures = figures(work, timed.times(), timed.passes);
        print(report, row);
        if (timed.defect) {
            program::stderr_line(fmt::format("cachebench: error: {}: {} bytes: {}", name, task.bytes, *timed.defect));
            session_.check_failed();
            session_.left_out(r);
        } else {
            if (timed.too_short)
                session_.warn(fmt::format("{}: {} bytes: {}", name, task.bytes, r.reason));
            session_.point(r);
        }
        return row.figures;
    }

    [[nodiscard]] measure::Point place(Task const& task, int repetition) const {
        return {{"bytes", task.bytes},
                {"type", std::string{task.type->name}},
                {"flavour", std::string{task.flavour->name}},
                {"repetition", std::int64_t{repetition}}};
    }

    [[nodiscard]] static measure::Point with_copy(measure::Point at, int copy) {
        if (copy > 0)
            at.set("copy", std::int64_t{copy});
        return at;
    }

    Setup const& setup_;
    llcbench::Machine const& machine_;
    program::Session& session_;
    std::string damaged_;  ///< name of the test whose data are spoilt, for tests
    llcbench::Results results_;
    measure::AnyTimer timer_;
    measure::Environment const* environment_ = nullptr;
    std::optional<llcbench::Flush> flush_;
    std::optional<Arena> arena_;
};

}  // namespace

void measure_all(Setup const& setup, llcbench::Machine const& machine, program::Session& session) {
    Campaign{setup, machine, session}.measure();
}

}  // namespace cachebench
