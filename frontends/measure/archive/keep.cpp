// SPDX-License-Identifier: BSD-3-Clause
#include "archive/keep.hpp"

#include "archive/archive.hpp"

namespace measure_tool::archive {

bool is_built() noexcept { return true; }

void keep(std::string const& path, std::string const& record, std::string const& label) {
    auto archive = Archive::creating(path);
    auto transaction = archive.transaction();
    for (auto const& run : archived_runs(record, label))
        static_cast<void>(archive.add(run, {.label = label}));
    transaction.commit();
}

}  // namespace measure_tool::archive
