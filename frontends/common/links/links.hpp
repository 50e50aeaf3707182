// SPDX-License-Identifier: BSD-3-Clause
/// Links: an executable that contains several programs. The name under which it is started selects the program,
/// otherwise the first argument does. Pure.
#pragma once

#include "program/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace links {

/// The programs of an executable.
struct Programs {
    std::string prefix;  ///< common prefix of the names: "osu_"
    std::vector<std::string> names;
    std::string where;  ///< hint for error messages: "run measure-osu --list for their names"
};

/// The file name of a path, which may have an installation prefix: "lm_IMB-EXT".
[[nodiscard]] inline std::string_view file_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// The index of the program that a path names: its file name from the last prefix on. Empty if it names no program.
[[nodiscard]] inline std::optional<std::size_t> find(Programs const& programs, std::string_view path) {
    auto const file = file_of(path);
    auto const place = file.rfind(programs.prefix);
    if (place == std::string_view::npos)
        return std::nullopt;
    auto const found = std::find(programs.names.begin(), programs.names.end(), file.substr(place));
    return found == programs.names.end() ? std::nullopt
                                         : std::optional{static_cast<std::size_t>(found - programs.names.begin())};
}

/// The index of the selected program. If the first argument selects it, that becomes the name of the executable.
[[nodiscard]] inline std::optional<std::size_t> take(Programs const& programs, int& argc, char**& argv) {
    auto which = find(programs, argv[0]);
    if (!which && argc > 1 && (which = find(programs, argv[1]))) {
        ++argv;
        --argc;
    }
    return which;
}

/// The error line if neither the executable's name nor its first argument is the name of a program.
/// \param argument  first argument; empty without arguments
[[nodiscard]] inline std::string refusal(Programs const& programs, std::string_view path, std::string_view argument) {
    auto const file = file_of(path);
    auto const wanted = file.find(programs.prefix) != std::string_view::npos ? file : argument;
    if (wanted.empty())
        return fmt::format("the name of a program is missing ({})", programs.where);
    auto near = program::closest(std::string{wanted}, programs.names);
    if (near.empty())
        near = program::closest(fmt::format("{}{}", programs.prefix, wanted), programs.names);
    return fmt::format("'{}' is not a program{} ({})", wanted,
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near), programs.where);
}

}  // namespace links
