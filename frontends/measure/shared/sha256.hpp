// SPDX-License-Identifier: BSD-3-Clause
/// SHA-256 (FIPS 180-4): the name of a content, the same that `sha256sum` prints. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace measure::tool {

/// 64 hexadecimal digits in lower case.
[[nodiscard]] std::string sha256(std::string_view content);

/// The same; nothing in a build without libcrypto.
[[nodiscard]] std::optional<std::string> sha256_if_built(std::string_view content);

/// The same of a file's content, whatever its size. \throws std::runtime_error where it cannot be read
[[nodiscard]] std::string sha256_of_file(std::string const& path);

/// 44 letters of Base64: the same as content security policies have it.
[[nodiscard]] std::string sha256_base64(std::string_view content);

}  // namespace measure::tool
