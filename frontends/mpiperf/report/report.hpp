// SPDX-License-Identifier: BSD-3-Clause
/// Report: writes MPIPerf's text from records. Every function returns text; none of them communicates.
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

/// The kind of rows of a test, which decides its columns.
enum class Rows { collective, message, blocking, overlap, stream };
[[nodiscard]] Rows rows_of(Test const& test, Options const& options);

/// The format of rows.
struct Style {
    TimeScale scale = TimeScale::usec;
    Format format = Format::text;
    int time_digits = 2;
    int ratio_digits = 2;
    bool nosync = false;
    std::int64_t first_calls = 0;  ///< number of first calls to print for each point; 0: none
    Rows rows = Rows::collective;
    bool datatype = false;       ///< csv: rows name the datatype and have the ratio to bytes
    std::vector<Rows> of_run{};  ///< csv: each row has the columns of all these kinds
    bool memory = false;         ///< csv: each row also has the columns of the test of memory
};

[[nodiscard]] Style style(Options const& options);

/// Facts for the header besides options and environment.
struct HeaderFacts {
    std::vector<Test const*> tests{};
    std::vector<measure::Axis> axes{};     ///< "ranks", "count"
    std::vector<std::string> hostnames{};  ///< [ranks of the world]
    std::string start{};
    std::string stop{};      ///< rule given by --stop; empty: the suite's own rule
    std::string noise{};     ///< interruptions of the processes before the campaign, as text
    std::string topology{};  ///< empty: no test uses a topology
    bool settles = true;     ///< runs count only once times have settled
    int epochs = 1;
    bool compared = false;  ///< a test with a datatype is compared with bytes
    bool shuffled = false;
    std::uint64_t seed = 1;
};

/// The lines from the version to the process mapping, and the legend of the columns.
[[nodiscard]] std::string header(measure::Environment const& run, Options const& options, HeaderFacts const& facts);

/// The lines before the rows of a test: its name, the confidence level and the column titles.
/// \param per_process  heading of the report with one row for each process
[[nodiscard]] std::string heading(std::string_view test, double confidence, Style const& style, bool per_process);

/// The row of a point; empty if the point was not measured. A line "# ..." follows if there is a problem.
/// \param ratio  of the point with a datatype to this point with bytes, which text prints as a comment
[[nodiscard]] std::string point(measure::Record const& record, Style const& style,
                                std::optional<measure::Ratio> const& ratio = {});

/// Whether the point is the one with bytes that follows a point with a datatype.
[[nodiscard]] bool is_contiguous(measure::Record const& record);

/// One row for each process of a point.
[[nodiscard]] std::string by_process(measure::Record const& record, std::span<measure::RankSummary const> ranks,
                                     Style const& style);

/// The footprint line of a point with cold buffers.
[[nodiscard]] std::string footprint(measure::Record const& record, Footprint const& footprint);

[[nodiscard]] std::string closing(measure::seconds elapsed);

/// \param own  the tests of plugins
[[nodiscard]] std::string list_of_tests(std::span<Test const> own = {});
[[nodiscard]] std::string list_of_timers();

/// The verdict of one process on the timer.
struct TimerVerdict {
    int rank = 0;
    std::string host{};
    bool passed = true;
    std::string text{};  ///< failures and warnings
};
[[nodiscard]] std::string timer_report(measure::Environment const& run, std::span<TimerVerdict const> verdicts);

/// One row of --check: a wait of known duration and its measured time.
struct CheckRow {
    std::string timer{};
    std::string test{};
    int processes = 1;
    measure::seconds expected{0};
    std::optional<double> measured{};  ///< no value if no run is valid or the row is skipped
    double tolerance = 0;
    std::optional<double> residual{};
    double residual_bound = 0;     ///< guaranteed error bound of the second clock measurement, in seconds
    std::optional<double> span{};  ///< first begin to last end by the clocks measured again, in seconds
    std::string clocks{};          ///< flags that question the starts: "unsynchronised", "unverified"
    std::string skipped{};         ///< reason why the row was not measured; empty: measured
    /// Whether the tolerance exceeds 1 us, the deviation that makes a clock useless. Then there is no verdict.
    [[nodiscard]] bool too_coarse() const noexcept;
    /// Whether the pattern takes the expected time, both on the slowest process and from the first begin to the last
    /// end.
    [[nodiscard]] bool passed() const noexcept;
};
/// The time from the first begin to the last end of a pattern that all processes begin at the same instant of their
/// clocks, in seconds. No value if the errors are unknown.
/// \param durations  of the processes, in seconds
/// \param errors  of each process's clock, true minus estimated, in seconds; NaN for processes that were not checked,
///     which are ignored
[[nodiscard]] std::optional<double> span_of(std::span<double const> durations, std::span<double const> errors);
[[nodiscard]] std::string check_titles();
[[nodiscard]] std::string check_row(CheckRow const& row);

}  // namespace mpiperf
