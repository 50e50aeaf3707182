// SPDX-License-Identifier: BSD-3-Clause
/// Pieces of the site's pages: tables with links that a script can sort and filter. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// Texts are plain and get escaped.
struct SiteCell {
    SiteCell(std::string t = {}, std::string to = {}) : text{std::move(t)}, link{std::move(to)} {}  // NOLINT
    SiteCell(char const* t) : text{t} {}                                                            // NOLINT
    SiteCell(std::string t, double n) : text{std::move(t)}, number{n} {}
    std::string text;
    std::string link{};  ///< page of the site
    std::optional<double> number{};
};

struct SiteTable {
    std::vector<std::string> columns{};
    std::vector<std::vector<SiteCell>> rows{};
};

/// A whole number as a cell.
[[nodiscard]] SiteCell counted(std::size_t number);

/// The table with its caption; where it is long it can be filtered. Columns in which nothing stands are left out.
[[nodiscard]] std::string table_html(std::string_view caption, SiteTable const& table);

/// Two columns, names and what they are; those without text are left out.
[[nodiscard]] std::string facts_html(std::vector<std::pair<std::string, SiteCell>> const& facts);

[[nodiscard]] std::string heading_html(std::string_view text);
[[nodiscard]] std::string paragraph_html(std::string_view text);

/// A page with a way back to the index. \param site  title of the site; empty: this is the index
[[nodiscard]] std::string page_html(std::string_view title, std::string_view site, std::string const& body);

}  // namespace measure::tool::archive
