// SPDX-License-Identifier: BSD-3-Clause
/// Grid: neighbourhoods of all ranks within a radius on a periodic grid, as a graph.
#pragma once

#include <measure/comm.hpp>

#include <span>
#include <vector>

namespace bodies {

/// The ranks within the radius in each dimension of a periodic grid, without the rank itself. The last dimension varies
/// fastest. \param sides  each at least 2 radius + 1
[[nodiscard]] std::vector<int> grid_neighbours(int rank, std::span<int const> sides, int radius);

/// A graph on the grid that MPI_Dims_create makes of all ranks, without reordering; all weights are 1. Collective.
/// \throws measure::UsageError where a side is shorter than 2 radius + 1; measure::MpiError
[[nodiscard]] measure::Comm grid_neighbourhood(measure::Comm const& world, int dimensions, int radius);

}  // namespace bodies
