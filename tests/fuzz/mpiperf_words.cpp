// SPDX-License-Identifier: BSD-3-Clause
// mpiperf's command lines, as words that a zero byte ends: lists of counts, topologies, whatever it has.
#include "fuzz.hpp"
#include "operations/topology.hpp"
#include "options.hpp"

void fuzz::parse(std::string_view text) {
    properly([&] {
        mpiperf::Options options;
        program::CommonOptions common;
        program::Parser parser{"mpiperf", "test"};
        mpiperf::declare(parser, options);
        program::declare(parser, {.sync_alg = true, .plan = true, .list = true, .aliases = {{"--timer", "-t"}}},
                         common);
        (void)parser.parse(program::split(text, '\0'));
        mpiperf::check(options, common);
        (void)mpiperf::own_counts(options, "Bcast");
        (void)mpiperf::deviations(options);
        measure::Value record;
        mpiperf::describe(options, record);
    });
    properly([&] { (void)mpiperf::named_test(std::string{text}); });
    properly([&] { mpiperf::check_places(mpiperf::topology_from({"--topology", std::string{text}}), 4); });
}
