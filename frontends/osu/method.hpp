// SPDX-License-Identifier: BSD-3-Clause
/// Method: measures a point with the published loop, with the library's method, or with both, and fills its record.
#pragma once

#include "bodies/fan.hpp"
#include "bodies/persistent_trial.hpp"
#include "osu/options.hpp"
#include "osu/table.hpp"

#include <measure/comm.hpp>
#include <measure/measurement.hpp>
#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/units.hpp>

#include <optional>

namespace osu {

/// Data common to all points of a run. The objects it refers to must outlive it.
struct Setting {
    Row const& row;
    Options const& options;
    program::CommonOptions const& common;
    measure::Comm const* topology = nullptr;     ///< communicator of neighbourhoods
    bodies::FanRole const* fan = nullptr;        ///< role of this rank
    MPI_Datatype reduced_char = MPI_CHAR;        ///< replaces MPI_CHAR in reductions
    bodies::PersistentTrials* trials = nullptr;  ///< trial runs of persistent collectives
    measure::Bytes room = 0;  ///< memory for the buffers of a point, in bytes; larger points are skipped
};

/// The MPI type of the elements.
[[nodiscard]] MPI_Datatype handle(Setting const& setting, Type type) noexcept;

/// The results of a point. Complete on the root.
struct Found {
    measure::Measurement measurement{};
    std::vector<double> times{};                 ///< times of the valid iterations over the ranks, in seconds
    std::int64_t repeats = 1;                    ///< number of executions that were measured as one iteration
    std::optional<measure::Bytes> sent{};        ///< bytes sent per message with a derived type
    std::optional<measure::Estimate> slowest{};  ///< times of the slowest rank
    std::optional<measure::RankSpread> pure{};   ///< time without computing
    double test = 0;                             ///< time in MPI_Test in seconds, mean over ranks
    std::optional<measure::Measurement> synchronised{};
};

/// Measures a point. Collective over the team. \param base  has timer, control, and the start for synchronised plans
/// \throws measure::SkipPoint if the MPI library lacks a function or cannot execute it twice
[[nodiscard]] Found measure_point(Setting const& setting, Block const& block, measure::Comm const& team,
                                  measure::Plan const& base, measure::Point const& at);

/// Converts the time of an iteration to the values of the record and its row. Root only.
void complete(Setting const& setting, measure::Record& record, measure::Measurement const& m, Found const& found);

/// MPI_CHAR, or MPI_SIGNED_CHAR if the library cannot sum MPI_CHAR. Collective.
[[nodiscard]] MPI_Datatype summed_char(measure::Comm const& world);

}  // namespace osu
