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
        to_measure({"run", "measures MPI here: how good, how sure, and what has changed", run_command}),
        to_measure({"ab", "starts two commands in turn, and compares what they record", ab_command}),
        to_measure({"pairs", "finds slow links and nodes by measuring every pair", pairs_command}),
        to_measure({"doctor", "says what will disturb a measurement on this machine", doctor_command}),
        to_measure({"tune", "finds the quickest algorithms of an MPI library, and proves them", tune_command}),
        to_measure({"profile", "records which MPI calls an application spends its time in", profile_command}),
        to_measure({"launches", "starts a program several times and merges what it records", launches_command}),
        to_measure({"merge", "joins the records of several starts, point by point", merge_command}),
        to_look({"show", "shows records as a table; measure FILE... is the same", show_command}),
        to_look({"regions", "shows where an application spent its time, by its regions", regions_command}),
        to_look({"report", "writes records as a page with tables and plots", report_command}),
        to_look(
            {"guidelines", "finds where an MPI library is slower than its own functions allow", guidelines_command}),
        to_look({"model", "finds what operations cost, as closed forms", model_command}),
        to_look({"schema", "describes the fields of the JSON documents", schema_command}),
        to_keep(archive_command()),
        to_keep({"compare", "says where two sides of records differ", compare_command}),
        to_keep({"convert", "writes output files of other programs as records of their source", convert_command}),
        to_keep({"export", "writes records in the formats of other tools", record_export_command}),
        Command{.name = "tune-worker", .text = "", .suite = tune_worker_command, .is_internal = true},
    };
    return table;
}

}  // namespace measure::tool
