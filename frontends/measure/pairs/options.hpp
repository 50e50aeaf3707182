// SPDX-License-Identifier: BSD-3-Clause
/// Options of `measure pairs`.
#pragma once

#include "pairs/exchange.hpp"
#include "pairs/suspects.hpp"
#include "program/cli/option_table.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool::pairs {

enum class What { both, latency, bandwidth };

/// Upper limit of --repetitions.
inline constexpr int largest_repetitions = 1000;

/// With more nodes than this, the record has a point for each pair only with --all.
inline constexpr std::size_t most_nodes_of_points = 128;

/// Which pairs measure at the same time.
enum class Mode {
    hosts,   ///< pairs of a round that share no host
    alone,   ///< one pair of the whole job
    loaded,  ///< all pairs of a round
    both,    ///< `hosts` (or `alone` if no two nodes share a host), then `loaded`
};

/// Which ranks are the nodes: one per host, socket or core, or all.
enum class Per { automatic, host, socket, core, rank };

struct Options {
    What what = What::both;
    Mode mode = Mode::hosts;
    Per per = Per::automatic;
    ExchangeRules exchange{};
    int repetitions = 7;
    std::optional<double> effect{};  ///< slowdown to find, as a share; determines repetitions and trials
    std::optional<int> rounds{};     ///< number of rounds of the tournament; default: all
    Rules rules{};
    std::string reference{};          ///< record of an earlier run
    std::string groups{};             ///< file with the group of each host
    bool compare = false;             ///< compare `runs` without measuring
    std::vector<std::string> runs{};  ///< records to compare: the earlier run, then the later one
    bool all = false;                 ///< record a point for each pair, whatever the number of nodes
    std::string csv{};
    std::string page{};
};

[[nodiscard]] program::OptionTable<Options> option_table();

/// Declares the options and the arguments. `options` outlives the parser's `parse`.
void declare(program::Parser& parser, Options& options);

}  // namespace measure::tool::pairs
