// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/matrix.hpp"

#include <measure/error.hpp>

namespace measure::tool::pairs {

void check_matrix() {
    throw measure::UsageError("--matrix: not in this build, which was made without libcrypto or with simulated files");
}

std::string write_matrix(measure::Comm const&, std::string const&, Result const&) {
    check_matrix();
    return {};
}

}  // namespace measure::tool::pairs
