// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/session.hpp"

#include "program/runtime/agreement.hpp"
#include "program/runtime/control_groups.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/deferred_error.hpp"
#include "program/runtime/main.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/stderr_line.hpp"
#include "program/runtime/test_hooks.hpp"
#include "program/runtime/watchdog.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace program {
namespace {

using measure::PointStatus;

/// Returns to the start of the line and erases it. Works on terminals since the VT100.
char const* const erase_line = "\r\x1b[K";

}  // namespace

Session::Session(measure::Comm const& world, Agreement& agreement, Watchdog& watchdog, Suite const& suite,
                 CommonOptions common, std::vector<std::string> command)
    : world_{world}, agreement_{agreement}, watchdog_{watchdog}, suite_{suite}, common_{std::move(common)},
      command_{std::move(command)}, text_{&dropped_}, progress_{common_.quiet ? ProgressMode::never : common_.progress},
      progress_place_{progress_place(common_.quiet ? ProgressMode::never : common_.progress, streams())} {
    if (world_.is_root())
        text_ = common_.json == "-" ? &std::cerr : &std::cout;
    watchdog_.watch(common_.watchdog);
    between_points();
    if (!common_.json.empty())
        record_ = open_file(world_, common_.json == "-" ? "/dev/stdout" : common_.json, record_option());
}

Session::~Session() { close_record(); }

/// The option for the record, by the name that the suite uses.
std::string Session::record_option() const {
    for (auto const& [option, alias] : suite_.common.aliases)
        if (option == "--json")
            return alias;
    return "--json";
}

/// An exception on one rank is thrown on all ranks.
template <class Work>
void Session::all_ranks(Work work) {
    DeferredError trouble;
    try {
        work();
    } catch (std::exception const& error) {
        trouble.note(error.what());
    }
    if (auto const first = agree(world_, trouble))
        throw std::runtime_error(first->text);
}

/// If the record cannot be begun, the other outputs keep their old content.
void Session::begin_outputs(std::int64_t resume_at) {
    all_ranks([&] { begin_record(resume_at); });
    if (world_.max(failed_ ? 1 : 0) == 0)
        all_ranks([&] { outputs_.begin(); });
}

/// Registers the record for the crash report only together with its run line: an end line alone would be invalid.
void Session::begin_record(std::int64_t resume_at) {
    if (record_.descriptor() < 0)
        return;
    // An expired watchdog has already written its crash report. This call then does not return, and no record begins.
    watchdog_.alive();
    bool const resumes = record_.begin(resume_at);
    crash_report::WritingRecord const writing;
    crash_report::record_to(record_.descriptor());
    if (!resumes)
        write_line([&](auto& sink) { sink.begin(environment_); });
}

void Session::close_record() noexcept {
    crash_report::record_to(-1);
    record_ = {};
}

/// Whether the run's time budget cut the point short. A limit of the point itself is not meant.
bool Session::stopped_by_budget(measure::Record const& record) const {
    return record.status == PointStatus::exhausted && record.stop_reason == "budget" && budget_spent();
}

void Session::warn(std::string text) {
    if (std::find(warnings_.begin(), warnings_.end(), text) != warnings_.end())
        return;
    erase_progress();
    if (world_.is_root() && !common_.quiet)
        stderr_line(fmt::format("{}: warning: {}", suite_.program, text));
    warnings_.push_back(std::move(text));
}

void Session::remark(std::string const& lines) {
    if (!world_.is_root() || common_.quiet || lines.empty())
        return;
    text() << std::flush;
    stderr_text(lines);
}

void Session::tell_watcher(std::string_view text) {
    if (!world_.is_root() || progress_place_ != ProgressPlace::erasable)
        return;
    erase_progress();
    stderr_line(fmt::format("{}: {}", suite_.program, text));
}

std::optional<std::string> Session::test_hook(std::string const& name) {
    auto value = read_hook(world_, name);
    if (value)
        warn(hook_warning(name, *value, obeys_hooks()));
    return obeys_hooks() ? value : std::nullopt;
}

measure::Environment const& Session::begin(measure::AnyTimer const& timer, measure::Value options,
                                           std::optional<measure::SyncReport> clock_sync, std::int64_t resume_at) {
    environment_ = measure::environment(world_, timer);
    for (auto const& text : environment_.warnings)
        warn(text);
    describe(common_, suite_.common, options);
    environment_.suite = suite_.name;
    environment_.program = suite_.program;
    environment_.version = suite_.version;
    environment_.command = command_;
    environment_.options = std::move(options);
    // If ranks share cores, slow pairs are expected, and another warning has given the reason.
    if (clock_sync && !world_.oversubscribed())
        for (auto const& text : clock_sync->warnings())
            warn(text);
    warn_of_outputs();
    environment_.clock_sync = world_.is_solo() ? std::nullopt : std::move(clock_sync);
    environment_.warnings = warnings_;
    environment_.more = more_;
    begin_outputs(resume_at);
    between_points();
    return environment_;
}

measure::Environment const& Session::begin(measure::Environment run) {
    environment_ = std::move(run);
    warn_of_outputs();
    begin_outputs(0);
    between_points();
    return environment_;
}

void Session::warn_of_outputs() {
    for (auto& text : take_output_warnings())
        warn(std::move(text));
}

void Session::flush(OutputFile& file) {
    try {
        file.flush();
    } catch (std::exception const& error) {
        fail(error.what());
    }
}

void Session::finish(OutputFile& file) {
    try {
        file.finish();
    } catch (std::exception const& error) {
        fail(error.what());
    }
}

void Session::write_record(Line const& line) {
    crash_report::WritingRecord const writing;
    if (writing.open())
        write_line(line);
}

std::int64_t Session::sync_record() {
    int const record = record_.descriptor();
    if (record < 0 || common_.json == "-")
        return 0;
    try {
        record_.sync();
    } catch (std::exception const& error) {
        fail(error.what());
        return 0;
    }
    return std::max<std::int64_t>(::lseek(record, 0, SEEK_CUR), 0);
}

/// If the record cannot be written, the run must end on all ranks. The other ranks are not in this call, so the error
/// is noted for the next meeting and not thrown.
void Session::write_line(Line const& line) {
    try {
        measure::JsonLinesSink sink{record_.descriptor()};
        line(sink);
    } catch (std::system_error const& error) {
        close_record();
        fail(fmt::format("cannot write '{}': {}", common_.json, error.code().message()));
    }
}

void Session::judge(measure::Record const& record) {
    if (record.status == PointStatus::no_valid_samples || record.status == PointStatus::skipped ||
        stopped_by_budget(record))
        incomplete();
    if (common_.strict && std::any_of(record.flags.begin(), record.flags.end(), measure::is_clock_flag))
        incomplete();
    if (record.status == PointStatus::crashed)
        note_failure(fmt::format("{} {}: {}", record.benchmark, record.at.text(), record.message));
}

void Session::point(measure::Record const& record) {
    if (!world_.is_root())
        return;
    judge(record);
    write_point(record);
}

void Session::point(measure::Record const& record, measure::Measurement const& m) {
    // If every sample failed, wrong data need no separate report.
    if (m.data_error.empty() || m.invalid.failed == m.attempts) {
        point(record);
        return;
    }
    erase_progress();
    if (world_.is_root())
        stderr_line(one_line(
            fmt::format("{}: error: {} {}: {}", suite_.program, record.benchmark, record.at.text(), m.data_error)));
    check_failed();
    left_out(record);
}

void Session::add_synchronised(measure::Record& record, measure::Measurement const& m, double factor) {
    auto const half = measure::scaled(measure::make_record(record.benchmark, record.at, m), factor);
    judge(half);
    for (auto const& flag : half.flags)
        if (measure::is_clock_flag(flag))
            record.flag(flag);
    measure::Value& beside = record.derived["synchronised"];
    beside = measure::Value::Object{{"status", std::string{name(half.status)}},
                                    {"valid", half.valid},
                                    {"attempts", half.attempts},
                                    {"stop_reason", half.stop_reason},
                                    {"flags", measure::Value::Array(half.flags.begin(), half.flags.end())}};
    if (!half.value)
        return;
    auto const& estimate = *half.estimate;
    beside["value"] = estimate.value;
    beside["standard_error"] = estimate.standard_error;
    beside["confidence"] = estimate.confidence;
    if (estimate.interval)
        beside["interval"] = measure::Value::Array{estimate.interval->first, estimate.interval->second};
}

void Session::left_out(measure::Record const& record) {
    if (world_.is_root())
        write_point(record);
}

void Session::write_point(measure::Record const& record) {
    text_->flush();
    progress_.done();
    write_record([&](auto& sink) { sink.write(record, common_.raw); });
}

void Session::summary(measure::Summary const& summary) {
    write_record([&](auto& sink) { sink.write(summary); });
}

void Session::note_failure(std::string text) {
    if (!failed_)
        failure_ = std::move(text);
    failed_ = true;
}

void Session::fail(std::string text) {
    note_failure(std::move(text));
    int none = 0;
    stop_flag().compare_exchange_strong(none, stop_failed);
}

void Session::next(std::string const& what) {
    crash_report::place(what);
    progress_.next(what);
    between_points();
}

/// The root takes part in every measurement, so a root that waits for long means that the others hang. The other ranks
/// are watched only while they measure, because they may have to wait for the root.
void Session::between_points() {
    alive();
    if (!world_.is_root())
        watchdog_.suspend();
}

void Session::alive() {
    watchdog_.alive();
    put_off_exit();
    if (!world_.is_root())
        return;
    if (progress_place_ == ProgressPlace::nowhere)
        return;
    auto const line = progress_.line(elapsed(), progress_place_ == ProgressPlace::erasable);
    if (!line)
        return;
    auto const text = printable(fmt::format("{}: {}", suite_.program, *line));
    if (progress_place_ == ProgressPlace::lines) {
        // A launcher may write stdout and stderr to the same file. The comment mark keeps its results readable.
        stderr_line("# " + text);
        return;
    }
    // A wrapped line cannot be erased.
    auto const columns = static_cast<std::size_t>(streams().columns - 1);
    stderr_text(erase_line + text.substr(0, columns));
    shows_progress_ = true;
}

void Session::erase_progress() {
    if (std::exchange(shows_progress_, false))
        stderr_text(erase_line);
}

void Session::change_watchdog(measure::seconds limit) {
    common_.watchdog = limit;
    watchdog_.change(limit);
    between_points();
}

bool Session::meet() {
    between_points();
    auto const agreed = agreement_.meet({stop_flag().load(), world_.is_root() && budget_spent()});
    between_points();
    if (agreed.stop != 0)
        throw measure::Interrupted(agreed.stop);
    return agreed.budget_spent;
}

measure::Control Session::control() {
    measure::Control control{.stop = &stop_flag(),
                             .decision = [this] { alive(); },
                             .in_body =
                                 [this](bool inside) {
                                     crash_report::in_body(inside);
                                     watchdog_.alive();
                                 }};
    if (common_.time_budget)
        control.deadline =
            started_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(*common_.time_budget);
    return control;
}

measure::seconds Session::elapsed() const noexcept { return measure::SteadyClock::now() - started_; }

bool Session::budget_spent() const noexcept { return common_.time_budget && elapsed() >= *common_.time_budget; }

Session::Result Session::result() {
    warn_of_outputs();
    if (world_.is_root() && !text_->flush())
        fail("cannot write the results to standard output");
    if (failed_)
        return {1, failure_};
    return {check_failed_ ? 3 : code_ != 0 ? code_ : incomplete_ ? 4 : 0, {}};
}

void Session::end(int code, std::string const& message) {
    erase_progress();
    text_->flush();
    if (!crash_report::take_record())
        return;
    char const* const status = code >= 128 ? "interrupted" : code == 1 || code == 2 ? "failed" : "complete";
    measure::JsonLinesSink{record_.descriptor()}.end(
        {.status = status,
         .exit_code = code,
         .elapsed = elapsed().count(),
         .clock_sync_residual = residual_ ? std::optional{residual_->largest.count()} : std::nullopt,
         .clock_sync_residual_rms = residual_ ? std::optional{residual_->rms.count()} : std::nullopt,
         .message = message});
    // No rank is inside a timed region any more, and the exit code can still report a late error of the file system.
    put_off_exit();
    record_.sync();
}

void warn_of_oversubscription(Session& session) {
    if (session.world().oversubscribed())
        session.warn("more processes than cores: starts are not exact, and times include waiting for a core");
    warn_of_quota(session);
}

void warn_of_quota(Session& session, int busy) {
    auto const& world = session.world();
    auto const node = world.node();
    double const granted = -node.max(-processor_quota().value_or(std::numeric_limits<double>::infinity()));
    double const least = -world.max(-granted / node.size() / busy);
    if (least < 1)
        session.warn(fmt::format("{} ({:.3g} cores for each)", short_quota, least));
}

std::function<void(measure::Benchmark const&, measure::Point const&)> before_point(Session& session) {
    return [&session](measure::Benchmark const& benchmark, measure::Point const& at) {
        // The sweep itself handles a spent budget: it has the deadline and records the remaining points as skipped.
        static_cast<void>(session.meet());
        session.next(benchmark.name + " " + at.text());
    };
}

}  // namespace program
