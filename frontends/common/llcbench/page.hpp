// SPDX-License-Identifier: BSD-3-Clause
/// Page: lets a suite write its own text for a program that the engine measures.
#pragma once

#include "llcbench/results.hpp"
#include "llcbench/table.hpp"
#include "program/engine/campaign.hpp"
#include "program/runtime/session.hpp"

#include <measure/main.hpp>

namespace llcbench {

/// Writes the text of a run to the results' stream. Called on the root only.
class Text {
public:
    virtual ~Text() = default;
    virtual void begin(measure::Benchmark const& benchmark, measure::Environment const& run) = 0;
    /// \param record  record after the benchmark's `finish`
    virtual void row(measure::Record const& record) = 0;
    /// Called after the rows since `begin`.
    virtual void end() = 0;
};

/// Measures a program with this text as its page, then finishes the result files. Collective.
/// \param context  context of the run; its output stream is replaced  \param more  the suite's lines of the .info file
/// \throws the errors of `program::run` and `Results::keep`
void measure(measure::Program program, program::RunContext context, Text& text, Results& results, Fields const& more,
             program::Session& session);

}  // namespace llcbench
