// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/tree.hpp"

#include "program/cli/values.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace measure_tool::doctor {

namespace {

/// No machine has more; a list with larger numbers is not believed.
constexpr int most_units = 1 << 16;

std::optional<int> unit_from(std::string_view text) {
    auto const value = program::number_from<int>(text);
    return value && *value >= 0 && *value < most_units ? value : std::nullopt;
}

}  // namespace

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
    std::string const first{program::trimmed(std::string_view{*all}.substr(0, all->find('\n')))};
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
    for (std::string const& line : program::split(text, '\n')) {
        if (!line.starts_with(name))
            continue;
        auto rest = std::string_view{line}.substr(name.size());
        if (!rest.empty() && !rest.starts_with(':') && !rest.starts_with(' ') && !rest.starts_with('\t'))
            continue;
        rest = program::trimmed(rest);
        return std::string{program::trimmed(rest.substr(rest.starts_with(':') ? 1 : 0))};
    }
    return std::nullopt;
}

std::vector<int> numbers_in(std::string_view list) {
    std::vector<int> numbers;
    for (std::string const& part : program::split(program::trimmed(list), ',')) {
        auto const dash = part.find('-');
        auto const first = unit_from(std::string_view{part}.substr(0, dash));
        auto const last = dash == std::string::npos ? first : unit_from(std::string_view{part}.substr(dash + 1));
        for (int i = first.value_or(0); first && last && i <= *last; ++i)
            numbers.push_back(i);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::optional<int> current_unit(Tree const& tree) {
    auto const stat = tree.text("/proc/self/stat");
    if (!stat || stat->rfind(')') == std::string::npos)
        return std::nullopt;
    constexpr int place = 39;  // "PID (NAME) STATE" are the first three words
    std::istringstream rest{stat->substr(stat->rfind(')') + 1)};
    std::string word;
    for (int i = 3; i < place; ++i)
        rest >> word;
    int unit = 0;
    return rest >> unit ? std::optional{unit} : std::nullopt;
}

}  // namespace measure_tool::doctor
