// SPDX-License-Identifier: BSD-3-Clause
/// Not known: what records say where their source does not. Pure.
#pragma once

#include "measure/record.hpp"

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// The MPI library or timer of a run whose source names none.
inline constexpr char const* not_named = "unknown";

/// The flag of a point whose source has no number of samples. Its counts are 0.
inline constexpr std::string_view samples_unknown = "samples_unknown";

/// The valid samples and those tried, as tables have them: "30/32"; "-" where they are not known. \param between  "/"
[[nodiscard]] std::string samples_text(Record const& record, std::string_view between = "/");

}  // namespace measure
#pragma GCC visibility pop
