// SPDX-License-Identifier: BSD-3-Clause
// Values of command lines and input files: sizes, durations, numbers, names.
#include "program/cli/values.hpp"

#include "fuzz.hpp"

#include <cmath>
#include <string>

void fuzz::parse(std::string_view text) {
    namespace as = program::as;
    program::Argument const argument{"-x", std::string{text}};
    properly([&] { (void)as::Text{}(argument); });
    properly([&] { (void)as::ScriptName{}(argument); });
    properly([&] { (void)as::Integer{}(argument); });
    properly([&] { demand(as::Int{.low = 1, .high = 9}(argument) < 10, "a number above its bound"); });
    properly([&] { demand(std::isfinite(as::Number{}(argument)), "a number that is not finite"); });
    properly([&] { demand(as::Number{.low = 0, .above_low = true}(argument) > 0, "a number at its bound"); });
    properly([&] {
        double const share = as::Percentage{}(argument);
        demand(share >= 0 && share <= 1, "a share above 100 %");
        (void)as::Percentage{}.text(share);
    });
    properly([&] {
        auto const size = as::Size{}(argument);
        demand(size >= 0, "a negative size");
        demand(as::Size{}({"-x", as::Size{}.text(size)}) == size, "the text of a size gives another size");
    });
    properly([&] { (void)as::Size{.low = -4, .bare = measure::mebi}(argument); });
    properly([&] {
        auto const duration = as::Duration{}(argument);
        demand(duration.count() >= 0, "a negative duration");
        (void)program::duration_text(duration);
    });
    properly([&] { (void)as::Name{{"linear", "ring", "tree"}}(argument); });
    (void)program::closest(text, {"linear", "ring", "tree"});
    (void)program::wrapped(argument.value, 4, 20);
    (void)program::split(text, ',');
    (void)program::trimmed(text);
}
