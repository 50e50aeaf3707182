// SPDX-License-Identifier: BSD-3-Clause
/// Settings: environment variables by which each library chooses algorithms, directly or through a file. Pure, except
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

/// Settings that make values written by MPI_T take effect. They choose no algorithm.
[[nodiscard]] Settings of_writing(LibraryFamily family);

/// Settings that make a collective use an algorithm.
[[nodiscard]] Settings forcing(LibraryFamily family, std::string_view collective, std::string_view algorithm);

/// Settings that make the library use a file of choices.
[[nodiscard]] Settings of_file(LibraryFamily family, std::string const& path);

/// Settings that switch off Open MPI's component `han`, whose algorithms otherwise take precedence over
/// `tuned`.
[[nodiscard]] Settings without_han();

/// Name of the file of choices that a campaign writes.
[[nodiscard]] std::string_view file_name(LibraryFamily family) noexcept;

/// Whether an environment variable chooses algorithms, so that it would interfere with a campaign.
[[nodiscard]] bool chooses(std::string_view name) noexcept;

/// Checks that the environment chooses no algorithms, because this would override the choices made here. Local.
/// \throws measure::UsageError if an environment variable chooses algorithms
void refuse_chosen();

/// Whether a file can distinguish sizes of a collective; otherwise one choice holds for all sizes.
[[nodiscard]] bool is_sized(LibraryFamily family, std::string_view collective) noexcept;

}  // namespace measure::tool::tune
