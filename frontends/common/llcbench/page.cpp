// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/page.hpp"

#include "program/runtime/ending_text.hpp"

#include <string>

namespace llcbench {

void measure(measure::Program program, program::RunContext context, Text& text, Results& results, Fields const& more,
             program::Session& session) {
    measure::Environment environment;
    // `text` writes everything itself, so the callbacks return empty strings to the engine.
    program.page = {.head =
                        [&](measure::Environment const& run) {
                            environment = run;
                            return std::string{};
                        },
                    .begin =
                        [&](measure::Benchmark const& benchmark) {
                            text.begin(benchmark, environment);
                            return std::string{};
                        },
                    .row =
                        [&](measure::Record const& record, measure::Measurement const&) {
                            text.row(record);
                            results.check_row();
                            return std::string{};
                        },
                    .end =
                        [&](measure::Benchmark const&) {
                            text.end();
                            results.check_row();
                            return std::string{};
                        }};
    context.out = &results.stream();
    try {
        program::run(program, context, session);
    } catch (...) {
        results.cut_short(program::ending_text());
        throw;
    }
    results.keep(environment, more);
}

}  // namespace llcbench
