// SPDX-License-Identifier: BSD-3-Clause
/// Semantics: the suite-independent operation of a collective and the meaning of its size, from its row in the table.
/// Pure.
#pragma once

#include "bodies/collectives.hpp"

#include <measure/semantics.hpp>

#include <string>

namespace bodies {

/// The semantics of a collective, independent of sizes. The operation is MPI's name of the blocking call for all
/// variants.
[[nodiscard]] inline measure::Semantics semantics(Collective const& of) {
    using measure::OperationKind;
    using measure::SizeOf;
    auto const has_blocks = [](Extent extent) { return extent == Extent::each || extent == Extent::each_at_root; };
    bool const is_block = has_blocks(of.shape.send) || has_blocks(of.shape.receive);
    if (of.content == Content::none)
        return {.operation = std::string{of.name}, .kind = OperationKind::barrier};
    return {.operation = std::string{of.name},
            .kind = of.content == Content::added ? OperationKind::local : OperationKind::collective,
            .size = is_block ? SizeOf::block : SizeOf::whole};
}

}  // namespace bodies
