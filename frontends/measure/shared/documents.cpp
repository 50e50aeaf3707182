// SPDX-License-Identifier: BSD-3-Clause
#include "shared/documents.hpp"

namespace measure::tool {

std::vector<DocumentKind> document_kinds() {
    auto const archives = archive_kinds();
    std::vector<DocumentKind> kinds{archives.begin(), archives.end()};
    for (auto const kind : {comparison_kind, doctor_kind, guidelines_kind, model_kind, pairs_kind, tuning_kind})
        kinds.push_back(kind());
    return kinds;
}

}  // namespace measure::tool
