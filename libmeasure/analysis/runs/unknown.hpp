// SPDX-License-Identifier: BSD-3-Clause
/// Unknown: texts for facts that the source of a record does not contain. Pure, local.
#pragma once

#include <measure/environment_info.hpp>
#include <measure/not_known.hpp>

#include <string>

namespace measure {

/// Member of a run line that holds the source of a converted run.
inline constexpr char const* converted_member = "converted";

/// The text, or "unknown" if it is empty.
[[nodiscard]] inline std::string or_unknown(std::string const& text) { return text.empty() ? "unknown" : text; }

/// Machine name from the source of a converted run; empty if only the hosts are known.
[[nodiscard]] std::string named_machine(Environment const& run);

/// Text such as "MPICH 4.0.2" or "MPI library unknown"; empty without MPI.
[[nodiscard]] std::string library_text(Environment const& run);

}  // namespace measure
