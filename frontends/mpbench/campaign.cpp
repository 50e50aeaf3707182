// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "llcbench/results.hpp"
#include "program/runtime/stderr_line.hpp"
#include "report.hpp"
#include "result.hpp"

#include <measure/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mpbench {

namespace {

using measure::Bytes;

class Campaign {
public:
    Campaign(Setup const& setup, llcbench::Machine const& machine, program::Session& session,
             MakeBench const& make_bench)
        : setup_{setup}, machine_{machine}, session_{session}, results_{setup.output, machine, session} {
        if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
            damaged_ = *hook;
        if (setup.oversubscribed)
            session.warn("more tasks than cores: times are those of the scheduler");
        auto const& common = session.common();
        timer_ = measure::timer_from(common.timer, session.world(), common.seed);
        session.add_to_run("caches", llcbench::value(machine.caches));
        environment_ = &session.begin(timer_, describe(setup));
        bench_ = make_bench(timer_, environment_->timer.resolution);
        session.plan(static_cast<std::int64_t>(points()));
    }

    void measure() {
        Report report{results_.stream(), setup_, machine_};
        for (Test const* const test : setup_.tests) {
            report_begin(report, *test);
            bench_->warm_up(*test, message_bytes(test->kind, setup_.largest(), setup_.tasks));
            if (test->kind == Kind::barrier)
                measure(report, *test, 0);
            else
                measure_sizes(report, *test);
            if (is_master())
                report.end();
        }
        results_.keep(*environment_, conditions(setup_));
    }

private:
    [[nodiscard]] bool is_master() const noexcept { return session_.world().is_root(); }

    [[nodiscard]] std::size_t points() const {
        std::size_t n = 0;
        for (Test const* const test : setup_.tests)
            n += (test->kind == Kind::barrier ? 1 : setup_.sizes.size()) * static_cast<std::size_t>(setup_.repetitions);
        return n;
    }

    void report_begin(Report& report, Test const& test) const {
        if (is_master())
            report.begin(test, *environment_);
    }

    [[nodiscard]] measure::Point place(Test const& test, Bytes bytes, int repetition) const {
        measure::Point at{{"ranks", std::int64_t{setup_.tasks}}};
        if (test.kind != Kind::barrier)
            at.set("bytes", bytes);
        return at.set("repetition", std::int64_t{repetition});
    }

    /// Sizes of which each task gets the same whole number of bytes are one.
    void measure_sizes(Report& report, Test const& test) {
        Bytes before = 0;
        for (Bytes const size : setup_.sizes) {
            Bytes const bytes = message_bytes(test.kind, size, setup_.tasks);
            if (bytes == 0 || bytes != std::exchange(before, bytes))
                measure(report, test, size);
        }
    }

    void measure(Report& report, Test const& test, Bytes size) {
        Bytes const bytes = message_bytes(test.kind, size, setup_.tasks);
        std::string const name{test.name};
        for (int repetition = 0; repetition < setup_.repetitions; ++repetition) {
            auto const at = place(test, bytes, repetition);
            bool const budget_spent = session_.meet();
            if (budget_spent) {
                if (is_master())
                    write(report, test, measure::make_record(name, at, measure::Outcome::skipped, "time_budget"));
                continue;
            }
            if (test.kind == Kind::alltoall && bytes == 0) {
                session_.left_out(measure::make_record(name, place(test, size, repetition), measure::Outcome::skipped,
                                                       "fewer bytes than tasks"));
                continue;
            }
            session_.next(test.kind == Kind::barrier ? name : fmt::format("{} bytes={}", name, bytes));
            if (setup_.verify && repetition == 0 && !is_right(test, bytes)) {
                give_up(report, test, bytes);
                return;
            }
            bool const flush = setup_.flush_repetitions || (setup_.flush_sizes && repetition == 0);
            auto const timed = bench_->measure(test, bytes, flush);
            if (is_master())
                write(report, test, record(test, at, bytes, timed));
        }
    }

    void write(Report& report, Test const& test, measure::Record r) {
        if (setup_.oversubscribed)
            r.flag("oversubscribed");
        report.row(row(test, r, setup_.units));
        results_.check_row();
        session_.point(r);
    }

    /// \return the same on all tasks
    [[nodiscard]] bool is_right(Test const& test, Bytes bytes) {
        auto const wrong = bench_->check(test, bytes, test.name == damaged_);
        bool right = true;
        for (std::size_t i = 0; i < wrong.size(); ++i) {
            if (wrong[i] < 0)
                continue;
            right = false;
            int const rank = i + 1 == wrong.size() ? setup_.tasks - 1 : static_cast<int>(i);
            program::stderr_line(fmt::format("{}: error: {}: {} bytes: rank {} received wrong data at offset {}",
                                             environment_->program, test.name, bytes, rank, wrong[i]));
        }
        session_.world().broadcast(right);
        return right;
    }

    /// All repetitions of a size whose data are wrong.
    void give_up(Report& report, Test const& test, Bytes bytes) {
        session_.check_failed();
        for (int repetition = 0; is_master() && repetition < setup_.repetitions; ++repetition) {
            auto const r = measure::make_record(std::string{test.name}, place(test, bytes, repetition),
                                                measure::Outcome::crashed, "wrong data");
            report.row(row(test, r, setup_.units));
            results_.check_row();
            session_.left_out(r);
        }
    }

    Setup const& setup_;
    llcbench::Machine const& machine_;
    program::Session& session_;
    std::string damaged_;  ///< name of the test whose data are spoilt, for tests
    llcbench::Results results_;
    measure::AnyTimer timer_;
    measure::Environment const* environment_ = nullptr;
    std::unique_ptr<Bench> bench_;
};

}  // namespace

void measure_all(Setup const& setup, llcbench::Machine const& machine, program::Session& session,
                 MakeBench const& make_bench) {
    Campaign{setup, machine, session, make_bench}.measure();
}

}  // namespace mpbench
