// SPDX-License-Identifier: BSD-3-Clause
/// Report: MPIPerf's text from records. Every function returns text; nothing here communicates.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/options.hpp"
#include "mpiperf/report/result.hpp"

#include <measure/clock_sync.hpp>
#include <measure/environment.hpp>
#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpiperf {

/// What the rows of a test consist of.
enum class Rows { collective, message, blocking, overlap, stream };
[[nodiscard]] Rows rows_of(Test const& test, Options const& options);

/// How rows are written.
struct Style {
    TimeScale scale = TimeScale::usec;
    Format format = Format::text;
    int time_digits = 2;
    int ratio_digits = 2;
    bool nosync = false;
    std::int64_t first_calls = 0;  ///< so many calls of a point are told
    Rows rows = Rows::collective;
    bool datatype = false;       ///< csv: rows name the datatype, and have the ratio to bytes
    std::vector<Rows> of_run{};  ///< csv: the columns of all of these have a place in each row
    bool memory = false;         ///< csv: so have those of the test of memory
};

[[nodiscard]] Style style(Options const& options);

/// What the header says beside options and environment.
struct HeaderFacts {
    std::vector<Test const*> tests{};
    std::vector<measure::Axis> axes{};     ///< "ranks", "count"
    std::vector<std::string> hostnames{};  ///< of each rank of the world
    std::string start{};
    std::string stop{};      ///< a rule given by --stop; empty: the suite's own
    std::string noise{};     ///< what interrupted the processes before the campaign
    std::string topology{};  ///< empty: no test has one
    bool settles = true;     ///< runs count once times have settled
    int epochs = 1;
    bool compared = false;  ///< some tests with a datatype have bytes beside it
    bool shuffled = false;
    std::uint64_t seed = 1;
};

/// The lines from the version to the process mapping, with the legend of the columns.
[[nodiscard]] std::string header(measure::Environment const& run, Options const& options, HeaderFacts const& facts);

/// What stands before the rows of a test: its name, the confidence level and the titles of the columns.
/// \param per_process  of the report with one row for each process
[[nodiscard]] std::string heading(std::string_view test, double confidence, Style const& style, bool per_process);

/// The row of a point; empty for one that was not measured. A line "# ..." follows where something is wrong with it.
/// \param ratio  of the point with a datatype to this one, which has bytes: in text then a comment
[[nodiscard]] std::string point(measure::Record const& record, Style const& style,
                                std::optional<measure::Ratio> const& ratio = {});

/// Whether a point is the one with bytes that follows one with a datatype.
[[nodiscard]] bool is_contiguous(measure::Record const& record);

/// The rows of a point's processes.
[[nodiscard]] std::string by_process(measure::Record const& record, std::span<measure::RankSummary const> ranks,
                                     Style const& style);

/// The footprint line of a point with cold buffers.
[[nodiscard]] std::string footprint(measure::Record const& record, Footprint const& footprint);

[[nodiscard]] std::string closing(measure::seconds elapsed);

/// \param own  the tests of plugins
[[nodiscard]] std::string list_of_tests(std::span<Test const> own = {});
[[nodiscard]] std::string list_of_timers();

/// What one process found about the timer.
struct TimerVerdict {
    int rank = 0;
    std::string host{};
    bool passed = true;
    std::string text{};  ///< failures and warnings
};
[[nodiscard]] std::string timer_report(measure::Environment const& run, std::span<TimerVerdict const> verdicts);

/// One line of the comparison with waits of known duration.
struct CheckRow {
    std::string timer{};
    std::string test{};
    int processes = 1;
    measure::seconds expected{0};
    std::optional<double> measured{};  ///< nothing without a valid run, and where skipped
    double tolerance = 0;
    std::optional<double> residual{};
    double residual_bound = 0;     ///< guaranteed error of the clocks' second measurement
    std::optional<double> span{};  ///< from the first begin to the last end by the clocks measured again
    std::string clocks{};          ///< what is wrong with the starts: "unsynchronised", "unverified"
    std::string skipped{};         ///< why it was not measured
    /// The tolerance is larger than the deviation that makes a clock useless, 1 us: nothing can be said.
    [[nodiscard]] bool too_coarse() const noexcept;
    /// The pattern lasts as long as expected on the slowest process, and from the first begin to the last end.
    [[nodiscard]] bool passed() const noexcept;
};
/// From the first begin to the last end of a pattern that all processes begin at one instant of their clocks.
/// \param durations  of the processes, s  \param errors  what each one's clock was found to be wrong by, true minus
/// estimated, s; NaN for processes that were left out, and are here too. Nothing where no errors are known.
[[nodiscard]] std::optional<double> span_of(std::span<double const> durations, std::span<double const> errors);
[[nodiscard]] std::string check_titles();
[[nodiscard]] std::string check_row(CheckRow const& row);

}  // namespace mpiperf
