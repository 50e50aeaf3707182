// SPDX-License-Identifier: BSD-3-Clause
// Selection trees of MPICH, which measure tune modifies.
#include "tune/library/selection_tree.hpp"

#include "fuzz.hpp"

#include <set>
#include <string>

void fuzz::parse(std::string_view text) {
    using namespace measure::tool::tune;
    (void)texts_in(text);
    std::set<std::string> const leaves{"MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_smp"};
    properly([&] {
        auto const tree =
            tuned_tree(std::string{text}, leaves, {{{"Bcast", 4}, {{8, 4096, "binomial"}, {8192, 65536, "smp"}}}});
        demand(tree.size() % 4096 != 0 && tree.ends_with('\n'), "the library would read beyond the end of the tree");
    });
}
