// SPDX-License-Identifier: BSD-3-Clause
/// Helpers to gather data first and then check the same data on all ranks. So no assertion is between two collective
/// calls, where its failure on one rank would leave the others waiting.
#pragma once

#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

/// Gathers one value of each rank, in rank order, on every rank: [size]. Collective.
template <class T>
[[nodiscard]] std::vector<T> gather_all(T const& value, MPI_Comm comm = MPI_COMM_WORLD) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    int size = 0;
    MPI_Comm_size(comm, &size);
    std::vector<T> all(static_cast<std::size_t>(size));
    MPI_Allgather(&value, static_cast<int>(sizeof(T)), MPI_BYTE, all.data(), static_cast<int>(sizeof(T)), MPI_BYTE,
                  comm);
    return all;
}

/// Gathers the elements of all ranks on every rank: [size][elements of that rank]. Collective.
template <class T>
[[nodiscard]] std::vector<std::vector<T>> gather_all(std::vector<T> const& values, MPI_Comm comm = MPI_COMM_WORLD) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    auto const bytes = gather_all(static_cast<int>(values.size() * sizeof(T)), comm);
    std::vector<int> offsets;
    std::size_t total = 0;
    for (int const n : bytes) {
        offsets.push_back(static_cast<int>(total));
        total += static_cast<std::size_t>(n);
    }
    std::vector<T> joined(total / sizeof(T));
    MPI_Allgatherv(values.data(), static_cast<int>(values.size() * sizeof(T)), MPI_BYTE, joined.data(), bytes.data(),
                   offsets.data(), MPI_BYTE, comm);

    std::vector<std::vector<T>> all;
    auto next = joined.begin();
    for (int const n : bytes) {
        auto const end = next + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n) / sizeof(T));
        all.emplace_back(next, end);
        next = end;
    }
    return all;
}

/// Gathers one text of each rank, in rank order, on every rank: [size]. Collective.
[[nodiscard]] inline std::vector<std::string> gather_all(std::string const& text, MPI_Comm comm = MPI_COMM_WORLD) {
    std::vector<std::string> all;
    for (auto const& letters : gather_all(std::vector<char>(text.begin(), text.end()), comm))
        all.emplace_back(letters.begin(), letters.end());
    return all;
}

/// Whether all ranks hold the same value (a number, a vector, a text). Collective; the same answer on every rank.
template <class T>
[[nodiscard]] bool same_on_all_ranks(T const& value, MPI_Comm comm = MPI_COMM_WORLD) {
    auto const all = gather_all(value, comm);
    return std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>{}) == all.end();
}

}  // namespace test
