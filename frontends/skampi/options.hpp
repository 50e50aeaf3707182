// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line of skampi. Pure.
#pragma once

#include "program/cli/parse.hpp"
#include "run/cost_model.hpp"

#include <optional>
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
    std::optional<CostModel> model{};
    std::string model_text{};
    bool timer_given = false;  ///< --timer stands before @TIMER
};

void declare(program::Parser& parser, Options& options);

/// What the parser cannot see of one option alone. \throws measure::UsageError
void check(Options const& options);

}  // namespace skampi
