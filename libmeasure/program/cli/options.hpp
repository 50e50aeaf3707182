// SPDX-License-Identifier: BSD-3-Clause
/// Common options: what every measuring program understands, and what it understands where it acts on something.
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
    std::string json{};  ///< file of the record; "-" is stdout; empty: none
    bool raw = false;
    bool quiet = false;
    ProgressMode progress = ProgressMode::automatic;
    std::string timer = "mpi_wtime";  ///< lower case; known by name, not yet made
    std::optional<measure::seconds> time_budget{};
    measure::seconds watchdog{600};  ///< 0: off

    std::string sync_alg = "linear";
    std::string start = "slot";
    std::optional<std::string> stop{};   ///< a text for measure::stop_from; nothing: the suite's rule
    std::optional<double> trim{};        ///< share cut at each end
    std::optional<double> confidence{};  ///< of intervals
    std::optional<std::string> batch{};  ///< a text for measure::batch_from
    std::uint64_t seed = 1;
    bool strict = false;
    int epochs = 1;
    bool settle = true;
    int retry = 2;
    bool shuffle = false;
    bool list = false;
    std::optional<int> ranks{};  ///< of the world that --list supposes

    std::string config{};  ///< file of options that the command line does not give; empty: none
    bool help = false;     ///< answered by `run_main` before a suite's body runs
    bool version = false;  ///< likewise
};

/// What a suite takes of the common options. A program that measures always has --json --raw --quiet --progress --timer
/// --time-budget --watchdog; the others are there only where the suite says so.
struct CommonUse {
    bool measures = true;  ///< false: a program that reads what others measured; of the options only --json and --quiet
    bool record = true;    ///< --json; false: the program writes no record
    bool sync_alg = false;
    bool start = false;
    bool plan = false;  ///< --stop, and --trim --confidence unless the suite has them
    bool batch = true;  ///< --batch beside them
    bool seed = false;
    bool strict = false;
    bool epochs = false;
    bool settle = false;  ///< --settle and --retry
    bool shuffle = false;
    bool list = false;                  ///< --list, and --ranks unless the suite has it
    bool ranks = true;                  ///< false: there are no ranks that --list could suppose
    bool config = false;                ///< --config: options from a file
    std::vector<std::string> timers{};  ///< of the suite's own, for --timer
    CommonOptions defaults{};           ///< where the suite's differ
    std::vector<std::pair<std::string, std::string>> aliases{};  ///< {"--timer", "-t"}, also of --help, --version
};

/// What --stop, --trim, --confidence and --batch change in a plan, where they are given.
void change(measure::Plan& plan, CommonOptions const& options);

/// Declares the common options behind those that the suite has declared: --help, --version, and those in use. -h is
/// --help unless the suite has an option of that name. `options` must outlive the parser's `parse`.
void declare(Parser& parser, CommonUse const& use, CommonOptions& options);

/// Adds the resolved common options to a run record's `options`; what the suite has set itself stays.
void describe(CommonOptions const& options, CommonUse const& use, measure::Value& record);

}  // namespace program
