// SPDX-License-Identifier: BSD-3-Clause
/// A body with a known duration.
#pragma once

#include <chrono>

namespace test {

/// Keeps the core busy for at least `duration`, without a system call. Local.
inline void spin(std::chrono::duration<double> duration) {
    auto const end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

}  // namespace test
