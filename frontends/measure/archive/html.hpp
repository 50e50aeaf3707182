// SPDX-License-Identifier: BSD-3-Clause
/// Parts of the site's pages: tables with links that a script can sort and filter. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::archive {

/// A cell with plain text, which is escaped when it is written.
struct SiteCell {
    SiteCell(std::string t = {}, std::string to = {}) : text{std::move(t)}, link{std::move(to)} {}  // NOLINT
    SiteCell(char const* t) : text{t} {}                                                            // NOLINT
    SiteCell(std::string t, double n) : text{std::move(t)}, number{n} {}
    std::string text;
    std::string link{};  ///< page of the site that the text links to
    std::optional<double> number{};
};

struct SiteTable {
    std::vector<std::string> columns{};
    std::vector<std::vector<SiteCell>> rows{};
};

/// A cell for a whole number.
[[nodiscard]] SiteCell counted(std::size_t number);

/// The table with its caption. A long table gets a filter. Empty columns are left out.
[[nodiscard]] std::string table_html(std::string_view caption, SiteTable const& table);

/// A table of two columns, names and values. Rows without a value are left out.
[[nodiscard]] std::string facts_html(std::vector<std::pair<std::string, SiteCell>> const& facts);

[[nodiscard]] std::string heading_html(std::string_view text);
[[nodiscard]] std::string paragraph_html(std::string_view text);

/// A page with a link to the index. \param site  title of the site; empty for the index itself
[[nodiscard]] std::string page_html(std::string_view title, std::string_view site, std::string const& body);

}  // namespace measure::tool::archive
