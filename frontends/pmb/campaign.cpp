// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/campaign.hpp"

#include "bodies/memory.hpp"
#include "pmb/benchmark_runner.hpp"
#include "pmb/cpu_loop.hpp"
#include "pmb/method.hpp"
#include "pmb/report/output.hpp"
#include "pmb/team.hpp"
#include "program/runtime/ending_text.hpp"
#include "program/runtime/file_lock.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace pmb {

namespace {

class Campaign {
public:
    Campaign(Options const& options, Setup const& setup, program::Session& session)
        : setup_{setup}, session_{session}, output_{options, session}, context_{.setup = setup,
                                                                                .session = session,
                                                                                .output = output_,
                                                                                .keep = options.keep},
          order_{order_of(setup, session.world().size())}, ordered_{ordered()} {
        context_.file = scratch_base(options.file);
        if (is_io(options.part))
            claim_scratch();
        if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
            context_.corruption = corruption_from(*hook);
        if (world().oversubscribed())
            session.warn("more processes than cores: times include waiting for a core");
        program::warn_of_quota(session);
        if (options.dissemination && setup.part != Part::imb_mpi1 && setup.part != Part::imb_nbc)
            session.warn("-imb_barrier: only has an effect in IMB-MPI1 and IMB-NBC, which time calls individually");
        if (options.off_cache && is_io(setup.part))
            session.warn("-off_cache: has no effect on files");
        if ((options.show_tail || !options.dump.empty()) && setup.part != Part::imb_mpi1)
            session.warn("-show_tail, -dumpfile: only have an effect in IMB-MPI1");
        context_.room = bodies::room_for_buffers(world());
        context_.timer = measure::timer_from(session.common().timer, world(), session.common().seed);
        environment_ = &session.begin(context_.timer, describe(options, setup));
        context_.clock = environment_->timer;
        if (is_io(setup.part) &&
            std::any_of(setup.benchmarks.begin(), setup.benchmarks.end(), [](auto* b) { return b->non_blocking; }))
            cpu_ = std::make_unique<CpuLoop>(world(), context_.timer, setup.parameters.cpu);
        context_.cpu = cpu_.get();
        session.plan(points());
    }

    void measure() {
        output_.write(
            output_.table().header(*environment_, setup_, cpu_ ? std::optional{cpu_->mflops()} : std::nullopt));
        try {
            for (Benchmark const* const b : setup_.benchmarks)
                measure(*b);
        } catch (...) {
            output_.write(output_.table().closing(environment_->program, program::ending_text(), false));
            throw;
        }
        if (setup_.check)
            write_verdicts();
        output_.write(output_.table().closing(environment_->program, session_.result().code));
        output_.close();
    }

private:
    /// For a folder the usual file name is appended. Only the root's file system decides what is a folder.
    [[nodiscard]] std::string scratch_base(std::string file) const {
        std::error_code none;
        if (world().is_root() && std::filesystem::is_directory(file, none))
            file = (std::filesystem::path{file} / Options{setup_.part}.file).string();
        world().broadcast(file);
        return file;
    }

    /// Locks the names, because another run would delete the files of this one as leftovers.
    void claim_scratch() {
        measure::on_root(world(), [&] {
            try {
                scratch_.emplace(context_.file + ".lock", fmt::format("-file: cannot use '{}'", context_.file));
            } catch (program::FileInUse const&) {
                throw;
            } catch (measure::UsageError const&) {
                // If no file can be created, MPI reports it for each benchmark.
            }
        });
        if (scratch_ && !scratch_->obstacle().empty())
            session_.warn(program::unlocked_text(context_.file, scratch_->obstacle()));
    }

    [[nodiscard]] measure::Comm const& world() const noexcept { return session_.world(); }
    [[nodiscard]] bool needs_pairs(Benchmark const& b) const {
        return !is_apart(setup_.part) && ((b.kind == Class::single && !is_io(setup_.part)) || b.kind == Class::rate);
    }

    [[nodiscard]] std::vector<int> counts(Benchmark const& b) const {
        if (b.kind == Class::single)
            return {needs_pairs(b) ? std::min(2, world().size()) : 1};
        if (is_apart(setup_.part))
            return {world().size()};
        if (b.kind != Class::rate)
            return process_counts(world().size(), setup_.at_least);
        // Pairs need an even number of processes.
        int const most = std::max(2, world().size() / 2 * 2);
        int const least = std::min(setup_.at_least, most);
        return process_counts(most, least + least % 2);
    }

    [[nodiscard]] std::optional<measure::Comm> ordered() const {
        if (order_.empty())
            return std::nullopt;
        auto const place = std::find(order_.begin(), order_.end(), world().rank()) - order_.begin();
        return world().split(0, static_cast<int>(place));
    }

    [[nodiscard]] std::int64_t points() const {
        std::size_t n = 0;
        for (Benchmark const* const b : setup_.benchmarks)
            for (int const q : counts(*b)) {
                int const rows = setup_.multi == 1 ? Grouping::of(world().size(), q, true).groups : 1;
                n += modes_of(*b, setup_).size() * lengths_of(*b, setup_).size() * static_cast<std::size_t>(rows);
            }
        return static_cast<std::int64_t>(n);
    }

    void measure(Benchmark const& b) {
        int const processes = world().size();
        if ((needs_pairs(b) && processes < 2) || !fits(b, processes, setup_.parameters)) {
            auto const refusal = output_.table().refusal(b, processes);
            if (b.strided)
                output_.tell(output_.table().nobody(head_of(b, setup_, Grouping::of(processes, processes, false))),
                             refusal);
            else
                output_.notice(refusal);
            session_.left_out(measure::make_record(
                std::string{b.name}, {{"ranks", std::int64_t{processes}}}, measure::PointStatus::skipped,
                fmt::format("invalid for {} process{}", processes, processes == 1 ? "" : "es")));
            return;
        }
        BenchmarkRunner::Found found = BenchmarkRunner::Found::right;
        bool going_on = true;
        bool has_data = false;
        for (int const q : counts(b)) {
            auto const grouping = Grouping::of(world().size(), q, setup_.multi.has_value(), order_);
            auto const team = (ordered_ ? *ordered_ : world()).split(grouping.group_of(world().rank()));
            BenchmarkRunner runner{context_, b, grouping, team ? &*team : nullptr};
            if (going_on)
                going_on = runner.measure();
            else
                runner.leave_out();
            if (found == BenchmarkRunner::Found::right)
                found = runner.found();
            has_data = has_data || runner.has_data();
        }
        // If no row had data, nothing was checked.
        if (found == BenchmarkRunner::Found::right && !has_data)
            found = BenchmarkRunner::Found::nothing;
        if (b.checked)
            checked_.push_back({&b, found});
    }

    /// The verdict of the data check for one benchmark.
    struct Checked {
        Benchmark const* benchmark;
        BenchmarkRunner::Found found;
    };

    [[nodiscard]] std::ptrdiff_t count(BenchmarkRunner::Found found) const {
        return std::count_if(checked_.begin(), checked_.end(), [&](Checked const& c) { return c.found == found; });
    }

    void write_verdicts() {
        auto const failed = count(BenchmarkRunner::Found::defects);
        auto const unknown = count(BenchmarkRunner::Found::nothing);
        if (failed + unknown == 0) {
            // A success is not a warning, so csv omits it.
            output_.write(output_.table().notice("Results checking: all benchmarks successful"));
            return;
        }
        output_.notice(fmt::format("Results checking: {} of {} benchmarks failed{}", failed, checked_.size(),
                                   unknown > 0 ? fmt::format(", {} not checked", unknown) : ""));
        for (auto const& [benchmark, found] : checked_)
            output_.comment(fmt::format("  {} : {}", benchmark->name,
                                        found == BenchmarkRunner::Found::right     ? "Successful"
                                        : found == BenchmarkRunner::Found::defects ? "FAILED"
                                                                                   : "not checked"));
    }

    Setup const& setup_;
    program::Session& session_;
    Output output_;
    std::optional<program::LockFile> scratch_{};  ///< lock on the names of scratch files, root only
    Context context_;
    std::vector<int> order_;
    std::optional<measure::Comm> ordered_;  ///< the world in that order
    measure::Environment const* environment_ = nullptr;
    std::unique_ptr<CpuLoop> cpu_;
    std::vector<Checked> checked_;
};

}  // namespace

void measure_benchmarks(Options const& options, Setup const& setup, program::Session& session) {
    Campaign{options, setup, session}.measure();
}

}  // namespace pmb
