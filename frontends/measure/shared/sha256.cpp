// SPDX-License-Identifier: BSD-3-Clause
#include "shared/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <ios>
#include <memory>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdexcept>
#include <vector>

namespace measure::tool {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view content) {
    Digest digest{};
    SHA256(reinterpret_cast<unsigned char const*>(content.data()), content.size(), digest.data());
    return digest;
}

std::string hexadecimal(Digest const& digest) {
    std::string text;
    for (auto const byte : digest)
        text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

std::string sha256(std::string_view content) { return hexadecimal(digest_of(content)); }

std::optional<std::string> sha256_if_built(std::string_view content) { return sha256(content); }

std::string sha256_of_file(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> const context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    bool is_good = file && context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
    std::vector<char> part(std::size_t{1} << 16U);
    while (is_good && file) {
        file.read(part.data(), static_cast<std::streamsize>(part.size()));
        is_good =
            !file.bad() && EVP_DigestUpdate(context.get(), part.data(), static_cast<std::size_t>(file.gcount())) == 1;
    }
    Digest digest{};
    if (!is_good || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1)
        throw std::runtime_error(fmt::format("cannot read '{}'", path));
    return hexadecimal(digest);
}

std::string sha256_base64(std::string_view content) {
    auto const digest = digest_of(content);
    std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> text{};  // and a zero
    EVP_EncodeBlock(text.data(), digest.data(), SHA256_DIGEST_LENGTH);
    return reinterpret_cast<char const*>(text.data());
}

}  // namespace measure::tool
