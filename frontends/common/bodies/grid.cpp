// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/grid.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <cstddef>

namespace bodies {

std::vector<int> grid_neighbours(int rank, std::span<int const> sides, int radius) {
    std::vector<int> found{0};  // contribution of the dimensions handled so far to the neighbours' ranks
    int size = 1;
    for (int const side : sides)
        size *= side;
    int rest = rank;
    for (int const side : sides) {
        size /= side;
        int const here = rest / size;
        rest %= size;
        std::vector<int> longer;
        for (int const begin : found)
            for (int step = -radius; step <= radius; ++step)
                longer.push_back(begin + (here + step + side) % side * size);
        found = std::move(longer);
    }
    std::erase(found, rank);
    return found;
}

namespace {

/// A graph from the neighbours of this rank.
measure::Comm graph(measure::Comm const& world, std::vector<int> const& sources, std::vector<int> const& targets) {
    std::vector<int> const in(sources.size(), 1);
    std::vector<int> const out(targets.size(), 1);
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(MPI_Dist_graph_create_adjacent(world.native(), measure::to_int(std::ssize(sources), "neighbours"),
                                                  sources.data(), in.data(),
                                                  measure::to_int(std::ssize(targets), "neighbours"), targets.data(),
                                                  out.data(), MPI_INFO_NULL, 0, &made),
                   "MPI_Dist_graph_create_adjacent");
    return world.take(made);
}

}  // namespace

std::vector<int> grid_sides(int ranks, int dimensions) {
    std::vector<int> sides(static_cast<std::size_t>(dimensions), 0);
    measure::check(MPI_Dims_create(ranks, dimensions, sides.data()), "MPI_Dims_create");
    return sides;
}

void check_grid(std::span<int const> sides, int radius) {
    int ranks = 1;
    for (int const side : sides)
        ranks *= side;
    for (int const side : sides)
        if (side < 2 * radius + 1)
            throw measure::UsageError(
                fmt::format("{} processes make a grid with a side of {}, and neighbours within {} need {}", ranks, side,
                            radius, 2 * radius + 1));
}

measure::Comm grid_neighbourhood(measure::Comm const& world, std::span<int const> sides, int radius) {
    check_grid(sides, radius);
    auto const others = grid_neighbours(world.rank(), sides, radius);
    return graph(world, others, others);
}

measure::Comm graph_neighbourhood(measure::Comm const& world, std::span<Edge const> edges) {
    std::vector<int> sources;
    std::vector<int> targets;
    for (auto const& edge : edges) {
        if (edge.to == world.rank())
            sources.push_back(edge.from);
        if (edge.from == world.rank())
            targets.push_back(edge.to);
    }
    return graph(world, sources, targets);
}

}  // namespace bodies
