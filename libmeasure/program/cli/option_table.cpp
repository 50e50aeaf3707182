// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/option_table.hpp"

#include "program/cli/values.hpp"

#include <algorithm>

namespace program::detail {

std::string option_key(std::string const& names) {
    for (auto const& name : split(names, ','))
        if (name.starts_with("--")) {
            auto key = name.substr(2);
            std::replace(key.begin(), key.end(), '-', '_');
            return key;
        }
    return {};
}

}  // namespace program::detail
