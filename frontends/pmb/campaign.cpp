// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include "cpu_loop.hpp"
#include "method.hpp"
#include "output.hpp"
#include "rows.hpp"
#include "team.hpp"

#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pmb {

namespace {

class Campaign {
public:
    Campaign(Options const& options, Setup const& setup, frontend::Session& session)
        : setup_{setup}, session_{session}, output_{options, session}, context_{.setup = setup,
                                                                                .session = session,
                                                                                .output = output_,
                                                                                .file = options.file,
                                                                                .keep = options.keep} {
        if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
            context_.corruption = corruption_from(*hook);
        if (world().oversubscribed())
            session.warn("more processes than cores: times are those of the scheduler");
        context_.timer = measure::timer_from(session.common().timer, world(), session.common().seed);
        environment_ = &session.begin(context_.timer, describe(options, setup));
        if (std::any_of(setup.benchmarks.begin(), setup.benchmarks.end(), [](auto* b) { return b->non_blocking; }))
            cpu_ = std::make_unique<CpuLoop>(world(), context_.timer, setup.parameters.cpu);
        context_.cpu = cpu_.get();
        session.plan(points());
    }

    void measure() {
        output_.write(
            output_.table().header(*environment_, setup_, cpu_ ? std::optional{cpu_->mflops()} : std::nullopt));
        for (Benchmark const* const b : setup_.benchmarks)
            measure(*b);
        if (setup_.check)
            write_verdicts();
        output_.write(output_.table().closing(environment_->program, session_.result().code));
    }

private:
    [[nodiscard]] measure::Comm const& world() const noexcept { return session_.world(); }
    [[nodiscard]] bool needs_pairs(Benchmark const& b) const {
        return b.kind == Class::single && setup_.part != Part::io;
    }

    [[nodiscard]] std::vector<int> counts(Benchmark const& b) const {
        if (b.kind == Class::single)
            return {needs_pairs(b) ? std::min(2, world().size()) : 1};
        return process_counts(world().size(), setup_.at_least);
    }

    [[nodiscard]] std::int64_t points() const {
        std::size_t n = 0;
        for (Benchmark const* const b : setup_.benchmarks)
            for (int const q : counts(*b)) {
                int const rows = setup_.multi == 1 ? Grouping::of(world().size(), q, true).groups : 1;
                n += b->modes.size() * lengths_of(*b, setup_).size() * static_cast<std::size_t>(rows);
            }
        return static_cast<std::int64_t>(n);
    }

    void measure(Benchmark const& b) {
        if (needs_pairs(b) && world().size() < 2) {
            output_.notice(fmt::format("!! Benchmark {} invalid for 1 process   !!", b.name));
            session_.left_out(measure::make_record(std::string{b.name}, {{"ranks", std::int64_t{1}}},
                                                   measure::Outcome::skipped, "invalid for 1 process"));
            return;
        }
        bool successful = true;
        bool going_on = true;
        for (int const q : counts(b)) {
            auto const grouping = Grouping::of(world().size(), q, setup_.multi.has_value());
            auto const team = world().split(grouping.group_of(world().rank()));
            for (Mode const mode : b.modes) {
                Rows rows{context_, b, mode, grouping, team ? &*team : nullptr};
                going_on = going_on && rows.measure();
                successful = successful && rows.successful();
            }
            if (!going_on)
                break;
        }
        checked_.push_back({&b, successful});
    }

    /// What checking found, benchmark by benchmark.
    void write_verdicts() {
        auto const failed = std::count_if(checked_.begin(), checked_.end(), [](auto& c) { return !c.successful; });
        output_.notice(failed == 0
                           ? "Results checking: all benchmarks successful"
                           : fmt::format("Results checking: {} of {} benchmarks failed", failed, checked_.size()));
        for (auto const& [benchmark, successful] : checked_)
            if (failed > 0)
                output_.comment(fmt::format("  {} : {}", benchmark->name, successful ? "Successful" : "FAILED"));
    }

    struct Checked {
        Benchmark const* benchmark;
        bool successful;
    };

    Setup const& setup_;
    frontend::Session& session_;
    Output output_;
    Context context_;
    measure::Environment const* environment_ = nullptr;
    std::unique_ptr<CpuLoop> cpu_;
    std::vector<Checked> checked_;
};

}  // namespace

void measure_benchmarks(Options const& options, Setup const& setup, frontend::Session& session) {
    Campaign{options, setup, session}.measure();
}

}  // namespace pmb
