// SPDX-License-Identifier: BSD-3-Clause
/// Options: the user's choices in addition to the common options. Pure, no MPI.
#pragma once

#include "bodies/datatype.hpp"
#include "mpiperf/operations/topology.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"

#include <measure/clock_sync.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/schedule.hpp>
#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpiperf {

/// The growth of a varied parameter, by addition or by multiplication (the default, by 2).
struct Step {
    std::optional<std::int64_t> add{};
    std::optional<std::int64_t> multiply{};
};

enum class TimeScale { sec, usec };
enum class Format { text, csv };

inline constexpr char const* all_timers = "all";  ///< the timer name that stands for every timer, with --check only
inline constexpr std::int64_t enough_runs = 30;   ///< valid runs of a point without another stopping rule

struct Options {
    std::vector<std::string> tests{};    ///< names as given on the command line, see `named_test`
    std::vector<std::string> plugins{};  ///< paths of shared libraries

    std::optional<int> min_ranks{};  ///< default: size of the world
    std::optional<int> max_ranks{};
    Step rank_step{};
    std::int64_t min_count = 1;  ///< in elements: bytes, or doubles for reductions
    std::int64_t max_count = 128;
    Step count_step{};
    bool include_max = false;
    std::optional<double> refine{};  ///< largest relative interpolation error; no value: no refinement

    std::optional<double> relative_error{};    ///< stopping rule 2 of the paper
    std::optional<std::int64_t> valid_runs{};  ///< stopping rule 1 of the paper
    std::optional<double> median_interval{};   ///< the library's rule: half the interval's width over the median
    std::int64_t min_runs = 10;
    std::int64_t max_runs = 100;

    double trim = 0.25;
    bool no_trim = false;
    double confidence = 0.95;
    measure::ErrorKind error = measure::ErrorKind::winsorized;

    bool blocking_mode = false;  ///< non-blocking tests issue and wait without computing
    int compute_points = 10;     ///< steps from no computing to twice the blocking time
    int tests_per_compute = 10;  ///< parts of the computing, with MPI_Test between them

    std::optional<std::string> start{};  ///< free, barrier, dissemination, slot, roundtime
    int warmup_runs = 4;
    int window = 64;                            ///< messages of a stream in flight
    int threads = 2;                            ///< threads of each process that exchange messages concurrently
    int partitions = 8;                         ///< partitions of a partitioned message
    std::optional<std::int64_t> first_calls{};  ///< number of calls to measure from the very first on
    int stage_runs = 8;
    double invalid_share = 0.25;
    double slot_scale = 1.1;
    measure::SlotRule slot_rule = measure::SlotRule::doubling;
    double bcast_factor = 1.5;
    int sync_patience = 100;
    measure::OffsetEstimator offset_estimator = measure::OffsetEstimator::min_rtt;
    std::optional<bool> both_ways{};  ///< the ranks of a pair swap roles; default: not in the paper's linear and ring
    std::optional<measure::OffsetChannel> offset_channel{};  ///< default: messages in linear and ring, else shared
    std::optional<bool> sync_drift{};                        ///< default: the synchroniser decides
    std::optional<measure::seconds> resync{};

    std::optional<bodies::TypeLayout> datatype{};  ///< type of the data that are moved
    bool verify = false;
    std::string scratch = ".";  ///< folder for the file of File_write and File_read

    bool cold = false;
    int cold_blocks = 8;
    measure::Bytes alignment = 64;
    std::optional<measure::Bytes> max_memory{};
    int root = 0;

    std::optional<Topology> topology{};  ///< a graph file that it names has not been read yet
    bool reorder = false;

    bool no_warmup = false;
    std::optional<measure::Combine> time_of{};  ///< default: max, for messages root
    bool rotate_root = false;

    std::string per_process{};  ///< path; empty: no file
    std::string log{};          ///< log files are this path and ".RANK"; empty: no logs
    bool log_master = false;    ///< only the root writes a log
    TimeScale scale = TimeScale::usec;
    std::optional<int> precision{};
    Format format = Format::text;

    bool list_timers = false;
    bool list_tests = false;
    std::optional<measure::seconds> noise{};  ///< duration of the observation
    bool check_timer = false;
    bool check = false;

    /// Whether calls run in one loop without synchronisation, a common but wrong method.
    [[nodiscard]] bool is_nosync() const { return start == "free"; }
};

/// A test of the command line: "Bcast", or "Bcast:8,4K" with its own counts.
struct NamedTest {
    std::string name;
    std::vector<std::int64_t> counts{};  ///< ascending, without duplicates; empty: the counts of -x, -X, -s, -S
};
/// \throws measure::UsageError if a count is missing or invalid
[[nodiscard]] NamedTest named_test(std::string const& text);

/// The test's own counts from the command line. Empty if it has none or is not among the tests.
/// \param name  compared without regard to letter case
[[nodiscard]] std::vector<std::int64_t> own_counts(Options const& options, std::string_view name);

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// Adds the options to a record. Existing fields are kept.
void describe(Options const& options, measure::Value& record);

/// Checks rules that involve several options.
/// \throws measure::UsageError that names the options
void check(Options const& options, program::CommonOptions const& common);

/// The smallest number of valid runs for which the interval of the median is checked.
[[nodiscard]] std::int64_t fewest_for_median(Options const& options);

/// The options that reintroduce a systematic error (MPIPerf paper, section 3), as written on the command line.
[[nodiscard]] std::vector<std::string> deviations(Options const& options);

}  // namespace mpiperf
