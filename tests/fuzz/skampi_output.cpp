// SPDX-License-Identifier: BSD-3-Clause
// Output files of skampi, which skampi-post and skampi-report read.
#include "fuzz.hpp"
#include "skampi/output/output.hpp"
#include "skampi/output/post.hpp"
#include "skampi/report/report.hpp"

#include <vector>

void fuzz::parse(std::string_view text) {
    properly([&] {
        auto const output = skampi::read_output(text, "file");
        auto const written = skampi::text(output);
        skampi::Output again;
        try {
            again = skampi::read_output(written, "again");
        } catch (measure::UsageError const& error) {
            std::fprintf(stderr, "%s\n%s\n", error.what(), written.c_str());
            demand(false, "written output cannot be read");
        }
        demand(again.blocks.size() == output.blocks.size(), "a block was lost");
        std::vector<skampi::Input> const inputs{{"file", output}, {"again", again}};
        properly([&] { (void)skampi::text(skampi::merge(inputs)); });
        (void)skampi::report::make_report({inputs.data(), 1}, {});
        (void)skampi::report::make_report(inputs, {}, inputs.data());
    });
}
