// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/report/log.hpp"

#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace mpiperf {

namespace {

using measure::seconds;

std::string usec(seconds t) { return fmt::format("{:.3f} us", measure::microseconds(t)); }

}  // namespace

std::string log_line(std::chrono::system_clock::time_point at, std::string_view message) {
    using std::chrono::nanoseconds;
    auto const whole = std::chrono::floor<std::chrono::seconds>(at);
    return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:09}: {}\n", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                       std::chrono::duration_cast<nanoseconds>(at - whole).count(), message);
}

std::vector<std::string> StageLines::operator()(measure::StageReport const& stage) {
    std::vector<std::string> lines;
    if (stage.slot && slot_ != stage.slot)
        lines.push_back(slot_ ? fmt::format("slot length corrected from {} to {}", usec(*slot_), usec(*stage.slot))
                              : fmt::format("slot length {}", usec(*stage.slot)));
    if (stage.slot)
        slot_ = stage.slot;
    auto index = stage.first_sample;
    for (auto const& sample : stage.samples) {
        if (stage.stage == 0)
            continue;
        count(sample);
        ++index;
        if (sample.invalid != measure::InvalidReason::none)
            lines.push_back(fmt::format("run {} is invalid: {}", index, measure::name(sample.invalid)));
        else if (sample.time)
            lines.push_back(fmt::format("run {}: {}, here {}", index, usec(*sample.time), usec(sample.mine)));
        else
            lines.push_back(fmt::format("run {}: {} here", index, usec(sample.mine)));
    }
    lines.push_back(summary(stage));
    return lines;
}

void StageLines::count(measure::SampleReport const& sample) {
    if (sample.time && sample.invalid == measure::InvalidReason::none)
        valid_.push_back(sample.time->count());
}

std::string StageLines::summary(measure::StageReport const& stage) const {
    auto const& runs = stage.samples;
    if (stage.stage == 0) {
        auto const slowest =
            std::max_element(runs.begin(), runs.end(), [](auto const& a, auto const& b) { return a.mine < b.mine; });
        return fmt::format("end of warm-up: {} runs, the longest {} here", runs.size(), usec(slowest->mine));
    }
    auto const invalid = std::count_if(
        runs.begin(), runs.end(), [](auto const& sample) { return sample.invalid != measure::InvalidReason::none; });
    auto text = fmt::format("end of stage {}: {} runs, {} invalid", stage.stage, runs.size(), invalid);
    if (!runs.front().time)
        return text + " here";
    if (valid_.size() > 1)
        text += fmt::format(", RSE {:.4f} of {} valid runs", measure::standard_error(valid_) / measure::mean(valid_),
                            valid_.size());
    return text;
}

Log::~Log() {
    try {
        flush();
    } catch (std::exception const&) {
        // The run is ending anyway, and possibly because of a more serious error.
    }
}

void Log::open(measure::Comm const& world, std::string const& path, bool master_only, Failed failed) {
    failed_ = std::move(failed);
    file_ = master_only ? program::open_file(world, path + ".0", "-l") : program::open_file_per_rank(world, path, "-l");
    is_open_ = !master_only || world.is_root();
    note(fmt::format("log opened by process {} of {}; times are UTC", world.rank(), world.size()));
}

void Log::timer(measure::AnyTimer const& timer) {
    note(fmt::format("timer {}, resolution {}", timer.name(), measure::text(timer.resolution())));
    flush();
}

void Log::begin_point(std::string_view test, measure::Point const& at) {
    point_ = fmt::format("{} {}", test, at.text());
    note(fmt::format("test {} begins", point_));
    flush();
}

void Log::buffers(Footprint const& f) {
    note(fmt::format("pool of {} {}, {} in all", f.blocks, f.blocks == 1 ? "block" : "blocks",
                     measure::text_bytes(f.per_rank)));
}

void Log::watch(measure::Control& control) {
    if (!is_open_)
        return;
    control.epoch = [this](auto const& clock, seconds broadcast_bound) { epoch(clock, broadcast_bound); };
    control.stage = [this](measure::StageReport&& stage) { entries_.push_back({Clock::now(), {}, std::move(stage)}); };
}

void Log::epoch(measure::GlobalClock const& clock, seconds broadcast_bound) {
    auto const& report = clock.report();
    if (clock.synchronised() && synchronised_ != report.duration) {
        synchronised_ = report.duration;
        note(fmt::format("clocks synchronised by {} in {} ({} ago)", report.algorithm,
                         measure::text(seconds{report.duration}), measure::text(clock.age())));
        note(fmt::format("local offset {:.3f} us, bound {}", measure::microseconds(clock.offset()),
                         usec(clock.bound().value_or(seconds{0}))));
    }
    if (broadcast_bound > seconds{0})
        note(fmt::format("broadcast bound {}", usec(broadcast_bound)));
}

void Log::result(measure::Record const& record) {
    result_ = fmt::format(": {} of {} runs valid, {}", record.valid, record.attempts, measure::name(record.status));
    if (record.value && record.quantity == measure::Quantity::time)
        result_ += fmt::format(", mean {}", usec(seconds{*record.value}));
    if (!record.message.empty())
        result_ += fmt::format(" ({})", record.message);
}

void Log::end_point() {
    if (point_.empty())
        return;
    note(fmt::format("test {} ends{}", std::exchange(point_, {}), std::exchange(result_, {})));
    flush();
}

void Log::close() {
    note("log closed");
    flush();
    // Every rank may have its own log.
    if (is_open_)
        attempt([this] { file_.finish(program::Reaches::file_system); });
}

void Log::note(std::string message) {
    if (is_open_)
        entries_.push_back({Clock::now(), std::move(message)});
}

void Log::flush() {
    if (!is_open_)
        return;
    StageLines stage_lines;
    for (Entry const& entry : entries_) {
        if (!entry.stage) {
            file_.stream() << log_line(entry.at, entry.message);
            continue;
        }
        if (entry.stage->stage == 0 || entry.stage->first_sample == 0)
            stage_lines = {};
        for (auto const& line : stage_lines(*entry.stage))
            file_.stream() << log_line(entry.at, line);
    }
    entries_.clear();
    attempt([this] { file_.flush(); });
}

template <class Work>
void Log::attempt(Work work) {
    try {
        work();
    } catch (std::runtime_error const& error) {
        is_open_ = false;
        failed_(error.what());
    }
}

}  // namespace mpiperf
