// SPDX-License-Identifier: BSD-3-Clause
#include "page/svg.hpp"

#include "page/axes.hpp"
#include "page/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace page {

namespace {

// All lengths are in units of the picture.
constexpr double picture_width = 360;
constexpr double picture_height = 240;  // height without the legend
constexpr double letter_width = 5.6;    // mean width in a font of size 10, rounded up
constexpr double row_height = 14;

/// The number rounded to tenths.
std::string number_text(double value) {
    double const rounded = std::round(value * 10) / 10;
    return fmt::format("{}", rounded == 0 ? 0 : rounded);
}

double width_of(std::string_view text) { return letter_width * static_cast<double>(letters(text)); }

std::string path_text(std::string_view kind, std::string const& path, std::string_view more = {}) {
    return path.empty() ? std::string{} : fmt::format("<path class=\"{}\"{} d=\"{}\"/>\n", kind, more, path);
}

enum class Anchor { start, middle, end };

std::string words_text(double x, double y, Anchor anchor, std::string_view text) {
    constexpr std::array anchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", number_text(x), number_text(y),
                       anchors[static_cast<std::size_t>(anchor)], html_escaped(text));
}

struct Spot {
    double x = 0;
    double y = 0;
};

std::string spot_text(Spot spot) { return fmt::format("{} {}", number_text(spot.x), number_text(spot.y)); }

/// The part of the picture between the axes.
class Area {
public:
    explicit Area(Plot const& plot) : y_{y_scale(plot, most_tics)} {
        double widest = 0;
        for (Tic const& tic : y_.tics)
            widest = std::max(widest, width_of(tic.text));
        left_ = std::min(widest + 8, picture_width / 2);
        x_ = x_scale(plot, most_tics);
        for (std::size_t most = most_tics - 1; most > 1 && !is_readable(); --most)
            x_ = x_scale(plot, most);
    }

    /// Values beyond an axis are drawn at its end.
    [[nodiscard]] Spot spot(double x, double y) const { return {across(x), up(y)}; }
    [[nodiscard]] double across(double x) const { return left_ + (right - left_) * std::clamp(x_.place(x), 0.0, 1.0); }
    [[nodiscard]] double up(double y) const { return bottom - (bottom - top) * std::clamp(y_.place(y), 0.0, 1.0); }
    [[nodiscard]] bool holds(double y) const { return y_.place(y) >= 0 && y_.place(y) <= 1; }
    /// The base of bars.
    [[nodiscard]] double ground() const { return y_.log_base > 0 ? bottom : up(0); }

    [[nodiscard]] std::string text() const {
        std::string grid;
        std::string words;
        for (Tic const& tic : x_.tics) {
            grid += fmt::format("M{} {}V{}", number_text(across(tic.at)), number_text(top), number_text(bottom));
            double const half = width_of(tic.text) / 2;
            words += words_text(std::min(across(tic.at), picture_width - half), bottom + 12, Anchor::middle, tic.text);
        }
        for (Tic const& tic : y_.tics) {
            grid += fmt::format("M{} {}H{}", number_text(left_), number_text(up(tic.at)), number_text(right));
            words += words_text(left_ - 4, up(tic.at) + 3.5, Anchor::end, tic.text);
        }
        auto const frame =
            fmt::format("M{} {}V{}H{}", number_text(left_), number_text(top), number_text(bottom), number_text(right));
        return path_text("grid", grid) + path_text("frame", frame) + words +
               words_text(2, 10, Anchor::start, y_.label) +
               words_text((left_ + right) / 2, picture_height - 4, Anchor::middle, x_.label);
    }

private:
    static constexpr std::size_t most_tics = 8;
    static constexpr double right = picture_width - 10;
    static constexpr double top = 18;
    static constexpr double bottom = picture_height - 30;

    [[nodiscard]] bool is_readable() const {
        constexpr double gap = 6;
        for (std::size_t i = 1; i < x_.tics.size(); ++i)
            if (across(x_.tics[i].at) - across(x_.tics[i - 1].at) <
                (width_of(x_.tics[i].text) + width_of(x_.tics[i - 1].text)) / 2 + gap)
                return false;
        return true;
    }

    Scale y_;
    Scale x_{};
    double left_ = 0;
};

/// The mark at a point: an outline that starts there, filled or stroked.
struct Mark {
    char const* kind;
    char const* outline;
};
constexpr std::array marks{Mark{"dot", "h0"},
                           Mark{"mark", "m-2.2-2.2h4.4v4.4h-4.4z"},
                           Mark{"mark", "m0-3l2.8 4.8h-5.6z"},
                           Mark{"line", "m-2.2-2.2l4.4 4.4m0-4.4l-4.4 4.4"},
                           Mark{"mark", "m0-3.2l3.2 3.2-3.2 3.2-3.2-3.2z"},
                           Mark{"line", "m-3 0h6m-3-3v6"},
                           Mark{"mark", "m0 3l2.8-4.8h-5.6z"},
                           Mark{"line", "m-2.2-2.2h4.4v4.4h-4.4z"}};
constexpr std::array dashes{"", "6 3", "2 2", "8 2 2 2", "10 2 2 2 2 2"};

std::string marks_text(std::vector<Spot> const& spots, std::size_t style) {
    auto const& [kind, outline] = marks[style % marks.size()];
    std::string path;
    for (Spot const& spot : spots)
        path += fmt::format("M{}{}", spot_text(spot), outline);
    return path_text(kind, path);
}

std::string line_text(std::vector<Spot> const& spots, bool is_staircase, std::size_t style) {
    std::string path;
    for (Spot const& spot : spots)
        if (path.empty())
            path = fmt::format("M{}", spot_text(spot));
        else if (is_staircase)
            path += fmt::format("H{}V{}", number_text(spot.x), number_text(spot.y));
        else
            path += fmt::format("L{}", spot_text(spot));
    std::string_view const dash = dashes[style % dashes.size()];
    return path_text("line", path, dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

/// A line with marks, only marks, or only a line, depending on the shape.
std::string shape_text(std::vector<Spot> const& spots, Shape shape, std::size_t style) {
    std::string text;
    if (shape != Shape::points)
        text += line_text(spots, shape == Shape::steps, style);
    if (shape == Shape::points || shape == Shape::lines)
        text += marks_text(spots, style);
    return text;
}

std::string band_text(Plot const& plot, Area const& area, Curve const& curve) {
    std::string upper;
    std::string lower;
    for (auto const& [x, low, high] : curve.band)
        if (can_be_drawn(plot, {x, high})) {
            upper += (upper.empty() ? "M" : "L") + spot_text(area.spot(x, high));
            lower = "L" + spot_text(area.spot(x, low)) + lower;
        }
    return path_text("band", upper.empty() ? upper : upper + lower + "z");
}

/// An interval. An end beyond the axis has no end mark.
std::string intervals_text(Plot const& plot, Area const& area, Curve const& curve) {
    constexpr double half = 2.5;
    std::string path;
    for (PlotPoint const& point : curve.points) {
        if (!point.interval || !can_be_drawn(plot, point))
            continue;
        auto const [low, high] = *point.interval;
        double const x = area.across(point.x);
        path += fmt::format("M{} {}V{}", number_text(x), number_text(area.up(low)), number_text(area.up(high)));
        for (double const end : {low, high})
            if (area.holds(end))
                path +=
                    fmt::format("M{} {}h{}", number_text(x - half), number_text(area.up(end)), number_text(2 * half));
    }
    return path_text("interval", path);
}

std::string bars_text(Plot const& plot, Area const& area, Curve const& curve, std::size_t index, std::size_t bars) {
    double const width = 0.8 / static_cast<double>(bars);
    double const begin = (static_cast<double>(index) - static_cast<double>(bars) / 2) * width;
    std::string path;
    for (PlotPoint const& point : curve.points)
        if (can_be_drawn(plot, point))
            path += fmt::format("M{0} {1}V{2}H{3}V{1}z", number_text(area.across(point.x + begin)),
                                number_text(area.ground()), number_text(area.up(point.y)),
                                number_text(area.across(point.x + begin + width)));
    return path_text("bar", path);
}

std::string rings_text(std::vector<Spot> const& spots) {
    std::string path;
    for (auto const& [x, y] : spots)
        path += fmt::format("M{} {}a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", number_text(x - 5), number_text(y));
    return path_text("ring", path);
}

std::string group_text(std::size_t style, std::string const& content) {
    return fmt::format("<g class=\"c{}\">\n{}</g>\n", style % colours.size(), content);
}

std::string curves_text(Plot const& plot, Area const& area) {
    auto const drawn = drawn_curves(plot);
    std::string text;
    std::vector<Spot> ringed;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        Curve const& curve = drawn[i].curve;
        std::size_t const style = drawn[i].style;
        std::vector<Spot> spots;
        for (PlotPoint const& point : curve.points)
            if (can_be_drawn(plot, point)) {
                spots.push_back(area.spot(point.x, point.y));
                if (point.marked)
                    ringed.push_back(spots.back());
            }
        if (plot.bars)
            text += group_text(style, bars_text(plot, area, curve, i, drawn.size()));
        if (plot.bars && drawn.size() == 1)
            text += intervals_text(plot, area, curve);
        if (!plot.bars)
            text += group_text(style, band_text(plot, area, curve) + intervals_text(plot, area, curve) +
                                          shape_text(spots, curve.shape, style));
    }
    return text + rings_text(ringed);
}

/// Wraps a text into lines of limited length, at blanks if possible.
std::vector<std::string> lines_of(std::string_view text, std::size_t most) {
    std::vector<std::string> lines;
    std::string line;
    std::size_t blank = 0;  // last blank of the line
    for (char const c : text) {
        bool const begins_letter = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (begins_letter && letters(line) >= most) {
            auto const at = blank > 0 ? blank : line.size();
            lines.push_back(line.substr(0, at));
            line.erase(0, blank > 0 ? blank + 1 : at);
            blank = 0;
        }
        if (c == ' ')
            blank = line.size();
        line += c;
    }
    lines.push_back(std::move(line));
    return lines;
}

/// The legend below the picture: entries side by side, with line breaks where necessary.
class Legend {
public:
    explicit Legend(Plot const& plot) {
        bool has_rings = false;
        for (DrawnCurve const& drawn : drawn_curves(plot)) {
            auto const& points = drawn.curve.points;
            has_rings = has_rings || std::any_of(points.begin(), points.end(), [&](PlotPoint const& point) {
                            return point.marked && can_be_drawn(plot, point);
                        });
            if (!drawn.curve.label.empty())
                add(drawn.curve.label,
                    [&](Spot at) { return group_text(drawn.style, sample(plot, drawn.curve, drawn.style, at)); });
        }
        if (has_rings && !plot.mark.empty())
            add(plot.mark, [](Spot at) { return rings_text({at}); });
    }

    [[nodiscard]] std::string const& text() const noexcept { return text_; }
    [[nodiscard]] double height() const noexcept { return y_ + below - picture_height; }

private:
    static constexpr double sample_width = 20;

    /// A sample of a curve around a position.
    static std::string sample(Plot const& plot, Curve const& curve, std::size_t style, Spot at) {
        double const left = at.x - sample_width / 2;
        auto const box =
            fmt::format("M{} {}h{}v7h-{}z", number_text(left), number_text(at.y - 3.5), sample_width, sample_width);
        if (plot.bars)
            return path_text("bar", box);
        auto text = curve.band.empty() ? std::string{} : path_text("band", box);
        if (curve.points.empty())
            return text;
        if (curve.shape != Shape::points)
            text += line_text({{left, at.y}, {left + sample_width, at.y}}, false, style);
        if (curve.shape == Shape::points || curve.shape == Shape::lines)
            text += marks_text({at}, style);
        return text;
    }

    template <class Sample>
    void add(std::string_view label, Sample sample_at) {
        constexpr double before = 4;
        constexpr double between = 14;
        constexpr double room = picture_width - 2 * before - sample_width;
        auto const lines = lines_of(label, static_cast<std::size_t>(room / letter_width));
        double widest = 0;
        for (auto const& line : lines)
            widest = std::max(widest, width_of(line));
        if (x_ + sample_width + before + widest > picture_width) {
            x_ = before;
            y_ += row_height;
        }
        text_ += sample_at({x_ + sample_width / 2, y_ - 3.5});
        for (std::size_t i = 0; i < lines.size(); ++i) {
            y_ += i > 0 ? row_height : 0;
            text_ += words_text(x_ + sample_width + before, y_, Anchor::start, lines[i]);
        }
        x_ = lines.size() > 1 ? picture_width : x_ + sample_width + before + widest + between;
    }

    static constexpr double below = 4;   // distance of the text's base line from the lower edge
    double x_ = picture_width;           ///< start of the next entry
    double y_ = picture_height - below;  ///< base line of its text
    std::string text_{};
};

std::string description(Plot const& plot, std::string_view note) {
    auto text = fmt::format("{} over {}.", plot.y.label, plot.x.label);
    for (Curve const& curve : plot.curves)
        if (!curve.label.empty())
            text += fmt::format(" {}: {} points.", curve.label, curve.points.size());
    return note.empty() ? text : fmt::format("{} {}", text, note);
}

/// CSS rules for the curves' colours. \param shade  light or dark colours
std::string colours_text(char const* Colour::*shade) {
    std::string text;
    for (std::size_t i = 0; i < colours.size(); ++i)
        text += fmt::format(".c{}{{color:{}}}", i, colours[i].*shade);
    return text + "\n";
}

/// Rules for pictures. Programs other than browsers do not know `var()`, so the grid also has a fixed colour.
constexpr std::string_view rules = R"css(.plot { font: 10px system-ui, sans-serif; }
.plot text { fill: currentColor; }
.plot path { fill: none; stroke: currentColor; stroke-width: 1.6; vector-effect: non-scaling-stroke; }
.plot .grid { stroke: #d0d0d0; stroke: var(--grid, #d0d0d0); stroke-width: 1; }
.plot .frame, .plot .interval, .plot .ring { stroke-width: 1; }
.plot .band { fill: currentColor; fill-opacity: 0.2; stroke: none; }
.plot .bar { fill: currentColor; fill-opacity: 0.8; stroke: none; }
.plot .mark { fill: currentColor; stroke: none; }
.plot .dot { stroke-width: 5; stroke-linecap: round; vector-effect: none; }
)css";

/// The whole picture. \param attributes  attributes of the svg element, including its size
std::string whole_text(Plot const& plot, std::string_view attributes, std::string_view before, Legend const& legend) {
    Area const area{plot};
    return fmt::format("<svg {}>\n{}{}{}{}</svg>\n", attributes, before, area.text(), curves_text(plot, area),
                       legend.text());
}

}  // namespace

std::string svg_text(Plot const& plot, std::size_t number, std::string_view note) {
    if (!has_points(plot))
        return {};
    Legend const legend{plot};
    auto const attributes =
        fmt::format("class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"p{}-title p{}-text\"",
                    picture_width, picture_height + legend.height(), number, number);
    auto const names = fmt::format("<title id=\"p{0}-title\">{1}</title>\n<desc id=\"p{0}-text\">{2}</desc>\n", number,
                                   html_escaped(plot.title), html_escaped(description(plot, note)));
    return whole_text(plot, attributes, names, legend);
}

std::string svg_file_text(Plot const& plot) {
    if (!has_points(plot))
        return {};
    constexpr double scale = 2;
    Legend const legend{plot};
    auto const lines = lines_of(plot.title, static_cast<std::size_t>(picture_width / letter_width));
    double const above = row_height * static_cast<double>(lines.size()) + 4;
    double const height = above + picture_height + legend.height();
    auto const attributes =
        fmt::format("xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{}\" height=\"{}\" "
                    "viewBox=\"0 {} {} {}\" role=\"img\"",
                    scale * picture_width, scale * height, -above, picture_width, height);
    auto before = fmt::format("<title>{}</title>\n<desc>{}</desc>\n<style>\n{}{}</style>\n"
                              "<rect y=\"{}\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                              html_escaped(plot.title), html_escaped(description(plot, {})), rules,
                              colours_text(&Colour::light), -above);
    for (std::size_t i = 0; i < lines.size(); ++i)
        before +=
            words_text(picture_width / 2, row_height * static_cast<double>(i + 1) - above, Anchor::middle, lines[i]);
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + whole_text(plot, attributes, before, legend);
}

std::string svg_style() {
    return fmt::format("{}{}.plot {{ display: block; width: 100%; height: auto; max-width: 46rem; }}\n"
                       "@media screen and (min-width: 34rem) {{ .plot {{ font-size: 8px; }} }}\n"
                       "@media screen and (prefers-color-scheme: dark) {{\n{}}}\n",
                       rules, colours_text(&Colour::light), colours_text(&Colour::dark));
}

}  // namespace page
