// SPDX-License-Identifier: BSD-3-Clause
/// Matrix: the values of all pairs as a file of numbers, to which each node writes its own row.
///
///     {"format":"measure pairs matrix","version":1,"nodes":3,"names":["n1","n2","n3"],"matrices":[{"mode":"hosts",..
///     rows of float32, little-endian: of each matrix named, from each node to each node; NaN where nothing was
///     measured
#pragma once

#include "pairs/result.hpp"

#include <measure/comm.hpp>

#include <string>
#include <vector>

namespace measure::tool::pairs {

/// \throws measure::UsageError where this build cannot write them
void check_matrix();

/// The first line, with its end; in the order of the rows' bytes. Pure.
[[nodiscard]] std::string matrix_head(Result const& result);

/// Of an own node, the bytes of its row of each matrix. Pure.
[[nodiscard]] std::vector<std::string> row_bytes(Result const& result, int node);

/// Writes the file. Collective: the nodes of all ranks.
/// \return its SHA-256 on the root  \throws std::runtime_error on all ranks where it cannot be written
[[nodiscard]] std::string write_matrix(measure::Comm const& world, std::string const& path, Result const& result);

}  // namespace measure::tool::pairs
