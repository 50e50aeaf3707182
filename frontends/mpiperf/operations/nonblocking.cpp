// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/nonblocking.hpp"

#include "bodies/nonblocking.hpp"
#include "mpiperf/operations/neighbour_load.hpp"
#include "mpiperf/report/overlap.hpp"

#include <measure/comm.hpp>
#include <measure/record.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>
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

/// State of a test during its measurement: first the blocking time is measured, then one point for each time of
/// computing.
class OverlapCurve {
public:
    explicit OverlapCurve(NonBlockingRules const& rules) : rules_{rules} {}

    /// The values of the innermost axis, the times of computing. Root only.
    std::vector<double> compute_times(measure::Point const& at, measure::Measurement const& m) {
        auto const& blocking = blocking_[at] = blocking_time(m);
        return mpiperf::compute_times(blocking.longest(), rules_.points);
    }

    void complete(measure::Record& record, measure::Measurement const& m) {
        if (!record.at.has(compute_coordinate) || m.ranks.empty())
            return;
        auto const& blocking = blocking_[without_computing(record.at)];
        add_overlap(record, blocking, overlap(m, record.at.number(compute_coordinate), blocking, rules_.floor));
        if (auto const* const tests = tests_.find(record.at); tests != nullptr && tests->executions > 0)
            record.derived["tests"] = static_cast<double>(tests->calls) / static_cast<double>(tests->executions);
        if (!rules_.by_rank)
            record.derived = without(record.derived, "by_rank");
    }

    /// The computing at a point; no value while the blocking time is measured.
    [[nodiscard]] std::optional<bodies::Computing> computing(measure::Point const& at) const {
        if (!at.has(compute_coordinate))
            return std::nullopt;
        auto const duration = at.duration(compute_coordinate);
        return bodies::Computing{duration, duration / rules_.tests};
    }
    /// The counts of MPI_Test on this rank at that point.
    [[nodiscard]] bodies::Tests& tests(measure::Point const& at) { return tests_[at] = {}; }

private:
    [[nodiscard]] static measure::Point without_computing(measure::Point const& at) {
        measure::Point result;
        for (auto const& [name, value] : at.coordinates())
            if (name != compute_coordinate)
                result.set(name, value);
        return result;
    }

    NonBlockingRules const& rules_;
    ByPoint<BlockingTime> blocking_;  ///< root only
    ByPoint<bodies::Tests> tests_;
};

/// Adds computing as the innermost axis and the overlap to the records. In blocking mode there is no computing.
std::shared_ptr<OverlapCurve> follow(Setting const& setting, measure::Benchmark& row) {
    auto const& rules = setting.nonblocking;
    auto curve = std::make_shared<OverlapCurve>(rules);
    if (rules.blocking_mode)
        return curve;
    row.innermost =
        measure::MeasuredAxis{.name = compute_coordinate,
                              .stop = rules.blocking_stop,
                              .values = [curve](measure::Point const& at,
                                                measure::Measurement const& m) { return curve->compute_times(at, m); },
                              .texts = {}};
    for (double const share : compute_times(1, rules.points))
        row.innermost->texts.push_back(fmt::format("{:g}*blocking_time", share));
    then(row, [curve](measure::Record& record, measure::Measurement const& m) { curve->complete(record, m); });
    return curve;
}

}  // namespace

void build_nonblocking(Test const& test, Setting const& setting, measure::Benchmark& row) {
    auto const curve = follow(setting, row);
    row.make = maker(setting, [&test, &setting, curve](measure::Comm const& team, measure::Point const& at) {
        using Body = bodies::NonBlocking<bodies::Arguments>;
        bodies::Collective const& of = *test.collective;
        Load load{of.shape, test.name, layout_at(at), at.integer("count"), team.size(), {}};
        auto data = collective_data(of, team, setting.root, load);
        bodies::Buffers buffers{place(setting, team, at, data.sizes), data.sizes};
        auto const computing = curve->computing(at);
        Body body{of,
                  bodies::arguments(of.shape, team, load.count(), load.convention()),
                  std::move(buffers),
                  setting.root,
                  computing,
                  curve->tests(at)};
        return measure::op(Verified{std::move(body), std::move(load.type), std::move(data)})
            .phases(Body::phases(computing.has_value()));
    });
}

void build_nonblocking_neighbours(Test const& test, Setting const& setting, measure::Benchmark& row) {
    auto const curve = follow(setting, row);
    row.make = maker(setting, [&test, &setting, curve](measure::Comm const& team, measure::Point const& at) {
        using Body = bodies::NonBlocking<bodies::NeighbourArguments>;
        bodies::Collective const& of = *test.collective;
        NeighbourLoad load{of.shape, test.name, team, layout_at(at), at.integer("count")};
        bodies::Buffers buffers{place(setting, team, at, load.data.sizes), load.data.sizes};
        auto const computing = curve->computing(at);
        Body body{of, std::move(load.arguments), std::move(buffers), {}, computing, curve->tests(at)};
        return measure::op(Verified{std::move(body), std::move(load.type), std::move(load.data)})
            .phases(Body::phases(computing.has_value()));
    });
}

}  // namespace mpiperf
