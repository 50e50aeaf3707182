// SPDX-License-Identifier: BSD-3-Clause
#include "page/axes.hpp"
#include "page/drawing.hpp"
#include "page/escape.hpp"
#include "page/html.hpp"
#include "page/markdown.hpp"
#include "page/svg.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace page;
using Catch::Matchers::ContainsSubstring;

namespace {

Document small() {
    Document document{.title = "T & T"};
    document.add(
        {"One <b>", {List{{"look <here>"}, true}, Table{"C", {"a|b", "n"}, {{"x", "1"}, {Cell{"y", true}, "2.5"}}}}});
    document.elements.emplace_back(Heading{2, "Folded", Fold::closed});
    document.elements.emplace_back(Paragraph{"inside"});
    document.add({"Two", {Paragraph{"outside"}}});
    return document;
}

std::size_t count(std::string const& text, std::string const& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("a page shows the text of the document and escapes all markup", "[page]") {
    auto const text = html_text(small());
    CHECK_THAT(text, ContainsSubstring("<title>T &amp; T</title>") && ContainsSubstring("One &lt;b&gt;</h2>") &&
                         ContainsSubstring("<div class=\"warnings\">\n<ul>\n<li>look &lt;here&gt;</li>"));
    CHECK_THAT(text, ContainsSubstring("<td class=\"s m\">y</td><td class=\"n\">2.5</td>"));
    CHECK_THAT(text, ContainsSubstring("<details><summary><h3 id=\"s2\">Folded</h3></summary>\n<p>inside</p>\n"
                                       "</details>\n<h2 id=\"s3\">Two</h2>"));
    CHECK(count(text, "<details") == count(text, "</details>"));
    // The answer comes before the table of contents.
    CHECK(text.find("outside") < text.find("<nav id=\"contents\""));
    CHECK_THAT(text, ContainsSubstring("content=\"default-src 'none'; style-src 'unsafe-inline'\">"));
    CHECK_THAT(html_page("t", "b", "'sha256-x'"),
               ContainsSubstring("style-src 'unsafe-inline'; script-src 'sha256-x'\">"));
}

TEST_CASE("the first five of many warnings are always visible", "[page]") {
    auto const shown = [](std::size_t n) {
        return html_text({.elements = {List{std::vector<std::string>(n, "w"), true}}});
    };
    CHECK_THAT(shown(6), !ContainsSubstring("<details"));
    CHECK_THAT(shown(7), ContainsSubstring("<details><summary>2 more</summary>\n<ul>\n<li>w</li>\n<li>w</li>\n</ul>"));
}

TEST_CASE("tiles show their texts, and are a table in Markdown", "[page]") {
    Document const document{
        .elements = {Tiles{{{"Bcast <4 B>", "1.5 us", "+- 0.1", "slower", Tone::bad}, {"Barrier", "2 us"}}}}};
    CHECK_THAT(html_text(document),
               ContainsSubstring("<dt>Bcast &lt;4 B&gt;</dt><dd class=\"number\">1.5 us</dd><dd>+- 0.1</dd>"
                                 "<dd class=\"bad\">slower</dd></div>\n<div><dt>Barrier</dt>"
                                 "<dd class=\"number\">2 us</dd></div>"));
    CHECK_THAT(markdown_text(document), ContainsSubstring("|  | value | error | remark |\n| --- | --- | --- | --- |\n"
                                                          "| Bcast &lt;4 B&gt; | 1.5 us | +- 0.1 | **slower** |\n"
                                                          "| Barrier | 2 us |  |  |\n"));
    CHECK(table_of(Tiles{{{"a", "1"}}}).columns == std::vector<std::string>{"", "value"});
}

TEST_CASE("text that is invalid in HTML is replaced", "[page]") {
    CHECK(html_escaped("a<\"&\">") == "a&lt;&quot;&amp;&quot;&gt;");
    CHECK(html_escaped("µ\tx") == "µ\tx");
    CHECK(html_escaped("\x1b[31m") == "\xEF\xBF\xBD[31m");
    CHECK(html_escaped("\xC0\xAFz") == "\xEF\xBF\xBD\xEF\xBF\xBDz");        // an overlong form of '/'
    CHECK(html_escaped("\xED\xA0\x80").find('\xED') == std::string::npos);  // half of a surrogate pair
    CHECK(html_escaped("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("a Markdown document has its tables and escapes all markup", "[page]") {
    auto const text = markdown_text(small());
    CHECK_THAT(text,
               ContainsSubstring("# T &amp; T\n") && ContainsSubstring("| a\\|b | n |\n| --- | ---: |\n| x | 1 |\n"
                                                                       "| **y** | 2.5 |\n"));
    CHECK_THAT(text, ContainsSubstring("- **Warning:** look &lt;here&gt;"));
}

TEST_CASE("axes have tics in a suitable unit", "[page]") {
    Plot plot{.x = {"size", true, Unit::bytes},
              .y = {"time", true, Unit::seconds},
              .curves = {{"a", {{1, 1e-6}, {4096, 2e-3}}}}};
    auto text = script_text(std::span{&plot, 1}, Terminal::pdf, "f");
    CHECK_THAT(text, ContainsSubstring("'1 KiB' 1024") && ContainsSubstring("'10 µs' 1e-05") &&
                         ContainsSubstring("'1 ms' 0.001"));
    CHECK_THAT(text, ContainsSubstring("set ylabel 'time'\n"));
    plot.y.log = false;
    text = script_text(std::span{&plot, 1}, Terminal::pdf, "f");
    CHECK_THAT(text, ContainsSubstring("set ylabel 'time [ms]'\n") && ContainsSubstring("'0.5' 0.0005"));
    plot.curves[0].points[1] = {4096, 5};
    plot.y = {"speed", true, Unit::flops};
    plot.curves[0].points[0] = {1, 2e9};
    text = script_text(std::span{&plot, 1}, Terminal::pdf, "f");
    CHECK_THAT(text, ContainsSubstring("'1 Gflop/s' 1000000000"));
}

TEST_CASE("axes terminate for numbers that are adjacent, far apart or extremely large", "[page]") {
    double const next = std::nextafter(1.0, 2.0);
    for (auto const unit : {Unit::seconds, Unit::bytes, Unit::plain})
        for (bool const log : {false, true})
            for (auto const& [low, high] : {std::pair{1.0, next},
                                            {1e6, 1e6 + 3},
                                            {1e-300, 1e300},
                                            {-1e308, 1e308},
                                            {0.0, 1e19},
                                            {0.001, 0.5},
                                            {-1e12, 8.0}}) {
                Plot plot{.x = {"x", log, unit}, .y = {"y", log, unit}, .curves = {{"a", {{low, high}, {high, low}}}}};
                auto const text = script_text(std::span{&plot, 1}, Terminal::pdf, "f");
                CHECK(text.size() < 5000);
                CHECK_THAT(text, !ContainsSubstring("nan") && !ContainsSubstring("inf"));
            }
    Plot sizes{.x = {"size", false, Unit::bytes}, .y = {"y"}, .curves = {{"a", {{1e6, 1}, {1e6 + 4, 1}}}}};
    CHECK_THAT(script_text(std::span{&sizes, 1}, Terminal::pdf, "f"), ContainsSubstring("'1000002 B' 1000002"));
    Plot shares{.x = {"share", true}, .y = {"y"}, .curves = {{"a", {{0.001, 1}, {0.5, 1}}}}};
    CHECK_THAT(script_text(std::span{&shares, 1}, Terminal::pdf, "f"), ContainsSubstring("set xtics (0.001, 0.002"));
}

TEST_CASE("an interval with an end that the axis cannot show extends beyond the picture", "[page]") {
    double const infinity = std::numeric_limits<double>::infinity();
    Plot plot{
        .y = {"time", true},
        .curves = {{"a", {{1, 1000, measure::Interval{-5, 2000}}, {2, 1e-6, measure::Interval{1e-7, infinity}}}}}};
    auto const [low, high] = shown_range(plot);
    CHECK((low < 1e-6 && high > 1000));
    auto const text = dat_text(plot);
    CHECK_THAT(text, ContainsSubstring(fmt::format("1 1000 {:.10g} 2000 0", low / 10)) &&
                         ContainsSubstring(fmt::format("2 1e-06 1e-07 {:.10g} 0", high * 10)));
    plot.y.log = false;
    CHECK(shown_range(plot) == measure::Interval{0, 2100});
}

TEST_CASE("names with line breaks do not become data", "[page]") {
    Plot const plot{.title = "a\n1 2 3", .curves = {{"b\n4 5 6", {{1, 1}}}}};
    CHECK_THAT(dat_text(plot), ContainsSubstring("# a 1 2 3\n") && ContainsSubstring("# b 4 5 6\n"));
}

TEST_CASE("a computed line has the colour of its curve", "[page]") {
    Plot const plot{
        .curves = {{"a", {{1, 1}, {2, 2}}}, {"b", {{1, 1}, {2, 3}}}, {"fit", {{1, 1}, {2, 3}}, Shape::line, 1}}};
    auto const text = script_text(std::span{&plot, 1}, Terminal::pdf, "f");
    CHECK_THAT(text, ContainsSubstring("$plot0 index 2 using 1:2 with lines linewidth 1.5 linecolor '#d55e00'"));
    CHECK(count(text, "#d55e00") == 2);
}

TEST_CASE("gnuplot draws plots with points or a band", "[page]") {
    if (!gnuplot_version()) {
        WARN("gnuplot is not installed; this case is not tested");
        return;
    }
    std::vector<Plot> plots(3, Plot{.title = "<x> 'quoted' `ls` & \"more\""});
    plots[0].curves = {{"<script>", {{1, 1e-6, measure::Interval{0.5e-6, 2e-6}}, {4096, 2e-3}}}};
    plots[2].curves = {{.label = "b", .band = {{1, 0, 1}, {2, 0.5, 2}}}};
    CHECK(draw_pdf(plots).starts_with("%PDF"));
    CHECK(draw_pdf(std::span{plots}.subspan(1, 1)).empty());
    CHECK(draw_pdf(std::span{plots}.subspan(2, 1)).starts_with("%PDF"));
}

TEST_CASE("a picture has points, lines and intervals at their places", "[page]") {
    // y: 0 .. 210 with tics up to "200", so the area begins at 3 * 5.6 + 8 = 24.8, is 325.2 wide and 192 high.
    // x: -0.5 .. 10.5, so 0 is at 24.8 + 325.2 * 0.5 / 11 = 39.58, and y = 200 is at 210 - 192 * 200 / 210 = 27.14.
    Plot const plot{.title = "T",
                    .x = {"x"},
                    .y = {"y"},
                    .mark = "odd",
                    .curves = {{"a", {{0, 0}, {10, 200, measure::Interval{100, 200}, true}}}}};
    auto const text = svg_text(plot, 7, "A note.");
    CHECK_THAT(text, ContainsSubstring("<path class=\"line\" d=\"M39.6 210L335.2 27.1\"/>") &&
                         ContainsSubstring("<path class=\"dot\" d=\"M39.6 210h0M335.2 27.1h0\"/>") &&
                         ContainsSubstring("<path class=\"interval\" "
                                           "d=\"M335.2 118.6V27.1M332.7 118.6h5M332.7 27.1h5\"/>") &&
                         ContainsSubstring("<path class=\"ring\" d=\"M330.2 27.1a5"));
    CHECK_THAT(text, ContainsSubstring("<text x=\"20.8\" y=\"30.6\" text-anchor=\"end\">200</text>"));
    CHECK_THAT(text, ContainsSubstring("role=\"img\" aria-labelledby=\"p7-title p7-text\"") &&
                         ContainsSubstring("<title id=\"p7-title\">T</title>") &&
                         ContainsSubstring("<desc id=\"p7-text\">y over x. a: 2 points. A note.</desc>"));
    // The legend has both entries in one row below the picture.
    CHECK_THAT(text, ContainsSubstring("viewBox=\"0 0 360 254\"") &&
                         ContainsSubstring("<text x=\"28\" y=\"250\">a</text>") &&
                         ContainsSubstring("y=\"250\">odd</text>"));
    CHECK(svg_text({.x = {.log = true}, .curves = {{"none", {{0, 1}}}}}, 1).empty());
}

TEST_CASE("the number of tics on an axis depends on the space", "[page]") {
    Plot plot{.x = {"size", true, Unit::bytes}, .y = {"time", true, Unit::seconds}, .curves = {{"", {{1, 1e-6}}}}};
    plot.curves[0].points.push_back({1 << 20, 1e-3});
    auto const text = svg_text(plot, 1);
    for (char const* const tic : {">1 B<", ">16 B<", ">1 MiB<", ">10 µs<", ">1 ms<", ">time<"})
        CHECK_THAT(text, ContainsSubstring(tic));
    CHECK_THAT(text, !ContainsSubstring(">2 B<") && !ContainsSubstring("µs]"));
    plot.y.log = false;
    CHECK_THAT(svg_text(plot, 1), ContainsSubstring(">time [ms]<") && ContainsSubstring(">0.2<"));
    Plot const speeds{.x = {"speed", true, Unit::flops}, .curves = {{"", {{1, 1}, {1e12, 2}}}}};
    CHECK(x_scale(speeds, 8).tics.size() == 5);  // every third decade
    CHECK_THAT(svg_text(speeds, 1), ContainsSubstring(">1 Mflop/s<") && !ContainsSubstring(">10 Mflop/s<"));
}

TEST_CASE("an axis of dates has tics at days, months or years, depending on the space", "[page]") {
    auto const texts = [](double from, double days) {
        Plot const plot{.x = {"date", false, Unit::date}, .curves = {{"", {{from, 1}, {from + days * 86400, 2}}}}};
        std::vector<std::string> result;
        for (auto const& tic : x_scale(plot, 8).tics)
            result.push_back(tic.text);
        return result;
    };
    using Texts = std::vector<std::string>;
    constexpr double begin = 1736503200;  // 2025-01-10 10:00
    CHECK(texts(begin, 0.125) == Texts{"01-10 10:00", "01-10 11:00", "01-10 12:00", "01-10 13:00"});
    CHECK(texts(begin, 4) == Texts{"2025-01-11", "2025-01-12", "2025-01-13", "2025-01-14"});
    CHECK(texts(begin, 60) == Texts{"2025-02", "2025-03"});
    CHECK(texts(begin, 400) == Texts{"2025-04", "2025-07", "2025-10", "2026-01"});
    CHECK(texts(begin, 1500) == Texts{"2026", "2027", "2028", "2029"});
    CHECK(texts(begin, 20000) == Texts{"2032", "2048", "2064"});
    CHECK(texts(begin, 0) == Texts{"2025-01-10"});
}

TEST_CASE("bars begin at zero and are next to each other", "[page]") {
    // x: 0.5 .. 2.5 and y: 0 .. 10.5 with tics of two characters: the area begins at 19.2 and is 330.8 wide.
    Plot const plot{.bars = true, .curves = {{"a", {{1, 10}, {2, 5}}}, {"b", {{1, 10}, {2, 5}}}}};
    auto const text = svg_text(plot, 1);
    // The bar of "a" at 1 reaches from 0.6 to 1: 19.2 + 330.8 * 0.05 = 35.74 to 101.9; 10 is at 210 - 192 / 1.05 =
    // 27.14.
    CHECK_THAT(text, ContainsSubstring("<path class=\"bar\" d=\"M35.7 210V27.1H101.9V210z") &&
                         ContainsSubstring("<path class=\"bar\" d=\"M101.9 210V27.1H168.1V210z"));
    CHECK_THAT(text, !ContainsSubstring("class=\"line\""));
    // The interval has another colour than its bar, so that it is visible.
    Plot const one{.bars = true, .curves = {{"a", {{1, 10, measure::Interval{5, 10}}}}}};
    CHECK_THAT(svg_text(one, 1), ContainsSubstring("</g>\n<path class=\"interval\""));
}

TEST_CASE("steps are a staircase, a band is filled, and bounds beyond the axis are open", "[page]") {
    // As above: 0 is at 39.6, 10 at 335.2, and 0, 100, 200 are at 210, 118.6, 27.1.
    Plot plot{
        .curves = {{"s", {{0, 0}, {10, 200}}, Shape::steps}, {.label = "b", .band = {{0, 0, 100}, {10, 100, 200}}}}};
    auto text = svg_text(plot, 1);
    CHECK_THAT(text, ContainsSubstring("d=\"M39.6 210H335.2V27.1\""));
    CHECK_THAT(text, ContainsSubstring("<path class=\"band\" d=\"M39.6 118.6L335.2 27.1L335.2 118.6L39.6 210z\"/>"));
    CHECK_THAT(dat_text(plot), ContainsSubstring("\n10 200 200 200 0\n# b\n\n\n0 0 100\n10 100 200\n"));
    plot = {.y = {.log = true}, .curves = {{"i", {{1, 10, measure::Interval{-1, 20}}}}}};
    CHECK(count(svg_text(plot, 1), "h5") == 0);
    plot.curves[0].points[0].interval = measure::Interval{9, 20};
    CHECK(count(svg_text(plot, 1), "h5") == 1);
}

TEST_CASE("curves have different shapes and dashes, and long names are wrapped", "[page]") {
    Plot plot{.x = {"x"}, .y = {"y"}};
    for (int i = 0; i < 12; ++i)
        plot.curves.push_back({fmt::format("curve {}", i), {{0, 1.0 * i}, {1, 2.0 * i}}});
    auto const text = svg_text(plot, 1);
    // Each occurs in picture and legend: curves 1, 6 and 11; 2 and 7; 0 and 10.
    CHECK(count(text, "stroke-dasharray=\"6 3\"") == 6);
    CHECK(count(text, "stroke-dasharray=\"2 2\"") == 4);
    CHECK(count(text, "class=\"c0\"") == 4);
    plot.curves = {{std::string(30, 'a') + " " + std::string(40, 'b'), {{1, 1}}}};
    CHECK_THAT(svg_text(plot, 1), ContainsSubstring("y=\"250\">" + std::string(30, 'a') + "<") &&
                                      ContainsSubstring("y=\"264\">" + std::string(40, 'b') + "<"));
}

TEST_CASE("names in a picture are text, and a separate file is XML with its title", "[page]") {
    std::string const odd = "<script>\"&\x01";
    Plot const plot{.title = odd, .x = {odd}, .y = {odd}, .mark = odd, .curves = {{odd, {{1, 1, {}, true}}}}};
    for (auto const& text : {svg_text(plot, 1, odd), svg_file_text(plot)}) {
        CHECK_THAT(text, !ContainsSubstring("<script") && !ContainsSubstring("\x01") &&
                             ContainsSubstring("&lt;script&gt;&quot;&amp;"));
        CHECK(count(text, "<g ") == count(text, "</g>"));
    }
    CHECK_THAT(svg_file_text(plot), ContainsSubstring("<?xml version=\"1.0\"") &&
                                        ContainsSubstring("xmlns=\"http://www.w3.org/2000/svg\"") &&
                                        ContainsSubstring("fill=\"white\"") && ContainsSubstring(".c0{color:#0072b2}"));
    CHECK(svg_file_text({}).empty());
}

TEST_CASE("pictures have bounded numbers for any values", "[page]") {
    double const next = std::nextafter(1.0, 2.0);
    double const infinity = std::numeric_limits<double>::infinity();
    for (auto const unit : {Unit::seconds, Unit::bytes, Unit::plain})
        for (bool const log : {false, true})
            for (auto const& [low, high] : {std::pair{1.0, next},
                                            {1e6, 1e6 + 3},
                                            {1e-300, 1e300},
                                            {-1e90, 1e90},
                                            {0.0, 1e19},
                                            {0.0, 0.0},
                                            {-3, -3}}) {
                Plot const plot{.x = {"x", log, unit},
                                .y = {"y", log, unit},
                                .curves = {{"a", {{low, high, measure::Interval{-infinity, infinity}}, {high, low}}}}};
                auto const text = svg_text(plot, 1);
                CHECK(text.size() < 6000);
                CHECK_THAT(text, !ContainsSubstring("nan") && !ContainsSubstring("inf"));
            }
}
