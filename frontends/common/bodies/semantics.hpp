// SPDX-License-Identifier: BSD-3-Clause
/// Semantics: which operation a collective is, whoever measures it, and what its size is the size of. All of it follows
/// from the row of the table. Pure.
#pragma once

#include "bodies/collectives.hpp"

#include <measure/semantics.hpp>

#include <string>

namespace bodies {

/// Independent of sizes; the operation has MPI's name of the blocking call, the same for all relatives.
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
