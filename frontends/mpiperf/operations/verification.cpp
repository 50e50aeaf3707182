// SPDX-License-Identifier: BSD-3-Clause
#include "operations/verification.hpp"

#include <vector>

namespace mpiperf {

FixedData neighbour_data(bodies::Shape const& shape, bodies::Neighbours const& neighbours, int rank,
                         bodies::TypeMap const& map, bodies::Sizes const& sizes) {
    bool const one_for_all = shape.send == bodies::Extent::one;
    FixedData data{{}, {}, map, sizes};
    if (one_for_all)
        data.sent.blocks = {{rank, 0}};
    else
        for (int const to : neighbours.out)
            data.sent.blocks.push_back({to < 0 ? -1 : rank, to});
    for (int const from : neighbours.in)
        data.arrived.blocks.push_back({from, one_for_all ? 0 : rank});
    return data;
}

}  // namespace mpiperf
