// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: every program of the OSU Micro-Benchmarks that there is here, as one explicit table.
#pragma once

#include "bodies/collectives.hpp"
#include "bodies/rma.hpp"
#include "links/links.hpp"

#include <measure/semantics.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osu {

/// What a program does with its processes.
enum class Pattern { ping_pong, stream, threads, fan, collective, one_sided, hello, init };

/// What distinguishes programs of one pattern; several are joined by |.
enum Trait : unsigned {
    plain = 0,
    bandwidth = 1,
    both_ways = 2,
    persistent = 4,  ///< messages that are set up once
    pairs = 8,       ///< several at once; all meet before each iteration
    forks = 16,      ///< children are made after MPI_Init
    fans_out = 32,   ///< the processes of one host send, to those of all others
};

/// One program.
struct Row {
    std::string name;    ///< without osu_
    std::string title;   ///< between "# OSU MPI " and " Test"; one-sided ones begin with MPI_ themselves
    std::string folder;  ///< below .../osu-micro-benchmarks/mpi
    Pattern pattern = Pattern::ping_pong;
    unsigned traits = plain;
    bodies::Collective const* collective = nullptr;
    bodies::Relative relative = bodies::Relative::blocking;
    bodies::RmaOperation const* operation = nullptr;

    [[nodiscard]] bool is(unsigned trait) const noexcept { return (traits & trait) != 0; }
    [[nodiscard]] bool is_startup() const noexcept { return pattern == Pattern::hello || pattern == Pattern::init; }
    [[nodiscard]] bool is_two_sided() const noexcept { return pattern < Pattern::collective; }
    [[nodiscard]] bool has_neighbours() const noexcept {
        return relative == bodies::Relative::neighbours || relative == bodies::Relative::nonblocking_neighbours;
    }
    [[nodiscard]] bool is_nonblocking() const noexcept {
        return relative == bodies::Relative::nonblocking || relative == bodies::Relative::nonblocking_neighbours;
    }
    [[nodiscard]] bool is_barrier() const noexcept { return collective != nullptr && collective->shape.ignores_count; }
    [[nodiscard]] bool is_rooted() const noexcept {
        return collective != nullptr && bodies::is_rooted(collective->content);
    }
    /// Elements are summed, so that their type counts.
    [[nodiscard]] bool sums() const noexcept {
        return operation != nullptr
                   ? operation->effect != bodies::RmaEffect::put && operation->effect != bodies::RmaEffect::get
                   : collective != nullptr && collective->shape.element == bodies::Element::real;
    }
    /// All ranks meet before each iteration.
    [[nodiscard]] bool meets() const noexcept {
        return (collective != nullptr && (!is_barrier() || is_nonblocking())) || is(pairs) || is(forks);
    }
    /// One element, whatever sizes are asked for.
    [[nodiscard]] bool has_one_size() const noexcept { return operation != nullptr && operation->one_element; }
    [[nodiscard]] bool has_sizes() const noexcept { return !is_startup() && !is_barrier() && !has_one_size(); }
    [[nodiscard]] std::string full_title() const { return "OSU " + (operation != nullptr ? title : "MPI " + title); }
};

/// In the order in which they are listed.
[[nodiscard]] std::span<Row const> catalogue();

/// Their folders, each once, in that order.
[[nodiscard]] std::vector<std::string> folders();

/// Their names, in that order.
[[nodiscard]] links::Programs const& programs();

/// The program of that name: from the last "osu_" in a path's last part, such as "x-osu_bcast". Null where there is
/// none.
[[nodiscard]] Row const* find(std::string_view path);

/// The program whose tables have that title, "MPI Broadcast Latency"; the first one where several have. Null where none
/// has. \param has_neighbours  the table names a graph of neighbours
[[nodiscard]] Row const* find_title(std::string_view title, bool has_neighbours);

/// The only number of processes that a program takes; nothing where it takes others too.
[[nodiscard]] std::optional<int> only_processes(Row const& row) noexcept;

/// Which operation it is, for readers that compare programs; nothing: none that they should.
/// \param synchronisation  of one-sided operations
[[nodiscard]] std::optional<measure::Semantics> semantics(Row const& row, std::string_view synchronisation);

}  // namespace osu
