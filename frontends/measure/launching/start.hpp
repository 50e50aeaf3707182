// SPDX-License-Identifier: BSD-3-Clause
/// Start: makes one launch of a program that writes a record, as part of a campaign. Local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/child.hpp"

#include <measure/units.hpp>

#include <string>
#include <vector>

namespace measure::tool {

/// A launch to be made.
struct LaunchOrder {
    std::vector<std::string>
        command{};           ///< launcher and program; "{}" is replaced by the number, and --json FILE is added
    std::string campaign{};  ///< MEASURE_CAMPAIGN is "CAMPAIGN:NUMBER"
    int number = 1;          ///< number of the launch in its campaign
    program::Variables environment{};  ///< further environment variables
    std::string record{};              ///< file for the record; an older file is removed
    /// File for the output; an older file is removed. Empty: standard output is discarded, standard error is shown.
    std::string log{};
    measure::seconds limit{0};  ///< time limit, after which the launch is terminated; 0: no limit
    bool by_wall = false;       ///< adds nothing to the command; the only point is the wall-clock time of the launch
};

/// The result of a launch.
struct Started {
    std::string failure{};       ///< reason why it does not count, "ended with exit code 7"; empty: it counts
    bool is_incomplete = false;  ///< exit code 4: some points have no value
    bool is_late = false;        ///< terminated at the time limit
    bool is_refused = false;     ///< the program rejected its command line (exit code 2)
    bool may_refuse = false;     ///< failed without a record, so the program may not know --json
    std::string text{};          ///< content of the record file
    std::vector<Launch> launches{};
    measure::seconds elapsed{};
};

/// Makes a launch. \throws measure::Interrupted
[[nodiscard]] Started start(LaunchOrder const& order);

/// \throws measure::UsageError if the command has the option --json already
void check_no_record(std::vector<std::string> const& command);

/// A campaign identifier that is practically unique: the time and a random number.
[[nodiscard]] std::string new_campaign();

}  // namespace measure::tool
