// SPDX-License-Identifier: BSD-3-Clause
// Command lines, as words that end with a zero byte.
#include "every_option.hpp"
#include "fuzz.hpp"

#include <measure/plan.hpp>

void fuzz::parse(std::string_view text) {
    auto const words = program::split(text, '\0');
    for (bool const is_command : {false, true})
        properly([&] {
            Options options;
            auto parser = make_parser(options, is_command);
            if (!parser.parse(words, {"--help", "--version"}).empty()) {
                (void)parser.help();
                return;
            }
            measure::Plan plan;
            program::change(plan, options.common);
        });
}
