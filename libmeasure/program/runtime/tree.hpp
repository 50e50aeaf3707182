// SPDX-License-Identifier: BSD-3-Clause
/// Tree: the files in which a system tells about itself, /proc and /sys, or a folder in which they are made up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

/// Reads what there is; what is missing, forbidden or empty is nothing. Local.
class Tree {
public:
    /// \param root  folder that stands for "/"; empty: the system itself
    explicit Tree(std::string root = {}) : root_{std::move(root)} {}

    [[nodiscard]] bool is_real() const noexcept { return root_.empty(); }
    [[nodiscard]] bool has(std::string_view path) const;
    /// The whole file.
    [[nodiscard]] std::optional<std::string> text(std::string_view path) const;
    /// Its first line without blanks at its ends.
    [[nodiscard]] std::optional<std::string> line(std::string_view path) const;
    /// The names in a folder, sorted.
    [[nodiscard]] std::vector<std::string> entries(std::string_view path) const;

private:
    [[nodiscard]] std::string place(std::string_view path) const { return root_ + std::string{path}; }
    std::string root_;
};

/// The value after "NAME:" or "NAME " at the beginning of a line of a file such as /proc/meminfo, without blanks at its
/// ends. \return nothing where there is no such line
[[nodiscard]] std::optional<std::string> field(std::string_view text, std::string_view name);

}  // namespace program
