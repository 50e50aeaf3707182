// SPDX-License-Identifier: BSD-3-Clause
/// Options: what a user may choose, beside the common options. Pure, no MPI.
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

/// How a varied parameter grows: by adding, by multiplying (the default).
struct Step {
    std::optional<std::int64_t> add{};
    std::optional<std::int64_t> multiply{};
};

enum class TimeScale { sec, usec };
enum class Format { text, csv };

inline constexpr char const* all_timers = "all";  ///< a timer's name, for --check
inline constexpr std::int64_t enough_runs = 30;   ///< valid ones, without another rule

struct Options {
    std::vector<std::string> tests{};    ///< as given: see `named_test`
    std::vector<std::string> plugins{};  ///< files

    std::optional<int> min_ranks{};  ///< the world's size where not given
    std::optional<int> max_ranks{};
    Step rank_step{};
    std::int64_t min_count = 1;  ///< elements: bytes, or doubles for reductions
    std::int64_t max_count = 128;
    Step count_step{};
    bool include_max = false;
    std::optional<double> refine{};  ///< tolerance

    std::optional<double> relative_error{};    ///< stopping rule 2
    std::optional<std::int64_t> valid_runs{};  ///< stopping rule 1
    std::optional<double> median_interval{};   ///< stopping rule of the library: half width over median
    std::int64_t min_runs = 10;
    std::int64_t max_runs = 100;

    double trim = 0.25;
    bool no_trim = false;
    double confidence = 0.95;
    measure::ErrorKind error = measure::ErrorKind::winsorized;

    bool blocking_mode = false;  ///< of non-blocking tests: issue and wait
    int compute_points = 10;     ///< steps of computing up to twice the blocking time
    int tests_per_compute = 10;  ///< parts of the computing with MPI_Test between them

    std::optional<std::string> start{};  ///< free, barrier, dissemination, slot, roundtime
    int warmup_runs = 4;
    int window = 64;                            ///< messages of a stream under way at once
    int threads = 2;                            ///< of each process that exchange messages at once
    int partitions = 8;                         ///< of a partitioned message
    std::optional<std::int64_t> first_calls{};  ///< how many are measured from the first on, instead of settled ones
    int stage_runs = 8;
    double invalid_share = 0.25;
    double slot_scale = 1.1;
    measure::SlotRule slot_rule = measure::SlotRule::doubling;
    double bcast_factor = 1.5;
    int sync_patience = 100;
    measure::OffsetEstimator offset_estimator = measure::OffsetEstimator::min_rtt;
    std::optional<bool> both_ways{};  ///< pairs exchange roles; by default not in the paper's linear and ring
    std::optional<measure::OffsetChannel> offset_channel{};  ///< by default messages there, shared memory elsewhere
    std::optional<bool> sync_drift{};                        ///< by default what the synchroniser chooses
    std::optional<measure::seconds> resync{};

    std::optional<bodies::TypeLayout> datatype{};  ///< of data that are moved
    bool verify = false;
    std::string scratch = ".";  ///< folder of the file that tests of files make

    bool cold = false;
    int cold_blocks = 8;
    measure::Bytes alignment = 64;
    std::optional<measure::Bytes> max_memory{};
    int root = 0;

    std::optional<Topology> topology{};  ///< its file, if it has one, is not read
    bool reorder = false;

    bool no_warmup = false;
    std::optional<measure::Combine> time_of{};  ///< max where not given, of messages root
    bool rotate_root = false;

    std::string per_process{};  ///< file; empty: none
    std::string log{};          ///< log files: this and ".RANK"; empty: none
    bool log_master = false;    ///< only the root's
    TimeScale scale = TimeScale::usec;
    std::optional<int> precision{};
    Format format = Format::text;

    bool list_timers = false;
    bool list_tests = false;
    std::optional<measure::seconds> noise{};  ///< look for noise for so long
    bool check_timer = false;
    bool check = false;

    /// The common but wrong loop of calls without synchronisation.
    [[nodiscard]] bool is_nosync() const { return start == "free"; }
};

/// A test of the command line: "Bcast", or "Bcast:8,4K" with counts of its own.
struct NamedTest {
    std::string name;
    std::vector<std::int64_t> counts{};  ///< rising, each once; empty: those of -x, -X, -s, -S
};
/// \throws measure::UsageError where a count is missing or is none
[[nodiscard]] NamedTest named_test(std::string const& text);

/// The counts that a test has of its own; empty where it has none, or is not among the tests.
/// \param name  in any letter case
[[nodiscard]] std::vector<std::int64_t> own_counts(Options const& options, std::string_view name);

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// The options as fields of a record; those that are there already stay.
void describe(Options const& options, measure::Value& record);

/// Checks what no single option shows.
/// \throws measure::UsageError that names the options
void check(Options const& options, program::CommonOptions const& common);

/// Valid runs before the interval of the median is looked at.
[[nodiscard]] std::int64_t fewest_for_median(Options const& options);

/// The choices that bring a systematic error back (MPIPerf paper, section 3), as they stand on a command line.
[[nodiscard]] std::vector<std::string> deviations(Options const& options);

}  // namespace mpiperf
