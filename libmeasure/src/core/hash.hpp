// SPDX-License-Identifier: BSD-3-Clause
/// 64-bit FNV-1a: short fingerprints of texts. Not secure against intentional collisions.
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

/// FNV-1a over 8-byte words, for long data. Continues from `hash`; 0 at the beginning.
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
