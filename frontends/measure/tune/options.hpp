// SPDX-License-Identifier: BSD-3-Clause
/// Tune options: what `measure tune` is asked for. Pure, local.
#pragma once

#include "program/cli/parse.hpp"
#include "tune/plan.hpp"

#include <measure/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace measure::tool::tune {

/// Message sizes low, low x factor, .. and high.
struct SizeRange {
    measure::Bytes low = 8;
    measure::Bytes high = measure::Bytes{1} << 20;
    double factor = 4;
};

struct TuneOptions {
    bool list = false;
    std::vector<std::string> collectives{};  ///< empty: all that are tuned
    SizeRange sizes{};
    std::vector<int> ranks{};    ///< ascending; empty: those of the launcher
    int launches = 10;           ///< for the decision
    int proof = 10;              ///< of each side
    int blocks = 40;             ///< of a point in the screen, at most
    double gain = 0.05;          ///< smaller ones change nothing
    double fdr = 0.05;           ///< share of changes that may gain no more than that
    double alpha = 0.05;         ///< chance of a false verdict at any operation of the proof
    bool is_budget_new = false;  ///< another one than that with which the campaign was begun
    measure::seconds budget{0};  ///< of the whole command; 0: any time
    measure::seconds timeout{10};
    std::string folder{};
    std::optional<Via> via{};  ///< nothing: MPI_T where it acts
    bool no_han = false;       ///< Open MPI's component han is off in all starts
    std::string base{};        ///< tree to build on; empty: the library's own
    std::string resume{};      ///< folder of a campaign to go on with
    std::string prove{};       ///< folder of a campaign whose file is only proved
    std::string json{};        ///< where the document goes, too; "-": standard output
    std::vector<std::string> launcher{};
};

/// Declares all of them. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, TuneOptions& options);

/// The sizes at which a collective is measured, ascending: none but 0 for a barrier, whole numbers of doubles for
/// reductions.
[[nodiscard]] std::vector<measure::Bytes> sizes_of(SizeRange const& range, std::string_view collective);

}  // namespace measure::tool::tune
