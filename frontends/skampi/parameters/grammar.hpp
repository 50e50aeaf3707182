// SPDX-License-Identifier: BSD-3-Clause
/// Grammar: the text of a parameter file as values, with the place of each of them. Pure and local; what keys and words
/// mean is the reader's matter.
///
/// A file has header lines "@KEY text" and then sections "@NAME", which hold blocks "name { key = value; ... }" or bare
/// assignments "key = value;". Comments run from '#' to the end of the line, but not in the text of a header line. A
/// header line goes on in lines that begin with a blank. After a syntax error reading goes on behind the next ';' or
/// '}', so that all faults of a file are found in one go.
#pragma once

#include "program/runtime/files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace skampi::grammar {

/// Both count from 1; columns count bytes.
struct Place {
    int line = 1;
    int column = 1;
};

/// "64kB" is a number with a unit, "Max_Value" a word, "\"Gather variants\"" a string.
struct Value {
    enum class Kind { number, word, string };
    Kind kind = Kind::word;
    std::string text{};  ///< as spelled: a number without its unit, a string without its quotes
    std::string unit{};  ///< letters directly behind a number
    Place place{};
    /// As it stands in the file, without quotes: "64kB".
    [[nodiscard]] std::string spelled() const { return text + unit; }
};

/// "key = value;" or, with `Syntax::lists`, "key = value, value;".
struct Assignment {
    std::string key{};
    Place place{};
    std::vector<Value> values{};  ///< at least one; exactly one without `Syntax::lists`
};

/// "name { key = value; ... }"
struct Block {
    std::string name{};
    Place place{};
    std::vector<Assignment> entries{};  ///< no key twice, whatever its letter case
};

/// "@KEY text"
struct Header {
    std::string key{};   ///< as spelled, without '@'
    std::string text{};  ///< trimmed; continuation lines are joined by one space
    Place place{};       ///< of the '@'
    Place text_place{};  ///< of the text; of the '@' where there is none
};

/// What follows "@NAME".
struct Section {
    std::string name{};  ///< as in the syntax
    Place place{};
    std::vector<Assignment> entries{};  ///< of a section of assignments; no key twice
    std::vector<Block> blocks{};        ///< of a section of blocks; no name twice
};

/// What a kind of file consists of.
struct Syntax {
    std::vector<std::string> block_sections{};       ///< "MEASUREMENTS": sections that hold blocks
    std::vector<std::string> assignment_sections{};  ///< "OPTIONS": sections that hold bare assignments
    bool headers = true;                             ///< whether there are header lines
    bool lists = false;                              ///< whether a value may be a list
    bool quoted_names = false;                       ///< whether the name of a block may be a string
};

struct Document {
    std::vector<Header> headers{};
    std::vector<Section> sections{};            ///< those present, each once, in the order of the file
    std::vector<program::ParseError> faults{};  ///< syntax errors, in the order of the file

    /// The section of that name, or nullptr.
    [[nodiscard]] Section const* section(std::string_view name) const noexcept;
};

/// Reads a file; never throws for what is in it.
/// \param path  for the faults
[[nodiscard]] Document parse(std::string_view text, std::string const& path, Syntax const& syntax);

/// A text from a file as messages show it: shortened, bytes that are not printable ASCII replaced by '?'.
[[nodiscard]] std::string shown(std::string_view text);
/// The same between single quotes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace skampi::grammar
