// SPDX-License-Identifier: BSD-3-Clause
#include "page/drawing.hpp"
#include "page/html.hpp"
#include "page/markdown.hpp"
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

TEST_CASE("a page holds what the document says and nothing of it is markup", "[page]") {
    auto const text = html_text(small(), {});
    CHECK_THAT(text, ContainsSubstring("<title>T &amp; T</title>") && ContainsSubstring("One &lt;b&gt;</h2>") &&
                         ContainsSubstring("<ul class=\"warnings\">\n<li>look &lt;here&gt;</li>"));
    CHECK_THAT(text, ContainsSubstring("<td class=\"s m\">y</td><td class=\"n\">2.5</td>"));
    CHECK_THAT(text, ContainsSubstring("<details><summary><h3 id=\"s2\">Folded</h3></summary>\n<p>inside</p>\n"
                                       "</details>\n<h2 id=\"s3\">Two</h2>"));
    CHECK(count(text, "<details") == count(text, "</details>"));
}

TEST_CASE("text that no page may hold is replaced", "[page]") {
    CHECK(html_escaped("a<\"&\">") == "a&lt;&quot;&amp;&quot;&gt;");
    CHECK(html_escaped("µ\tx") == "µ\tx");
    CHECK(html_escaped("\x1b[31m") == "\xEF\xBF\xBD[31m");
    CHECK(html_escaped("\xC0\xAFz") == "\xEF\xBF\xBD\xEF\xBF\xBDz");        // too long a form of '/'
    CHECK(html_escaped("\xED\xA0\x80").find('\xED') == std::string::npos);  // half of a pair
    CHECK(html_escaped("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("a document as Markdown has its tables and nothing of their texts is markup", "[page]") {
    auto const text = markdown_text(small());
    CHECK_THAT(text,
               ContainsSubstring("# T &amp; T\n") && ContainsSubstring("| a\\|b | n |\n| --- | ---: |\n| x | 1 |\n"
                                                                       "| **y** | 2.5 |\n"));
    CHECK_THAT(text, ContainsSubstring("- **Warning:** look &lt;here&gt;"));
}

TEST_CASE("a picture of gnuplot becomes part of a page", "[page]") {
    std::string const svg =
        "<?xml?>\n<svg \n width=\"1\"\n>\n\n<title>Gnuplot</title>\n<desc>Produced by X </desc>\n\n"
        "<g fill=\"none\">\n</g>\n<g id=\"a\" >x</g><use href='#b' stroke='rgb(  0, 114, 178)'/></svg>";
    auto const text = embedded_svg(svg, 3, "T<", "D");
    CHECK(text.substr(0, 5) == "<svg ");
    CHECK_THAT(text, ContainsSubstring("role=\"img\"") && ContainsSubstring("<title id=\"p3-title\">T&lt;</title>") &&
                         ContainsSubstring("id=\"p3-a\"") && ContainsSubstring("href='#p3-b' stroke='#0072b2'"));
    CHECK_THAT(text, !ContainsSubstring("Gnuplot") && !ContainsSubstring("Produced") && !ContainsSubstring("fill"));
    CHECK(embedded_svg("nothing", 1, "", "").empty());
}

TEST_CASE("axes have tics with units that fit", "[page]") {
    Plot plot{.x = {"size", true, Unit::bytes},
              .y = {"time", true, Unit::seconds},
              .curves = {{"a", {{1, 1e-6}, {4096, 2e-3}}}}};
    auto text = script_text(std::span{&plot, 1}, Terminal::svg, "f");
    CHECK_THAT(text, ContainsSubstring("'1 KiB' 1024") && ContainsSubstring("'10 µs' 1e-05") &&
                         ContainsSubstring("'1 ms' 0.001"));
    CHECK_THAT(text, ContainsSubstring("set ylabel 'time'\n"));
    plot.y.log = false;
    text = script_text(std::span{&plot, 1}, Terminal::svg, "f");
    CHECK_THAT(text, ContainsSubstring("set ylabel 'time [ms]'\n") && ContainsSubstring("'0.5' 0.0005"));
    plot.curves[0].points[1] = {4096, 5};
    plot.y = {"speed", true, Unit::flops};
    plot.curves[0].points[0] = {1, 2e9};
    text = script_text(std::span{&plot, 1}, Terminal::svg, "f");
    CHECK_THAT(text, ContainsSubstring("'1 Gflop/s' 1000000000"));
}

TEST_CASE("axes end for numbers that are next to each other, far apart, or beyond all measure", "[page]") {
    double const next = std::nextafter(1.0, 2.0);
    for (auto const unit : {Unit::seconds, Unit::bytes, Unit::plain})
        for (bool const log : {false, true})
            for (auto const& [low, high] :
                 {std::pair{1.0, next}, {1e6, 1e6 + 3}, {1e-300, 1e300}, {-1e308, 1e308}, {0.0, 1e19}, {0.001, 0.5}}) {
                Plot plot{.x = {"x", log, unit}, .y = {"y", log, unit}, .curves = {{"a", {{low, high}, {high, low}}}}};
                auto const text = script_text(std::span{&plot, 1}, Terminal::svg, "f");
                CHECK(text.size() < 5000);
                CHECK_THAT(text, !ContainsSubstring("nan") && !ContainsSubstring("inf"));
            }
    Plot sizes{.x = {"size", false, Unit::bytes}, .y = {"y"}, .curves = {{"a", {{1e6, 1}, {1e6 + 4, 1}}}}};
    CHECK_THAT(script_text(std::span{&sizes, 1}, Terminal::svg, "f"), ContainsSubstring("'1000002 B' 1000002"));
    Plot shares{.x = {"share", true}, .y = {"y"}, .curves = {{"a", {{0.001, 1}, {0.5, 1}}}}};
    CHECK_THAT(script_text(std::span{&shares, 1}, Terminal::svg, "f"), ContainsSubstring("set xtics (0.001, 0.002"));
}

TEST_CASE("an interval whose end the axis does not have goes out of the picture", "[page]") {
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

TEST_CASE("names of several lines do not become data", "[page]") {
    Plot const plot{.title = "a\n1 2 3", .curves = {{"b\n4 5 6", {{1, 1}}}}};
    CHECK_THAT(dat_text(plot), ContainsSubstring("# a 1 2 3\n") && ContainsSubstring("# b 4 5 6\n"));
}

TEST_CASE("a line of what was computed has the colour of its curve", "[page]") {
    Plot const plot{
        .curves = {{"a", {{1, 1}, {2, 2}}}, {"b", {{1, 1}, {2, 3}}}, {"fit", {{1, 1}, {2, 3}}, Shape::line, 1}}};
    auto const text = script_text(std::span{&plot, 1}, Terminal::svg, "f");
    CHECK_THAT(text, ContainsSubstring("$plot0 index 2 using 1:2 with lines linewidth 1.5 linecolor '#d55e00'"));
    CHECK(count(text, "#d55e00") == 2);
}

TEST_CASE("gnuplot draws all plots at once, and what it cannot draw costs only itself", "[page]") {
    if (!gnuplot_version()) {
        WARN("no gnuplot");
        return;
    }
    std::vector<Plot> plots(3, Plot{.title = "<x> 'quoted' `ls` & \"more\"",
                                    .x = {"size", true, Unit::bytes},
                                    .y = {"time", false, Unit::seconds}});
    plots[0].curves = {{"<script>", {{1, 1e-6, measure::Interval{0.5e-6, 2e-6}}, {4096, 2e-3}}}};
    plots[2].curves = {{"s", {{1, 0}, {2, 0.5}, {3, 1}}, Shape::steps}, {"p", {{1, 0.1}}, Shape::points}};
    auto const pictures = draw_svg(plots);
    REQUIRE(pictures.size() == 3);
    CHECK_THAT(pictures[0],
               ContainsSubstring("</svg>") && ContainsSubstring("4 KiB") && !ContainsSubstring("<script>"));
    CHECK(pictures[1].empty());
    CHECK_THAT(pictures[2], ContainsSubstring("</svg>"));
}
