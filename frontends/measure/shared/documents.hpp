// SPDX-License-Identifier: BSD-3-Clause
/// Documents: the table of all JSON documents that commands write. Pure, local.
#pragma once

#include "shared/fields.hpp"

#include <span>
#include <vector>

namespace measure::tool {

/// All kinds, in the order of their names.
[[nodiscard]] std::vector<DocumentKind> document_kinds();

/// The documents of `measure archive`; empty in a build without archives.
[[nodiscard]] std::span<DocumentKind const> archive_kinds();
[[nodiscard]] DocumentKind comparison_kind();
[[nodiscard]] DocumentKind doctor_kind();
[[nodiscard]] DocumentKind guidelines_kind();
[[nodiscard]] DocumentKind model_kind();
[[nodiscard]] DocumentKind pairs_kind();
[[nodiscard]] DocumentKind tuning_kind();

}  // namespace measure::tool
