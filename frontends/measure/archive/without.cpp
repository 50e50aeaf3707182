// SPDX-License-Identifier: BSD-3-Clause
#include "archive/keep.hpp"
#include "shared/command.hpp"
#include "shared/documents.hpp"

#include <measure/error.hpp>

#include <string>
#include <vector>

namespace measure::tool {

namespace {

/// Whatever is asked for.
program::Suite refusal() {
    using Words = std::vector<std::string>;
    return local_suite(
        "measure archive",
        "Keeps records in a SQLite file: not in this build, which was made without libsqlite3 or libcrypto.",
        program::prepared<Words>([](program::Parser& parser,
                                    Words& words) { parser.command("COMMAND...", "what other builds know", words); },
                                 [](Words const&, program::Session&) {
                                     throw measure::UsageError(
                                         "this build has no archives: it was made without libsqlite3 or libcrypto "
                                         "(meson configure -Dsqlite=enabled)");
                                 }));
}

}  // namespace

bool archive::is_built() noexcept { return false; }

std::span<DocumentKind const> archive_kinds() { return {}; }

void archive::keep(std::string const&, std::string const&, std::string const&) {}

Command archive_command() {
    return {"archive", "keeps records in a database (not in this build: no libsqlite3 or libcrypto)", refusal};
}

}  // namespace measure::tool
