// SPDX-License-Identifier: BSD-3-Clause
#include "archive/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <openssl/evp.h>
#include <openssl/sha.h>

namespace measure_tool {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view content) {
    Digest digest{};
    SHA256(reinterpret_cast<unsigned char const*>(content.data()), content.size(), digest.data());
    return digest;
}

}  // namespace

std::string sha256(std::string_view content) {
    std::string text;
    for (auto const byte : digest_of(content))
        text += fmt::format("{:02x}", byte);
    return text;
}

std::string sha256_base64(std::string_view content) {
    auto const digest = digest_of(content);
    std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> text{};  // and a zero
    EVP_EncodeBlock(text.data(), digest.data(), SHA256_DIGEST_LENGTH);
    return reinterpret_cast<char const*>(text.data());
}

}  // namespace measure_tool
