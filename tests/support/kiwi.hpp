// SPDX-License-Identifier: BSD-3-Clause
/// Kiwi: an example machine for the tests of the LLCBench programs, and helpers that parse options and records.
#pragma once

#include "llcbench/machine.hpp"
#include "program/cli/parse.hpp"
#include "support/catch.hpp"

#include <measure/environment.hpp>
#include <measure/record.hpp>
#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace test {

using Words = std::vector<std::string>;

inline llcbench::Machine kiwi() {
    return {.os = "Linux",
            .host = "kiwi",
            .arch = "x86_64",
            .kernel = "6.1",
            .caches = {{1, 49152, 64}, {2, 2 * measure::mebi, 64}},
            .memory = 8 * measure::gibi,
            .available = 4 * measure::gibi};
}

inline measure::Environment environment() {
    measure::Environment e;
    e.started = "2026-01-31T12:00:00.25Z";
    e.hosts = {{.name = "kiwi", .cores = 2, .cpu = "Fast CPU"}};
    e.compiler = "gcc 12.2.0";
    e.timer = {.name = "tsc", .resolution = measure::seconds{2e-9}, .overhead = measure::seconds{20e-9}};
    return e;
}

/// Parses the options of a suite with its `declare`. \param options  the initial values
template <class Options>
Options parsed(Words const& arguments, Options options = {}) {
    program::Parser parser{"program", "test"};
    declare(parser, options);
    parser.parse(arguments);
    return options;
}

/// Returns a number from the derived values of a record.
inline double number(measure::Value const& derived, std::string_view key) {
    auto const* const value = derived.find(key);
    REQUIRE(value != nullptr);
    return std::get<double>(value->data());
}

}  // namespace test
