// SPDX-License-Identifier: BSD-3-Clause
// Limits files for measure run --expect.
#include "fuzz.hpp"
#include "run/expect.hpp"

void fuzz::parse(std::string_view text) {
    properly([&] {
        for (auto const& limit : measure::tool::runs::limits_from_text(std::string{text}, "file"))
            demand(limit.value > 0 && limit.low >= 0 && limit.high >= 0, "a limit out of range");
    });
}
