// SPDX-License-Identifier: BSD-3-Clause
/// Agreement of all ranks on one text.
#pragma once

#include "measure/comm.hpp"

#include <cstddef>
#include <string>

namespace measure::detail {

/// The first non-empty text in rank order, on all ranks. Collective.
[[nodiscard]] inline std::string agreed_text(Comm const& comm, std::string const& mine) {
    auto const all = comm.gather(mine);
    std::string text;
    for (std::size_t i = 0; i < all.size() && text.empty(); ++i)
        if (!all[i].empty())
            text = comm.size() > 1 ? "rank " + std::to_string(i) + ": " + all[i] : all[i];
    comm.broadcast(text);
    return text;
}

}  // namespace measure::detail
