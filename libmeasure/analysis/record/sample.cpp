// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sample.hpp"

#include <fmt/format.h>

namespace measure {

std::string_view name(InvalidReason reason) noexcept {
    switch (reason) {
    case InvalidReason::none:
        return "none";
    case InvalidReason::slip:
        return "slip";
    case InvalidReason::overrun:
        return "overrun";
    case InvalidReason::late:
        return "late";
    case InvalidReason::failed:
        return "failed";
    }
    return "none";
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
    add(counts.late, InvalidReason::late);
    add(counts.slip, InvalidReason::slip);
    add(counts.overrun, InvalidReason::overrun);
    return text;
}

std::string_view name(Combine c) noexcept {
    switch (c) {
    case Combine::root:
        return "root";
    case Combine::max:
        return "max";
    case Combine::min:
        return "min";
    case Combine::mean:
        return "mean";
    case Combine::span:
        return "span";
    }
    return "max";
}

}  // namespace measure
