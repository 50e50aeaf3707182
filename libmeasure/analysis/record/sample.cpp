// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sample.hpp"

#include <fmt/format.h>

#include <array>

namespace measure {

std::string_view name(InvalidReason reason) noexcept {
    static constexpr std::array<std::string_view, 6> names{"none", "overrun", "slip", "late", "backward", "failed"};
    return names[static_cast<std::size_t>(reason)];
}

void InvalidCounts::add(InvalidReason reason) noexcept {
    switch (reason) {
    case InvalidReason::none:
        break;
    case InvalidReason::slip:
        ++slip;
        break;
    case InvalidReason::overrun:
        ++overrun;
        break;
    case InvalidReason::late:
        ++late;
        break;
    case InvalidReason::backward:
        ++backward;
        break;
    case InvalidReason::failed:
        ++failed;
        break;
    }
}

std::string text(InvalidCounts const& counts) {
    std::string text;
    auto const add = [&](std::int64_t count, InvalidReason reason) {
        if (count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(reason));
    };
    add(counts.failed, InvalidReason::failed);
    add(counts.backward, InvalidReason::backward);
    add(counts.late, InvalidReason::late);
    add(counts.slip, InvalidReason::slip);
    add(counts.overrun, InvalidReason::overrun);
    return text;
}

std::string_view name(Combine c) noexcept {
    static constexpr std::array<std::string_view, 5> names{"root", "max", "min", "mean", "span"};
    return names[static_cast<std::size_t>(c)];
}

}  // namespace measure
