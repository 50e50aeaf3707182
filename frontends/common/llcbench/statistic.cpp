// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/statistic.hpp"

#include "llcbench/points.hpp"

#include <measure/statistics.hpp>

#include <array>
#include <vector>

namespace llcbench {

program::as::Choice<Statistic> statistic_option() {
    return {{{"mean", Statistic::mean}, {"median", Statistic::median}, {"best", Statistic::best}}};
}

std::string_view name(Statistic statistic) noexcept {
    static constexpr std::array<std::string_view, 3> names{"mean", "median", "best"};
    return names[static_cast<std::size_t>(statistic)];
}

std::optional<double> number(measure::Record const& record, Statistic statistic) {
    if (!record.estimate || !record.value)
        return std::nullopt;
    switch (statistic) {
    case Statistic::median:
        return record.estimate->median;
    case Statistic::best:
        return measure::is_rate(record.quantity) ? record.estimate->max : record.estimate->min;
    case Statistic::mean:
        break;
    }
    return record.estimate->value;
}

void lead(measure::Record& record, Statistic statistic) {
    record.derived["statistic"] = name(statistic);
    if (record.value)
        record.value = number(record, statistic);
}

std::optional<double> spread(measure::Record const& record, double work) {
    auto const samples = valid_samples(record);
    if (!record.value || samples.size() < 2)
        return std::nullopt;
    std::vector<double> blocks;
    for (auto const& sample : samples)
        blocks.push_back(work > 0 ? work / sample.time : sample.time);
    return measure::standard_deviation(blocks);
}

}  // namespace llcbench
