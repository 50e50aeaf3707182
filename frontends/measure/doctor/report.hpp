// SPDX-License-Identifier: BSD-3-Clause
/// Doctor's report: what was found, for people and for programs. Pure.
#pragma once

#include "doctor/findings.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace measure::tool::doctor {

/// Warnings, notes, what is unknown, what is fine, a row of interruptions for each rank (for 32 at most, those that
/// lost most), the sum of it. \param with_fine  each check that is fine, not only their number
[[nodiscard]] std::string text_of(World const& world, std::span<Finding const> findings, bool with_fine = false);

/// The same as Markdown.
[[nodiscard]] std::string markdown_of(World const& world, std::span<Finding const> findings, bool with_fine = false);

/// Name of the host of a rank; empty where no host has it.
[[nodiscard]] std::string host_of(std::size_t rank, World const& world);

/// Interruptions per second of watching.
[[nodiscard]] double per_second(measure::DetourSummary const& noise);

/// All of it, with every fact: docs/measure-doctor.md has the fields. \param duration  of watching
[[nodiscard]] measure::Value json_of(World const& world, std::span<Finding const> findings, measure::seconds duration);

}  // namespace measure::tool::doctor
