// SPDX-License-Identifier: BSD-3-Clause
/// Commands: what `measure` can do, as one explicit table.
#pragma once

#include "program/runtime/main.hpp"

#include <span>
#include <string>
#include <utility>

namespace measure::tool {

/// One command: a program of its own behind a common name, or a group of commands.
struct Command {
    char const* name;
    char const* text;  ///< one line for the overview
    program::Suite (*suite)();
    std::span<Command const> (*commands)() noexcept = nullptr;  ///< of a group, which has no suite
    char const* purpose = "";  ///< ends the heading "Commands" in the overview; those of one purpose stand together
    bool is_internal = false;  ///< what another command starts: not in the overview
    char const* option = "";   ///< of a group: one that all its commands have, with a value: "-a,--archive"
};

[[nodiscard]] std::span<Command const> commands() noexcept;

/// A command of one process that neither measures nor records. \param program  "measure show"
[[nodiscard]] inline program::Suite local_suite(std::string program, std::string summary,
                                                decltype(program::Suite::prepare) prepare) {
    return {.name = "measure",
            .program = std::move(program),
            .summary = std::move(summary),
            .common = {.measures = false, .record = false},
            .uses_mpi = false,
            .prepare = std::move(prepare)};
}

/// A check of the options alone, for `program::prepared`.
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
