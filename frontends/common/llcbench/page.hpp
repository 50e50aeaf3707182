// SPDX-License-Identifier: BSD-3-Clause
/// Page: a suite's own text around the rows of a program that the engine measures.
#pragma once

#include "llcbench/results.hpp"
#include "llcbench/table.hpp"
#include "program/engine/campaign.hpp"
#include "program/runtime/session.hpp"

#include <measure/main.hpp>

namespace llcbench {

/// What is printed of a run, to the results' stream. Root only.
class Text {
public:
    virtual ~Text() = default;
    virtual void begin(measure::Benchmark const& benchmark, measure::Environment const& run) = 0;
    /// \param record  as the benchmark's `finish` leaves it
    virtual void row(measure::Record const& record) = 0;
    /// Behind the rows since `begin`.
    virtual void end() = 0;
};

/// Measures a program whose page is this text, and gives the files of the results their names. Collective.
/// \param context  but for where the page goes  \param more  the suite's own lines of the .info file
/// \throws as `program::run` and `Results::keep` do
void measure(measure::Program program, program::RunContext context, Text& text, Results& results, Fields const& more,
             program::Session& session);

}  // namespace llcbench
