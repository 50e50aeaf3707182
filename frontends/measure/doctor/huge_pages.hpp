// SPDX-License-Identifier: BSD-3-Clause
/// Pages: which huge pages this process gets, by trying.
#pragma once

#include "machine/facts.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace measure::tool::doctor {

/// Bytes in transparent huge pages of the mapping that has this address; nothing without such a mapping. Pure.
/// \param text  of /proc/self/smaps
[[nodiscard]] std::optional<double> huge_bytes_at(std::string_view text, std::uintptr_t address);

/// Facts huge_page (bytes), huge_given ("always": new memory has them; "advised": after madvise; "never") and
/// huge_explicit ("yes", "no": one page by MAP_HUGETLB). A trial that fails leaves no fact. Local.
[[nodiscard]] machine::Facts page_facts(machine::Tree const& tree);

}  // namespace measure::tool::doctor
