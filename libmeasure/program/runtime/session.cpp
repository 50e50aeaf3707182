// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/session.hpp"

#include "program/runtime/agreement.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/main.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/stderr_line.hpp"
#include "program/runtime/test_hooks.hpp"
#include "program/runtime/watchdog.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <system_error>

namespace program {
namespace {

using measure::Outcome;

/// To the begin of the line, and erase it: terminals since the VT100.
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
}

Session::~Session() { close_record(); }

/// A handler adds no end line to a record that has no run line.
void Session::begin_record() {
    if (record_ < 0)
        return;
    // A watchdog that has expired has said its crash report already: no record begins after them.
    watchdog_.alive();
    crash_report::WritingRecord const writing;
    crash_report::record_to(record_);
    if (!resumed_)
        write_line([&](auto& sink) { sink.begin(environment_); });
}

void Session::close_record() noexcept {
    crash_report::record_to(-1);
    if (record_ > STDERR_FILENO)
        ::close(record_);
    record_ = -1;
}

/// Not by a limit of the point's own, which is the suite's affair.
bool Session::stopped_by_budget(measure::Record const& record) const {
    auto const* const stop = record.outcome == Outcome::exhausted ? record.derived.find("stop") : nullptr;
    auto const* const reason = stop != nullptr ? std::get_if<std::string>(&stop->data()) : nullptr;
    return reason != nullptr && *reason == "budget" && budget_spent();
}

void Session::warn(std::string text) {
    if (std::find(warnings_.begin(), warnings_.end(), text) != warnings_.end())
        return;
    erase_progress();
    if (world_.is_root() && !common_.quiet)
        stderr_line(fmt::format("{}: warning: {}", suite_.program, one_line(text)));
    warnings_.push_back(std::move(text));
}

std::optional<std::string> Session::test_hook(std::string const& name) {
    auto value = read_hook(world_, name);
    if (value)
        warn(fmt::format("the test hook {}={} is active", name, *value));
    return value;
}

measure::Environment const& Session::begin(measure::AnyTimer const& timer, measure::Value options,
                                           std::optional<measure::SyncReport> clock_sync, std::int64_t resume_at) {
    open_record(resume_at);
    environment_ = measure::environment(world_, timer);
    for (auto const& text : environment_.warnings)
        warn(text);
    describe(common_, suite_.common, options);
    environment_.suite = suite_.name;
    environment_.program = suite_.program;
    environment_.version = suite_.version;
    environment_.command = command_;
    environment_.options = std::move(options);
    // Where ranks share cores pairs are slow, and it has been said why.
    if (clock_sync && !world_.oversubscribed())
        for (auto const& text : clock_sync->warnings())
            warn(text);
    environment_.clock_sync = world_.is_solo() ? std::nullopt : std::move(clock_sync);
    environment_.warnings = warnings_;
    environment_.more = more_;
    begin_record();
    between_points();
    return environment_;
}

measure::Environment const& Session::begin(measure::Environment run) {
    open_record(0);
    environment_ = std::move(run);
    begin_record();
    between_points();
    return environment_;
}

void Session::open_record(std::int64_t resume_at) {
    if (common_.json.empty())
        return;
    int error = 0;
    if (world_.is_root()) {
        record_ =
            common_.json == "-" ? STDOUT_FILENO : ::open(common_.json.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (record_ < 0 || (record_ != STDOUT_FILENO && !cut_record(resume_at)))
            error = errno;
    }
    world_.broadcast(error);
    if (error != 0)
        throw measure::UsageError(fmt::format("--json: cannot write '{}': {}", common_.json, std::strerror(error)));
}

void Session::write_record(Line const& line) {
    crash_report::WritingRecord const writing;
    if (writing.open())
        write_line(line);
}

/// Keeps what the run before has finished, where it is there. \return false with errno
bool Session::cut_record(std::int64_t resume_at) {
    struct ::stat now {};
    if (::fstat(record_, &now) != 0)
        return false;
    if (!S_ISREG(now.st_mode))
        return true;
    resumed_ = resume_at > 0 && now.st_size >= resume_at;
    ::off_t const keep = resumed_ ? resume_at : 0;
    return ::ftruncate(record_, keep) == 0 && ::lseek(record_, keep, SEEK_SET) == keep;
}

std::int64_t Session::sync_record() {
    if (record_ <= STDERR_FILENO || ::fsync(record_) != 0)
        return 0;
    return std::max<std::int64_t>(::lseek(record_, 0, SEEK_CUR), 0);
}

/// A record that cannot be written ends the run on all ranks, which are somewhere else now: hence no exception.
void Session::write_line(Line const& line) {
    try {
        measure::JsonLinesSink sink{record_};
        line(sink);
    } catch (std::system_error const& error) {
        close_record();
        fail(fmt::format("cannot write '{}': {}", common_.json, error.code().message()));
    }
}

void Session::point(measure::Record const& record) {
    if (!world_.is_root())
        return;
    if (record.outcome == Outcome::no_valid_samples || record.outcome == Outcome::skipped || stopped_by_budget(record))
        incomplete();
    if (record.outcome == Outcome::crashed)
        note_failure(fmt::format("{} {}: {}", record.benchmark, record.at.text(), record.reason));
    write_point(record);
}

void Session::point(measure::Record const& record, measure::Measurement const& m) {
    if (common_.strict && (record.has_flag("sync_degraded") || record.has_flag("clocks_disagree") ||
                           record.has_flag("unsynchronised") || record.has_flag("unverified")))
        incomplete();
    // Where every sample failed, wrong data are no news.
    if (m.defect.empty() || m.invalid.failed == m.attempts) {
        point(record);
        return;
    }
    erase_progress();
    if (world_.is_root())
        stderr_line(one_line(
            fmt::format("{}: error: {} {}: {}", suite_.program, record.benchmark, record.at.text(), m.defect)));
    check_failed();
    left_out(record);
}

void Session::left_out(measure::Record const& record) {
    if (world_.is_root())
        write_point(record);
}

void Session::write_point(measure::Record const& record) {
    text_->flush();
    progress_.done();
    if (common_.raw || !record.has_samples) {
        write_record([&](auto& sink) { sink.write(record); });
        return;
    }
    measure::Record bare = record;
    bare.has_samples = false;
    write_record([&](auto& sink) { sink.write(bare); });
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

/// The root takes part in everything, so where it waits for long the others hang. They are watched only while they
/// measure, because they may rightly wait for the root.
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
    auto const line = progress_.line(elapsed());
    if (!line)
        return;
    auto const text = fmt::format("{}: {}", suite_.program, *line);
    if (progress_place_ == ProgressPlace::lines) {
        stderr_line(text);
        return;
    }
    // What is wrapped cannot be erased.
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

measure::seconds Session::elapsed() const noexcept { return std::chrono::steady_clock::now() - started_; }

bool Session::budget_spent() const noexcept { return common_.time_budget && elapsed() >= *common_.time_budget; }

Session::Result Session::result() {
    if (world_.is_root() && !text_->flush())
        fail("cannot write the results to standard output");
    if (failed_)
        return {1, failure_};
    return {check_failed_ ? 3 : incomplete_ ? 4 : 0, {}};
}

void Session::end(int code, std::string const& message) {
    erase_progress();
    text_->flush();
    if (!crash_report::take_record())
        return;
    char const* const status = code >= 128 ? "interrupted" : code == 1 || code == 2 ? "failed" : "complete";
    measure::JsonLinesSink{record_}.end(
        {.status = status,
         .exit_code = code,
         .elapsed = elapsed().count(),
         .clock_sync_residual = residual_ ? std::optional{residual_->largest.count()} : std::nullopt,
         .clock_sync_residual_rms = residual_ ? std::optional{residual_->rms.count()} : std::nullopt,
         .message = message});
}

void warn_of_oversubscription(Session& session) {
    if (session.world().oversubscribed())
        session.warn("more processes than cores: starts are not exact, and times are those of the scheduler");
}

std::function<void(measure::Benchmark const&, measure::Point const&)> before_point(Session& session) {
    return [&session](measure::Benchmark const& benchmark, measure::Point const& at) {
        // A spent budget is the sweep's to see: it has the deadline, and records the points that are left.
        static_cast<void>(session.meet());
        session.next(benchmark.name + " " + at.text());
    };
}

}  // namespace program
