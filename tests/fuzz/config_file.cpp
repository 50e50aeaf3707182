// SPDX-License-Identifier: BSD-3-Clause
// Configuration files for --config.
#include "every_option.hpp"
#include "fuzz.hpp"

#include <measure/plan.hpp>

void fuzz::parse(std::string_view text) {
    properly([&] {
        Options options;
        auto parser = make_parser(options);
        (void)parser.parse({"--cold"});
        parser.configure("file", text);
        measure::Plan plan;
        program::change(plan, options.common);
    });
}
