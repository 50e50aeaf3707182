// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/topology.hpp"

#include "bodies/neighbours.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>
#include <measure/run.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

namespace mpiperf {

namespace {

using measure::UsageError;
using program::Argument;

[[noreturn]] void refuse_topology(Argument const& argument) {
    throw UsageError(fmt::format("{}: '{}' is not one of cart[:AxB..][:periodic], graph:FILE, dist_graph[:FILE], "
                                 "dist_graph:OFFSET,OFFSET..",
                                 argument.option, argument.value));
}

std::optional<int> integer_from(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    return program::number_from<int>(text);
}

/// The integers between separators; no value if a part is not an integer.
std::optional<std::vector<int>> integers_from(std::string_view text, char separator) {
    std::vector<int> list;
    for (auto const& part : program::split(text, separator)) {
        auto const value = integer_from(part);
        if (!value)
            return std::nullopt;
        list.push_back(*value);
    }
    return list;
}

Grid grid_from(Argument const& argument, std::string_view rest) {
    Grid grid;
    if (rest.empty())
        return grid;
    auto parts = program::split(program::lower(rest.substr(1)), ':');
    if (parts.back() == "periodic") {
        grid.periodic = true;
        parts.pop_back();
    }
    if (parts.empty())
        return grid;
    auto const sizes = integers_from(parts.front(), 'x');
    if (parts.size() > 1 || !sizes || std::any_of(sizes->begin(), sizes->end(), [](int n) { return n < 0; }))
        refuse_topology(argument);
    grid.sizes = *sizes;
    return grid;
}

}  // namespace

Topology topology_from(Argument const& argument) {
    std::string_view const text = argument.value;
    auto const colon = std::min(text.find(':'), text.size());
    auto const kind = program::lower(text.substr(0, colon));
    auto const rest = text.substr(colon);
    auto const after = rest.substr(rest.empty() ? 0 : 1);
    if (kind == "cart")
        return {argument.value, grid_from(argument, rest)};
    if (kind == "graph" && !after.empty())
        return {argument.value, Graph{.file = std::string{after}}};
    if (kind != "dist_graph" || (after.empty() && !rest.empty()))
        refuse_topology(argument);
    if (after.empty())
        return {argument.value, Offsets{}};
    if (auto offsets = integers_from(after, ','))
        return {argument.value, Offsets{std::move(*offsets)}};
    return {argument.value, Graph{.file = std::string{after}, .directed = true}};
}

namespace {

/// A number in a graph file, and its position.
struct Entry {
    int value = 0;
    int line = 0;
    int column = 0;
};

/// Reads all lines, then checks that they are consistent.
class GraphReader {
public:
    explicit GraphReader(std::string file) : file_{std::move(file)} {}

    void read(std::string_view text) {
        for (auto const& line : program::split(text, '\n')) {
            ++line_;
            read_line(std::string_view{line}.substr(0, line.find('#')));
        }
    }

    std::vector<std::vector<int>> neighbours(bool directed) {
        auto const processes = std::ssize(lines_);
        if (processes == 0 && faults_.empty())
            add({.line = 1, .column = 1}, "the file has no process");
        std::vector<std::vector<int>> result(lines_.size());
        std::vector<bool> seen(lines_.size());
        for (auto const& [process, targets] : lines_) {
            if (!within(process, processes))
                continue;
            auto const p = static_cast<std::size_t>(process.value);
            if (seen[p])
                add(process, fmt::format("process {} already has a line", process.value));
            seen[p] = true;
            for (auto const& target : targets)
                if (within(target, processes))
                    result[p].push_back(target.value);
        }
        if (faults_.empty() && !directed)
            check_symmetry(result);
        program::throw_any(std::move(faults_));
        return result;
    }

private:
    void read_line(std::string_view line) {
        if (program::trimmed(line).empty())
            return;
        auto const colon = line.find(':');
        if (colon == std::string_view::npos) {
            add({.line = line_, .column = 1}, "this is not 'PROCESS: NEIGHBOUR NEIGHBOUR ..'");
            return;
        }
        auto const process = entries(line.substr(0, colon), 1);
        auto targets = entries(line.substr(colon + 1), static_cast<int>(colon) + 2);
        if (process.size() == 1)
            lines_.emplace_back(process.front(), std::move(targets));
        else
            add({.line = line_, .column = 1}, "expected one process before the colon");
    }

    std::vector<Entry> entries(std::string_view text, int column) {
        constexpr std::string_view blanks = " \t\r";
        std::vector<Entry> list;
        for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != std::string_view::npos;) {
            auto const end = std::min(text.find_first_of(blanks, at), text.size());
            auto const word = text.substr(at, end - at);
            Entry entry{.line = line_, .column = column + static_cast<int>(at)};
            if (auto const value = integer_from(word); value && *value >= 0) {
                entry.value = *value;
                list.push_back(entry);
            } else {
                add(entry, fmt::format("'{}' is not a process", word));
            }
            at = end;
        }
        return list;
    }

    bool within(Entry const& entry, std::int64_t processes) {
        if (entry.value < processes)
            return true;
        add(entry, fmt::format("process {} is not below {}: the file has {} lines", entry.value, processes, processes));
        return false;
    }

    void check_symmetry(std::vector<std::vector<int>> const& neighbours) {
        for (auto const& [process, targets] : lines_)
            for (auto const& target : targets) {
                auto const& there = neighbours[static_cast<std::size_t>(target.value)];
                auto const& here = neighbours[static_cast<std::size_t>(process.value)];
                if (std::count(there.begin(), there.end(), process.value) !=
                    std::count(here.begin(), here.end(), target.value))
                    add(target, fmt::format("process {} does not list {} equally often; use dist_graph:FILE for a "
                                            "directed graph",
                                            target.value, process.value));
            }
    }

    void add(Entry const& where, std::string text) {
        faults_.push_back({.file = file_, .line = where.line, .column = where.column, .text = std::move(text)});
    }

    std::string file_;
    int line_ = 0;
    std::vector<std::pair<Entry, std::vector<Entry>>> lines_;
    std::vector<program::ParseError> faults_;
};

}  // namespace

std::vector<std::vector<int>> parse_graph(std::string_view text, std::string const& file, bool directed) {
    GraphReader reader{file};
    reader.read(text);
    return reader.neighbours(directed);
}

Topology with_file(Topology topology, TextOf const& text_of) {
    if (auto* const graph = std::get_if<Graph>(&topology.form))
        graph->neighbours = parse_graph(text_of(graph->file), graph->file, graph->directed);
    return topology;
}

namespace {

template <class... F>
struct Cases : F... {
    using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

void check_grid(Topology const& topology, Grid const& grid, int processes) {
    bool const chosen = grid.sizes.empty() || std::count(grid.sizes.begin(), grid.sizes.end(), 0) > 0;
    std::int64_t places = 1;
    for (int const size : grid.sizes)
        if (size > 0 && places <= processes)  // a longer product fits no better
            places *= size;
    if (!chosen && places != processes)
        throw UsageError(fmt::format("--topology: {} has {}{} places for {} processes", topology.text,
                                     places > processes ? "at least " : "", places, processes));
    if (processes % places != 0)
        throw UsageError(fmt::format("--topology: {} processes do not fill the grid {}: they are not a multiple of {}",
                                     processes, topology.text, places));
}

}  // namespace

void check_places(Topology const& topology, int processes) {
    std::visit(Cases{[&](Grid const& grid) { check_grid(topology, grid, processes); }, [](Offsets const&) {},
                     [&](Graph const& graph) {
                         if (std::ssize(graph.neighbours) != processes)
                             throw UsageError(
                                 fmt::format("--topology: '{}' has a graph of {} processes, but there are {}",
                                             graph.file, graph.neighbours.size(), processes));
                     }},
               topology.form);
}

std::vector<int> dimensions(Grid const& grid, int processes) {
    auto sizes = grid.sizes.empty() ? std::vector<int>{0, 0} : grid.sizes;
    measure::check(MPI_Dims_create(processes, static_cast<int>(sizes.size()), sizes.data()), "MPI_Dims_create");
    if (grid.sizes.empty() && sizes.back() == 1)
        sizes.pop_back();
    return sizes;
}

Neighbours neighbours(Offsets const& offsets, int rank, int processes) {
    Neighbours n;
    for (std::int64_t const offset : offsets.list) {
        auto const wrapped = [&](std::int64_t p) {
            return static_cast<int>(((p % processes) + processes) % processes);
        };
        n.targets.push_back(wrapped(rank + offset));
        n.sources.push_back(wrapped(rank - offset));
    }
    return n;
}

Neighbours neighbours(Graph const& graph, int rank) {
    Neighbours n{.sources = {}, .targets = graph.neighbours.at(static_cast<std::size_t>(rank))};
    if (!graph.directed) {
        n.sources = n.targets;
        return n;
    }
    for (int p = 0; p < std::ssize(graph.neighbours); ++p) {
        auto const& targets = graph.neighbours[static_cast<std::size_t>(p)];
        n.sources.insert(n.sources.end(), static_cast<std::size_t>(std::count(targets.begin(), targets.end(), rank)),
                         p);
    }
    return n;
}

namespace {

MPI_Comm make_grid(Grid const& grid, measure::Comm const& team, int reorder) {
    auto const sizes = dimensions(grid, team.size());
    std::vector<int> const periods(sizes.size(), grid.periodic);
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(
        MPI_Cart_create(team.native(), static_cast<int>(sizes.size()), sizes.data(), periods.data(), reorder, &made),
        "MPI_Cart_create");
    return made;
}

MPI_Comm make_directed(Neighbours const& n, measure::Comm const& team, int reorder) {
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(MPI_Dist_graph_create_adjacent(team.native(), static_cast<int>(n.sources.size()), n.sources.data(),
                                                  MPI_UNWEIGHTED, static_cast<int>(n.targets.size()), n.targets.data(),
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &made),
                   "MPI_Dist_graph_create_adjacent");
    return made;
}

MPI_Comm make_graph(Graph const& graph, measure::Comm const& team, int reorder) {
    std::vector<int> ends;
    std::vector<int> edges;
    edges.reserve(1);  // MPICH requires an address even if there are no edges
    for (auto const& targets : graph.neighbours) {
        edges.insert(edges.end(), targets.begin(), targets.end());
        ends.push_back(measure::to_int(std::ssize(edges), "edges of a graph"));
    }
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(MPI_Graph_create(team.native(), team.size(), ends.data(), edges.data(), reorder, &made),
                   "MPI_Graph_create");
    return made;
}

}  // namespace

measure::Comm make_communicator(Topology const& topology, measure::Comm const& team, bool reorder) {
    auto const raw =
        std::visit(Cases{[&](Grid const& grid) { return make_grid(grid, team, reorder); },
                         [&](Offsets const& offsets) {
                             return make_directed(neighbours(offsets, team.rank(), team.size()), team, reorder);
                         },
                         [&](Graph const& graph) {
                             return graph.directed ? make_directed(neighbours(graph, team.rank()), team, reorder)
                                                   : make_graph(graph, team, reorder);
                         }},
                   topology.form);
    return team.take(raw);
}

namespace {

measure::Value over(measure::Comm const& team, int value) {
    auto const o = measure::over_ranks(team, value);
    return measure::Value::Object{{"min", o.min}, {"mean", o.mean}, {"max", o.max}};
}

/// Adds a grid's sizes and periods to `value`. Returns the number of neighbours that exist.
int describe_grid(measure::Comm const& made, measure::Value& value) {
    int dims = 0;
    measure::check(MPI_Cartdim_get(made.native(), &dims), "MPI_Cartdim_get");
    auto const n = static_cast<std::size_t>(dims);
    std::vector<int> sizes(n);
    std::vector<int> periods(n);
    std::vector<int> coordinates(n);
    measure::check(MPI_Cart_get(made.native(), dims, sizes.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
    value["dimensions"] = measure::Value::Array(sizes.begin(), sizes.end());
    value["periodic"] = periods.front() != 0;
    int existing = 0;
    for (int d = 0; d < dims; ++d) {
        std::array<int, 2> ends{};
        measure::check(MPI_Cart_shift(made.native(), d, 1, &ends[0], &ends[1]), "MPI_Cart_shift");
        existing += static_cast<int>(std::count_if(ends.begin(), ends.end(), [](int r) { return r != MPI_PROC_NULL; }));
    }
    return existing;
}

}  // namespace

measure::Value describe(measure::Comm const& made, measure::Comm const& team, bool reorder) {
    int kind = MPI_UNDEFINED;
    measure::check(MPI_Topo_test(made.native(), &kind), "MPI_Topo_test");
    measure::Value value =
        measure::Value::Object{{"kind", kind == MPI_CART ? "cart" : (kind == MPI_GRAPH ? "graph" : "dist_graph")}};
    auto d = bodies::degrees(made);
    if (kind == MPI_CART)
        d.in = d.out = describe_grid(made, value);
    value["reorder"] = reorder;
    value["reordered"] = static_cast<std::int64_t>(team.sum(made.rank() != team.rank()));
    value["sources"] = over(team, d.in);
    value["targets"] = over(team, d.out);
    return value;
}

}  // namespace mpiperf
