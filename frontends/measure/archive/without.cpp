// SPDX-License-Identifier: BSD-3-Clause
#include "archive/keep.hpp"
#include "shared/command.hpp"
#include "shared/documents.hpp"

#include <measure/error.hpp>

#include <string>
#include <vector>

namespace measure::tool {

namespace {

/// Every use of the command fails with this message.
program::Suite refusal() {
    using Words = std::vector<std::string>;
    return local_suite(
        "measure archive", "Stores records in an SQLite file. Not available: this build lacks libsqlite3 or libcrypto.",
        program::prepared<Words>(
            [](program::Parser& parser, Words& words) {
                parser.command("COMMAND...", "commands of builds with archives", words);
            },
            [](Words const&, program::Session&) {
                throw measure::UsageError("this build has no archives because it lacks libsqlite3 or libcrypto "
                                          "(meson configure -Dsqlite=enabled)");
            }));
}

}  // namespace

bool archive::is_built() noexcept { return false; }

std::span<DocumentKind const> archive_kinds() { return {}; }

void archive::keep(std::string const&, std::string const&, std::string const&) {}

Command archive_command() {
    return {"archive", "stores records in a database (not in this build: no libsqlite3 or libcrypto)", refusal};
}

}  // namespace measure::tool
