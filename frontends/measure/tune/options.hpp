// SPDX-License-Identifier: BSD-3-Clause
/// Tune options: the options of `measure tune`. Pure, local.
#pragma once

#include "program/cli/parse.hpp"
#include "tune/plan.hpp"

#include <measure/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace measure::tool::tune {

/// Message sizes low, low x factor, low x factor^2, .. and high.
struct SizeRange {
    measure::Bytes low = 8;
    measure::Bytes high = measure::Bytes{1} << 20;
    double factor = 4;
};

struct TuneOptions {
    bool list = false;
    std::vector<std::string> collectives{};  ///< empty: all blocking collectives
    SizeRange sizes{};
    std::vector<int> ranks{};      ///< numbers of ranks, ascending; empty: all ranks of the launcher
    int launches = 10;             ///< launches for the decision
    int proof = 10;                ///< launches of each side of the proof
    int blocks = 40;               ///< maximum blocks of a point in the screen
    double gain = 0.05;            ///< minimum gain of a change, as a share
    double fdr = 0.05;             ///< allowed share of changes with a smaller true gain
    double alpha = 0.05;           ///< probability of a false verdict in any comparison of the proof
    bool is_budget_new = false;    ///< the budget differs from that of the resumed campaign
    measure::seconds budget{0};    ///< time limit of the whole command; 0: no limit
    measure::seconds timeout{10};  ///< limit for the check of an algorithm
    std::string folder{};
    std::optional<Via> via{};  ///< empty: MPI_T where the library supports it
    bool no_han = false;       ///< Open MPI's component han is off in all launches
    std::string base{};        ///< file with the tree to change; empty: the library's own
    std::string resume{};      ///< folder of a campaign to continue
    std::string prove{};       ///< folder of a campaign whose file is to be proved
    std::string json{};        ///< additional file for the document; "-": standard output
    std::vector<std::string> launcher{};
};

/// Declares all options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, TuneOptions& options);

/// The sizes at which a collective is measured, ascending: only 0 for a barrier, multiples of the size of a double for
/// reductions.
[[nodiscard]] std::vector<measure::Bytes> sizes_of(SizeRange const& range, std::string_view collective);

}  // namespace measure::tool::tune
