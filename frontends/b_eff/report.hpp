// SPDX-License-Identifier: BSD-3-Clause
/// Report: the sections of the protocol, and the final line. Pure text.
#pragma once

#include "b_eff/options.hpp"
#include "b_eff/result.hpp"

#include <measure/environment.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace b_eff {

inline constexpr double megabyte = 1e6;  ///< unit of bandwidths

/// Puts a text between the two markers of a section.
[[nodiscard]] std::string section(std::string_view name, std::string_view text);

/// The facts about a run besides its results.
struct RunFacts {
    measure::Environment const& environment;
    std::vector<std::string> marks{};
    std::string system{};              ///< sysname nodename release version machine
    double loop_elapsed = 0;           ///< seconds from the first measurement to the last
    double wall_clock = 0;             ///< seconds of the whole program
    bool last_two = false;             ///< whether the two longest lengths were measured once, with the best method
    std::vector<std::string> notes{};  ///< warnings that belong to the results
    Noise noise{};
};

/// The hosts of ranks 0 and 1.
[[nodiscard]] std::vector<std::string> ping_pong_hosts(measure::Environment const& environment);

/// Lengths, methods, grids and patterns.
[[nodiscard]] std::string plan(Setup const& setup);
/// The rank at each place of each random polygon. \param orders  [random]
[[nodiscard]] std::string polygons(std::vector<std::vector<int>> const& orders, std::uint64_t seed);
/// Members of the rings of each ring pattern.
[[nodiscard]] std::string rings_text(Setup const& setup);

/// The head without the list of patterns, for the page with the summary.
[[nodiscard]] std::string page_head(Setup const& setup, RunFacts const& facts);
/// \param orders  empty: leave out the random polygons
[[nodiscard]] std::string head(Setup const& setup, RunFacts const& facts, std::vector<std::vector<int>> const& orders);
[[nodiscard]] std::string loop(RunFacts const& facts);
[[nodiscard]] std::string loop_lengths(Results const& results, RunFacts const& facts);
[[nodiscard]] std::string values(Results const& results);

/// Final values, system, date, wall clock and the table.
[[nodiscard]] std::string beff(Setup const& setup, Averages const& averages, Figures const& figures,
                               RunFacts const& facts);
/// Returns "b_eff =   6360.350 MB/s = 3180.175 *   2 PEs with 128 MB/PE on ..". \param value  bytes/s
[[nodiscard]] std::string final_line(Setup const& setup, double value, RunFacts const& facts);

/// Formats a number with three decimals in nine columns, or "-" if it is missing.
[[nodiscard]] std::string cell(Number value);

}  // namespace b_eff
