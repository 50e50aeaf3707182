// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace bodies {

std::vector<std::string> pointer_files(std::string const& path) {
    namespace fs = std::filesystem;
    fs::path const file{path};
    auto const name = file.filename().string();
    auto const hidden = std::string{"."}.append(name).append(pointer_mark);
    auto const numbered = name + "-";
    std::vector<std::string> paths;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(file.has_parent_path() ? file.parent_path() : ".", none))
        if (auto const other = entry.path().filename().string();
            other.starts_with(hidden) || (other.starts_with(numbered) && other.ends_with(pointer_lock)))
            paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace bodies
