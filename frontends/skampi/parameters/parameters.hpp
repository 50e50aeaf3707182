// SPDX-License-Identifier: BSD-3-Clause
/// Parameters: the text of a parameter file to a setup. Pure and local.
#pragma once

#include "skampi/setup.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace skampi {

/// Which measurements of a file are wanted: those whose name matches one of `only` (all, where that is empty) and none
/// of `skip`. Patterns are those of a shell: "MPI_*-nodes*".
struct Filter {
    std::vector<std::string> only{};
    std::vector<std::string> skip{};
};

/// Reads and checks a parameter file; without a section @MEASUREMENTS, or with an empty one, the setup has the default
/// suite. What needs more processes or more memory than there is, is in the setup too, with the reason in `Task::skip`.
/// \param path  for the messages  \param processes  of the run, >= 1
/// \throws program::ParseErrors with all faults of the file, in its order
/// \throws measure::UsageError where the filter leaves nothing
[[nodiscard]] Setup parameters(std::string_view text, std::string const& path, int processes,
                               Filter const& filter = {});

/// Everything that decides what is measured, as text: equal for equal configurations. Comments and the names of the
/// output and log file are no part of it.
[[nodiscard]] std::string resolved_text(Setup const& setup);
/// 16 hexadecimal digits that stand for `resolved_text`.
[[nodiscard]] std::string config_hash(Setup const& setup);

/// One line for each measurement, for people: how it is measured, or why it is not.
[[nodiscard]] std::string check_text(Setup const& setup);
/// One line for each routine: pattern, variations (letters L N C -), origin, names of its measurements in the default
/// suite.
[[nodiscard]] std::string routines_text();

}  // namespace skampi
