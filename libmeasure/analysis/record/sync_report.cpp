// SPDX-License-Identifier: BSD-3-Clause
#include "measure/sync_report.hpp"

#include "measure/units.hpp"

#include <fmt/format.h>

namespace measure {

std::vector<std::string> SyncReport::warnings() const {
    std::vector<std::string> texts;
    if (poor > 0)
        texts.push_back(fmt::format("clock synchronisation: {} of {} pairs answered slowly to the last try (up to {}): "
                                    "clocks are known to {} only",
                                    poor, edges, text(seconds{rtt_max}), text(seconds{bound.value_or(0)})));
    if (!consistent)
        texts.push_back(fmt::format("clock synchronisation: a clock stepped while it was compared: clocks are known to "
                                    "{} only",
                                    text(seconds{bound.value_or(0)})));
    return texts;
}

}  // namespace measure
