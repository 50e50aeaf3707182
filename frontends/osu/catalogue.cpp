// SPDX-License-Identifier: BSD-3-Clause
#include "osu/catalogue.hpp"

#include "bodies/semantics.hpp"
#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace osu {

namespace {

using bodies::Relative;

/// The titles of a collective and its variants. A variant without its own title uses the collective's title with a
/// prefix.
struct CollectiveRow {
    std::string_view of;  ///< MPI's name, as in the table of collectives
    std::string_view title;
    std::string_view nonblocking{};
    std::string_view neighbours{};
    std::string_view nonblocking_neighbours{};
    bool has_persistent = true;
};

constexpr std::array collective_rows{
    CollectiveRow{"Allgather", "Allgather", {}, "Neighborhood Allgather", "Non-blocking Neighborhood Allgather"},
    CollectiveRow{"Allgatherv", "Allgatherv", {}, "Neighborhood Allgatherv", "Non-blocking Neighborhood Allgatherv"},
    CollectiveRow{"Allreduce", "Allreduce"},
    CollectiveRow{"Alltoall", "All-to-All Personalized Exchange", "Non-blocking All-to-All", "Neighborhood Alltoall",
                  "Non-blocking Neighborhood Alltoall"},
    CollectiveRow{"Alltoallv",
                  "All-to-Allv Personalized Exchange",
                  {},
                  "Neighborhood All-to-Allv",
                  "Non-blocking Neighborhood Alltoallv"},
    CollectiveRow{"Alltoallw",
                  "All-to-Allw Personalized Exchange",
                  {},
                  "All-to-Allw Personalized Exchange",
                  "Non-blocking Neighborhood Alltoallw"},
    CollectiveRow{"Barrier", "Barrier"},
    CollectiveRow{"Bcast", "Broadcast", "Non-Blocking Broadcast"},
    CollectiveRow{"Gather", "Gather"},
    CollectiveRow{"Gatherv", "Gatherv"},
    CollectiveRow{"Reduce", "Reduce"},
    CollectiveRow{"Reduce_scatter", "Reduce_scatter"},
    CollectiveRow{"Reduce_scatter_block", "Reduce_scatter_block", {}, {}, {}, false},
    CollectiveRow{"Scatter", "Scatter"},
    CollectiveRow{"Scatterv", "Scatterv"},
};

/// The row with this name, which must exist.
auto const& named(auto const& rows, std::string_view name) {
    return *std::find_if(rows.begin(), rows.end(), [&](auto const& each) { return each.name == name; });
}

std::string title(CollectiveRow const& row, Relative relative) {
    std::string_view const own = relative == Relative::nonblocking              ? row.nonblocking
                                 : relative == Relative::neighbours             ? row.neighbours
                                 : relative == Relative::nonblocking_neighbours ? row.nonblocking_neighbours
                                                                                : row.title;
    return fmt::format("{}{}{} Latency", own.empty() ? "Non-blocking " : "", own.empty() ? row.title : own,
                       relative == Relative::persistent ? " Persistent" : "");
}

std::string name(CollectiveRow const& row, Relative relative) {
    return relative == Relative::persistent ? program::lower(row.of) + "_persistent"
                                            : program::lower(bodies::relative_name(row.of, relative));
}

void add(std::vector<Row>& rows, Relative relative) {
    bool const neighbours = relative == Relative::neighbours || relative == Relative::nonblocking_neighbours;
    for (auto const& each : collective_rows)
        if ((!neighbours || !each.neighbours.empty()) && (relative != Relative::persistent || each.has_persistent))
            rows.push_back({name(each, relative), title(each, relative), "collective", Pattern::collective, plain,
                            &named(bodies::collectives, each.of), relative});
}

/// \param of  MPI's name, as in the table of operations
Row rma(std::string name, std::string_view of, std::string title, unsigned traits = plain) {
    return {.name = std::move(name),
            .title = std::move(title),
            .folder = "one-sided",
            .pattern = Pattern::one_sided,
            .traits = traits,
            .operation = &named(bodies::rma_operations, of)};
}

std::vector<Row> all_rows() {
    using enum Pattern;
    std::vector<Row> rows{
        {"hello", "Hello World", "startup", hello},
        {"init", "Init", "startup", init},
        {"latency", "Latency", "pt2pt"},
        {"bw", "Bandwidth", "pt2pt", stream, bandwidth},
        {"bibw", "Bi-Directional Bandwidth", "pt2pt", stream, bandwidth | both_ways},
        {"mbw_mr", "Multiple Bandwidth / Message Rate", "pt2pt", stream, bandwidth | pairs},
        {"multi_lat", "Multi Latency", "pt2pt", ping_pong, pairs},
        {"latency_mt", "Multi-threaded Latency", "pt2pt", threads},
        {"latency_mp", "Multi-process Latency", "pt2pt", ping_pong, forks},
        {"bw_fan_in", "Bandwidth", "congestion", fan, bandwidth},
        {"bw_fan_out", "Bandwidth", "congestion", fan, bandwidth | fans_out},
        {"latency_persistent", "Latency Persistent", "pt2pt/persistent", ping_pong, persistent},
        {"bw_persistent", "Bandwidth Persistent", "pt2pt/persistent", stream, bandwidth | persistent},
        {"bibw_persistent", "Bi-Directional Bandwidth Persistent", "pt2pt/persistent", stream,
         bandwidth | both_ways | persistent},
    };
    using R = Relative;
    for (auto const relative : {R::blocking, R::nonblocking, R::persistent, R::neighbours, R::nonblocking_neighbours})
        add(rows, relative);
    std::array const accesses{
        rma("put_latency", "Put", "MPI_Put Latency"),
        rma("put_bw", "Put", "MPI_Put Bandwidth", bandwidth),
        rma("put_bibw", "Put", "MPI_Put Bi-directional Bandwidth", bandwidth | both_ways),
        rma("get_latency", "Get", "MPI_Get latency"),
        rma("get_bw", "Get", "MPI_Get Bandwidth", bandwidth),
        rma("acc_latency", "Accumulate", "MPI_Accumulate latency"),
        rma("get_acc_latency", "Get_accumulate", "MPI_Get_accumulate latency"),
        rma("fop_latency", "Fetch_and_op", "MPI_Fetch_and_op latency"),
        rma("cas_latency", "Compare_and_swap", "MPI_Compare_and_swap latency"),
    };
    rows.insert(rows.end(), accesses.begin(), accesses.end());
    return rows;
}

}  // namespace

std::span<Row const> catalogue() {
    static auto const rows = all_rows();
    return rows;
}

std::vector<std::string> folders() {
    std::vector<std::string> all;
    for (auto const& row : catalogue())
        program::add_once(all, row.folder);
    return all;
}

links::Programs const& programs() {
    static links::Programs const all = [] {
        links::Programs result{"osu_", {}, "run measure-osu --list for their names"};
        for (auto const& row : catalogue())
            result.names.push_back(result.prefix + row.name);
        return result;
    }();
    return all;
}

Row const* find(std::string_view path) {
    auto const found = links::find(programs(), path);
    return found ? &catalogue()[*found] : nullptr;
}

Row const* find_title(std::string_view title, bool has_neighbours) {
    auto const rows = catalogue();
    auto const found = std::find_if(rows.begin(), rows.end(), [&](Row const& row) {
        return row.has_neighbours() == has_neighbours && row.full_title() == fmt::format("OSU {}", title);
    });
    return found == rows.end() ? nullptr : &*found;
}

std::optional<int> only_processes(Row const& row) noexcept {
    bool const is_pair = row.is_two_sided() || row.operation != nullptr;
    return is_pair && !row.is(pairs) && row.pattern != Pattern::fan ? std::optional{2} : std::nullopt;
}

std::optional<measure::Semantics> semantics(Row const& row, std::string_view synchronisation) {
    using measure::OperationKind;
    // Programs that overlap computing, use threads or several pairs, or have fans are not comparable with other suites.
    if (row.is_startup() || row.is_nonblocking() || row.is(pairs) || row.pattern == Pattern::threads ||
        row.pattern == Pattern::fan)
        return std::nullopt;
    if (row.collective != nullptr) {
        auto of = bodies::semantics(*row.collective);
        of.operation = bodies::relative_name(of.operation, row.relative);
        return of;
    }
    // The rate counts the bytes of both directions.
    constexpr double both_directions = 2;
    if (row.operation != nullptr) {
        auto const name = fmt::format("{}_{}", row.operation->name, synchronisation);
        if (row.is(both_ways))
            return measure::Semantics{.operation = name, .kind = OperationKind::streams, .messages = both_directions};
        return measure::Semantics{name, row.is(bandwidth) ? OperationKind::stream : OperationKind::message};
    }
    if (row.pattern == Pattern::ping_pong)
        return measure::Semantics{.operation = "PingPong", .kind = OperationKind::ping_pong, .messages = 1};
    return row.is(both_ways) ? measure::Semantics{.operation = "Send streams",
                                                  .kind = OperationKind::streams,
                                                  .messages = both_directions}
                             : measure::Semantics{.operation = "Send stream", .kind = OperationKind::stream};
}

}  // namespace osu
