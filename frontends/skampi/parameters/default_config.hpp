// SPDX-License-Identifier: BSD-3-Clause
/// Default configuration: a parameter file for users to start with.
#pragma once

#include <string>

namespace skampi {

/// Returns a complete parameter file with comments: all keys with their defaults, and the default suite. skampi refuses
/// it until the three lines that identify the machine and the user are filled in.
[[nodiscard]] std::string default_config();

}  // namespace skampi
