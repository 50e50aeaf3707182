// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sync_report.hpp"

#include "measure/units.hpp"

#include <fmt/format.h>

namespace measure {

std::vector<std::string> SyncReport::warnings() const {
    std::vector<std::string> texts;
    if (poor > 0)
        texts.push_back(
            fmt::format("clock synchronisation: {} of {} pairs still answered slowly in the last attempt (up to {}): "
                        "clock offsets are known only to {}",
                        poor, edges, text(seconds{rtt_max}), text(seconds{bound.value_or(0)})));
    if (!consistent)
        texts.push_back(
            fmt::format("clock synchronisation: a clock stepped during the comparison: clock offsets are known "
                        "only to {}",
                        text(seconds{bound.value_or(0)})));
    return texts;
}

}  // namespace measure
