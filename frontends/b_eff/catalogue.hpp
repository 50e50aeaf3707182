// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the methods, and the communication patterns of a world of n processes. Pure.
#pragma once

#include "b_eff/shapes.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace b_eff {

enum class Method { sendrecv, alltoallv, nonblocking };
inline constexpr std::array methods{Method::sendrecv, Method::alltoallv, Method::nonblocking};
[[nodiscard]] std::string_view name(Method method) noexcept;

enum class Family { ring, random, worst_cycle, best_bisection, worst_bisection, ping_pong, acyclic, cyclic };

/// The processes whose ranks a pattern's exchanges name.
enum class Team {
    world,  ///< all, in the order of MPI_COMM_WORLD
    line,   ///< all, as a one-dimensional periodic topology orders them
    even,   ///< the first ones, an even number
    pair,   ///< the first two
    plane,  ///< those of the two-dimensional grid
    space,  ///< those of the three-dimensional grid
};
inline constexpr std::size_t team_count = 6;

/// What all processes do together in one execution.
struct Pattern {
    std::string key{};    ///< in the record: "ring-1"
    std::string label{};  ///< in the text: "ring-2*4&-1"
    Family family = Family::ring;
    Team team = Team::world;
    int processes = 2;          ///< that take part
    int exchanges = 1;          ///< of the process that has most
    std::int64_t messages = 0;  ///< that all processes together send in one execution
    Rings rings{};
    Grid grid{};
    int direction = all_directions;

    static constexpr int all_directions = -1;
    /// Whether it is part of b_eff.
    [[nodiscard]] bool counts() const noexcept { return family == Family::ring || family == Family::random; }
    [[nodiscard]] bool allows(Method method) const noexcept {
        return family != Family::ping_pong || method == Method::sendrecv;
    }
};

/// Rings, random patterns and, with `extra`, those that are measured for analysis only, in the order of measurement.
/// \param n  processes, >= 2
[[nodiscard]] std::vector<Pattern> catalogue(int n, int random, bool extra);

/// What a process of the pattern's team does in one execution. \param rank  in the team, < pattern.processes
/// \param order  of a random pattern: the rank at each place of the polygon
[[nodiscard]] std::vector<Exchange> exchanges(Pattern const& pattern, int rank, std::span<int const> order = {});

/// The ring through all processes whose neighbours are far apart: 0, n-1, 1, n-2, ..
[[nodiscard]] std::vector<int> worst_cycle(int n);

/// Members of each ring, "{0,1} {2,3,4}"; rings that are one polygon in the given order.
[[nodiscard]] std::string members(Rings const& rings);

/// The polygon of the worst cycle, "0 3 1 2", or the pairs of a bisection, "(0,3) (1,2)"; empty for other patterns.
[[nodiscard]] std::string partners(Pattern const& pattern);

/// Lines for a numbered list of the patterns: key, label, messages, what shape it has.
[[nodiscard]] std::string list(std::span<Pattern const> patterns);

}  // namespace b_eff
