// SPDX-License-Identifier: BSD-3-Clause
/// Notes: lines below the tables of `measure show` and `measure regions`. Pure, local.
#pragma once

#include "page/document.hpp"

#include <measure/record.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace measure::tool {

inline constexpr std::size_t terminal_columns = 80;

/// The notes of a table, each with a letter: one for each set of flags, or for each message without flags.
class Notes {
public:
    /// The letter of the note for a point's flags and message; empty if it has neither. Adds the note if it is new.
    [[nodiscard]] std::string letter(measure::Record const& record);
    [[nodiscard]] std::string text() const;

private:
    struct Note {
        std::vector<std::string> flags{};
        std::vector<std::string> messages{};
        [[nodiscard]] std::string text() const;
    };
    std::vector<Note> notes_{};
};

void drop_empty_columns(page::Table& table);

}  // namespace measure::tool
