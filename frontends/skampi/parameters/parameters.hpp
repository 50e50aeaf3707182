// SPDX-License-Identifier: BSD-3-Clause
/// Parameters: converts the text of a parameter file to a setup. Pure and local.
#pragma once

#include "skampi/setup.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace skampi {

/// Selects measurements by name: those that match a pattern of `only` (all if it is empty) and no pattern of `skip`.
/// The patterns are shell patterns such as "MPI_*-nodes*".
struct Filter {
    std::vector<std::string> only{};
    std::vector<std::string> skip{};
};

/// Reads and checks a parameter file. If the section @MEASUREMENTS is missing or empty, the setup has the default
/// suite. A measurement that needs more processes or memory than available is in the setup too, with the reason in
/// `Task::skip`.
/// \param path  name of the file in error messages  \param processes  of the run, >= 1
/// \throws program::ParseErrors with all errors in the file, in its order
/// \throws measure::UsageError if the filter selects no measurement
[[nodiscard]] Setup parameters(std::string_view text, std::string const& path, int processes,
                               Filter const& filter = {});

/// Describes everything that affects the measurements. Equal configurations have equal texts. Comments and the names of
/// output file and log are not included.
[[nodiscard]] std::string resolved_text(Setup const& setup);
/// Returns a hash of `resolved_text`: 16 hexadecimal digits.
[[nodiscard]] std::string config_hash(Setup const& setup);

/// Returns one readable line for each measurement: how it is measured, or why it is skipped.
[[nodiscard]] std::string check_text(Setup const& setup);
/// Returns one line for each routine: pattern, variations (letters L N C -), origin, and the names of its measurements
/// in the default suite.
[[nodiscard]] std::string routines_text();

}  // namespace skampi
