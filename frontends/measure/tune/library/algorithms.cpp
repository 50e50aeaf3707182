// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library/algorithms.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

namespace measure::tool::tune {

namespace {

/// Names of the algorithms of blocking collectives, and values of the fallback variable, in MPICH 4.0 to 5.0.
constexpr std::array<std::string_view, 36> known_names{"auto",
                                                       "binomial",
                                                       "brucks",
                                                       "ccl",
                                                       "dissemination",
                                                       "error",
                                                       "k_brucks",
                                                       "k_dissemination",
                                                       "k_reduce_scatter_allgather",
                                                       "linear",
                                                       "nb",
                                                       "noncommutative",
                                                       "pairwise",
                                                       "pairwise_sendrecv_replace",
                                                       "pipelined_tree",
                                                       "print",
                                                       "recexch",
                                                       "recexch_distance_doubling",
                                                       "recexch_distance_halving",
                                                       "recexch_doubling",
                                                       "recexch_halving",
                                                       "recursive_doubling",
                                                       "recursive_halving",
                                                       "recursive_multiplying",
                                                       "reduce_scatter_allgather",
                                                       "reduce_scatter_gather",
                                                       "release_gather",
                                                       "ring",
                                                       "scatter_recursive_doubling_allgather",
                                                       "scatter_ring_allgather",
                                                       "scattered",
                                                       "sched_auto",
                                                       "silent",
                                                       "smp",
                                                       "tree",
                                                       "tsp_auto"};

/// Words after which a name can follow without a blank.
constexpr std::array<std::string_view, 7> endings{"algorithm", "algorithms", "Tree", "Allgather",
                                                  "Ring",      "user.",      "error"};

bool is_blank(char c) noexcept { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view last_word(std::string_view text) {
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    auto const begin = std::find_if(text.rbegin(), text.rend(), is_blank).base();
    return text.substr(static_cast<std::size_t>(begin - text.begin()));
}

/// The longest known name at the end of the word, preceded by nothing or by a known ending. Empty without one.
std::string_view name_at_end(std::string_view word) {
    std::string_view best;
    for (auto const name : known_names) {
        if (!word.ends_with(name) || name.size() <= best.size())
            continue;
        auto const before = word.substr(0, word.size() - name.size());
        if (before.empty() || before.ends_with("_JSON_FILE)") ||
            std::find(endings.begin(), endings.end(), before) != endings.end())
            best = name;
    }
    return best;
}

}  // namespace

NamesFound names_in(std::string_view description) {
    constexpr std::string_view dash = " - ";
    NamesFound found;
    int value = 0;
    std::size_t from = 0;
    for (auto at = description.find(dash); at != std::string_view::npos; at = description.find(dash, from)) {
        auto const word = last_word(description.substr(from, at - from));
        if (auto const name = name_at_end(word); !name.empty())
            found.known.push_back({std::string{name}, value});
        else
            found.unknown.emplace_back(word);
        ++value;
        from = at + dash.size();
    }
    return found;
}

std::string text_of(Place const& place) {
    return fmt::format("{} on {} rank{}", place.collective, place.ranks, place.ranks == 1 ? "" : "s");
}

std::optional<LibraryFamily> family_of(std::string_view library) noexcept {
    if (library.starts_with("MPICH "))
        return LibraryFamily::mpich;
    if (library.starts_with("Open MPI "))
        return LibraryFamily::open_mpi;
    return std::nullopt;
}

std::string variable_of(LibraryFamily family, std::string_view collective) {
    if (family == LibraryFamily::open_mpi)
        return "coll_tuned_" + program::lower(collective) + "_algorithm";
    std::string name;
    for (char const c : collective)
        name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return "MPIR_CVAR_" + name + "_INTRA_ALGORITHM";
}

namespace {

struct Restriction {
    std::string_view collective;  ///< empty: all collectives
    std::string_view algorithm;
    std::string_view text;
};

std::span<Restriction const> restrictions(LibraryFamily family) noexcept {
    using Row = Restriction;
    static constexpr std::array open_mpi{
        Row{"", "two_proc", "two ranks"},
        Row{"Allgather", "recursive_doubling", "power-of-two, else bruck"},
        Row{"", "neighbor", "even number of ranks, else ring"},
    };
    static constexpr std::array mpich{
        Row{"Allreduce", "smp", "parent-comm, commutative"},
        Row{"Reduce", "smp", "parent-comm, commutative"},
        Row{"Scan", "smp", "parent-comm, node-consecutive"},
        Row{"", "smp", "parent-comm"},
        Row{"Allgather", "recursive_doubling", "power-of-two"},
        Row{"Allgatherv", "recursive_doubling", "power-of-two"},
        Row{"Allreduce", "reduce_scatter_allgather", "builtin-op, size-ge-pof2"},
        Row{"Reduce", "reduce_scatter_gather", "builtin-op, size-ge-pof2"},
        Row{"Alltoall", "brucks", "no-inplace"},
        Row{"", "pairwise_sendrecv_replace", "inplace"},
        Row{"Alltoall", "pairwise", "no-inplace"},
        Row{"", "scattered", "no-inplace"},
        Row{"Reduce_scatter", "noncommutative", "power-of-two, block-regular"},
        Row{"Reduce_scatter_block", "noncommutative", "power-of-two"},
        Row{"Reduce_scatter", "pairwise", "commutative"},
        Row{"Reduce_scatter_block", "pairwise", "commutative"},
        Row{"", "recursive_halving", "commutative"},
    };
    return family == LibraryFamily::open_mpi ? std::span<Row const>{open_mpi} : std::span<Row const>{mpich};
}

}  // namespace

std::string_view restriction(LibraryFamily family, std::string_view collective, std::string_view algorithm) noexcept {
    for (auto const& row : restrictions(family))
        if (row.algorithm == algorithm && (row.collective.empty() || row.collective == collective))
            return row.text;
    return {};
}

bool falls_back(LibraryFamily family, Place const& place, std::string_view algorithm) noexcept {
    if (family != LibraryFamily::open_mpi)
        return false;
    bool const is_power = std::has_single_bit(static_cast<unsigned>(place.ranks));
    return (algorithm == "neighbor" && place.ranks % 2 != 0) ||
           (place.collective == "Allgather" && algorithm == "recursive_doubling" && !is_power);
}

std::span<std::string_view const> tuned_collectives() noexcept {
    static constexpr std::array<std::string_view, 17> names{
        "Barrier",   "Bcast",     "Gather",     "Gatherv",        "Scatter",
        "Scatterv",  "Allgather", "Allgatherv", "Alltoall",       "Alltoallv",
        "Alltoallw", "Reduce",    "Allreduce",  "Reduce_scatter", "Reduce_scatter_block",
        "Scan",      "Exscan"};
    return names;
}

}  // namespace measure::tool::tune
