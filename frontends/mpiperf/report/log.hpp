// SPDX-License-Identifier: BSD-3-Clause
/// Log: what a process does and sees, line by line, in a file of its own.
#pragma once

#include "mpiperf/operations/operations.hpp"
#include "program/runtime/files.hpp"

#include <measure/clock_sync.hpp>
#include <measure/control.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpiperf {

/// "2026-01-31 23:59:59.123456789: message\n", UTC.
[[nodiscard]] std::string log_line(std::chrono::system_clock::time_point at, std::string_view message);

/// The lines on an epoch's stages, one after another. Pure, but for what it remembers of the stages before.
class StageLines {
public:
    /// The messages on a stage: a line for each run, one on the stage, and one where slots have another length.
    [[nodiscard]] std::vector<std::string> operator()(measure::StageReport const& stage);

private:
    void count(measure::SampleReport const& sample);
    [[nodiscard]] std::string summary(measure::StageReport const& stage) const;

    std::optional<measure::seconds> slot_;
    std::vector<double> valid_{};  ///< over ranks; root only
};

/// A log that is not open drops everything. Lines are made and written between points only: while a point is measured
/// what happens is put down in memory. So a run that is killed leaves all points but the one in flight.
class Log {
public:
    Log() = default;
    Log(Log const&) = delete;
    Log& operator=(Log const&) = delete;
    /// Writes what there is, also where an interruption or an error ends the run.
    ~Log();

    using Failed = std::function<void(std::string)>;

    /// Collective. \param path  the file is PATH.RANK  \param master_only  only the root's
    /// \param failed  told once, on the rank whose file cannot be written any more: the other ranks are to end with it
    /// \throws measure::UsageError on all ranks where a file cannot be written
    void open(measure::Comm const& world, std::string const& path, bool master_only, Failed failed);

    void timer(measure::AnyTimer const& timer);
    void begin_point(std::string_view test, measure::Point const& at);
    void buffers(Footprint const& footprint);
    /// Adds the hooks by which a measurement is followed. The log must outlive it.
    void watch(measure::Control& control);
    /// What became of the point; the root's.
    void result(measure::Record const& record);
    /// Writes the point's lines out; nothing where none has begun.
    void end_point();
    void close();

private:
    using Clock = std::chrono::system_clock;
    void note(std::string message);
    void epoch(measure::GlobalClock const& clock, measure::seconds broadcast_bound);
    void flush();
    /// A log that cannot be written is told once, and ends.
    template <class Work>
    void attempt(Work work);

    struct Entry {
        Clock::time_point at;
        std::string message{};
        std::optional<measure::StageReport> stage{};  ///< instead of the message
    };

    bool is_open_ = false;
    Failed failed_;
    program::OutputFile file_;
    std::vector<Entry> entries_;
    std::string point_;
    std::string result_;
    std::optional<double> synchronised_;  ///< duration of the last synchronisation that was noted, by which it is known
};

}  // namespace mpiperf
