// SPDX-License-Identifier: BSD-3-Clause
#include "nonblocking.hpp"

#include "neighbour_load.hpp"

#include <measure/comm.hpp>

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mpiperf {

namespace {

measure::Value without(measure::Value const& object, std::string_view key) {
    auto members = std::get<measure::Value::Object>(object.data());
    std::erase_if(members, [&](auto const& member) { return member.first == key; });
    return members;
}

}  // namespace

Job OverlapCurve::follow(Job job) {
    if (rules_.blocking_mode)
        return job;
    job.row.innermost = measure::MeasuredAxis{.name = compute_coordinate,
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
    if (!rules_.by_rank)
        record.derived = without(record.derived, "by_rank");
}

std::optional<bodies::Computing> OverlapCurve::computing(measure::Point const& at) {
    tests_ = {};
    if (!at.has(compute_coordinate))
        return std::nullopt;
    auto const duration = at.duration(compute_coordinate);
    return bodies::Computing{duration, duration / rules_.tests};
}

measure::SweepResult measure_nonblocking(Job const& given) {
    OverlapCurve curve{given.nonblocking};
    auto const job = curve.follow(given);
    bodies::Collective const& of = *job.collective;
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const& at) {
        using Body = bodies::NonBlocking<bodies::Arguments>;
        Load load{of.shape, job.name(), layout_at(at), at.integer("count"), team.size(), {}};
        auto data = collective_data(of, team, job.root, load);
        bodies::Buffers buffers{place(job, team, data.sizes), data.sizes};
        auto const computing = curve.computing(at);
        Body body{of,
                  bodies::arguments(of.shape, team, load.count(), load.convention()),
                  std::move(buffers),
                  job.root,
                  computing,
                  curve.tests()};
        return measure::op(Verified{std::move(body), std::move(load.type), std::move(data)})
            .phases(Body::phases(computing.has_value()));
    });
}

measure::SweepResult measure_nonblocking_neighbours(Job const& given) {
    OverlapCurve curve{given.nonblocking};
    auto const job = curve.follow(given);
    bodies::Collective const& of = *job.collective;
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const& at) {
        using Body = bodies::NonBlocking<bodies::NeighbourArguments>;
        NeighbourLoad load{of.shape, job.name(), team, layout_at(at), at.integer("count")};
        bodies::Buffers buffers{place(job, team, load.data.sizes), load.data.sizes};
        auto const computing = curve.computing(at);
        Body body{of, std::move(load.arguments), std::move(buffers), {}, computing, curve.tests()};
        return measure::op(Verified{std::move(body), std::move(load.type), std::move(load.data)})
            .phases(Body::phases(computing.has_value()));
    });
}

}  // namespace mpiperf
