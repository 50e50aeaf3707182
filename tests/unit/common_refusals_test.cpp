// SPDX-License-Identifier: BSD-3-Clause
// Command lines refused by the wrapper of all programs.
#include "program/cli/values.hpp"
#include "program/runtime/main.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

namespace {

struct WrappedOptions {
    int rank = 0;
    int points = 3;
};

program::Suite wrapped_suite() {
    return {.name = "probe",
            .program = "probe",
            .summary = "Does nothing.",
            .prepare = program::prepared<WrappedOptions>(
                [](program::Parser& parser, WrappedOptions& options) {
                    parser.option("-npoints", "N", "number of points", options.points, program::as::Int{.low = 1});
                    parser.option("-r", "RANK", "a rank", options.rank, program::as::Int{.low = 0});
                },
                [](WrappedOptions const&, program::Session&) {})};
}

}  // namespace

TEST_CASE("every program reports a wrong command line in one line", "[common]") {
    auto const suite = wrapped_suite();
    accepts(suite, "-npoints 1 -r 1 --json x");
    refuses(suite, "--json x -Q", {"probe: error: unknown option '-Q' (see probe --help)\n"});
    refuses(suite, "--json x -npoints", {"probe: error: -npoints: needs a value\n"});
    refuses(suite, "--json x -npoints x", {"probe: error: -npoints: 'x' is not an integer from 1 to 2147483647\n"});
    refuses(suite, "--json x -r 1 -r 2", {"probe: error: -r: given more than once\n"});
}
