// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the methods, and the communication patterns for a world of n processes. Pure.
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

/// The team whose ranks the exchanges of a pattern refer to.
enum class Team {
    world,  ///< all processes, in the order of MPI_COMM_WORLD
    line,   ///< all processes, in the order of a one-dimensional periodic topology
    even,   ///< the first processes, an even number of them
    pair,   ///< the first two processes
    plane,  ///< the processes of the two-dimensional grid
    space,  ///< the processes of the three-dimensional grid
};
inline constexpr std::size_t team_count = 6;

/// One communication pattern: an execution by all processes together.
struct Pattern {
    std::string key{};    ///< name in the record: "ring-1"
    std::string label{};  ///< name in the text: "ring-2*4&-1"
    Family family = Family::ring;
    Team team = Team::world;
    int processes = 2;          ///< number of participating processes
    int exchanges = 1;          ///< exchanges of the process that has most
    std::int64_t messages = 0;  ///< messages of all processes in one execution
    Rings rings{};
    Grid grid{};
    int direction = all_directions;

    static constexpr int all_directions = -1;
    /// Whether the pattern is part of b_eff.
    [[nodiscard]] bool counts() const noexcept { return family == Family::ring || family == Family::random; }
    [[nodiscard]] bool allows(Method method) const noexcept {
        return family != Family::ping_pong || method == Method::sendrecv;
    }
};

/// Rings and random patterns and, with `extra`, patterns for analysis only, in the order of measurement.
/// \param n  processes, >= 2
[[nodiscard]] std::vector<Pattern> catalogue(int n, int random, bool extra);

/// The exchanges of a process in one execution. \param rank  in the pattern's team, < pattern.processes
/// \param order  of a random pattern: the rank at each place of the polygon
[[nodiscard]] std::vector<Exchange> exchanges(Pattern const& pattern, int rank, std::span<int const> order = {});

/// The ring through all processes whose neighbours are far apart: 0, n-1, 1, n-2, ..
[[nodiscard]] std::vector<int> worst_cycle(int n);

/// Members of each ring, "{0,1} {2,3,4}". Each ring is a polygon in the given order.
[[nodiscard]] std::string members(Rings const& rings);

/// The polygon of the worst cycle, "0 3 1 2", or the pairs of a bisection, "(0,3) (1,2)"; empty for other patterns.
[[nodiscard]] std::string partners(Pattern const& pattern);

/// Lines of a numbered list of patterns: key, label, messages and shape.
[[nodiscard]] std::string list(std::span<Pattern const> patterns);

}  // namespace b_eff
