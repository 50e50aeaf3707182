// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include <array>

namespace measure_tool {

std::span<Command const> commands() noexcept {
    static std::array const table{
        archive_command(),
        Command{"compare", "says where two sides of records differ", compare_command},
        Command{"doctor", "says what will disturb a measurement on this machine", doctor_command},
        Command{"export", "writes records in the formats of other tools", record_export_command},
        Command{"guidelines", "finds where an MPI library is slower than its own functions allow", guidelines_command},
        Command{"launches", "starts a program several times and merges what it records", launches_command},
        Command{"merge", "joins the records of several starts, point by point", merge_command},
        Command{"model", "finds what operations cost, as closed forms", model_command},
        Command{"report", "writes records as a page with tables and plots", report_command},
    };
    return table;
}

}  // namespace measure_tool
