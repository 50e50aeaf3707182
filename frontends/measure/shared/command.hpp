// SPDX-License-Identifier: BSD-3-Clause
/// Commands: the table of all commands of `measure`.
#pragma once

#include "program/runtime/main.hpp"

#include <span>
#include <string>
#include <utility>

namespace measure::tool {

/// One command of `measure`, or a group of commands.
struct Command {
    char const* name;
    char const* text;  ///< one line for the overview
    program::Suite (*suite)();
    std::span<Command const> (*commands)() noexcept = nullptr;  ///< commands of a group; a group has no suite
    char const* purpose = "";  ///< end of the heading "Commands .." in the overview; equal purposes are adjacent
    bool is_internal = false;  ///< launched only by another command; not in the overview
    char const* option = "";   ///< group only: an option with a value that all its commands have, "-a,--archive"
};

[[nodiscard]] std::span<Command const> commands() noexcept;

/// A command that runs as one process, and neither measures nor writes a record. \param program  "measure show"
[[nodiscard]] inline program::Suite local_suite(std::string program, std::string summary,
                                                decltype(program::Suite::prepare) prepare) {
    return {.name = "measure",
            .program = std::move(program),
            .summary = std::move(summary),
            .common = {.measures = false, .record = false},
            .uses_mpi = false,
            .prepare = std::move(prepare)};
}

/// Wraps a check that needs only the options, for `program::prepared`.
template <typename Options>
[[nodiscard]] auto checked_by(void (*refuses)(Options const&)) {
    return [refuses](Options const& options, program::CommonOptions const&, program::Supposed const&) {
        refuses(options);
    };
}

[[nodiscard]] program::Suite ab_command();
[[nodiscard]] Command archive_command();
[[nodiscard]] program::Suite compare_command();
[[nodiscard]] program::Suite convert_command();
[[nodiscard]] program::Suite doctor_command();
[[nodiscard]] program::Suite record_export_command();
[[nodiscard]] program::Suite guidelines_command();
[[nodiscard]] program::Suite launches_command();
[[nodiscard]] program::Suite merge_command();
[[nodiscard]] program::Suite model_command();
[[nodiscard]] program::Suite pairs_command();
[[nodiscard]] program::Suite profile_command();
[[nodiscard]] program::Suite regions_command();
[[nodiscard]] program::Suite report_command();
[[nodiscard]] program::Suite run_command();
[[nodiscard]] program::Suite schema_command();
[[nodiscard]] program::Suite show_command();
[[nodiscard]] program::Suite tune_command();
[[nodiscard]] program::Suite tune_worker_command();

}  // namespace measure::tool
