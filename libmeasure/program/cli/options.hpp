// SPDX-License-Identifier: BSD-3-Clause
/// Common options: the options that all measuring programs share, and optional ones that a suite can select.
#pragma once

#include "program/cli/parse.hpp"

#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace program {

enum class ProgressMode { automatic, always, never };

struct CommonOptions {
    std::string json{};  ///< file of the record; "-" is stdout; empty: no record is written
    bool raw = false;
    bool quiet = false;
    ProgressMode progress = ProgressMode::automatic;
    std::string timer = "mpi_wtime";  ///< lower case; a known name, but the timer is not created yet
    std::optional<measure::seconds> time_budget{};
    measure::seconds watchdog{600};  ///< 0: off

    std::string sync_alg = "linear";
    std::string start = "slot";
    std::optional<std::string> stop{};   ///< text for measure::stop_from; empty: the suite's rule
    std::optional<double> trim{};        ///< fraction of the valid samples dropped at each end
    std::optional<double> confidence{};  ///< confidence level of intervals, as a fraction
    std::optional<std::string> batch{};  ///< text for measure::batch_from
    std::uint64_t seed = 1;
    bool strict = false;
    int epochs = 1;
    bool settle = true;
    int retry = 2;
    bool shuffle = false;
    bool list = false;
    std::optional<int> ranks{};  ///< size of the world that --list assumes

    std::string config{};  ///< file with options that the command line does not give; empty: no file
    bool help = false;     ///< `run_main` answers it before a suite's body runs
    bool version = false;  ///< `run_main` answers it before a suite's body runs
};

/// Selects the common options of a suite. A program that measures always has --json --raw --quiet --progress --timer
/// --time-budget --watchdog. The suite asks for the others.
struct CommonUse {
    bool measures = true;  ///< false: the program only reads results; of the options above it has --json and --quiet
    bool record = true;    ///< --json; false: the program writes no record
    bool sync_alg = false;
    bool start = false;
    bool plan = false;  ///< --stop, and --trim --confidence unless the suite has them
    bool batch = true;  ///< --batch, if `plan` is set
    bool seed = false;
    bool strict = false;
    bool epochs = false;
    bool settle = false;  ///< --settle and --retry
    bool shuffle = false;
    bool list = false;                  ///< --list, and --ranks unless the suite has it
    bool ranks = true;                  ///< false: no --ranks, because --list does not depend on the number of ranks
    bool config = false;                ///< --config: options from a file
    std::vector<std::string> timers{};  ///< the suite's own timers, further values of --timer
    CommonOptions defaults{};           ///< the suite's defaults
    std::vector<std::pair<std::string, std::string>> aliases{};  ///< {"--timer", "-t"}, also for --help, --version
};

/// Applies --stop, --trim, --confidence and --batch to a plan if they are given.
void change(measure::Plan& plan, CommonOptions const& options);

/// Declares the common options after the suite's own: --help, --version, and the options that `use` selects. -h means
/// --help unless the suite has an option of that name. `options` must outlive the parser's `parse`.
void declare(Parser& parser, CommonUse const& use, CommonOptions& options);

/// Adds the resolved common options to a run record's `options`. Fields that the suite has already set are kept.
void describe(CommonOptions const& options, CommonUse const& use, measure::Value& record);

}  // namespace program
