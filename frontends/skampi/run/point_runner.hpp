// SPDX-License-Identifier: BSD-3-Clause
/// PointRunner: measures one setting. Selects plan, body and overhead, and fills the row.
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

/// Processes that measure together, and their global clock if one was needed.
struct Team {
    measure::Comm comm;
    std::optional<measure::GlobalClock> clock{};
};

/// Time of the empty measurement of a pattern in seconds. The SKaMPI paper calls it the systematic error.
struct Overhead {
    double time = 0;
    double error = 0;            ///< standard error in seconds
    std::optional<Sync> sync{};  ///< synchronisation, if it is the fallback's and not the measurement's
};

/// Half the width of an unknown interval. Refinement treats every difference from such a point as noise.
inline constexpr double unknown = std::numeric_limits<double>::infinity();

/// The result of a setting. Complete on the root.
struct PointResult {
    Row row{};
    measure::Record record{};
    double half_width = unknown;  ///< half the width of the interval of the time, in us
    Overhead overhead{};          ///< overhead of a whole sample
    std::int64_t invalid = 0;     ///< number of samples that were dropped and replaced
    bool failed = false;          ///< whether MPI reported an error
};

/// Selects from the sorted times of the processes. A `count` of 1 selects the middle one. Otherwise the smallest, the
/// largest and equally spaced ones between are selected: element floor(n i / (count - 1)) for i < count - 1.
/// \param times  at least one
[[nodiscard]] std::vector<double> selected_node_times(std::vector<double> times, std::size_t count);

class PointRunner {
public:
    struct Settings {
        measure::AnyTimer timer{};
        measure::seconds step{0};  ///< observed step of the timer, the largest over all ranks
        measure::Sync sync{};
        std::size_t max_node_times = 16;
        std::optional<CostModel> model{};
    };

    explicit PointRunner(Settings settings) : settings_{std::move(settings)} {}

    /// Measures one setting. Collective over the team.
    /// \throws the exceptions of measure::run
    [[nodiscard]] PointResult measure(Team& team, Bench& bench, measure::Control const& control);

    /// Whether the columns of node times hold `selected_node_times`, because some row has more processes than there are
    /// columns. This then applies to all rows of the measurement. Otherwise each column belongs to a rank.
    [[nodiscard]] bool sorts_node_times(Task const& task) const noexcept;

private:
    /// The empty measurements, one for each way in which a sample is framed.
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
        Task const* task = nullptr;  ///< the task for which it was measured
    };
    std::map<std::pair<Empty, int>, TakenOverhead> overheads_{};
};

}  // namespace skampi
