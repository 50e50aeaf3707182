// SPDX-License-Identifier: BSD-3-Clause
/// Inputs: the launches that are merged, and in what they differ.
#pragma once

#include "frontend/session.hpp"

#include <measure/read.hpp>

#include <span>
#include <string>
#include <vector>

namespace measure_tool {

/// One start of a program.
struct Launch {
    std::string name{};  ///< for people: the file, with ":N" where it holds several runs
    measure::RunRecord record{};
};

/// The runs of a record file. \throws frontend::InputFaults
[[nodiscard]] std::vector<Launch> launches_of(std::string const& text, std::string const& path);

/// Warns of launches that were cut short.
void warn_of_cut(std::span<Launch const> launches, frontend::Session& session);

/// What two launches do not have in common.
struct Difference {
    std::string text{};    ///< "'a' and 'b' differ in options.start: \"slot\" and \"barrier\""
    bool serious = false;  ///< the numbers are of different things: suite, program, ranks, options
};

/// What the launches do not have in common with the first, each field once. Seeds, limits of time and what is kept may
/// differ. Pure. \param launches  at least one
[[nodiscard]] std::vector<Difference> differences(std::span<Launch const> launches);

}  // namespace measure_tool
