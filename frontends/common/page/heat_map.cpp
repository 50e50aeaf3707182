// SPDX-License-Identifier: BSD-3-Clause
#include "page/escape.hpp"
#include "page/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace page {

namespace {

constexpr std::size_t most_names = 64;
constexpr double map_width = 360;
constexpr double row_of_names = 60;  // width of the names

using Rgb = std::array<double, 3>;
constexpr Rgb sound{236, 236, 236};
constexpr Rgb far_above{166, 74, 0};
constexpr Rgb far_below{24, 78, 130};

std::string colour_text(double value) {
    double const share = std::clamp(value, -1.0, 1.0);
    auto const& end = share < 0 ? far_below : far_above;
    std::string text = "#";
    for (std::size_t k = 0; k < end.size(); ++k)
        text += fmt::format("{:02x}", static_cast<int>(std::lround(sound[k] + std::abs(share) * (end[k] - sound[k]))));
    return text;
}

std::string cell_text(Shade const& shade, std::size_t row, std::size_t column) {
    auto const title =
        shade.words.empty() ? std::string{} : fmt::format("<title>{}</title>", html_escaped(shade.words));
    if (!shade.value)
        return fmt::format("<path class=\"none\" d=\"M{0}.2 {1}.2l.6 .6m0-.6l-.6 .6\">{2}</path>\n", column, row,
                           title);
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"1\" height=\"1\" fill=\"{}\"{}>{}</rect>\n", column, row,
                       colour_text(*shade.value), shade.marked ? " class=\"found\"" : "", title);
}

/// The scale below the picture: three coloured squares with their meanings.
std::string scale_text(HeatMap const& map) {
    std::string text = "<figcaption>";
    for (auto const& [value, words] :
         {std::pair{-1.0, map.low}, {0.0, std::string{"like similar pairs"}}, {1.0, map.high}})
        text += fmt::format(
            "<svg class=\"swatch\" viewBox=\"0 0 1 1\"><rect width=\"1\" height=\"1\" fill=\"{}\"/></svg> {} ",
            colour_text(value), html_escaped(words));
    return text + "&#215; not measured</figcaption>\n";
}

}  // namespace

std::string svg_text(HeatMap const& map) {
    auto const n = map.names.size();
    bool const has_names = n <= most_names;
    double const cell = (map_width - (has_names ? row_of_names : 0)) / static_cast<double>(std::max<std::size_t>(1, n));
    std::string text = fmt::format("<svg class=\"heat\" viewBox=\"0 0 {} {:.1f}\" role=\"img\" aria-label=\"{}\">\n",
                                   map_width, cell * static_cast<double>(n), html_escaped(map.caption));
    if (has_names)
        for (std::size_t row = 0; row < n; ++row)
            text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", row_of_names - 4,
                                cell * (static_cast<double>(row) + 0.5) + 3, html_escaped(map.names[row]));
    text += fmt::format("<g transform=\"translate({} 0) scale({:.4f})\">\n", has_names ? row_of_names : 0, cell);
    std::string framed;  // drawn last, because neighbours would cover the frames
    for (std::size_t row = 0; row < n; ++row)
        for (std::size_t column = 0; column < n; ++column) {
            auto const& shade = map.cells[row][column];
            if (row == column && shade.words.empty())
                continue;
            (shade.marked ? framed : text) += cell_text(shade, row, column);
        }
    return text + framed + "</g>\n</svg>\n" + scale_text(map);
}

}  // namespace page
