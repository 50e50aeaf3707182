// SPDX-License-Identifier: BSD-3-Clause
#include "setup.hpp"

namespace skampi {

std::string_view name(Variation v) noexcept {
    switch (v) {
    case Variation::none:
        return "none";
    case Variation::length:
        return "length";
    case Variation::nodes:
        return "nodes";
    case Variation::chunks:
        return "chunks";
    }
    return "";
}

std::string_view name(Scale s) noexcept {
    switch (s) {
    case Scale::fixed_linear:
        return "fixed_linear";
    case Scale::fixed_log:
        return "fixed_log";
    case Scale::dynamic_linear:
        return "dynamic_linear";
    case Scale::dynamic_log:
        return "dynamic_log";
    }
    return "";
}

std::string_view name(Sync s) noexcept { return s == Sync::barrier ? "barrier" : "window"; }

std::string_view name(PartnerChoice p) noexcept { return p == PartnerChoice::max ? "max" : "min"; }

}  // namespace skampi
