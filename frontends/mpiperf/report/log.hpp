// SPDX-License-Identifier: BSD-3-Clause
/// Log: records what a process does and sees, line by line, in a separate file for each process.
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

/// Writes the lines about an epoch's stages, one stage after another. Pure, except that it remembers earlier stages.
class StageLines {
public:
    /// The messages about a stage: one for each run, one for the stage, and one if the slot length has changed.
    [[nodiscard]] std::vector<std::string> operator()(measure::StageReport const& stage);

private:
    void count(measure::SampleReport const& sample);
    [[nodiscard]] std::string summary(measure::StageReport const& stage) const;

    std::optional<measure::seconds> slot_;
    std::vector<double> valid_{};  ///< times over ranks; root only
};

/// A log that is not open drops everything. During a measurement entries are kept in memory; lines are written only
/// between points. A killed run therefore leaves every point except the unfinished one.
class Log {
public:
    Log() = default;
    Log(Log const&) = delete;
    Log& operator=(Log const&) = delete;
    /// Writes pending entries, also if an interruption or an error ends the run.
    ~Log();

    using Failed = std::function<void(std::string)>;

    /// Collective. \param path  the file is PATH.RANK  \param master_only  only the root writes
    /// \param failed  called once, on the rank that can no longer write its file; it should end all ranks
    /// \throws measure::UsageError on all ranks if a file cannot be written
    void open(measure::Comm const& world, std::string const& path, bool master_only, Failed failed);

    void timer(measure::AnyTimer const& timer);
    void begin_point(std::string_view test, measure::Point const& at);
    void buffers(Footprint const& footprint);
    /// Adds the hooks through which the log follows a measurement. The log must outlive the control.
    void watch(measure::Control& control);
    /// Notes the outcome of the point. Root only.
    void result(measure::Record const& record);
    /// Writes the lines of the point. Does nothing if no point has begun.
    void end_point();
    void close();

private:
    using Clock = std::chrono::system_clock;
    void note(std::string message);
    void epoch(measure::GlobalClock const& clock, measure::seconds broadcast_bound);
    void flush();
    /// Reports the first failed write, then closes the log.
    template <class Work>
    void attempt(Work work);

    struct Entry {
        Clock::time_point at;
        std::string message{};
        std::optional<measure::StageReport> stage{};  ///< if set, replaces the message
    };

    bool is_open_ = false;
    Failed failed_;
    program::OutputFile file_;
    std::vector<Entry> entries_;
    std::string point_;
    std::string result_;
    std::optional<double> synchronised_;  ///< duration of the last noted synchronisation, which identifies it
};

}  // namespace mpiperf
