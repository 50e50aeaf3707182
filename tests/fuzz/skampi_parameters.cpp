// SPDX-License-Identifier: BSD-3-Clause
// Parameter files of skampi.
#include "fuzz.hpp"
#include "skampi/parameters/parameters.hpp"

void fuzz::parse(std::string_view text) {
    for (int const processes : {1, 5})
        properly([&] {
            auto const setup = skampi::parameters(text, "file", processes);
            (void)skampi::check_text(setup);
            demand(skampi::config_hash(setup).size() == 16, "the hash does not have 16 digits");
        });
}
