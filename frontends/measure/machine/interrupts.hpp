// SPDX-License-Identifier: BSD-3-Clause
/// Interrupts: counts and rates of /proc/interrupts, by source and processing unit. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::machine {

/// A row of /proc/interrupts.
struct InterruptSource {
    std::string key{};             ///< "36" of a device, "LOC" of the processor
    std::string name{};            ///< "eth0", "timer"
    std::vector<double> counts{};  ///< [units] since the host was started
};

struct Interrupts {
    std::vector<int> units{};  ///< processing units
    std::vector<InterruptSource> sources{};
};

/// Rows without a count for each processing unit are left out. \param text  of /proc/interrupts
[[nodiscard]] Interrupts interrupts_in(std::string_view text);

/// A source at one processing unit.
struct InterruptRate {
    int unit = 0;
    double per_second = 0;
    std::string name{};
};

/// The sources that came at least once a second, at most five for each processing unit, most frequent first.
/// \param seconds  between the two, > 0
[[nodiscard]] std::vector<InterruptRate> interrupt_rates(Interrupts const& before, Interrupts const& after,
                                                         double seconds);

}  // namespace measure::tool::machine
