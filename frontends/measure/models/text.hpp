// SPDX-License-Identifier: BSD-3-Clause
/// Models in human-readable form: as text, and as a section of a report. Pure, local.
#pragma once

#include "models/document.hpp"
#include "page/document.hpp"

#include <string>

namespace measure::tool {

/// The text that `measure model` prints.
[[nodiscard]] std::string model_text(Models const& models);

/// The section of a report, with plots. Empty if nothing could be modelled.
/// \param most_plots  maximum number of benchmarks with a plot; the others have only tables
[[nodiscard]] page::Section model_section(Models const& models, std::size_t most_plots = 30);

}  // namespace measure::tool
