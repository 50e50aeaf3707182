// SPDX-License-Identifier: BSD-3-Clause
/// Method: a point by the published loop, by the library's, or by both, and what its record says.
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

/// What the points of a run have in common. Refers to what outlives it.
struct Setting {
    Row const& row;
    Options const& options;
    program::CommonOptions const& common;
    measure::Comm const* topology = nullptr;     ///< of neighbourhoods
    bodies::FanRole const* fan = nullptr;        ///< of this rank
    MPI_Datatype reduced_char = MPI_CHAR;        ///< in place of MPI_CHAR, where it is reduced
    bodies::PersistentTrials* trials = nullptr;  ///< of persistent collectives
    measure::Bytes room = 0;                     ///< for the buffers of a point; a larger point is left out
};

/// What MPI calls the elements.
[[nodiscard]] MPI_Datatype handle(Setting const& setting, Type type) noexcept;

/// What a point gave. Complete on the root.
struct Found {
    measure::Measurement measurement{};
    std::vector<double> times{};                 ///< s, of the valid iterations, over the ranks
    std::int64_t repeats = 1;                    ///< executions of what was measured as one
    std::optional<measure::Bytes> sent{};        ///< of a message, where it is of a derived type
    std::optional<measure::Estimate> slowest{};  ///< of the slowest rank's iterations
    std::optional<measure::RankSpread> pure{};   ///< without computing
    double test = 0;                             ///< s, in MPI_Test, mean over ranks
    std::optional<measure::Measurement> synchronised{};
};

/// Measures a point. Collective over the team. \param base  has timer, control, and the start of synchronised plans
/// \throws measure::SkipPoint where the MPI library lacks a function, or cannot execute it twice
[[nodiscard]] Found measure_point(Setting const& setting, Block const& block, measure::Comm const& team,
                                  measure::Plan const& base, measure::Point const& at);

/// From the time of an iteration to what is printed of it. Root only.
void complete(Setting const& setting, measure::Record& record, measure::Measurement const& m, Found const& found);

/// MPI_CHAR, or MPI_SIGNED_CHAR where the library refuses to sum that. Collective.
[[nodiscard]] MPI_Datatype summed_char(measure::Comm const& world);

}  // namespace osu
