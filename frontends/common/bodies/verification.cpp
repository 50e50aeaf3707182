// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/verification.hpp"

namespace bodies {

FixedData neighbour_data(Shape const& shape, Neighbours const& neighbours, int rank, TypeMap const& map,
                         Sizes const& sizes) {
    bool const one_for_all = shape.send == Extent::one;
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

}  // namespace bodies
