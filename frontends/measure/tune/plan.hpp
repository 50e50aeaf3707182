// SPDX-License-Identifier: BSD-3-Clause
/// Plan: the work of one launch of the worker. Its text is also in the record of the launch. Pure.
#pragma once

#include "program/cli/values.hpp"
#include "tune/library/algorithms.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

enum class Phase {
    list,    ///< lists the library's algorithms
    check,   ///< checks the data of each algorithm once
    screen,  ///< measures blocks of all algorithms in turn, and drops clearly slower ones
    decide,  ///< measures a fixed number of blocks of all remaining algorithms in turn
    canary,  ///< measures the library's choice with and without a file, to see whether the file has any effect
    prove,   ///< measures the library's choice with and without a file, to see what the file gains
};
[[nodiscard]] std::string_view name(Phase phase) noexcept;

/// The default under a second name. Its difference from the default shows the noise.
inline constexpr std::string_view default_again = "auto_again";

/// Whether this is the library's own choice, under either name.
[[nodiscard]] constexpr bool is_default(std::string_view algorithm) noexcept {
    return algorithm == default_name || algorithm == default_again;
}

/// How algorithms are selected.
enum class Via {
    mpi_t,        ///< control variables that the worker writes: all algorithms in one launch
    environment,  ///< environment variables of the launch: one algorithm per launch
};
[[nodiscard]] std::string_view name(Via via) noexcept;
[[nodiscard]] Via via_from(program::Argument const& argument);

struct PlannedPoint {
    Place place{};                          ///< collective, on the first `ranks` ranks
    measure::Bytes bytes = 0;               ///< size of one argument or block; 0 for a collective without sizes
    std::vector<std::string> algorithms{};  ///< algorithms to measure, the default first
    friend bool operator==(PlannedPoint const&, PlannedPoint const&) = default;
};

struct WorkerPlan {
    Phase phase = Phase::list;
    std::uint64_t seed = 1;  ///< seed of the order of algorithms and points
    int blocks = 1;          ///< blocks of a point; the maximum in `screen`
    Via via = Via::mpi_t;
    std::string side{};  ///< distinguishes launches with and without a file, and the files; may be empty
    std::vector<PlannedPoint> points{};
    friend bool operator==(WorkerPlan const&, WorkerPlan const&) = default;
};

/// The plan as lines "phase check", "seed 1", "blocks 40", "via mpi_t", "side none", "point Bcast 2 8 auto binomial".
[[nodiscard]] std::string text_of(WorkerPlan const& plan);
/// Reads the lines of `text_of`. \throws program::ParseErrors  \param file  name for error messages
[[nodiscard]] WorkerPlan plan_from(std::string const& text, std::string const& file);

}  // namespace measure::tool::tune
