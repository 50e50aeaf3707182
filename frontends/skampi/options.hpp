// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line of skampi. Pure.
#pragma once

#include "program/cli/parse.hpp"

#include <string>
#include <vector>

namespace skampi {

struct Options {
    std::string config = ".skampi";
    std::string output{};  ///< instead of @OUTFILE
    std::string log{};     ///< instead of @LOGFILE
    bool check = false;
    bool list = false;
    bool write_default = false;
    std::vector<std::string> files{};  ///< where the default configuration goes, at most one
    std::vector<std::string> only{};
    std::vector<std::string> skip{};
    bool fresh = false;
    bool skip_crashed = false;
    std::string cost_model{};  ///< as `cost_model_from` takes it; empty: times are measured
    bool timer_given = false;  ///< --timer stands before @TIMER
};

/// Declares the options; what the parser cannot see of one option alone is checked when it has read all.
void declare(program::Parser& parser, Options& options);

}  // namespace skampi
