// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 in a build without libcrypto.
#include "shared/sha256.hpp"

namespace measure::tool {

std::optional<std::string> sha256_if_built(std::string_view) { return std::nullopt; }

}  // namespace measure::tool
