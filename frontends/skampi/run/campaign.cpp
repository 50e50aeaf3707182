// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/campaign.hpp"

#include "bodies/memory.hpp"
#include "program/runtime/file_lock.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/stderr_line.hpp"
#include "program/runtime/temporary_file.hpp"
#include "skampi/output/records.hpp"
#include "skampi/parameters/parameters.hpp"
#include "skampi/run/curve.hpp"
#include "skampi/run/output_header.hpp"
#include "skampi/run/run_files.hpp"
#include "skampi/run/setting.hpp"

#include <measure/agree.hpp>
#include <measure/clock_sync.hpp>
#include <measure/error.hpp>
#include <measure/refine.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

namespace skampi {
namespace {

using Steady = measure::SteadyClock;
using measure::seconds;

/// The reason in the output file if a measurement was skipped for lack of time.
constexpr char const* budget_spent = "time-budget";

std::string now_utc() { return program::utc_text(std::time(nullptr)); }

/// A rank named in the head of an output file; 0 if there is none.
int partner_in(Output const& output, std::string_view key) {
    auto const* const text = output.head_key(key);
    return text == nullptr ? 0 : std::atoi(text->c_str());
}

class Campaign {
public:
    Campaign(Options const& options, Setup const& setup, program::Session& session)
        : options_{options}, setup_{setup}, session_{session}, world_{session.world()}, hooks_{read_hooks(session)},
          timer_{measure::timer_from(setup.globals.timer, world_, session.common().seed)}, teams_{world_, partners_},
          runner_{settings()} {}

    void run() {
        read_log();
        choose_partners();
        begin();
        measure_all();
        static_cast<void>(session_.meet());  // a block that could not be written leaves the run unfinished
        finish();
    }

private:
    [[nodiscard]] seconds lateness() const { return world_.rank() == hooks_.slow_rank ? hooks_.late : seconds{0}; }
    /// Collective.
    [[nodiscard]] PointRunner::Settings settings() const {
        return {.timer = timer_,
                .step = seconds{world_.max(measure::seen_step(timer_).count())},
                .sync = measure::sync_from(session_.common().sync_alg),
                .max_node_times = setup_.globals.max_node_times,
                .model = options_.cost_model.empty()
                             ? std::nullopt
                             : std::optional{cost_model_from({"--cost-model", options_.cost_model})}};
    }
    [[nodiscard]] Task const& task(std::string const& name) const {
        return *std::find_if(setup_.tasks.begin(), setup_.tasks.end(), [&](Task const& t) { return t.name == name; });
    }
    [[nodiscard]] Partner const& partner() const {
        return setup_.globals.partner == PartnerChoice::max ? partners_.farthest : partners_.nearest;
    }

    void read_log();
    void check_files(std::string const& output) const;
    void check_output() const;
    void check_record() const;
    void lock_log();
    void choose_partners();
    void begin();
    [[nodiscard]] measure::Value record_options() const;
    void measure_all();
    void measure(Task const& task, std::optional<seconds> limit, std::int64_t other_points);
    void leave_out(Task const& task, std::string const& reason);
    void give_up(Task const& task);
    [[nodiscard]] std::int64_t other_points(std::size_t index) const;
    void finish();
    void note_statuses(Output const& output);
    template <class Work>
    void write(Work&& work);
    template <class Work>
    void write_end(Work&& work);

    Options const& options_;
    Setup const& setup_;
    program::Session& session_;
    measure::Comm const& world_;
    measure::Bytes room_ = bodies::room_for_buffers(world_);
    Hooks hooks_;
    measure::AnyTimer timer_;
    Partners partners_{};
    Teams teams_;
    PointRunner runner_;
    measure::JournalState log_{};
    Start start_{};
    program::FileLock lock_{};                         ///< lock on the log, root only
    std::optional<program::TemporaryFile> new_log_{};  ///< new log until the run begins; removed under its lock
    std::unique_ptr<RunFiles> files_{};                ///< root only
    Steady::time_point begun_ = Steady::now();
    std::int64_t points_ = 0;
};

/// Reads the log and decides what is left to do. All ranks read the same text.
void Campaign::read_log() {
    auto const& globals = setup_.globals;
    std::string text;
    std::string output;
    std::int64_t size = -1;
    measure::JournalRun now{.processes = world_.size(), .configuration = config_hash(setup_), .date = now_utc()};
    measure::on_root(world_, [&] {
        check_files(globals.output);
        require_writable(globals.log);
        lock_log();
        text = text_of(globals.log);
        auto const run = state_of(globals.log, text).run;
        if (run && std::filesystem::is_regular_file(run->output))
            size = static_cast<std::int64_t>(std::filesystem::file_size(run->output));
        now.id = fmt::format("{}-{}", now.date, ::getpid());
        now.output = unused_name(globals.output);
    });
    if (!lock_.obstacle().empty())
        session_.warn(program::unlocked_text(globals.log, lock_.obstacle()));
    for (auto* const shared : {&text, &now.id, &now.output, &now.date})
        world_.broadcast(*shared);
    world_.broadcast(size);
    log_ = state_of(globals.log, text);
    std::vector<std::string> names;
    for (auto const& t : setup_.tasks)
        names.push_back(t.name);
    start_ = plan_start(log_, now, names, size < 0 ? std::nullopt : std::optional{size},
                        {.fresh = options_.fresh, .skip_crashed = options_.skip_crashed});
    measure::on_root(world_, [&] {
        require_writable(start_.run.output);
        check_files(start_.run.output);
        check_output();
        check_record();
    });
}

/// Checks that the file to be truncated belongs to this run. Its head may be incomplete if no measurement has finished.
void Campaign::check_output() const {
    if (!start_.resumes)
        return;
    auto const text = text_of(start_.run.output);
    constexpr std::string_view begin = "# SKaMPI output";
    auto const end = text.find("#@END_HEADER");
    auto const known = text.substr(0, begin.size());
    bool const is_torn = start_.extent.output == 0 && end == text.npos && begin.starts_with(known);
    if (!is_torn && text.substr(0, end).find(fmt::format("\n#@RUN_ID {}\n", start_.run.id)) == text.npos)
        throw measure::UsageError(fmt::format("'{}' is not the output file of the run to be resumed ({}, "
                                              "{}); use --fresh to start a new run",
                                              start_.run.output, start_.run.id, start_.run.date));
}

/// Checks that the record belongs to this run: earlier points are kept and new ones appended.
void Campaign::check_record() const {
    auto const& json = session_.common().json;
    if (start_.extent.output == 0 || !std::filesystem::is_regular_file(json) || std::filesystem::file_size(json) == 0)
        return;
    std::ifstream file{json, std::ios::binary};
    std::string first;
    std::getline(file, first);
    bool const is_known = first.find(fmt::format("\"run_id\":\"{}\"", start_.run.id)) != first.npos;
    auto const refuse = [&](char const* why) {
        throw measure::UsageError(fmt::format("--json: '{}' {} ({}, {}); name another file or use --fresh", json, why,
                                              start_.run.date, start_.run.output));
    };
    if (start_.extent.record == 0) {
        if (is_known)
            refuse("has points of the run to be resumed, but from a launch before the last one");
        return;
    }
    if (!is_known)
        refuse("is not the record of the run to be resumed");
    file.seekg(start_.extent.record - 1);
    if (file.get() != '\n')
        refuse("does not have the length that the log states for the run to be resumed");
}

/// A resumed run uses the partners named in the head of its output file.
void Campaign::choose_partners() {
    std::array<int, 2> known{};
    if (start_.extent.output > 0)
        measure::on_root(world_, [&] {
            auto const& path = start_.run.output;
            auto const whole = static_cast<std::size_t>(start_.extent.output);
            auto const output = read_output(text_of(path).substr(0, whole), path);
            known = {partner_in(output, "FARTHEST"), partner_in(output, "NEAREST")};
        });
    world_.broadcast(known);
    if (auto const [farthest, nearest] = known; farthest > 0 && nearest > 0)
        partners_ = {.farthest = {.rank = farthest}, .nearest = {.rank = nearest}};
    else
        partners_ = find_partners(world_, timer_, lateness());
}

void Campaign::check_files(std::string const& output) const {
    auto const& json = session_.common().json;
    require_different(std::vector<NamedFile>{{"the parameter file", options_.config},
                                             {"the log", setup_.globals.log},
                                             {"the output file", output},
                                             {"the record", json == "-" ? "" : json}});
}

/// Locks the log, because two runs that share a log would resume each other's measurements.
void Campaign::lock_log() {
    auto const& log = setup_.globals.log;
    auto const refuse = [&](std::string_view reason) {
        throw measure::UsageError(fmt::format("cannot write '{}': {}", log, reason));
    };
    program::check_length(fmt::format("cannot write '{}'", log), log);
    try {
        lock_ = program::FileLock{log};
    } catch (program::FileInUse const& error) {
        refuse(error.what());
    } catch (std::system_error const& error) {
        refuse(error.code().message());
    }
    if (lock_.is_new())
        new_log_.emplace(log);
}

measure::Value Campaign::record_options() const {
    auto const& g = setup_.globals;
    measure::Value options = measure::Value::Object{{"config", options_.config},
                                                    {"run_id", start_.run.id},
                                                    {"config_hash", start_.run.configuration},
                                                    {"output", start_.run.output},
                                                    {"log", g.log},
                                                    {"node", g.node},
                                                    {"network", g.network},
                                                    {"user", g.user},
                                                    {"machine", g.machine},
                                                    {"memory", g.memory},
                                                    {"standard_error", g.standard_error},
                                                    {"min_repetition", g.min_repetition},
                                                    {"max_repetition", g.max_repetition},
                                                    {"cut_quantile", g.cut},
                                                    {"sync", name(g.sync)},
                                                    {"partner", name(g.partner)},
                                                    {"measurements", std::int64_t(setup_.tasks.size())}};
    if (partner().rank > 0)
        options["partner_rank"] = partner().rank;
    if (!options_.cost_model.empty())
        options["cost_model"] = options_.cost_model;
    return options;
}

void Campaign::begin() {
    program::warn_of_quota(session_);
    auto const& environment = session_.begin(timer_, record_options(), std::nullopt, start_.extent.record);
    auto const hosts = world_.gather(world_.host_name());
    measure::on_root(world_, [&] {
        auto const text = head_text(output_header(
            setup_.globals, {environment, start_.run, partners_, hosts, options_.cost_model, hooks_.active}));
        files_ = std::make_unique<RunFiles>(setup_.globals.log, log_, start_, text);
        if (new_log_)
            new_log_->keep();
    });
    if (start_.resumes)
        session_.warn(fmt::format("resuming the run of {} ({}): {} of {} measurements are left", start_.run.date,
                                  start_.run.output, start_.measure.size(), setup_.tasks.size()));
}

/// Time that one measurement does not use is available to later ones.
void Campaign::measure_all() {
    auto const& budget = session_.common().time_budget;
    for (std::size_t i = 0; i < start_.measure.size(); ++i) {
        Task const& t = task(start_.measure[i]);
        std::int64_t const others = other_points(i);
        session_.plan(others + initial_points(t));
        bool const spent = session_.meet();
        auto const left = static_cast<double>(start_.measure.size() - i);
        if (!t.skip.empty())
            leave_out(t, t.skip);
        else if (spent)
            leave_out(t, budget_spent);
        else
            measure(t, budget ? std::optional{(*budget - (Steady::now() - begun_)) / left} : std::nullopt, others);
    }
    for (auto const& name : start_.abandon)
        give_up(task(name));
}

/// Points of the earlier measurements and initial points of those after the given index.
std::int64_t Campaign::other_points(std::size_t index) const {
    std::int64_t points = points_;
    for (std::size_t i = index + 1; i < start_.measure.size(); ++i)
        points += initial_points(task(start_.measure[i]));
    return points;
}

/// If a file cannot be written, the run ends on all ranks at the next meeting.
template <class Work>
void Campaign::write(Work&& work) {
    if (!files_)
        return;
    try {
        work(*files_);
    } catch (std::exception const& error) {
        session_.fail(error.what());
    }
}

/// A measurement counts as finished only after its record is on the disk.
template <class Work>
void Campaign::write_end(Work&& work) {
    if (!files_)
        return;
    auto const record = session_.sync_record();
    if (!session_.has_failed())
        write([&](RunFiles& files) { work(files, record); });
}

void Campaign::measure(Task const& task, std::optional<seconds> limit, std::int64_t other_points) {
    write([&](RunFiles& files) { files.begin(task.name); });
    Block block;
    try {
        block =
            measure_curve({session_, hooks_, teams_, runner_, other_points, room_}, task, limit, [&](Row const& row) {
                ++points_;
                write([&](RunFiles& files) {
                    files.point(task.name,
                                fmt::format("{} {:.4f} {} {}", row.argument, row.time,
                                            row.error ? fmt::format("{:.4f}", *row.error) : "---", row.samples));
                });
            });
    } catch (measure::Interrupted const& interrupted) {
        // The measurement did not cause the interruption.
        if (interrupted.value() != program::stop_failed)
            write([&](RunFiles& files) { files.interrupt(task.name); });
        throw;
    }
    session_.summary(summary(block));
    write_end([&](RunFiles& files, std::int64_t record) { files.done(task.name, block_text(block), record); });
}

void Campaign::leave_out(Task const& task, std::string const& reason) {
    if (!world_.is_root())
        return;
    auto const block = empty_block(task, "skipped", reason);
    // Records use the same word in all programs.
    session_.left_out(
        record_without_value(task, {}, measure::PointStatus::skipped, reason == budget_spent ? "time_budget" : reason));
    session_.summary(summary(block));
    write_end([&](RunFiles& files, std::int64_t record) { files.skip(task.name, block_text(block), record, reason); });
    ++points_;
}

void Campaign::give_up(Task const& task) {
    if (!world_.is_root())
        return;
    auto const block = empty_block(task, "abandoned", "it crashed in an earlier launch");
    session_.left_out(
        record_without_value(task, {}, measure::PointStatus::crashed, "abandoned: it crashed in an earlier launch"));
    session_.summary(summary(block));
    write_end([&](RunFiles& files, std::int64_t record) { files.abandon(task.name, block_text(block), record); });
    ++points_;
}

/// A line about a refinement that the noise guard has ended; otherwise empty.
std::string noise_guard_line(Block const& block) {
    auto const* const stop = find(block.trailer, "stop");
    auto const* const error = find(block.trailer, "paper_error");
    if (stop == nullptr || *stop != name(measure::RefinementEnd::noise_guard) || error == nullptr)
        return {};
    return fmt::format("{}: the noise guard ended refinement at {} points; the error by the paper's rule is {:.1f} %\n",
                       block.name, block.rows.size(), 100 * program::as::Number{}({"paper_error", *error}));
}

/// The exit code covers the whole run, including earlier launches.
void Campaign::note_statuses(Output const& output) {
    std::map<std::string, int> counts;
    for (auto const& block : output.blocks) {
        auto const status = block.status();
        auto const* const reason = block.key("reason");
        ++counts[status];
        if (status == "failed")
            session_.check_failed();
        if (status == "abandoned" || status == "incomplete" || (reason != nullptr && *reason == budget_spent))
            session_.incomplete();
    }
    if (session_.common().quiet)
        return;
    std::string text;
    for (auto const& [status, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
    for (auto const& block : output.blocks)
        session_.text() << noise_guard_line(block);
    fmt::format_to(std::ostreambuf_iterator<char>(session_.text()), "{}: {} measurements: {}\n",
                   program::printable(files_->path()), output.blocks.size(), text);
}

void Campaign::finish() {
    if (!world_.is_root())
        return;
    try {
        auto output = read_output(files_->text(), files_->path());
        double runtime = std::chrono::duration<double>(Steady::now() - begun_).count();
        for (auto const& block : output.blocks)
            if (std::find(start_.measure.begin(), start_.measure.end(), block.name) == start_.measure.end())
                runtime += block.duration;
        files_->finish(tail_text(now_utc(), runtime));
        note_statuses(output);
    } catch (std::exception const& error) {
        session_.fail(error.what());
    }
}

}  // namespace

void measure_suite(Options const& options, Setup const& setup, program::Session& session) {
    Campaign{options, setup, session}.run();
}

}  // namespace skampi
