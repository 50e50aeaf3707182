// SPDX-License-Identifier: BSD-3-Clause
/// Topology: parses --topology and creates the communicators.
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
    std::vector<int> sizes{};  ///< [dimensions], 0: chosen by MPI_Dims_create; empty: two dimensions, or one
    bool periodic = false;
};

/// Each process p sends to p + offset, modulo the number of processes, and receives from p - offset.
struct Offsets {
    std::vector<int> list{1, -1};
};

/// A graph from a file: p sends to neighbours[p].
struct Graph {
    std::string file{};
    bool directed = false;                       ///< false: the neighbour relation must be symmetric
    std::vector<std::vector<int>> neighbours{};  ///< [processes]; empty until the file is read
};

struct Topology {
    std::string text{};  ///< as written on the command line
    std::variant<Grid, Offsets, Graph> form{};
};

/// Parses "cart[:AxB..][:periodic]", "graph:FILE", "dist_graph[:FILE]", "dist_graph:OFFSET,OFFSET..". Pure; reads no
/// file.
/// \throws measure::UsageError
[[nodiscard]] Topology topology_from(program::Argument const& argument);

/// Parses a text with lines "PROCESS: NEIGHBOUR NEIGHBOUR ..", one line for each process, in any order. "#" begins a
/// comment. Pure.
/// \param file  name for the messages  \throws program::ParseErrors
[[nodiscard]] std::vector<std::vector<int>> parse_graph(std::string_view text, std::string const& file, bool directed);

/// Reads a file. \throws measure::UsageError if it cannot be read
using TextOf = std::function<std::string(std::string const& path)>;

/// Returns the topology after reading its file, if it has one. \throws program::ParseErrors; exceptions of `text_of`
[[nodiscard]] Topology with_file(Topology topology, TextOf const& text_of);

/// Checks that the topology has exactly one place for each process. Pure. \throws measure::UsageError
void check_places(Topology const& topology, int processes);

/// Sizes of the grid's dimensions for a number of processes that fits. Local.
[[nodiscard]] std::vector<int> dimensions(Grid const& grid, int processes);

/// The neighbours that a process sends to and receives from, in the order of their blocks in the buffers. Not for
/// grids. Pure.
struct Neighbours {
    std::vector<int> sources;
    std::vector<int> targets;
};
[[nodiscard]] Neighbours neighbours(Offsets const& offsets, int rank, int processes);
[[nodiscard]] Neighbours neighbours(Graph const& graph, int rank);

/// Creates a communicator of the team's ranks with the topology. Collective. \throws measure::MpiError
[[nodiscard]] measure::Comm make_communicator(Topology const& topology, measure::Comm const& team, bool reorder);

/// Describes the created communicator: kind, dimensions, number of ranks that were renumbered, existing neighbours per
/// process. Collective over the team; complete on its root.
[[nodiscard]] measure::Value describe(measure::Comm const& made, measure::Comm const& team, bool reorder);

}  // namespace mpiperf
