// SPDX-License-Identifier: BSD-3-Clause
/// Topology: what --topology says, and the communicators made by it.
#pragma once

#include "program/cli/values.hpp"

#include <measure/comm.hpp>
#include <measure/record.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mpiperf {

/// A Cartesian grid.
struct Grid {
    std::vector<int> sizes{};  ///< by dimension, 0: chosen by MPI_Dims_create; empty: two dimensions, or one
    bool periodic = false;
};

/// Each process p has the neighbours p + offset, modulo the number of processes; it sends there, and receives from
/// p - offset.
struct Offsets {
    std::vector<int> list{1, -1};
};

/// A graph from a file: neighbours[p] are those that p sends to.
struct Graph {
    std::string file{};
    bool directed = false;                       ///< otherwise a neighbour has the process as its neighbour too
    std::vector<std::vector<int>> neighbours{};  ///< [processes]; empty until the file is read
};

struct Topology {
    std::string text{};  ///< as it stands on a command line
    std::variant<Grid, Offsets, Graph> form{};
};

/// "cart[:AxB..][:periodic]", "graph:FILE", "dist_graph[:FILE]", "dist_graph:OFFSET,OFFSET..". Pure; no file is read.
/// \throws measure::UsageError
[[nodiscard]] Topology topology_from(program::Argument const& argument);

/// The neighbours that a text has in its lines "PROCESS: NEIGHBOUR NEIGHBOUR ..", one line for each process, in any
/// order; "#" begins a comment. Pure.
/// \param file  for the messages  \throws program::ParseErrors
[[nodiscard]] std::vector<std::vector<int>> parse_graph(std::string_view text, std::string const& file, bool directed);

/// Reads a file. \throws measure::UsageError where it cannot be read
using TextOf = std::function<std::string(std::string const& path)>;

/// The topology with its file, if it has one, read. \throws program::ParseErrors; what `text_of` throws
[[nodiscard]] Topology with_file(Topology topology, TextOf const& text_of);

/// Checks that so many processes have a place each. Pure. \throws measure::UsageError
void check_places(Topology const& topology, int processes);

/// Sizes of the dimensions for a number of processes that fits. Local.
[[nodiscard]] std::vector<int> dimensions(Grid const& grid, int processes);

/// The neighbours that a process sends to and receives from, in the order of their blocks in the buffers; not for
/// grids. Pure.
struct Neighbours {
    std::vector<int> sources;
    std::vector<int> targets;
};
[[nodiscard]] Neighbours neighbours(Offsets const& offsets, int rank, int processes);
[[nodiscard]] Neighbours neighbours(Graph const& graph, int rank);

/// A communicator of the team's ranks with the topology. Collective. \throws measure::MpiError
[[nodiscard]] measure::Comm make_communicator(Topology const& topology, measure::Comm const& team, bool reorder);

/// What became of it: kind, dimensions, ranks that were given another number, existing neighbours of a process.
/// Collective over the team; complete on its root.
[[nodiscard]] measure::Value describe(measure::Comm const& made, measure::Comm const& team, bool reorder);

}  // namespace mpiperf
