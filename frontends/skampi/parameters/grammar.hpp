// SPDX-License-Identifier: BSD-3-Clause
/// Grammar: converts the text of a parameter file to values that know their place. Pure and local. The reader decides
/// what keys and words mean.
///
/// A file has header lines "@KEY text" followed by sections "@NAME". A section holds blocks "name { key = value; ... }"
/// or bare assignments "key = value;". Comments run from '#' to the end of the line, except in the text of a header
/// line. A header line continues in lines that begin with a blank. After a syntax error, reading continues after the
/// next ';' or '}', so that one pass finds all errors in a file.
#pragma once

#include "program/runtime/files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace skampi::grammar {

/// Line and column, counted from 1. Columns count bytes.
struct Place {
    int line = 1;
    int column = 1;
};

/// "64kB" is a number with a unit, "Max_Value" a word, "\"Gather variants\"" a string.
struct Value {
    enum class Kind { number, word, string };
    Kind kind = Kind::word;
    std::string text{};  ///< as written: a number without its unit, a string without its quotes
    std::string unit{};  ///< letters that directly follow a number
    Place place{};
    /// The value as written in the file, without quotes: "64kB".
    [[nodiscard]] std::string spelled() const { return text + unit; }
};

/// "key = value;", or "key = value, value;" with `Syntax::lists`.
struct Assignment {
    std::string key{};
    Place place{};
    std::vector<Value> values{};  ///< at least one; exactly one without `Syntax::lists`
};

/// "name { key = value; ... }"
struct Block {
    std::string name{};
    Place place{};
    std::vector<Assignment> entries{};  ///< keys are unique, ignoring letter case
};

/// "@KEY text"
struct Header {
    std::string key{};   ///< as written, without '@'
    std::string text{};  ///< trimmed; continuation lines are joined by one space
    Place place{};       ///< of the '@'
    Place text_place{};  ///< of the text, or of the '@' without a text
};

/// The content after "@NAME".
struct Section {
    std::string name{};  ///< name as in the syntax
    Place place{};
    std::vector<Assignment> entries{};  ///< in a section of assignments; keys are unique
    std::vector<Block> blocks{};        ///< in a section of blocks; names are unique
};

/// The syntax of one kind of file.
struct Syntax {
    std::vector<std::string> block_sections{};       ///< "MEASUREMENTS": sections that hold blocks
    std::vector<std::string> assignment_sections{};  ///< "OPTIONS": sections that hold bare assignments
    bool headers = true;                             ///< whether there are header lines
    bool lists = false;                              ///< whether a value may be a list
    bool quoted_names = false;                       ///< whether the name of a block may be a string
};

struct Document {
    std::vector<Header> headers{};
    std::vector<Section> sections{};            ///< the sections in the file, each once, in the order of the file
    std::vector<program::ParseError> faults{};  ///< syntax errors, in the order of the file

    /// Returns the section with this name, or nullptr.
    [[nodiscard]] Section const* section(std::string_view name) const noexcept;
};

/// Parses a file. Errors in its content are in Document::faults, never thrown.
/// \param path  name of the file in error messages
[[nodiscard]] Document parse(std::string_view text, std::string const& path, Syntax const& syntax);

/// Returns a text for use in messages: shortened, with '?' for bytes that are not printable ASCII.
[[nodiscard]] std::string shown(std::string_view text);
/// Like `shown`, in single quotes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace skampi::grammar
