// SPDX-License-Identifier: BSD-3-Clause
/// Models for people: tables of a text, and a section of a report. Pure and local.
#pragma once

#include "models/document.hpp"
#include "page/document.hpp"

#include <string>

namespace measure::tool {

/// What `measure model` prints.
[[nodiscard]] std::string model_text(Models const& models);

/// The same for a report, with plots. Empty where nothing could be modelled.
/// \param most_plots  of benchmarks; the others have their tables
[[nodiscard]] page::Section model_section(Models const& models, std::size_t most_plots = 30);

}  // namespace measure::tool
