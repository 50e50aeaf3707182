// SPDX-License-Identifier: BSD-3-Clause
/// Default configuration: the parameter file that a user begins with.
#pragma once

#include <string>

namespace skampi {

/// A complete parameter file with comments: all keys with their defaults, and the default suite. It is refused until
/// the three lines that identify the machine and the user are filled in.
[[nodiscard]] std::string default_config();

}  // namespace skampi
