// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/suite.hpp"

#include "b_eff_io/campaign.hpp"
#include "b_eff_io/main.hpp"
#include "b_eff_io/options.hpp"

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

}  // namespace

program::Suite suite() {
    return {.name = "b_eff_io",
            .program = "b_eff_io",
            .summary = "Measures the effective I/O bandwidth of a parallel file system, by the method of the b_eff_io "
                       "benchmark: one number over access methods, pattern types and chunk sizes.",
            .common = {.list = true, .aliases = {{"--help", "-help"}}},
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Prepared {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return [options, &parser](program::Session& session) {
                    options->watchdog_given = parser.given("--watchdog");
                    run(*options, session);
                };
            }};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace b_eff_io
