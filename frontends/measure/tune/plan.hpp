// SPDX-License-Identifier: BSD-3-Clause
/// Plan: what one launch of the worker does, as a text that stands in its record, too. Pure.
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
    list,    ///< says what the library offers
    check,   ///< each algorithm once: whether its data are right
    screen,  ///< blocks of all algorithms in turn, until those that are clearly slower are known
    decide,  ///< a fixed number of blocks of all algorithms in turn
    canary,  ///< as the environment says, to see whether a file has any effect
    prove,   ///< likewise, to see what it gains
};
[[nodiscard]] std::string_view name(Phase phase) noexcept;

/// The default under a second name, which shows what cannot be told.
inline constexpr std::string_view default_again = "auto_again";

/// Whether the library chooses, under either name.
[[nodiscard]] constexpr bool is_default(std::string_view algorithm) noexcept {
    return algorithm == default_name || algorithm == default_again;
}

/// By what algorithms are chosen.
enum class Via {
    mpi_t,        ///< variables that a launch writes: all of them in one launch
    environment,  ///< variables that a launch is started with: one in each
};
[[nodiscard]] std::string_view name(Via via) noexcept;
[[nodiscard]] Via via_from(program::Argument const& argument);

struct PlannedPoint {
    Place place{};                          ///< the first so many ranks
    measure::Bytes bytes = 0;               ///< of one argument or block; 0 where there are no sizes
    std::vector<std::string> algorithms{};  ///< the default first
    friend bool operator==(PlannedPoint const&, PlannedPoint const&) = default;
};

struct WorkerPlan {
    Phase phase = Phase::list;
    std::uint64_t seed = 1;  ///< of the order of algorithms and points
    int blocks = 1;          ///< of a point: all of them, in `screen` at most
    Via via = Via::mpi_t;
    std::string side{};  ///< what the environment is set to: the rules of the file in force; empty: no file
    std::vector<PlannedPoint> points{};
    friend bool operator==(WorkerPlan const&, WorkerPlan const&) = default;
};

/// Lines "phase check", "seed 1", "blocks 40", "via mpi_t", "side none", "point Bcast 2 8 auto binomial".
[[nodiscard]] std::string text_of(WorkerPlan const& plan);
/// \throws program::ParseErrors  \param file  for the messages
[[nodiscard]] WorkerPlan plan_from(std::string const& text, std::string const& file);

}  // namespace measure::tool::tune
