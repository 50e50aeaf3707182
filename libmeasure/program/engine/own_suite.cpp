// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/own_suite.hpp"

#include "program/engine/campaign.hpp"
#include "program/engine/program_options.hpp"
#include "program/engine/rules.hpp"

#include <measure/environment.hpp>

#include <memory>

namespace program::engine {

Suite own_suite(measure::Program const& program) {
    Suite suite{.name = measure::suite_name(program.name), .program = program.name, .summary = program.summary};
    if (!program.version.empty())
        suite.version = program.version;
    suite.common = common_use(program);
    suite.prepare = [&program](Parser& parser, CommonOptions const&) -> Prepared {
        auto const options = std::make_shared<Options>(defaults(program));
        declare(parser, program, *options);
        auto const choose = [&program, &parser, options](CommonOptions const& common, int world) {
            options->start_given = parser.given("--start");
            options->sync_given = parser.given("--sync-alg");
            return chosen(program, *options, common, world);
        };
        return {[choose](Session& session) {
                    auto const& common = session.common();
                    auto const& world = session.world();
                    auto const what = choose(common, world.size());
                    program::run(what, context(what, common, world.oversubscribed()), session);
                },
                [choose](CommonOptions const& common, Supposed const& supposed) {
                    static_cast<void>(choose(common, supposed.ranks));
                }};
    };
    return suite;
}

}  // namespace program::engine
