// SPDX-License-Identifier: BSD-3-Clause
// Graph files of mpiperf.
#include "fuzz.hpp"
#include "mpiperf/operations/topology.hpp"

void fuzz::parse(std::string_view text) {
    for (bool const directed : {false, true})
        properly([&] {
            mpiperf::Graph const graph{"file", directed, mpiperf::parse_graph(text, "file", directed)};
            int const processes = static_cast<int>(graph.neighbours.size());
            mpiperf::check_places({"graph:file", graph}, processes);
            for (int rank = 0; rank < processes; ++rank)
                (void)mpiperf::neighbours(graph, rank);
        });
}
