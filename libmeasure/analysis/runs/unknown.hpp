// SPDX-License-Identifier: BSD-3-Clause
/// Unknown: words for facts that a record's source does not state. Pure, local.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/not_known.hpp>

#include <string>

namespace measure {

/// The member of a run line with the source of a converted run.
inline constexpr char const* converted_member = "converted";

/// "unknown" for an empty text.
[[nodiscard]] inline std::string or_unknown(std::string const& text) { return text.empty() ? "unknown" : text; }

/// The machine as the source of a converted run names it; empty: its hosts are all that is known.
[[nodiscard]] std::string named_machine(Environment const& run);

/// "MPICH 4.0.2", "MPI library unknown"; empty without MPI.
[[nodiscard]] std::string library_text(Environment const& run);

}  // namespace measure
