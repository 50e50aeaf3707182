// SPDX-License-Identifier: BSD-3-Clause
// Command lines of mpiperf, as words that end with a zero byte: option values, and options that exclude each other.
#include "fuzz.hpp"
#include "mpiperf/options.hpp"
#include "mpiperf/suite.hpp"

void fuzz::parse(std::string_view text) {
    static auto const suite = mpiperf::suite();
    properly([&] {
        mpiperf::Options options;
        program::CommonOptions common;
        program::Parser parser{suite.program, suite.summary};
        mpiperf::declare(parser, options);
        program::declare(parser, suite.common, common);
        if (!parser.parse(program::split(text, '\0'), {"--help", "--version"}).empty())
            return;
        mpiperf::check(options, common);
        for (auto const& test : options.tests)
            for (auto const count : mpiperf::named_test(test).counts)
                demand(count >= 0, "a count below zero");
        measure::Value record;
        mpiperf::describe(options, record);
    });
}
