// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/campaign.hpp"
#include "program/engine/program_options.hpp"
#include "program/engine/rules.hpp"
#include "program/runtime/main.hpp"

#include <measure/environment.hpp>
#include <measure/main.hpp>

#include <memory>

namespace measure {

namespace {

program::Suite own_suite(Program const& program) {
    program::Suite suite{.name = suite_name(program.name), .program = program.name, .summary = program.summary};
    if (!program.version.empty())
        suite.version = program.version;
    suite.common = program::engine::common_use(program);
    suite.prepare = [&program](program::Parser& parser, program::CommonOptions const&) -> program::Prepared {
        auto const options = std::make_shared<program::engine::Options>(program::engine::defaults(program));
        program::engine::declare(parser, program, *options);
        return [&program, &parser, options](program::Session& session) {
            options->start_given = parser.given("--start");
            options->sync_given = parser.given("--sync-alg");
            auto const& common = session.common();
            auto const& world = session.world();
            auto const chosen = program::engine::chosen(program, *options, common, world.size());
            program::run(chosen, program::engine::context(chosen, common, world.oversubscribed()), session);
        };
    };
    return suite;
}

}  // namespace

int run_main(int argc, char** argv, Program const& program) {
    return program::run_main(argc, argv, own_suite(program));
}

}  // namespace measure
