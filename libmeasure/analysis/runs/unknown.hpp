// SPDX-License-Identifier: BSD-3-Clause
/// Not known: how commands show what a record's source does not say.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/not_known.hpp>

#include <string>

namespace measure {

/// The member of a run line with the source of a converted run.
inline constexpr char const* converted_member = "converted";

/// "unknown" for an empty text. Pure.
[[nodiscard]] inline std::string or_unknown(std::string const& text) { return text.empty() ? "unknown" : text; }

/// The machine as the source of a converted run names it; empty: its hosts are all that is known. Pure.
[[nodiscard]] std::string named_machine(Environment const& run);

/// "MPICH 4.0.2", "MPI library unknown"; empty without MPI. Pure.
[[nodiscard]] std::string library_text(Environment const& run);

}  // namespace measure
