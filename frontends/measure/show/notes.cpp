// SPDX-License-Identifier: BSD-3-Clause
#include "show/notes.hpp"

#include "program/cli/values.hpp"
#include "shared/plain_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace measure::tool {

namespace {

/// The letter of the note with this index: "a", "b", .. "z", "aa".
std::string note_letter(std::size_t place) {
    constexpr std::size_t letters = 26;
    auto const last = std::string(1, static_cast<char>('a' + place % letters));
    return place < letters ? last : note_letter(place / letters - 1) + last;
}

}  // namespace

std::string Notes::letter(measure::Record const& record) {
    if (record.flags.empty() && record.message.empty())
        return {};
    auto const found = std::find_if(notes_.begin(), notes_.end(), [&](Note const& note) {
        return note.flags == record.flags && (!note.flags.empty() || note.messages.front() == record.message);
    });
    auto& note = found == notes_.end() ? notes_.emplace_back(Note{.flags = record.flags}) : *found;
    if (!record.message.empty())
        program::add_once(note.messages, record.message);
    return note_letter(static_cast<std::size_t>(&note - notes_.data()));
}

std::string Notes::text() const {
    std::string lines;
    for (std::size_t i = 0; i < notes_.size(); ++i) {
        auto const letter = fmt::format("# {}: ", note_letter(i));
        auto const gap = fmt::format("\n#{:{}}", "", letter.size() - 1);
        auto const parts = text_lines(printable(notes_[i].text()), terminal_columns - letter.size());
        lines += fmt::format("{}{}\n", letter, fmt::join(parts, gap));
    }
    return lines;
}

/// The flags and the first message. If there are more messages, their number follows.
std::string Notes::Note::text() const {
    auto parts = flags;
    if (!messages.empty())
        parts.push_back(messages.front());
    if (messages.size() > 1)
        parts.push_back(counted(messages.size() - 1, "other message", "other messages"));
    return fmt::format("{}", fmt::join(parts, ", "));
}

void drop_empty_columns(page::Table& table) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        auto const at = static_cast<std::ptrdiff_t>(i);
        if (std::any_of(table.rows.begin(), table.rows.end(), [&](auto const& row) { return !row[i].text.empty(); }))
            continue;
        table.columns.erase(table.columns.begin() + at);
        for (auto& row : table.rows)
            row.erase(row.begin() + at);
    }
}

}  // namespace measure::tool
