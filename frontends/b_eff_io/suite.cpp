// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/suite.hpp"

#include "b_eff_io/campaign.hpp"
#include "b_eff_io/hints.hpp"
#include "b_eff_io/main.hpp"
#include "b_eff_io/options.hpp"
#include "b_eff_io/rules.hpp"

#include <memory>

namespace b_eff_io {

namespace {

/// Makes the checks of `list` and `measure_all` that need neither the machine nor the file system. Memory that would be
/// detected is assumed to be small here.
void refuse(Options const& options, program::CommonOptions const& common, program::Supposed const& supposed) {
    check(options, common);
    if (options.cleanup)
        return;
    constexpr Machine machine{.per_process = megabyte, .total = megabyte};
    auto const s = setting(options, common.ranks.value_or(supposed.ranks), machine);
    if (common.list)
        return;
    if (options.max_bytes && options.memory_per_process != from_machine)
        check_limit(s);
    if (!options.info.empty())
        static_cast<void>(Hints{options.info, program::supposed_file(supposed, options.info), s});
}

void run(Options const& options, program::Session& session) {
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
                return {[options, &parser](program::Session& session) {
                            options->watchdog_given = parser.given("--watchdog");
                            run(*options, session);
                        },
                        [options](program::CommonOptions const& common, program::Supposed const& supposed) {
                            refuse(*options, common, supposed);
                        }};
            }};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace b_eff_io
