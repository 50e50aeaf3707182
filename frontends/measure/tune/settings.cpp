// SPDX-License-Identifier: BSD-3-Clause
#include "tune/settings.hpp"

#include "tune/algorithms.hpp"
#include "tune/selection_tree.hpp"

namespace measure_tool::tune {

Settings forcing(std::string_view collective, std::string_view algorithm) {
    return {{variable_of(collective), std::string{algorithm}}};
}

Settings of_file(std::string const& path) { return {{file_variable, path}}; }

bool chooses(std::string_view name) noexcept {
    return name.starts_with("MPIR_CVAR_") &&
           (name.ends_with("_INTRA_ALGORITHM") || name.ends_with("COLL_SELECTION_TUNING_JSON_FILE"));
}

}  // namespace measure_tool::tune
