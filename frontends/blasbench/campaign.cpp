// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "llcbench/flush.hpp"
#include "llcbench/results.hpp"
#include "program/engine/unsettled.hpp"
#include "program/runtime/stderr_line.hpp"
#include "report.hpp"

#include <measure/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace blasbench {

namespace {

/// Results are checked up to here: beyond it the plain loops would take longer than what they check.
constexpr std::int64_t largest_checked = 64;
/// Of the first call of a library, which starts threads and chooses kernels: large enough that it does.
constexpr std::int64_t warm_up_dimension = 256;

class Campaign {
public:
    Campaign(Setup const& setup, std::span<Blas const> libraries, llcbench::Machine const& machine,
             program::Session& session)
        : setup_{setup}, libraries_{libraries}, machine_{machine}, session_{session}, results_{setup.output, machine,
                                                                                               session} {
        if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
            damaged_ = *hook;
        auto const timer = measure::timer_from(session.common().timer, session.world(), session.common().seed);
        session.add_to_run("blas", describe(libraries));
        session.add_to_run("caches", llcbench::value(machine.caches));
        environment_ = &session.begin(timer, describe(setup));
        watch_ = stopwatch(timer, environment_->timer, session.control());
        flush_.emplace(setup.flush);
        std::size_t problems = 0;
        for (Series const& series : setup.series)
            problems += series.sizes.size();
        session.plan(static_cast<std::int64_t>(problems * libraries.size()) * setup.repetitions);
    }

    void measure() {
        Report report{results_.stream(), setup_, machine_, libraries_.size()};
        for (Series const& series : setup_.series)
            measure(series, report);
        results_.keep(*environment_, libraries_info(libraries_, setup_));
    }

private:
    /// With one library its rows are printed as they come, with several library by library in the end.
    void measure(Series const& series, Report& report) {
        Arena const arena{setup_.layout, *series.routine, setup_.precision, series.largest()};
        for (Blas const& blas : libraries_)
            warm_up(series, blas, arena);
        bool const at_once = libraries_.size() == 1;
        if (at_once)
            report.begin(series, libraries_.front(), *environment_);
        std::vector<std::vector<Row>> rows(libraries_.size());
        auto const calls = calls_of(series);
        for (std::size_t i = 0; i < series.sizes.size(); ++i)
            for (int repetition = 0; repetition < setup_.repetitions; ++repetition)
                for (std::size_t k = 0; k < libraries_.size(); ++k) {
                    Size const& size = series.sizes[i];
                    auto row = measure(task(series, libraries_[k], size.n), size, calls[i], repetition, arena);
                    if (at_once)
                        print(report, row);
                    else
                        rows[k].push_back(std::move(row));
                }
        if (at_once)
            report.end();
        else
            print(series, rows, report);
    }

    /// \param rows  of each library
    void print(Series const& series, std::vector<std::vector<Row>> const& rows, Report& report) {
        for (std::size_t k = 0; k < libraries_.size(); ++k) {
            report.begin(series, libraries_[k], *environment_);
            for (Row const& row : rows[k])
                print(report, row);
            report.end();
        }
    }

    void print(Report& report, Row const& row) {
        report.row(row);
        results_.check_row();
    }

    [[nodiscard]] std::vector<std::int64_t> calls_of(Series const& series) const {
        std::vector<double> references;
        for (Size const& size : series.sizes)
            references.push_back(counts(*series.routine, size.n).references);
        return iterations(setup_.rules, references);
    }

    [[nodiscard]] Task task(Series const& series, Blas const& blas, std::int64_t n) const {
        return {.routine = series.routine,
                .precision = setup_.precision,
                .blas = &blas,
                .n = n,
                .leading = setup_.holds(*series.routine) ? series.largest() : n};
    }

    void warm_up(Series const& series, Blas const& blas, Arena const& arena) {
        session_.next(fmt::format("{} blas={} warm-up", full_name(*series.routine, setup_.precision), blas.name));
        auto const operation = make_operation(task(series, blas, std::min(series.largest(), warm_up_dimension)), arena);
        operation->run(1);
    }

    /// \return the line of the report
    Row measure(Task const& task, Size const& size, std::int64_t calls, int repetition, Arena const& arena) {
        auto const name = full_name(*task.routine, task.precision);
        measure::Point const at{{"bytes", size.limit},
                                {"n", size.n},
                                {"blas", task.blas->name},
                                {"threads", std::int64_t{setup_.threads}},
                                {"repetition", std::int64_t{repetition}}};
        if (session_.meet()) {
            auto const r = measure::make_record(name, at, measure::Outcome::skipped, "time_budget");
            session_.point(r);
            return {.size = size, .note = r.reason};
        }
        session_.next(fmt::format("{} blas={} n={}", name, task.blas->name, size.n));
        auto const operation = make_operation(task, arena);
        Timed timed;
        if (task.n <= largest_checked)
            timed.defect = operation->defect(task.routine->name == damaged_);
        if (!timed.defect)
            timed = time_calls(*operation, setup_.rules, calls, watch_, flush_->size() > 0 ? &*flush_ : nullptr);
        return write(task, size, at, timed);
    }

    Row write(Task const& task, Size const& size, measure::Point const& at, Timed const& timed) {
        auto const r = record({.routine = task.routine,
                               .precision = task.precision,
                               .n = task.n,
                               .leading = task.leading,
                               .peak = setup_.peak},
                              at, timed);
        if (timed.defect) {
            program::stderr_line(fmt::format("{}: error: {}: {} bytes, n={}, {}: {}", program(), r.benchmark,
                                             size.limit, size.n, task.blas->name, *timed.defect));
            session_.check_failed();
            session_.left_out(r);
            return {.size = size, .note = *timed.defect};
        }
        session_.point(r);
        if (!r.value)
            return {.size = size, .note = r.reason};
        return {.size = size,
                .figures = figures(counts(*task.routine, task.n), task.precision, timed.times(), timed.iterations,
                                   setup_.peak),
                .note = timed.near_timer_floor ? below_resolution : "",
                .unsettled = program::is_unsettled(r)};
    }

    [[nodiscard]] std::string const& program() const { return environment_->program; }

    Setup const& setup_;
    std::span<Blas const> libraries_;
    llcbench::Machine const& machine_;
    program::Session& session_;
    std::string damaged_;  ///< name of the routine whose results are spoilt, for tests
    llcbench::Results results_;
    measure::Environment const* environment_ = nullptr;
    Stopwatch watch_;
    std::optional<llcbench::Flush> flush_;
};

}  // namespace

void measure_all(Setup const& setup, std::span<Blas const> libraries, llcbench::Machine const& machine,
                 program::Session& session) {
    Campaign{setup, libraries, machine, session}.measure();
}

}  // namespace blasbench
