// SPDX-License-Identifier: BSD-3-Clause
/// FNV-1a, 64 bits: short fingerprints of texts. No protection against malice.
#pragma once

#include <cstdint>
#include <string_view>

namespace measure::detail {

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (char const c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace measure::detail
