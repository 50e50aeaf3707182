// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/main.hpp"

#include "campaign.hpp"
#include "options.hpp"

#include <memory>

namespace b_eff_io {

namespace {

void run(Options const& options, program::Session& session) {
    check(options, session.common());
    if (session.common().list)
        list(options, session);
    else if (options.cleanup)
        clean_up(options, session);
    else
        measure_all(options, session);
}

program::Suite suite() {
    return {.name = "b_eff_io",
            .program = "b_eff_io",
            .summary = "Measures the effective I/O bandwidth of a parallel file system, by the method of the b_eff_io "
                       "benchmark: one number over access methods, pattern types and chunk sizes.",
            .common = {.list = true, .aliases = {{"--help", "-help"}}},
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return [options, &parser](program::Session& session) {
                    options->watchdog_given = parser.given("--watchdog");
                    run(*options, session);
                };
            }};
}

}  // namespace

}  // namespace b_eff_io

int main(int argc, char** argv) { return program::run_main(argc, argv, b_eff_io::suite()); }
