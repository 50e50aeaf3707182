// SPDX-License-Identifier: BSD-3-Clause
#include "archive/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <openssl/sha.h>

namespace measure_tool {

std::string sha256(std::string_view content) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<unsigned char const*>(content.data()), content.size(), digest.data());
    std::string text;
    for (auto const byte : digest)
        text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace measure_tool
