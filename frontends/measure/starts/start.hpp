// SPDX-License-Identifier: BSD-3-Clause
/// Start: one start of a program that writes a record, as one of a campaign. Local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/child.hpp"

#include <measure/units.hpp>

#include <string>
#include <vector>

namespace measure::tool {

/// A start that is wanted.
struct StartOrder {
    std::vector<std::string>
        command{};                     ///< launcher and all; "{}" is the number of the start, and --json FILE is added
    std::string campaign{};            ///< MEASURE_CAMPAIGN is "CAMPAIGN:NUMBER"
    int number = 1;                    ///< of the start in its campaign
    program::Variables environment{};  ///< besides that
    std::string record{};              ///< file that it writes; an older one is removed
    /// File that gets what it prints; an older one is removed. Empty: standard output is dropped, errors are shown.
    std::string log{};
    measure::seconds limit{0};  ///< what lasts longer is ended; 0: nothing is
    bool by_wall = false;       ///< nothing is added to the command: the wall-clock time of the start is its only point
};

/// What came of it.
struct Started {
    std::string failure{};  ///< why it counts for nothing, "ended with exit code 7"; empty: it does count
    bool is_incomplete = false;
    bool is_late = false;     ///< it was ended because of the limit
    bool is_refused = false;  ///< the program did not take its command line (exit code 2)
    bool may_refuse = false;  ///< it failed and left no record: the program may not know --json
    std::string text{};       ///< of its record
    std::vector<Launch> launches{};
    measure::seconds elapsed{};
};

/// \throws measure::Interrupted
[[nodiscard]] Started start(StartOrder const& order);

/// \throws measure::UsageError where a command names the file of its record itself
void check_no_record(std::vector<std::string> const& command);

/// A name that no other campaign has: the time, and a number that this machine and process hardly share with others.
[[nodiscard]] std::string new_campaign();

}  // namespace measure::tool
