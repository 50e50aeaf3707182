// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/main.hpp"

#include "campaign.hpp"
#include "options.hpp"

#include <measure/environment.hpp>
#include <measure/main.hpp>

#include <memory>
#include <string>

namespace measure {

namespace {

frontend::Suite own_suite(Program const& program) {
    frontend::Suite suite{.name = suite_name(program.name), .program = program.name, .summary = program.summary};
    if (!program.version.empty())
        suite.version = program.version;
    suite.common = own::common_use(program);
    suite.prepare = [&program](frontend::Parser& parser, frontend::CommonOptions const&) -> frontend::Body {
        auto const options = std::make_shared<own::Options>(own::defaults(program));
        own::declare(parser, program, *options);
        return [&program, &parser, options](frontend::Session& session) {
            options->start_given = parser.given("--start");
            options->sync_given = parser.given("--sync-alg");
            own::run(program, *options, session);
        };
    };
    return suite;
}

}  // namespace

int run_main(int argc, char** argv, Program const& program) {
    return frontend::run_main(argc, argv, own_suite(program));
}

}  // namespace measure
