// SPDX-License-Identifier: BSD-3-Clause
/// SHA-256 (FIPS 180-4): digests of contents, as `sha256sum` prints them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace measure::tool {

/// The digest as 64 hexadecimal digits in lower case.
[[nodiscard]] std::string sha256(std::string_view content);

/// The digest; nothing in a build without libcrypto.
[[nodiscard]] std::optional<std::string> sha256_if_built(std::string_view content);

/// The digest of a file of any size. \throws std::runtime_error if it cannot be read
[[nodiscard]] std::string sha256_of_file(std::string const& path);

/// The digest as 44 characters of Base64, as in content security policies.
[[nodiscard]] std::string sha256_base64(std::string_view content);

}  // namespace measure::tool
