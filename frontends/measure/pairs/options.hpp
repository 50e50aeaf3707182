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

/// Of --repetitions.
inline constexpr int largest_repetitions = 1000;

/// Up to so many nodes the record has a point for each pair, also without --all.
inline constexpr std::size_t most_nodes_of_points = 128;

/// Who measures at the same time.
enum class Mode {
    hosts,   ///< pairs of a round that share no host
    alone,   ///< one pair of the whole job
    loaded,  ///< all pairs of a round
    both,    ///< hosts, or alone where every node is a host of its own, and then loaded
};

/// Between whom.
enum class Per { automatic, host, socket, core, rank };

struct Options {
    What what = What::both;
    Mode mode = Mode::hosts;
    Per per = Per::automatic;
    ExchangeRules exchange{};
    int repetitions = 7;
    std::optional<double> effect{};  ///< that is to be found: repetitions and trials follow from the noise
    std::optional<int> rounds{};     ///< of the tournament; nothing: all
    Rules rules{};
    std::string reference{};          ///< record of an earlier run
    std::string groups{};             ///< file: the group of each host
    bool compare = false;             ///< measures nothing
    std::vector<std::string> runs{};  ///< to be compared: the earlier one, the later one
    bool all = false;                 ///< a point for each pair, however many there are
    std::string csv{};
    std::string page{};
};

[[nodiscard]] program::OptionTable<Options> option_table();

/// Declares the options and the arguments. `options` outlives the parser's `parse`.
void declare(program::Parser& parser, Options& options);

}  // namespace measure::tool::pairs
