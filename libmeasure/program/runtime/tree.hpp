// SPDX-License-Identifier: BSD-3-Clause
/// Tree: the system files /proc and /sys, or a folder with copies of them for tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

/// Reads files. The result is empty if a file is missing, unreadable or empty. Local.
class Tree {
public:
    /// \param root  folder that replaces "/"; empty: the system itself
    explicit Tree(std::string root = {}) : root_{std::move(root)} {}

    [[nodiscard]] bool is_real() const noexcept { return root_.empty(); }
    [[nodiscard]] bool has(std::string_view path) const;
    /// The whole file.
    [[nodiscard]] std::optional<std::string> text(std::string_view path) const;
    /// The first line, without leading and trailing blanks.
    [[nodiscard]] std::optional<std::string> line(std::string_view path) const;
    /// The names in a folder, sorted.
    [[nodiscard]] std::vector<std::string> entries(std::string_view path) const;

private:
    [[nodiscard]] std::string place(std::string_view path) const { return root_ + std::string{path}; }
    std::string root_;
};

/// The value after "NAME:" or "NAME " at the start of a line of a file such as /proc/meminfo, without leading and
/// trailing blanks. Empty without such a line.
[[nodiscard]] std::optional<std::string> field(std::string_view text, std::string_view name);

}  // namespace program
