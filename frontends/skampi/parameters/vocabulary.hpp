// SPDX-License-Identifier: BSD-3-Clause
/// Vocabulary: the names in the blocks of a parameter file. Used by `parameters` only. Unknown names throw
/// measure::UsageError, as the conversions of `program::as` do.
#pragma once

#include "program/cli/values.hpp"
#include "skampi/parameters/grammar.hpp"
#include "skampi/setup.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skampi::keys {

/// The keys of a block, in their usual spelling.
[[nodiscard]] std::vector<std::string> const& block_keys();

/// The parts of a measurement's name: "MPI_Bcast-nodes-short-SM" measures MPI_Bcast, varies the processes and
/// synchronises by windows.
struct NameParts {
    std::string_view routine;
    std::optional<Variation> variation{};
    bool is_synchronous = false;
};
[[nodiscard]] NameParts parts_of(std::string_view name);

/// \param type  value of the key Type, or nullptr if the name identifies the routine
[[nodiscard]] Routine const* routine_of(NameParts const& name, grammar::Value const* type);

[[nodiscard]] Variation variation(program::Argument const& argument);
[[nodiscard]] Scale scale(program::Argument const& argument);
[[nodiscard]] Datatype const* datatype(program::Argument const& argument);
[[nodiscard]] Reduction const* reduction(program::Argument const& argument);

}  // namespace skampi::keys
