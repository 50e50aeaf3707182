// SPDX-License-Identifier: BSD-3-Clause
#include "shared/data_folder.hpp"

#include <cstdlib>

namespace measure::tool {

namespace {

std::string variable(char const* name) {
    char const* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

}  // namespace

std::filesystem::path data_folder() {
    // The XDG Base Directory Specification requires that relative paths are ignored.
    if (std::filesystem::path const data = variable("XDG_DATA_HOME"); data.is_absolute())
        return data / "measure";
    if (std::filesystem::path const home = variable("HOME"); home.is_absolute())
        return home / ".local" / "share" / "measure";
    return {};
}

std::string usual_archive() {
    if (auto named = variable("MEASURE_ARCHIVE"); !named.empty())
        return named;
    auto const folder = data_folder();
    return folder.empty() ? std::string{} : (folder / archive_name).string();
}

}  // namespace measure::tool
