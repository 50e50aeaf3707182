// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/grammar.hpp"

#include "program/cli/values.hpp"
#include "skampi/parameters/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace skampi::grammar {
namespace {

using program::lower;

constexpr std::size_t longest_name = 64;

class BlockReader : Scanner {
public:
    BlockReader(std::string_view text, std::string const& path, Syntax const& syntax)
        : Scanner{text, path}, syntax_{syntax} {}

    Document read() {
        if (is_text()) {
            read_headers();
            read_sections();
        }
        document_.faults = take_faults();
        return std::move(document_);
    }

private:
    void read_headers();
    void read_header();
    bool read_continuation(Header& header);
    void read_sections();
    void open_section();
    void read_block(std::vector<Block>& blocks);
    [[nodiscard]] bool read_name(std::string& name);
    void read_entries(Block& block);
    [[nodiscard]] bool read_entry(std::vector<Assignment>& entries);
    [[nodiscard]] bool read_values(Assignment& assignment);
    void keep(Assignment assignment, std::vector<Assignment>& entries);

    [[nodiscard]] std::optional<std::string> section_here() const;
    [[nodiscard]] std::string sections_text() const;
    [[nodiscard]] bool is_block_here() const;

    Syntax const& syntax_;
    Document document_{};
    std::size_t section_ = 0;  ///< the section that is being read
};

/// The name of the section that begins here with "@NAME".
std::optional<std::string> BlockReader::section_here() const {
    std::string_view const behind = rest().substr(1);
    std::string const key = lower(behind.substr(0, length_of(behind, is_key_char)));
    for (auto const* names : {&syntax_.block_sections, &syntax_.assignment_sections})
        for (auto const& name : *names)
            if (lower(name) == key)
                return name;
    return std::nullopt;
}

/// "'@OPTIONS' or '@COMPARISONS'"
std::string BlockReader::sections_text() const {
    std::vector<std::string> names;
    for (auto const* section_names : {&syntax_.assignment_sections, &syntax_.block_sections})
        for (auto const& name : *section_names)
            names.push_back(fmt::format("'@{}'", name));
    return program::alternatives(names);
}

/// Reads the header lines, up to the first section.
void BlockReader::read_headers() {
    bool is_stray = false;  // report only one error for consecutive stray lines
    while (!at_end()) {
        take(is_blank);
        if (peek() == '@') {
            if (section_here())
                return;
            read_header();
            is_stray = false;
            continue;
        }
        if (peek() != '#' && peek() != '\n' && !at_end() && !is_stray) {
            fault(place(),
                  fmt::format("{} is outside of a section; is {} missing before it?", found(), sections_text()));
            is_stray = true;
        }
        take_line();
        accept('\n');
    }
}

void BlockReader::read_header() {
    Header header{.place = place(), .text_place = place()};
    step();
    header.key = take(is_key_char);
    bool const is_key = !header.key.empty() && (at_end() || is_blank(peek()) || peek() == '\n');
    if (!is_key)
        fault(header.place, "expected '@', a key of letters and a blank");
    else if (!syntax_.headers)
        fault(header.place, fmt::format("unknown section '@{}' ({})", shown(header.key), sections_text()));
    take(is_blank);
    Place const text_place = place();
    header.text = program::trimmed(take_line());
    if (!header.text.empty())
        header.text_place = text_place;
    accept('\n');
    while (read_continuation(header))
        accept('\n');
    if (is_key && syntax_.headers)
        document_.headers.push_back(std::move(header));
}

bool BlockReader::read_continuation(Header& header) {
    if (peek() != ' ' && peek() != '\t')
        return false;
    std::string_view const behind = rest().substr(length_of(rest(), is_blank));
    if (behind.empty() || behind[0] == '\n' || behind[0] == '@' || behind[0] == '#')
        return false;
    take(is_blank);
    if (header.text.empty())
        header.text_place = place();
    else
        header.text += ' ';
    header.text += program::trimmed(take_line());
    return true;
}

void BlockReader::read_sections() {
    for (skip_space(); !at_end(); skip_space()) {
        if (peek() == '@') {
            open_section();
            continue;
        }
        Section& section = document_.sections[section_];
        auto const& with_blocks = syntax_.block_sections;
        if (std::find(with_blocks.begin(), with_blocks.end(), section.name) != with_blocks.end())
            read_block(section.blocks);
        else
            static_cast<void>(read_entry(section.entries));
    }
}

void BlockReader::open_section() {
    Place const begin = place();
    auto const name = section_here();
    step();
    std::string_view const key = take(is_key_char);
    if (!name) {
        fault(begin, syntax_.headers ? fmt::format("'@{}' is out of place: header lines must come before {}",
                                                   shown(key), sections_text())
                                     : fmt::format("unknown section '@{}' ({})", shown(key), sections_text()));
        take_line();
        return;
    }
    take(is_blank);
    if (!at_end() && peek() != '\n' && peek() != '#')
        fault(place(), fmt::format("expected the end of the line after '@{}', found {}", *name, found()));
    auto& sections = document_.sections;
    auto const given = std::find_if(sections.begin(), sections.end(), [&](auto const& s) { return s.name == *name; });
    section_ = static_cast<std::size_t>(given - sections.begin());
    if (given != sections.end())
        fault(begin, fmt::format("'@{}' is given twice (first in line {})", *name, given->place.line));
    else
        sections.push_back({.name = *name, .place = begin});
}

bool BlockReader::read_name(std::string& name) {
    Place const begin = place();
    if (peek() == '"' && syntax_.quoted_names) {
        auto const text = read_string();
        name = text.value_or("");
        if (text && name.empty())
            fault(begin, "the name is empty");
        return !name.empty();
    }
    name = take(is_name_char);
    if (name.empty())
        expected("a name");
    else if (name.size() > longest_name)
        fault(begin, fmt::format("the name '{}' is longer than {} characters", shown(name), longest_name));
    return !name.empty();
}

void BlockReader::read_block(std::vector<Block>& blocks) {
    Block block{.place = place()};
    bool is_well = read_name(block.name);
    skip_space();
    if (is_well && peek() != '{') {
        expected(fmt::format("'{{' after the name '{}'", shown(block.name)));
        is_well = false;
        if (is_block_here())
            return;
    }
    // If '{' is missing, the text after a name is most likely the first key.
    if (!is_well && !(is_letter(peek()) && !block.name.empty()) && !recover_to_brace())
        return;
    accept('{');
    read_entries(block);
    auto const first = std::find_if(blocks.begin(), blocks.end(), [&](Block const& b) { return b.name == block.name; });
    if (block.name.empty())
        return;
    if (first == blocks.end())
        blocks.push_back(std::move(block));
    else
        fault(block.place,
              fmt::format("the name '{}' is given twice (first in line {})", shown(block.name), first->place.line));
}

void BlockReader::read_entries(Block& block) {
    for (skip_space(); !accept('}'); skip_space()) {
        if (at_end() || is_block_here() || (peek() == '@' && is_first_in_line())) {
            fault(place(), fmt::format("expected '}}' at the end of the block '{}' that begins in line {}, found {}",
                                       shown(block.name), block.place.line, found()));
            return;
        }
        if (!read_entry(block.entries))
            return;
    }
}

/// \returns false if a '}' was passed while skipping an error
bool BlockReader::read_entry(std::vector<Assignment>& entries) {
    Assignment assignment{.place = place()};
    std::string_view const key = rest().substr(0, length_of(rest(), is_name_char));
    if (key.empty() || length_of(key, is_key_char) != key.size()) {
        expected("a key");
        return recover();
    }
    assignment.key = take(is_name_char);
    skip_space();
    if (!accept('=')) {
        expected(fmt::format("'=' after the key '{}'", shown(assignment.key)));
        return recover();
    }
    if (!read_values(assignment))
        return recover();
    std::string const last = assignment.values.back().spelled();
    keep(std::move(assignment), entries);
    skip_space();
    if (accept(';'))
        return true;
    expected(fmt::format("';' after '{}'", shown(last)));
    return recover();
}

void BlockReader::keep(Assignment assignment, std::vector<Assignment>& entries) {
    auto const first = std::find_if(entries.begin(), entries.end(),
                                    [&](Assignment const& a) { return lower(a.key) == lower(assignment.key); });
    if (first == entries.end())
        entries.push_back(std::move(assignment));
    else
        fault(assignment.place,
              fmt::format("the key '{}' is given twice (first in line {})", shown(assignment.key), first->place.line));
}

bool BlockReader::read_values(Assignment& assignment) {
    do {
        skip_space();
        auto value = read_value();
        if (!value)
            return false;
        assignment.values.push_back(*std::move(value));
        skip_space();
    } while (syntax_.lists && accept(','));
    return true;
}

/// Whether "name {" begins here, which means that the previous block is not closed.
bool BlockReader::is_block_here() const {
    std::size_t length = length_of(rest(), is_name_char);
    if (syntax_.quoted_names && peek() == '"') {
        std::size_t const end = rest().find_first_of("\"\n", 1);
        length = end == std::string_view::npos || rest()[end] == '\n' ? 0 : end + 1;
    }
    std::string_view behind = rest().substr(length);
    behind.remove_prefix(length_of(behind, [](char c) { return is_blank(c) || c == '\n'; }));
    return length > 0 && behind.starts_with('{');
}

}  // namespace

Section const* Document::section(std::string_view name) const noexcept {
    auto const found =
        std::find_if(sections.begin(), sections.end(), [&](Section const& section) { return section.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

Document parse(std::string_view text, std::string const& path, Syntax const& syntax) {
    return BlockReader{text, path, syntax}.read();
}

}  // namespace skampi::grammar
