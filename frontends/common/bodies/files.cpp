// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace bodies {

std::vector<std::string> pointer_files(std::string const& path) {
    namespace fs = std::filesystem;
    fs::path const file{path};
    auto const begin = std::string{"."}.append(file.filename().string()).append(pointer_mark);
    std::vector<std::string> paths;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(file.has_parent_path() ? file.parent_path() : ".", none))
        if (entry.path().filename().string().starts_with(begin))
            paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace bodies
