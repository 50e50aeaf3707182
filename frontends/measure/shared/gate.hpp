// SPDX-License-Identifier: BSD-3-Clause
/// Gate: results of the checks of a program, for its exit code and for reports in continuous integration.
#pragma once

#include "program/runtime/session.hpp"

#include <span>
#include <string>

namespace measure::tool {

/// The result of one check of one operation or value.
struct GateResult {
    enum class Kind { passed, failed, undecided };
    std::string check{};  ///< option of the check: "--fail-on"
    std::string name{};   ///< checked operation or value: "Bcast"
    Kind kind = Kind::passed;
    std::string text{};  ///< "Bcast is slower: +10.1 (+9.2 .. +11.3) %"; empty if it passed
};

/// Warns of each result that has not passed, and sets the exit code: 3 for failures, 4 for undecided results.
void report_gates(std::span<GateResult const> results, program::Session& session);

/// A JUnit report with a test case for each result. Failed results become `failure`, undecided results become `error`.
/// Pure, local. \param suite  name of the test suite
[[nodiscard]] std::string junit_text(std::string const& suite, std::span<GateResult const> results);

}  // namespace measure::tool
