// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/campaign.hpp"

#include "b_eff_io/partition.hpp"
#include "b_eff_io/partition_end.hpp"
#include "b_eff_io/place.hpp"
#include "b_eff_io/plot.hpp"
#include "b_eff_io/record.hpp"
#include "b_eff_io/report.hpp"
#include "b_eff_io/rules.hpp"
#include "bodies/memory.hpp"
#include "program/runtime/ending_text.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace b_eff_io {

using measure::Bytes;

namespace {

/// A clock whose seconds are shorter than real ones, so that tests reach the end of a long schedule.
struct ScaledTimer {
    using stamp = std::int64_t;
    measure::MonotonicTimer base{};
    double factor = 1;
    [[nodiscard]] stamp now() const noexcept { return base.now(); }
    [[nodiscard]] measure::seconds between(stamp a, stamp b) const noexcept { return base.between(a, b) * factor; }
    [[nodiscard]] stamp after(stamp a, measure::seconds d) const noexcept { return base.after(a, d / factor); }
    [[nodiscard]] measure::seconds resolution() const noexcept { return base.resolution() * factor; }
    [[nodiscard]] std::string name() const { return "scaled"; }
};

std::string system_name() {
    struct ::utsname names {};
    return ::uname(&names) == 0
               ? fmt::format("{} {} {} {}", names.sysname, names.nodename, names.release, names.machine)
               : "unknown";
}

/// Collective. \param supposed  number of processes of an assumed world
Machine machine(measure::Comm const& world, std::optional<int> supposed = {}) {
    return {bodies::memory_per_process(world, supposed), bodies::memory_of_all_nodes(world)};
}

/// Allocates both buffers, or throws std::bad_alloc on all ranks. Direct I/O needs aligned buffers. Collective.
std::deque<Buffer> allocate(measure::Comm const& world, Setting const& setting) {
    constexpr Bytes page = 4096;
    auto const alignment = setting.direct ? page : element_size;
    std::deque<Buffer> buffers;
    auto const left = bodies::memory_left(world);
    measure::agree_on_failure(world, [&] {
        if (setting.m_part > left / 2)
            throw std::bad_alloc{};
        buffers.emplace_back(setting.m_part, alignment);
        buffers.emplace_back(setting.m_part, alignment);
    });
    return buffers;
}

class Campaign {
public:
    Campaign(Options const& options, program::Session& session)
        : o_{options}, session_{session}, world_{session.world()},
          setting_{setting(options, world_.size(), machine(world_))}, idle_comm_{world_.duplicate()} {}

    void measure() {
        read_hints();
        prepare_directory();
        open_reports();
        choose_timer();
        auto buffers = allocate(world_, setting_);
        Shared const shared{.setting = setting_,
                            .hints = hints_,
                            .shows_hints = !o_.info.empty() || setting_.direct,
                            .timer = timer_,
                            .session = session_,
                            .protocol = protocol_,
                            .written = buffers[0],
                            .read = buffers[1]};
        for (std::size_t i = 0; i < setting_.partitions.size(); ++i)
            partitions_.emplace_back(shared, static_cast<int>(i), setting_.partitions[i]);
        try_partitions();
        begin();
        try {
            measure_partitions();
            measure::on_root(world_, [&] { report(); });
        } catch (...) {
            break_off(program::ending_text());
            throw;
        }
    }

private:
    void read_hints() {
        if (!o_.info.empty())
            hints_ = Hints{o_.info, program::read_file(world_, o_.info), setting_};
        if (setting_.direct)
            for (char const* const key : direct_hints)
                hints_.add_at_open(key, "true");
    }

    void prepare_directory() {
        if (o_.max_bytes)
            check_limit(setting_);
        Bytes free = 0;
        measure::on_root(world_, [&] {
            static_cast<void>(inspect(setting_.directory));
            claim_directory();
            facts_.removed = remove_leftovers(setting_.directory);
            auto const found = inspect(setting_.directory);
            facts_.file_system = found.type;
            free = facts_.free = found.free;
        });
        for (auto const& name : facts_.removed)
            session_.warn(fmt::format("removed '{}', left by an earlier run", path_in(setting_.directory, name)));
        world_.broadcast(free);
        constexpr Bytes parts = 5;
        if (!o_.max_bytes)
            setting_.max_bytes = free / parts * (parts - 1);
        check_room(setting_, free);
    }

    void claim_directory() {
        auto const& obstacle = claim_.emplace(claim(setting_.directory)).obstacle();
        if (obstacle.empty())
            return;
        auto const what = fmt::format("-p: files in '{}' cannot be locked: {}", setting_.directory, obstacle);
        if (setting_.shared_pointer && setting_.measures(Access::write, Type::shared))
            throw measure::UsageError(what + "; the shared file pointer needs locks (use -noshared to run without it)");
        session_.warn(what + "; another run in this directory will not be detected");
    }

    void open_reports() {
        protocol_ = program::open_file(world_, o_.prefix + ".prot", "-f");
        summary_ = program::open_file(world_, o_.prefix + ".sum", "-f");
        plot_ = program::open_file(world_, o_.prefix + ".plot", "-f", program::Appears::when_whole);
        script_ = program::open_file(world_, o_.prefix + ".gps", "-f", program::Appears::when_whole);
    }

    void choose_timer() {
        timer_ = measure::timer_from(session_.common().timer, world_, session_.common().seed);
        if (auto const scale = session_.test_hook("MEASURE_TEST_CLOCK_SCALE"))
            timer_ = ScaledTimer{
                .factor = program::as::Number{.low = 0, .above_low = true}({"MEASURE_TEST_CLOCK_SCALE", *scale})};
    }

    /// Checks the abilities of the file system before a report or the record of an earlier run is replaced.
    void try_partitions() {
        for (auto& partition : partitions_)
            measure::agree_on_failure(world_, [&] {
                if (!partition.contains_me())
                    return;
                partition.try_direct();
                partition.try_shared_pointer();
            });
    }

    void begin() {
        constexpr double usual = 600;
        constexpr double patience = 4;
        int most = 0;
        for (Pattern const& p : patterns())
            most = std::max(most, p.units);
        if (!o_.watchdog_given)
            session_.change_watchdog(measure::seconds{std::max(usual, patience * scheduled(setting_, most))});
        if (auto const reasons = never_valid(setting_); !reasons.empty())
            session_.warn("no value of this run can be VALID: " + reasons);
        program::warn_of_quota(session_);
        auto const& run = session_.begin(timer_, describe(setting_, o_));
        facts_.prefix = o_.prefix;
        facts_.system = system_name();
        facts_.info = o_.info;
        facts_.notes = o_.notes;
        auto const text = head(setting_, run, facts_);
        protocol_.stream() << text;
        summary_.stream() << text;
        session_.flush(protocol_);
    }

    void measure_partitions() {
        std::int64_t points = 0;
        for (Access const access : all_accesses)
            for (Type const type : with_random)
                points += setting_.measures(access, type) ? std::ssize(patterns_of(type)) : 0;
        session_.plan(points * std::ssize(partitions_));
        bool spent = session_.meet();
        for (Access const access : all_accesses)
            for (auto& partition : partitions_) {
                spent = session_.meet() || spent;
                PartitionEnd const end{idle_comm_, session_, spins()};
                if (spent)
                    partition.skip(access, "time_budget");
                else if (partition.contains_me())
                    partition.measure(access);
            }
        static_cast<void>(session_.meet());
    }

    [[nodiscard]] bool spins() const {
        return o_.idle == Idle::spin || (o_.idle == Idle::automatic && !world_.oversubscribed());
    }

    void report() {
        std::vector<PartitionResult> results;
        for (auto const& partition : partitions_)
            results.push_back(partition.result());
        std::string last;
        for (auto const& result : results) {
            protocol_.stream() << partition_line(result);
            summary_.stream() << block(result, setting_, facts_.system);
            if (auto const summary = partition_summary(result, setting_))
                session_.summary(*summary);
        }
        if (auto const found = best(results, setting_)) {
            session_.summary(system_summary(results[*found], setting_));
            last = release_line(results[*found], setting_) + value_line(results[*found], setting_, facts_.system);
        } else {
            last = "no b_eff_io value: no partition was measured with all pattern types and access methods\n";
            if (setting_.types.size() == all_types.size())
                session_.incomplete();
        }
        auto const elapsed = fmt::format("total execution time = {:.1f} s\n", (Clock::now() - started_) / second);
        auto const maximum = fmt::format("Maximum over {} partitions:\n{}", results.size(), last);
        protocol_.stream() << elapsed << maximum;
        summary_.stream() << elapsed << maximum;
        session_.text() << last;
        plot_.stream() << plot_data(results, setting_.random);
        script_.stream() << plot_script(results, o_.prefix, setting_.random);
        for (auto* const file : {&protocol_, &summary_, &plot_, &script_})
            session_.finish(*file);
    }

    /// Writes to the reports that the run ended early.
    void break_off(std::string const& how) {
        for (auto* const file : {&protocol_, &summary_}) {
            file->stream() << how << ": no b_eff_io value; earlier results are in " << protocol_.path() << '\n';
            session_.flush(*file);
        }
    }

    using Clock = measure::SteadyClock;
    static constexpr measure::seconds second{1};

    Options const& o_;
    program::Session& session_;
    measure::Comm const& world_;
    Clock::time_point started_ = Clock::now();
    Setting setting_;
    measure::Comm idle_comm_;
    Facts facts_{};
    Hints hints_{};
    measure::AnyTimer timer_{};
    program::OutputFile protocol_{}, summary_{}, plot_{}, script_{};
    std::optional<program::LockFile> claim_{};  ///< root only; outlives the partitions, whose files it protects
    std::deque<Partition> partitions_{};
};

}  // namespace

void measure_all(Options const& options, program::Session& session) { Campaign{options, session}.measure(); }

void clean_up(Options const& options, program::Session& session) {
    measure::on_root(session.world(), [&] {
        static_cast<void>(inspect(options.directory));
        auto const claimed = claim(options.directory);
        for (auto const& name : remove_leftovers(options.directory))
            session.text() << "removed " << program::printable(path_in(options.directory, name)) << '\n';
    });
}

void list(Options const& options, program::Session& session) {
    auto const& ranks = session.common().ranks;
    auto const s = setting(options, ranks.value_or(session.world().size()), machine(session.world(), ranks));
    auto const m_part = options.memory_per_process ? s.m_part : 0;
    session.text() << list_of_patterns(m_part, scheduled(s, 1), s.random);
    if (m_part > 0)
        session.text() << fmt::format("M_PART: {} bytes = {} MBytes\nmemory per process: {} MBytes, {}\n", m_part,
                                      static_cast<double>(m_part) / static_cast<double>(megabyte), s.memory_per_process,
                                      s.memory_source);
    session.text() << fmt::format("partitions: {}\nscheduled: T={} s, {} s for each partition\n",
                                  fmt::join(s.partitions, ","), s.time, s.partition_time());
}

}  // namespace b_eff_io
