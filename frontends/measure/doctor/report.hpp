// SPDX-License-Identifier: BSD-3-Clause
/// Doctor's report: the findings for people and for programs. Pure.
#pragma once

#include "doctor/findings.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace measure::tool::doctor {

/// The report as text: warnings, notes, unknown and passed checks, a table of interruptions with a row for each rank
/// (at most 32, with the largest losses), and a summary. \param with_fine  list each passed check, not only their
/// number
[[nodiscard]] std::string text_of(World const& world, std::span<Finding const> findings, bool with_fine = false);

/// The report as Markdown.
[[nodiscard]] std::string markdown_of(World const& world, std::span<Finding const> findings, bool with_fine = false);

/// Name of the host of a rank; empty if no host has that rank.
[[nodiscard]] std::string host_of(std::size_t rank, World const& world);

/// Interruptions per second of observation.
[[nodiscard]] double per_second(measure::DetourSummary const& noise);

/// The complete report with all facts; docs/measure-doctor.md describes the fields. \param duration  of the observation
[[nodiscard]] measure::Value json_of(World const& world, std::span<Finding const> findings, measure::seconds duration);

}  // namespace measure::tool::doctor
