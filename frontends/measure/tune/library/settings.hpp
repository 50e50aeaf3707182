// SPDX-License-Identifier: BSD-3-Clause
/// Settings: how each library is told what to choose: by variables of the environment, and by a file. Pure, but for
/// `refuse_chosen`.
#pragma once

#include "program/runtime/child.hpp"
#include "tune/library/algorithms.hpp"
#include "tune/library/selection_tree.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool::tune {

using Settings = program::Variables;

/// Under which what MPI_T writes acts. Nothing else is chosen by them.
[[nodiscard]] Settings of_writing(LibraryFamily family);

/// Under which a collective runs by an algorithm.
[[nodiscard]] Settings forcing(LibraryFamily family, std::string_view collective, std::string_view algorithm);

/// Under which a file of choices is in force.
[[nodiscard]] Settings of_file(LibraryFamily family, std::string const& path);

/// Under which Open MPI's component `han`, which has algorithms of its own, leaves the choice to `tuned`.
[[nodiscard]] Settings without_han();

/// What the file of choices is called that a campaign leaves.
[[nodiscard]] std::string_view file_name(LibraryFamily family) noexcept;

/// Whether a variable chooses algorithms, so that nothing else may be chosen beside it.
[[nodiscard]] bool chooses(std::string_view name) noexcept;

/// Looks whether others have chosen already, which would beat what is chosen here. Local.
/// \throws measure::UsageError where a variable of the environment chooses algorithms
void refuse_chosen();

/// Whether a file can tell sizes of a collective apart; otherwise one choice holds for all.
[[nodiscard]] bool is_sized(LibraryFamily family, std::string_view collective) noexcept;

}  // namespace measure::tool::tune
