// SPDX-License-Identifier: BSD-3-Clause
#include "nonblocking.hpp"

#include <utility>

namespace mpiperf {

Job OverlapCurve::follow(Job job) {
    if (rules_.blocking_mode)
        return job;
    job.options.innermost =
        measure::MeasuredAxis{.name = compute_coordinate,
                              .stop = rules_.blocking_stop,
                              .values = [this](measure::Point const&, measure::Measurement const& m) {
                                  blocking_ = blocking_time(m);
                                  return compute_times(blocking_.longest(), rules_.points);
                              }};
    job.write = [this, write = std::move(job.write)](measure::Record record, measure::Measurement const& m) {
        complete(record, m);
        write(record, m);
    };
    return job;
}

void OverlapCurve::complete(measure::Record& record, measure::Measurement const& m) const {
    if (!record.at.has(compute_coordinate) || m.ranks.empty())
        return;
    add_overlap(record, blocking_, overlap(m, record.at.number(compute_coordinate), blocking_, rules_.floor));
    if (tests_.executions > 0)
        record.derived["tests"] = static_cast<double>(tests_.calls) / static_cast<double>(tests_.executions);
}

std::optional<bodies::Computing> OverlapCurve::computing(measure::Point const& at) {
    tests_ = {};
    if (!at.has(compute_coordinate))
        return std::nullopt;
    auto const duration = at.duration(compute_coordinate);
    return bodies::Computing{duration, duration / rules_.tests};
}

}  // namespace mpiperf
