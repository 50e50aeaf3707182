// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: every program of the OSU Micro-Benchmarks that is implemented here, as one explicit table.
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

/// Communication pattern of a program.
enum class Pattern { ping_pong, stream, threads, fan, collective, one_sided, hello, init };

/// Properties that distinguish programs of the same pattern; combined with |.
enum Trait : unsigned {
    plain = 0,
    bandwidth = 1,
    both_ways = 2,
    persistent = 4,  ///< messages are set up once
    pairs = 8,       ///< several pairs at once; all meet before each iteration
    forks = 16,      ///< children are forked after MPI_Init
    fans_out = 32,   ///< the processes of one host send to the processes of all other hosts
};

/// One program.
struct Row {
    std::string name;    ///< name without osu_
    std::string title;   ///< part between "# OSU MPI " and " Test"; titles of one-sided programs include MPI_
    std::string folder;  ///< folder below .../osu-micro-benchmarks/mpi
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
    /// Whether elements are summed, so that their type matters.
    [[nodiscard]] bool sums() const noexcept {
        return operation != nullptr
                   ? operation->effect != bodies::RmaEffect::put && operation->effect != bodies::RmaEffect::get
                   : collective != nullptr && collective->shape.element == bodies::Element::real;
    }
    /// Whether all ranks meet before each iteration.
    [[nodiscard]] bool meets() const noexcept {
        return (collective != nullptr && (!is_barrier() || is_nonblocking())) || is(pairs) || is(forks);
    }
    /// Whether only one element is measured, regardless of the requested sizes.
    [[nodiscard]] bool has_one_size() const noexcept { return operation != nullptr && operation->one_element; }
    [[nodiscard]] bool has_sizes() const noexcept { return !is_startup() && !is_barrier() && !has_one_size(); }
    [[nodiscard]] std::string full_title() const { return "OSU " + (operation != nullptr ? title : "MPI " + title); }
};

/// All programs, in the order of --list.
[[nodiscard]] std::span<Row const> catalogue();

/// The distinct folders, in that order.
[[nodiscard]] std::vector<std::string> folders();

/// The names, in that order.
[[nodiscard]] links::Programs const& programs();

/// The program named by the last part of a path, from its last "osu_" on, such as "x-osu_bcast". Null if there is no
/// such program.
[[nodiscard]] Row const* find(std::string_view path);

/// The first program with this table title, such as "MPI Broadcast Latency". Null if there is none.
/// \param has_neighbours  whether the table names a graph of neighbours
[[nodiscard]] Row const* find_title(std::string_view title, bool has_neighbours);

/// The number of processes if a program accepts only one number; otherwise nullopt.
[[nodiscard]] std::optional<int> only_processes(Row const& row) noexcept;

/// The operation that a program measures, for readers that compare programs; nullopt if it should not be compared.
/// \param synchronisation  of one-sided operations
[[nodiscard]] std::optional<measure::Semantics> semantics(Row const& row, std::string_view synchronisation);

}  // namespace osu
