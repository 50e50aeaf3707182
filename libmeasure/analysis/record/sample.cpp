// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sample.hpp"

#include <fmt/format.h>

namespace measure {

std::string_view name(Fault fault) noexcept {
    switch (fault) {
    case Fault::none:
        return "none";
    case Fault::slip:
        return "slip";
    case Fault::overrun:
        return "overrun";
    case Fault::late:
        return "late";
    case Fault::failed:
        return "failed";
    }
    return "none";
}

void FaultCounts::add(Fault fault) noexcept {
    switch (fault) {
    case Fault::none:
        break;
    case Fault::slip:
        ++slip;
        break;
    case Fault::overrun:
        ++overrun;
        break;
    case Fault::late:
        ++late;
        break;
    case Fault::failed:
        ++failed;
        break;
    }
}

std::string text(FaultCounts const& counts) {
    std::string text;
    auto const add = [&](std::int64_t count, Fault fault) {
        if (count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(fault));
    };
    add(counts.failed, Fault::failed);
    add(counts.late, Fault::late);
    add(counts.slip, Fault::slip);
    add(counts.overrun, Fault::overrun);
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
