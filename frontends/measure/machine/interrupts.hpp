// SPDX-License-Identifier: BSD-3-Clause
/// Interrupts: counts and rates of /proc/interrupts, by source and processing unit. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::machine {

/// A row of /proc/interrupts.
struct InterruptSource {
    std::string key{};             ///< "36" for a device, "LOC" for the processor
    std::string name{};            ///< "eth0", "timer"
    std::vector<double> counts{};  ///< interrupts at each processing unit since boot
};

struct Interrupts {
    std::vector<int> units{};  ///< numbers of the processing units
    std::vector<InterruptSource> sources{};
};

/// Parses /proc/interrupts. Rows without a count for each processing unit are ignored. \param text  content of the file
[[nodiscard]] Interrupts interrupts_in(std::string_view text);

/// The interrupts of a source at one processing unit.
struct InterruptRate {
    int unit = 0;
    double per_second = 0;
    std::string name{};
};

/// The sources with at least one interrupt per second, at most five for each processing unit, most frequent first.
/// \param seconds  time between the two, > 0
[[nodiscard]] std::vector<InterruptRate> interrupt_rates(Interrupts const& before, Interrupts const& after,
                                                         double seconds);

}  // namespace measure::tool::machine
