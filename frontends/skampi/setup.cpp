// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/setup.hpp"

#include <array>

namespace skampi {

std::string_view name(Variation v) noexcept {
    static constexpr std::array<std::string_view, 4> names{"none", "length", "nodes", "chunks"};
    return names[static_cast<std::size_t>(v)];
}

std::string_view name(Scale s) noexcept {
    static constexpr std::array<std::string_view, 4> names{"fixed_linear", "fixed_log", "dynamic_linear",
                                                           "dynamic_log"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view name(Sync s) noexcept { return s == Sync::barrier ? "barrier" : "window"; }

std::string_view name(PartnerChoice p) noexcept { return p == PartnerChoice::max ? "max" : "min"; }

}  // namespace skampi
