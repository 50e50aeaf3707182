// SPDX-License-Identifier: BSD-3-Clause
#include "measure/semantics.hpp"

#include <array>
#include <cstddef>

namespace measure {

std::string_view name(OperationKind kind) noexcept {
    constexpr std::array<std::string_view, 9> names{"collective", "barrier", "ping_pong", "parallel", "message",
                                                    "stream",     "streams", "by_hand",   "local"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view name(SizeOf size) noexcept {
    constexpr std::array<std::string_view, 3> names{"whole", "block", "blocks"};
    return names[static_cast<std::size_t>(size)];
}

}  // namespace measure
