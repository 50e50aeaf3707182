// SPDX-License-Identifier: BSD-3-Clause
/// Gate: what the checks of a program say, for its exit code and for reports that continuous integration displays.
#pragma once

#include "program/runtime/session.hpp"

#include <span>
#include <string>

namespace measure::tool {

/// What one check says of one thing.
struct GateResult {
    enum class Kind { passed, failed, undecided };
    std::string check{};  ///< option that asks for it: "--fail-on"
    std::string name{};   ///< what is checked: "Bcast"
    Kind kind = Kind::passed;
    std::string text{};  ///< "Bcast is slower: +10.1 (+9.2 .. +11.3) %"; empty where it has passed
};

/// Warns of each that has not passed, and sets the exit code: 3 for failures, 4 where something is undecided.
void report_gates(std::span<GateResult const> results, program::Session& session);

/// A report in the JUnit format with a test case for each result. Failures are `failure`, what is undecided is `error`.
/// Pure, local. \param suite  name of the test suite
[[nodiscard]] std::string junit_text(std::string const& suite, std::span<GateResult const> results);

}  // namespace measure::tool
