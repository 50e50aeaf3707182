// SPDX-License-Identifier: BSD-3-Clause
/// Rules: from options to sizes, counts and plans: the published method and nothing else. Pure.
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

/// Iterations of a size.
struct Counts {
    int warm_up = 0;
    std::int64_t iterations = 1;
    friend bool operator==(Counts const&, Counts const&) = default;
};
/// \param window  of the messages, where several windows are measured
[[nodiscard]] Counts counts(Row const& row, Options const& options, measure::Bytes bytes, int window = 64);

/// The sizes of a program, in bytes, and those that --mem-limit leaves out. One size 0 where there is none.
struct Sizes {
    std::vector<measure::Bytes> measured{};
    std::vector<measure::Bytes> cut{};
    bool is_rounded = false;  ///< a size that was asked for is no multiple of the element's: whole elements are sent
};
/// \throws measure::UsageError where no size is left
[[nodiscard]] Sizes sizes(Row const& row, Options const& options, Type type, int processes);

/// Connections as a file names them: a line `FROM,TO` each, `#` begins a comment.
/// \throws program::ParseErrors that name what is no line, or no rank
[[nodiscard]] std::vector<bodies::Edge> edges_from(std::string const& text, std::string const& file, int processes);

/// What an indexed type sends: a line `DISPLACEMENT,LENGTH` each, in elements. \throws program::ParseErrors
[[nodiscard]] std::vector<Run> runs_from(std::string const& text, std::string const& file);

/// What reductions are measured with where nobody asks.
[[nodiscard]] std::vector<Type> types(Row const& row, Options const& options);

/// Executions between two clock readings: a tenth of the iterations where the clock would cost much of one, otherwise
/// one.
[[nodiscard]] std::int64_t batch(Row const& row, Options const& options, Counts const& counts, bool raw);

/// The published loop. \param base  has timer and control
[[nodiscard]] measure::EachPlan published_plan(measure::Plan const& base, Row const& row, Counts const& counts,
                                               std::int64_t batch);
/// The library's own, with what the command line says of it. \param base  has timer, control and start
[[nodiscard]] measure::Plan synchronised_plan(measure::Plan const& base, Counts const& counts,
                                              program::CommonOptions const& common);

/// The floor(n p / 100)-th smallest of n values, at least the first. \param sorted  ascending, at least one
[[nodiscard]] double tail(std::span<double const> sorted, int percent);

/// Whether the slowest hundredth of the times, one at least, makes their mean larger by more than a tenth: what is
/// printed then says how often something came between, not how long an iteration takes. \param sorted  ascending
[[nodiscard]] bool is_disturbed(std::span<double const> sorted) noexcept;

/// Share of the communication that was hidden, in per cent; below 0 where all took longer than one after the other.
/// Times in seconds.
[[nodiscard]] double overlap(double overall, double compute, double pure) noexcept;

}  // namespace osu
