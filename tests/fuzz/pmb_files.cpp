// SPDX-License-Identifier: BSD-3-Clause
// Input files of PMB and IMB: names (-input) and lengths (-msglen).
#include "fuzz.hpp"
#include "pmb/setup.hpp"

void fuzz::parse(std::string_view text) {
    auto const read = [&](std::string const&) { return std::string{text}; };
    for (auto const part : {pmb::Part::mpi1, pmb::Part::imb_mpi1}) {
        properly([&] {
            pmb::Options options{part};
            options.inputs.push_back({"-input", "file"});
            demand(!pmb::resolve(options, {}, read).benchmarks.empty(), "no benchmark");
        });
        properly([&] {
            pmb::Options options{part};
            options.length_file = "file";
            auto const setup = pmb::resolve(options, {}, read);
            demand(setup.lengths && !setup.lengths->empty(), "no length");
        });
    }
}
