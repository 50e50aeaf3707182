// SPDX-License-Identifier: BSD-3-Clause
/// FNV-1a, 64 bits: short fingerprints of texts. No protection against malice.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace measure::detail {

[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (char const c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

/// The same step over words of eight bytes, for what is long: goes on from `hash`, 0 at the beginning.
[[nodiscard]] inline std::uint64_t fnv1a_words(std::uint64_t hash, std::string_view bytes) noexcept {
    for (std::uint64_t word = 0; !bytes.empty(); word = 0) {
        auto const size = bytes.size() < sizeof word ? bytes.size() : sizeof word;
        std::memcpy(&word, bytes.data(), size);
        hash = ((hash ^ word) * 0x100000001b3) ^ (hash >> 32U);
        bytes.remove_prefix(size);
    }
    return hash;
}

}  // namespace measure::detail
