// SPDX-License-Identifier: BSD-3-Clause
/// PointRunner: measures one setting: which plan, which body, which overhead, and what stands in the row.
#pragma once

#include "skampi/output/output.hpp"
#include "skampi/run/bench.hpp"
#include "skampi/run/cost_model.hpp"
#include "skampi/run/setting.hpp"

#include <measure/clock_sync.hpp>
#include <measure/comm.hpp>
#include <measure/control.hpp>
#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/run.hpp>
#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace skampi {

/// Processes that measure together, and their clock where one was needed.
struct Team {
    measure::Comm comm;
    std::optional<measure::GlobalClock> clock{};
};

/// Time of the empty measurement of a pattern (SKaMPI paper: the systematic error), s.
struct Overhead {
    double time = 0;
    double error = 0;            ///< standard error
    std::optional<Sync> sync{};  ///< where it is not the measurement's own: the fallback's
};

/// Half the width of an interval that is not known: refinement takes every difference from such a point for noise.
inline constexpr double unknown = std::numeric_limits<double>::infinity();

/// What came out of a setting; complete on the root.
struct PointResult {
    Row row{};
    measure::Record record{};
    double half_width = unknown;  ///< of the interval of the time, us
    Overhead overhead{};          ///< of the whole sample
    std::int64_t invalid = 0;     ///< samples thrown away and replaced
    bool failed = false;          ///< MPI reported an error
};

/// Of the processes' times in ascending order the middle one (`count` 1), or the smallest, the largest and others in
/// equal distances between: element floor(n i / (count - 1)) for i < count - 1. \param times  at least one
[[nodiscard]] std::vector<double> selected_node_times(std::vector<double> times, std::size_t count);

class PointRunner {
public:
    struct Settings {
        measure::AnyTimer timer{};
        measure::seconds step{0};  ///< of the timer as it was seen, the largest over all ranks
        measure::Sync sync{};
        std::size_t max_node_times = 16;
        std::optional<CostModel> model{};
    };

    explicit PointRunner(Settings settings) : settings_{std::move(settings)} {}

    /// Measures one setting. Collective over the team.
    /// \throws what measure::run throws
    [[nodiscard]] PointResult measure(Team& team, Bench& bench, measure::Control const& control);

    /// Whether a measurement's columns of node times are `selected_node_times`, in all of its rows, because some have
    /// more processes than there are columns. Otherwise a column is a rank's.
    [[nodiscard]] bool sorts_node_times(Task const& task) const noexcept;

private:
    /// The empty measurements: one for each way in which the frame of a sample can look.
    enum class Empty { simple, clock, barrier, dispatch };
    [[nodiscard]] static Empty empty_of(Task const& task, Sync sync) noexcept;
    [[nodiscard]] measure::Plan plan_for(Task const& task, Team& team, Sync sync, measure::Control const& control);
    [[nodiscard]] measure::Measurement run_model(measure::Plan plan, Bench& bench) const;
    [[nodiscard]] Overhead overhead(measure::Plan plan, Bench& bench, Sync sync);
    [[nodiscard]] measure::Measurement measure_by(Sync sync, Team& team, Bench& bench, measure::Control const& control,
                                                  Overhead& overhead);
    [[nodiscard]] PointResult result(measure::Measurement const& m, Bench const& bench, Overhead const& overhead) const;

    Settings settings_;
    struct TakenOverhead {
        Overhead overhead{};
        Task const* task = nullptr;  ///< for which it was taken
    };
    std::map<std::pair<Empty, int>, TakenOverhead> overheads_{};
};

}  // namespace skampi
