// SPDX-License-Identifier: BSD-3-Clause
/// Pages: tests which huge pages this process gets.
#pragma once

#include "machine/facts.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace measure::tool::doctor {

/// Bytes in transparent huge pages of the mapping that contains the address; nullopt if there is no such mapping. Pure.
/// \param text  contents of /proc/self/smaps
[[nodiscard]] std::optional<double> huge_bytes_at(std::string_view text, std::uintptr_t address);

/// Facts huge_page (bytes), huge_given ("always": new memory gets them; "advised": only after madvise; "never") and
/// huge_explicit ("yes", "no": whether MAP_HUGETLB gives a page). A failed test leaves no fact. Local.
[[nodiscard]] machine::Facts page_facts(machine::Tree const& tree);

}  // namespace measure::tool::doctor
