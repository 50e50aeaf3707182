// SPDX-License-Identifier: BSD-3-Clause
/// Grid: communicators with a neighbourhood graph: all ranks within a radius on a periodic grid, or given connections.
#pragma once

#include <measure/comm.hpp>

#include <span>
#include <vector>

namespace bodies {

/// The ranks within the radius in each dimension of a periodic grid, without the rank itself. The last dimension varies
/// fastest. \param sides  each at least 2 radius + 1
[[nodiscard]] std::vector<int> grid_neighbours(int rank, std::span<int const> sides, int radius);

/// The sides of the grid that MPI_Dims_create makes from this number of ranks. \throws measure::MpiError
[[nodiscard]] std::vector<int> grid_sides(int ranks, int dimensions);

/// Refuses a grid that is too small for the radius. Pure.
/// \throws measure::UsageError if a side is shorter than 2 radius + 1
void check_grid(std::span<int const> sides, int radius);

/// A graph on a grid of all ranks, without reordering; all weights are 1. Collective. \param sides  from `grid_sides`
/// \throws the errors of `check_grid`; measure::MpiError
[[nodiscard]] measure::Comm grid_neighbourhood(measure::Comm const& world, std::span<int const> sides, int radius);

/// A connection of a graph.
struct Edge {
    int from = 0;
    int to = 0;
    friend bool operator==(Edge const&, Edge const&) = default;
};

/// A graph of these connections, without reordering; all weights are 1. Neighbours have the order of the edges.
/// Collective. \param edges  edges between ranks of `world`, the same on all ranks  \throws measure::MpiError
[[nodiscard]] measure::Comm graph_neighbourhood(measure::Comm const& world, std::span<Edge const> edges);

}  // namespace bodies
