// SPDX-License-Identifier: BSD-3-Clause
/// OutputHeader: the texts of the output file about the run and about a measurement, before any result. Local.
#pragma once

#include "skampi/output/output.hpp"
#include "skampi/run/argument_sequence.hpp"
#include "skampi/run/partner.hpp"
#include "skampi/setup.hpp"

#include <measure/environment.hpp>
#include <measure/journal.hpp>

#include <string>
#include <utility>
#include <vector>

namespace skampi {

struct HeaderFacts {
    measure::Environment const& environment;
    measure::JournalRun const& run;
    Partners const& partners;
    std::vector<std::string> const& hosts;  ///< [ranks]
    std::string const& cost_model;          ///< empty: times are measured
    std::vector<std::pair<std::string, std::string>> const& hooks;
};

/// Returns the header of the output file.
[[nodiscard]] std::vector<Field> output_header(Globals const& globals, HeaderFacts const& facts);

/// Returns the keys of a measurement's block, except overhead, coarsened, status and reason.
[[nodiscard]] std::vector<Field> block_keys(Task const& task, std::int64_t first, std::int64_t last);

}  // namespace skampi
