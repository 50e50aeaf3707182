// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/tree.hpp"

#include "analysis/core/text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace program {

bool Tree::has(std::string_view path) const {
    std::error_code error;
    return std::filesystem::exists(place(path), error);
}

std::optional<std::string> Tree::text(std::string_view path) const {
    std::ifstream file{place(path), std::ios::binary};
    if (!file)
        return std::nullopt;
    std::ostringstream all;
    all << file.rdbuf();
    if (all.str().empty())
        return std::nullopt;
    return std::move(all).str();
}

std::optional<std::string> Tree::line(std::string_view path) const {
    auto const all = text(path);
    if (!all)
        return std::nullopt;
    std::string const first{measure::detail::trimmed(std::string_view{*all}.substr(0, all->find('\n')))};
    return first.empty() ? std::nullopt : std::optional{first};
}

std::vector<std::string> Tree::entries(std::string_view path) const {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator at{place(path), error}, end; !error && at != end; at.increment(error))
        names.push_back(at->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> field(std::string_view text, std::string_view name) {
    for (std::string const& line : measure::detail::split(text, '\n')) {
        if (!line.starts_with(name))
            continue;
        auto rest = std::string_view{line}.substr(name.size());
        if (!rest.empty() && !rest.starts_with(':') && !rest.starts_with(' ') && !rest.starts_with('\t'))
            continue;
        rest = measure::detail::trimmed(rest);
        return std::string{measure::detail::trimmed(rest.substr(rest.starts_with(':') ? 1 : 0))};
    }
    return std::nullopt;
}

}  // namespace program
