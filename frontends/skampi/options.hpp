// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line of skampi. Pure.
#pragma once

#include "program/cli/parse.hpp"

#include <string>
#include <vector>

namespace skampi {

struct Options {
    std::string config = ".skampi";
    std::string output{};  ///< overrides @OUTFILE
    std::string log{};     ///< overrides @LOGFILE
    bool check = false;
    bool list = false;
    bool write_default = false;
    std::vector<std::string> files{};  ///< file for the default configuration, at most one
    std::vector<std::string> only{};
    std::vector<std::string> skip{};
    bool fresh = false;
    bool skip_crashed = false;
    std::string cost_model{};  ///< text for `cost_model_from`; empty: times are measured
    bool timer_given = false;  ///< --timer was given and overrides @TIMER
};

/// Declares the options, and a check of their combinations that runs after parsing.
void declare(program::Parser& parser, Options& options);

}  // namespace skampi
