// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include <array>

namespace measure::tool {

namespace {

Command for_purpose(char const* purpose, Command command) {
    command.purpose = purpose;
    return command;
}

Command to_measure(Command command) { return for_purpose("to measure", command); }
Command to_look(Command command) { return for_purpose("to look at results", command); }
Command to_keep(Command command) { return for_purpose("to keep and compare", command); }

}  // namespace

std::span<Command const> commands() noexcept {
    static std::array const table{
        to_measure({"run", "measures the speed of MPI here, and changes since the last run", run_command}),
        to_measure({"ab", "launches two commands alternately, and compares their records", ab_command}),
        to_measure({"pairs", "finds slow links and nodes by measuring every pair", pairs_command}),
        to_measure({"doctor", "reports what will disturb measurements on this machine", doctor_command}),
        to_measure({"tune", "finds the fastest algorithms of an MPI library and proves the gain", tune_command}),
        to_measure({"profile", "records the MPI calls in which an application spends its time", profile_command}),
        to_measure({"launches", "launches a program several times, and merges its records", launches_command}),
        to_measure({"merge", "merges the records of several launches, point by point", merge_command}),
        to_look({"show", "shows records as tables; measure FILE... does the same", show_command}),
        to_look({"regions", "shows the time that an application spends in its named regions", regions_command}),
        to_look({"report", "writes records as a page with tables and plots", report_command}),
        to_look({"guidelines", "finds MPI operations that could be replaced by faster ones", guidelines_command}),
        to_look({"model", "fits cost models to the times of operations", model_command}),
        to_look({"schema", "describes the fields of the JSON documents", schema_command}),
        to_keep(archive_command()),
        to_keep({"compare", "compares two sets of records: faster, slower, same or unclear", compare_command}),
        to_keep({"convert", "converts output files of other programs to records", convert_command}),
        to_keep({"export", "writes records in the formats of other tools", record_export_command}),
        Command{.name = "tune-worker", .text = "", .suite = tune_worker_command, .is_internal = true},
    };
    return table;
}

}  // namespace measure::tool
