// SPDX-License-Identifier: BSD-3-Clause
/// Rules: derive sizes, counts and plans from options, exactly as in the published method. Pure.
#pragma once

#include "bodies/grid.hpp"
#include "osu/options.hpp"

#include <measure/plan.hpp>
#include <measure/run_each.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osu {

/// Number of iterations for a size.
struct Counts {
    int warm_up = 0;
    std::int64_t iterations = 1;
    friend bool operator==(Counts const&, Counts const&) = default;
};
/// \param window  of the messages, if several windows are measured
[[nodiscard]] Counts counts(Row const& row, Options const& options, measure::Bytes bytes, int window = 64);

/// The sizes of a program in bytes, and the sizes that --mem-limit removes. A program without sizes has the single size
/// 0.
struct Sizes {
    std::vector<measure::Bytes> measured{};
    std::vector<measure::Bytes> cut{};
    bool is_rounded = false;  ///< a requested size is not a multiple of the element size: only whole elements are sent
};
/// \throws measure::UsageError if no size is left
[[nodiscard]] Sizes sizes(Row const& row, Options const& options, Type type, int processes);

/// Connections from a file with lines `FROM,TO`; `#` begins a comment.
/// \throws program::ParseErrors for malformed lines and invalid ranks
[[nodiscard]] std::vector<bodies::Edge> edges_from(std::string const& text, std::string const& file, int processes);

/// Runs of an indexed type from a file with lines `DISPLACEMENT,LENGTH`, in elements. \throws program::ParseErrors
[[nodiscard]] std::vector<Run> runs_from(std::string const& text, std::string const& file);

/// The element types to measure: those requested, otherwise the defaults.
[[nodiscard]] std::vector<Type> types(Row const& row, Options const& options);

/// Number of executions between two clock readings: a tenth of the iterations if reading the clock would distort a
/// single iteration, otherwise one.
[[nodiscard]] std::int64_t batch(Row const& row, Options const& options, Counts const& counts, bool raw);

/// The plan of the published loop. \param base  has timer and control
[[nodiscard]] measure::EachPlan published_plan(measure::Plan const& base, Row const& row, Counts const& counts,
                                               std::int64_t batch);
/// The library's default plan with changes from the command line. \param base  has timer, control and start
[[nodiscard]] measure::Plan synchronised_plan(measure::Plan const& base, Counts const& counts,
                                              program::CommonOptions const& common);

/// The floor(n p / 100)-th smallest of n values, at least the first. \param sorted  ascending, at least one
[[nodiscard]] double tail(std::span<double const> sorted, int percent);

/// Whether the slowest hundredth of the times (at least one) increases their mean by more than a tenth. The printed
/// mean then reflects the number of disturbances, not the duration of an iteration. \param sorted  ascending
[[nodiscard]] bool is_disturbed(std::span<double const> sorted) noexcept;

/// Share of the communication that was hidden, in per cent. Below 0 if the overall time exceeds the sum of computing
/// and communicating. Times are in seconds.
[[nodiscard]] double overlap(double overall, double compute, double pure) noexcept;

}  // namespace osu
