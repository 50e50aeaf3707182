// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/files.hpp"
#include "skampi/report/comparisons.hpp"
#include "skampi/report/findings.hpp"
#include "skampi/report/pages.hpp"
#include "skampi/report/report.hpp"
#include "skampi/report/tables.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace skampi::report;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using skampi::Block;
using skampi::Input;
using skampi::Row;

/// Five points starting at length 0; the time is 10 us plus 1 us per 4 bytes.
std::vector<Row> rows(double factor = 1) {
    std::vector<Row> result;
    for (std::int64_t const length : {0, 4, 8, 16, 32})
        result.push_back({.argument = length,
                          .length = length,
                          .time = factor * (10 + static_cast<double>(length) / 4),
                          .error = 0.5,
                          .samples = 8});
    result[2].flags = {"refined"};
    return result;
}

Block block(std::string name, std::string pattern = "point-to-point", std::string variable = "length") {
    return {.name = std::move(name),
            .keys = {{"pattern", std::move(pattern)}, {"nodes", "2"}, {"chunks", "10"}, {"overhead", "2 0.5 0.1"}},
            .variable = std::move(variable),
            .rows = rows(),
            .trailer = {{"stop", "accuracy"}},
            .duration = 2};
}

Input input(std::vector<Block> blocks, std::string machine = "M", std::string path = "a.out") {
    return {
        std::move(path),
        {.head = {{"MACHINE", std::move(machine)}, {"PARTNER", "3 41.2300 node2"}, {"COMMENT", "a"}, {"COMMENT", "b"}},
         .blocks = std::move(blocks),
         .finished = "2025-01-31T10:09:12Z",
         .runtime = 60}};
}

std::vector<std::string> titles(std::vector<Plot> const& plots) {
    std::vector<std::string> result;
    for (Plot const& plot : plots)
        result.push_back(plot.title);
    return result;
}

Compared compared(std::vector<Block> blocks, ReportParameters const& parameters = {}) {
    std::array const inputs{input(std::move(blocks))};
    return compare(parameters, measured(inputs), false);
}

std::vector<std::string> stems(Report const& report) {
    std::vector<std::string> result;
    for (Plot const& plot : plots(report.document))
        result.push_back(plot.stem);
    return result;
}

template <class T>
std::vector<T> elements(Document const& document) {
    std::vector<T> result;
    for (Element const& element : document.elements)
        if (auto const* const found = std::get_if<T>(&element); found != nullptr)
            result.push_back(*found);
    return result;
}

std::vector<program::ParseError> report_faults_of(std::string const& text) {
    try {
        static_cast<void>(read_report_parameters(text, "p"));
    } catch (program::ParseErrors const& faults) {
        return faults.faults();
    }
    return {};
}

}  // namespace

TEST_CASE("the parameter file of a report is read", "[skampi]") {
    auto const parameters = read_report_parameters(
        "# a comment\n@OPTIONS\nMinimum_Data = 2; barchart = no; format = html, PNG; title = \"Two libraries\";\n"
        "@COMPARISONS\n\"Gather variants\" { measurements = MPI_Gather-length, Gather_SR-length;\n"
        "  y = bandwidth; xscale = linear; yscale = log; }\nplain { measurements = x; }\n",
        "p");
    CHECK(parameters.minimum_data == 2);
    CHECK_FALSE(parameters.bar_charts);
    CHECK(parameters.formats.html);
    CHECK(parameters.formats.png);
    CHECK_FALSE(parameters.formats.pdf);
    CHECK_FALSE(parameters.formats.ps);
    CHECK(parameters.title == "Two libraries");
    REQUIRE(parameters.comparisons);
    REQUIRE(parameters.comparisons->size() == 2);
    Comparison const& first = parameters.comparisons->at(0);
    CHECK(first.title == "Gather variants");
    CHECK(first.measurements == std::vector<std::string>{"MPI_Gather-length", "Gather_SR-length"});
    CHECK(first.y == Quantity::bandwidth);
    CHECK(first.log_x == false);
    CHECK(first.log_y == true);
    CHECK(parameters.comparisons->at(1).title == "plain");
    CHECK_FALSE(parameters.comparisons->at(1).log_x);
}

TEST_CASE("an empty parameter file gives the defaults", "[skampi]") {
    auto const parameters = read_report_parameters("", "p");
    CHECK(parameters.minimum_data == 4);
    CHECK(parameters.bar_charts);
    CHECK(parameters.formats.html);
    CHECK(parameters.formats.pdf);
    CHECK(parameters.formats.ps);
    CHECK_FALSE(parameters.comparisons);
}

TEST_CASE("all errors in a parameter file are found with their places", "[skampi]") {
    auto const faults = report_faults_of("@OPTIONS\nminimum_data = 0; barchart = maybe;\n colour = red; title = a, b;\n"
                                         "format = html, gif;\n@COMPARISONS\na { y = ratio; }\n");
    REQUIRE(faults.size() == 7);
    CHECK_THAT(faults[0].text, ContainsSubstring("minimum_data: '0' is out of range"));
    CHECK(faults[0].line == 2);
    CHECK(faults[0].column == 16);
    CHECK_THAT(faults[1].text, ContainsSubstring("barchart: 'maybe' is unknown (yes or no)"));
    CHECK_THAT(faults[2].text, ContainsSubstring("unknown key 'colour' (minimum_data, barchart, format, title or"));
    CHECK(faults[2].column == 2);
    CHECK(faults[3].text == "title: expected one value, found 2");
    CHECK_THAT(faults[4].text, ContainsSubstring("format: 'gif' is unknown"));
    CHECK(faults[4].column == 16);
    CHECK_THAT(faults[5].text, ContainsSubstring("y: 'ratio' is unknown (time, bandwidth or time_per_chunk)"));
    CHECK(faults[6].text == "comparison 'a' names no measurements");
    CHECK(faults[6].line == 6);
}

TEST_CASE("a quantity that a pattern does not have is not compared", "[skampi]") {
    auto const parameters = read_report_parameters("@COMPARISONS\na { measurements = x, y, c; y = bandwidth; }\n", "p");
    auto const result = compared({block("x"), block("y"), block("c", "collective")}, parameters);
    REQUIRE(result.plots.size() == 1);
    CHECK(result.plots[0].curves.size() == 2);
    CHECK(result.warnings == std::vector<std::string>{"comparison 'a': 'c' has no bandwidth"});
}

TEST_CASE("a default comparison needs at least two available curves", "[skampi]") {
    CHECK(compared({block("MPI_Send-MPI_Recv")}).plots.empty());
    auto const two = compared({block("MPI_Send-MPI_Recv"), block("MPI_Ssend-MPI_Recv")});
    // "Standard and synchronous sending" would repeat the first plot.
    CHECK(titles(two.plots) == std::vector<std::string>{"All ping-pong variants", "All ping-pong variants: bandwidth"});
    CHECK(two.plots[0].stem == "cmp_01");
    CHECK(two.plots[0].x.log);
    CHECK(two.plots[1].y.label == "bandwidth [MB/s]");
    CHECK(two.warnings.empty());
    CHECK_THAT(gp_text(two.plots[0]), !ContainsSubstring("refined"));
    auto const gather = compared({block("MPI_Gather-length", "collective"), block("Gather_SR-length", "collective"),
                                  block("MPI_Gatherv-length", "collective")});
    REQUIRE(titles(gather.plots) == std::vector<std::string>{"Ways to gather", "Extra cost of Gatherv"});
    CHECK(gather.plots[0].curves.size() == 2);
    auto const twin = compared({block("x", "collective"), block("x-SM", "collective")});
    CHECK(titles(twin.plots) == std::vector<std::string>{"x: started by a barrier and by the clock"});
}

TEST_CASE("the same measurement in two files is not a default comparison", "[skampi]") {
    std::array const inputs{input({block("MPI_Send-MPI_Recv")}), input({block("MPI_Send-MPI_Recv")}, "N", "b.out")};
    CHECK(compare({}, measured(inputs), true).plots.empty());
    CHECK(plot_of(measured(inputs)[0], Quantity::time).curves.size() == 2);
}

TEST_CASE("plots with many curves have no intervals", "[skampi]") {
    auto const has_intervals = [](std::size_t curves) {
        std::vector<Block> blocks;
        for (std::size_t i = 0; i < curves; ++i)
            blocks.push_back(block("m" + std::to_string(i)));
        auto const plots = compared(std::move(blocks)).plots;
        REQUIRE(plots.at(0).curves.size() == curves);
        return plots[0].curves[0].points[0].interval.has_value();
    };
    CHECK(has_intervals(4));
    CHECK_FALSE(has_intervals(5));
}

TEST_CASE("points measured with barriers instead of a window are a separate curve", "[skampi]") {
    auto window = block("x-SM", "collective");
    window.rows[3].flags = {"invalid-window", "fallback-barrier"};
    auto const drawn = curves(window, Quantity::time, "x-SM");
    REQUIRE(drawn.size() == 2);
    CHECK(drawn[0].points.size() == 4);
    CHECK(drawn[1].label == "x-SM, barrier in place of window");
    REQUIRE(drawn[1].points.size() == 1);
    CHECK(drawn[1].points[0].x == 16);
}

TEST_CASE("a comparison with missing measurements gives a warning and continues", "[skampi]") {
    auto const parameters = read_report_parameters(
        "@COMPARISONS\na { measurements = x, y, nothing; yscale = linear; }\nb { measurements = x, nothing; }\n"
        "c { measurements = x, n; }\n",
        "p");
    auto const result = compared({block("x"), block("y"), block("n", "collective", "nodes")}, parameters);
    REQUIRE(titles(result.plots) == std::vector<std::string>{"a"});
    CHECK(result.plots[0].curves.size() == 2);
    CHECK(result.plots[0].x.log);
    CHECK_FALSE(result.plots[0].y.log);
    CHECK(result.warnings == std::vector<std::string>{"comparison 'a': there is no measurement named 'nothing'",
                                                      "comparison 'b': there is no measurement named 'nothing'",
                                                      "comparison 'b' is left out: it has fewer than two curves",
                                                      "comparison 'c': 'n' varies nodes, not length",
                                                      "comparison 'c' is left out: it has fewer than two curves"});
}

TEST_CASE("user comparisons replace the default ones unless these are requested", "[skampi]") {
    auto const measurements = {block("MPI_Send-MPI_Recv"), block("MPI_Ssend-MPI_Recv")};
    std::string const own = "@COMPARISONS\nmine { measurements = MPI_Send-MPI_Recv, MPI_Ssend-MPI_Recv; }\n";
    CHECK(compared(measurements, read_report_parameters(own, "p")).plots.size() == 1);
    auto const both =
        compared(measurements, read_report_parameters("@OPTIONS\ndefault_comparisons = yes;\n" + own, "p"));
    REQUIRE(both.plots.size() == 2);
    CHECK(both.plots[0].title == "mine");
    CHECK(both.plots[1].title == "All ping-pong variants: bandwidth");
}

TEST_CASE("the data of a plot have error bars and keep points that cannot be drawn", "[skampi]") {
    std::array const inputs{input({block("x")})};
    auto const plot = plot_of(measured(inputs)[0], Quantity::time);
    CHECK(dat_text(plot) == "# x\n# x y low high refined; x: message length [bytes], y: time [µs]\n# x\n"
                            "# not on a logarithmic axis: 0 10 9.5 10.5 0\n"
                            "4 11 10.5 11.5 0\n8 12 11.5 12.5 1\n16 14 13.5 14.5 0\n32 18 17.5 18.5 0\n");
    auto const bandwidth = plot_of(measured(inputs)[0], Quantity::bandwidth);
    CHECK(bandwidth.stem == "p2p_x-bandwidth");
    CHECK(bandwidth.curves[0].points[4].y == Approx(2 * 32.0 / 18));
    CHECK(bandwidth.curves[0].points[4].interval->second - bandwidth.curves[0].points[4].y ==
          Approx(2 * 32.0 / 18 * 0.5 / 18));
    CHECK_FALSE(can_be_drawn(bandwidth, bandwidth.curves[0].points[0]));
}

TEST_CASE("a point with an error bar that reaches 0 stays on a logarithmic axis", "[skampi]") {
    Plot const plot{.y = {.log = true}, .curves = {{"c", {{.x = 1, .y = 2, .interval = measure::Interval{-1, 5}}}}}};
    CHECK_THAT(dat_text(plot), ContainsSubstring("\n1 2 0.1538461538 5 0\n"));
}

TEST_CASE("curves that cannot be drawn do not change the order of the others", "[skampi]") {
    Plot const plot{
        .stem = "s", .x = {.log = true}, .curves = {{"none", {{.x = 0, .y = 1}}}, {"one", {{.x = 1, .y = 1}}}}};
    CHECK_THAT(dat_text(plot), !ContainsSubstring("\n\n"));
    CHECK_THAT(gp_text(plot), ContainsSubstring("index 0") && !ContainsSubstring("index 1"));
    CHECK(has_points(plot));
    CHECK_FALSE(has_points({.x = {.log = true}, .curves = {plot.curves[0]}}));
}

TEST_CASE("a gnuplot script has axes with units, a legend and both pictures", "[skampi]") {
    std::array const inputs{input({block("it_s", "master-worker", "chunks")}),
                            input({block("it_s", "master-worker", "chunks")}, "don't", "b.out")};
    auto const plot = plot_of(measured(inputs)[0], Quantity::time_per_chunk);
    auto const text = gp_text(plot);
    CHECK_THAT(text, ContainsSubstring("set xlabel 'number of chunks'") &&
                         ContainsSubstring("set ylabel 'time per chunk [µs]'") && ContainsSubstring("set key below") &&
                         ContainsSubstring("noenhanced") && !ContainsSubstring("logscale"));
    CHECK_THAT(text, ContainsSubstring("with vectors heads") && ContainsSubstring("1:2 with linespoints") &&
                         ContainsSubstring("title 'M'") && ContainsSubstring("title 'don''t'"));
    CHECK_THAT(text, ContainsSubstring("set output 'mw_it_s-per-chunk.svg'") &&
                         ContainsSubstring("set output 'mw_it_s-per-chunk.png'"));
    auto const length = gp_text(plot_of(measured(std::array{input({block("x")})})[0], Quantity::time));
    CHECK_THAT(length, ContainsSubstring("set logscale x 2") && ContainsSubstring("'16 B' 16") &&
                           ContainsSubstring("set logscale y\n"));
    CHECK_THAT(length, ContainsSubstring("title 'refined'"));
    auto linear = plot_of(measured(std::array{input({block("x")})})[0], Quantity::time);
    linear.x.log = false;
    CHECK_THAT(gp_text(linear), ContainsSubstring("set xtics ('0 B' 0, '8 B' 8, '16 B' 16, '24 B' 24, '32 B' 32)"));
}

TEST_CASE("a logarithmic axis has labels even if it is short", "[skampi]") {
    auto const script = [](double low, double high) {
        return gp_text({.y = {.log = true}, .curves = {{"c", {{.x = 1, .y = low}, {.x = 2, .y = high}}}}});
    };
    CHECK_THAT(script(1.35, 1.5), ContainsSubstring("set ytics (1.2, 1.4, 1.6, 1.8)\n"));
    CHECK_THAT(script(13, 39), ContainsSubstring("[10:50.7]\nset ytics (10, 20, 30, 40, 50)\n"));
    CHECK_THAT(script(1, 100), ContainsSubstring("set ytics (1, 2, 5, 10, 20, 50, 100)\n"));
    CHECK_THAT(script(1, 5000),
               ContainsSubstring("set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)\n"));
}

TEST_CASE("curves are named by machines, or by files if the machines are the same", "[skampi]") {
    CHECK(labels(std::array{input({}, "A"), input({}, "B")}) == std::vector<std::string>{"A", "B"});
    CHECK(labels(std::array{input({}, "A", "x"), input({}, "A", "y")}) == std::vector<std::string>{"x", "y"});
    CHECK(labels(std::array{input({}, "A", "/a/b1/x"), input({}, "A", "/a/b2/x")}) ==
          std::vector<std::string>{"b1/x", "b2/x"});
}

TEST_CASE("a measurement over another argument cannot be compared", "[skampi]") {
    std::array const inputs{input({block("x")}), input({block("x", "collective", "nodes")}, "B", "b.out")};
    CHECK_THROWS_AS(measured(inputs), measure::UsageError);
}

TEST_CASE("times of the processes are bars at the smallest and the largest argument", "[skampi]") {
    auto measurement = block("x", "collective", "nodes");
    measurement.rows[1].node_times = {1.0, 2.0, 3.0, 4.0};
    measurement.rows[4].node_times = {5.0, std::nullopt};
    std::array const inputs{input({measurement})};
    auto const charts = bar_charts(measured(inputs)[0]);
    REQUIRE(charts.size() == 2);
    CHECK(charts[0].stem == "col_x-processes-smallest");
    CHECK(charts[0].x.label == "rank");
    CHECK(charts[0].curves[0].points.size() == 4);
    CHECK(charts[0].curves[0].label == "4 processes");
    CHECK(charts[1].x.label == "processes in order of their times");
    CHECK(charts[1].curves[0].points.size() == 1);
    CHECK_THAT(gp_text(charts[0]), ContainsSubstring("with boxes"));
    measurement.rows[4].node_times.clear();
    CHECK(bar_charts(measured(std::array{input({measurement})})[0]).size() == 1);
    measurement.rows[1].node_times.clear();
    CHECK(bar_charts(measured(std::array{input({measurement})})[0]).empty());
}

TEST_CASE("a report has plots of measurements with enough points and tables of the others", "[skampi]") {
    auto few = block("few", "collective");
    few.rows.resize(3);
    auto simple = block("MPI_Wtime", "simple", "point");
    simple.rows.resize(1);
    std::array const inputs{input({simple, block("x"), few})};
    auto const report = make_report(inputs, {});
    CHECK(report.document.title == "MPI operations: M");
    CHECK(stems(report) == std::vector<std::string>{"p2p_x", "p2p_x-bandwidth"});
    CHECK(stems(make_report(inputs, {.minimum_data = 3})).size() == 3);
    auto const figures = elements<Figure>(report.document);
    REQUIRE(figures.size() == 2);
    CHECK(figures[0].caption == "x: time [µs] over message length [bytes].");
    CHECK_THAT(figures[0].notes, ContainsSubstring("Circles mark points added by refinement") &&
                                     ContainsSubstring("are not drawn: 10.000 at 0."));
    CHECK_THAT(figures[1].notes, !ContainsSubstring("not drawn"));
    CHECK(figures[0].data.rows.size() == 5);
    CHECK(figures[0].data.rows[4] == std::vector<page::Cell>{"32", "18.000", "0.50000", "2.78", "3.5556", "8", ""});
}

TEST_CASE("several files give one curve each", "[skampi]") {
    std::array const inputs{input({block("x"), block("only")}), input({block("x")}, "N", "b.out")};
    auto const report = make_report(inputs, {.title = "Two"});
    CHECK(report.document.title == "Two");
    auto const all = plots(report.document);
    auto const found = std::find_if(all.begin(), all.end(), [](Plot const& p) { return p.stem == "p2p_x"; });
    REQUIRE(found != all.end());
    REQUIRE(found->curves.size() == 2);
    CHECK(found->curves[0].label == "M");
    CHECK(found->curves[1].label == "N");
    auto const& cmp = all[0];
    CHECK(cmp.curves[0].label == "x, M");
    CHECK(cmp.curves.size() == 3);
}

TEST_CASE("the summary has every measurement with its worst error and its flags", "[skampi]") {
    auto skipped = block("none");
    skipped.rows.clear();
    skipped.keys = {{"status", "skipped"}, {"reason", "needs 2 processes"}};
    auto const table = summary_table(std::array{input({block("x"), skipped})});
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0] ==
          std::vector<page::Cell>{"x", "5", "10.000 at 0", "18.000 at 32", "5.00", "2.00", "ok", "refined (1)"});
    CHECK(table.rows[1][6] == "skipped: needs 2 processes");
}

TEST_CASE("the configuration has all keys, and equal overheads are listed once", "[skampi]") {
    std::array const inputs{input({block("x"), block("y")})};
    auto const configuration = configuration_table(inputs);
    REQUIRE(configuration.rows.size() == 5);
    CHECK(configuration.rows[2] == std::vector<page::Cell>{"COMMENT", "a; b"});
    auto const overheads = overhead_table(inputs);
    REQUIRE(overheads.rows.size() == 1);
    CHECK(overheads.rows[0] == std::vector<page::Cell>{"point-to-point", "", "2", "0.50000", "0.10000", "2"});
    CHECK(overhead_table(std::array{input({block("x")})}).rows[0].back() == "x");
}

TEST_CASE("a table has a column per curve if there are more points than curves, otherwise a row per curve",
          "[skampi]") {
    Plot plot{.x = {.label = "n"}, .y = {.label = "t"}, .curves = {{"a", {{1, 5}, {2, 6}}}, {"b", {{2, 7}, {3, 8}}}}};
    auto const beside = curves_table(plot);
    CHECK(beside.columns == std::vector<std::string>{"n", "a", "b"});
    REQUIRE(beside.rows.size() == 3);
    CHECK(beside.rows[1] == std::vector<page::Cell>{"2", "6.0000", "7.0000"});
    plot.curves[0].points.pop_back();
    plot.curves[1].points.resize(1);
    plot.curves.push_back({"c", {{2, 9}}});
    auto const below = curves_table(plot);
    CHECK(below.caption == "t over n");
    CHECK(below.columns == std::vector<std::string>{"curve", "1", "2"});
    REQUIRE(below.rows.size() == 3);
    CHECK(below.rows[0] == std::vector<page::Cell>{"a", "5.0000", ""});
    CHECK(below.rows[1] == std::vector<page::Cell>{"b", "", "7.0000"});
}

TEST_CASE("a web page contains its pictures, or tables for plots without a picture", "[skampi]") {
    Figure figure{.plot = {.stem = "s"}, .caption = "<C>", .notes = "N", .data = {.columns = {"a_b"}, .rows = {{"7"}}}};
    Document document{"T & T", {Heading{1, "H<"}, figure, Figure{.plot = {.stem = "t"}}}};
    auto const bare = html_text(document);
    figure.plot.curves = {{"c", {{1, 2}}}};
    document.elements[1] = figure;
    auto const text = html_text(document);
    CHECK_THAT(text, ContainsSubstring("<title>T &amp; T</title>") && ContainsSubstring("<h2 id=\"s1\">H&lt;</h2>"));
    CHECK_THAT(text, ContainsSubstring("<svg class=\"plot\"") && ContainsSubstring("<title id=\"p1-title\">"));
    CHECK_THAT(text, ContainsSubstring("<details class=\"numbers\">") && ContainsSubstring("<td class=\"n\">7</td>"));
    CHECK_THAT(text, ContainsSubstring("<figcaption>&lt;C&gt; N</figcaption>"));
    CHECK_THAT(bare, ContainsSubstring("<td class=\"n\">7</td>") && !ContainsSubstring("<svg") &&
                         !ContainsSubstring("<details"));
    CHECK_THAT(bare, ContainsSubstring("<figcaption>&lt;C&gt;</figcaption>"));
    CHECK_THAT(bare, !ContainsSubstring("http:") && !ContainsSubstring("https:"));
}

namespace {

/// Rows at these lengths with times in microseconds and a common error.
Block curve_block(std::string name, std::vector<std::pair<std::int64_t, double>> const& points, double error) {
    Block result{.name = std::move(name), .keys = {{"pattern", "collective"}}, .variable = "length"};
    for (auto const& [length, time] : points)
        result.rows.push_back({.argument = length, .length = length, .time = time, .error = error, .samples = 8});
    return result;
}

}  // namespace

TEST_CASE("a curve is slower if it is above the errors at neighbouring arguments", "[skampi][findings]") {
    auto const b = curve_block("b", {{4, 10}, {8, 10}, {16, 10}, {32, 10}, {64, 10}}, 0.3);
    // Three errors of the difference: 3 sqrt(0.3^2 + 0.4^2) = 1.5.
    auto const a = curve_block("a", {{4, 11.4}, {8, 11.6}, {16, 13}, {24, 99}, {32, 10}, {64, 20}}, 0.4);
    auto const found = slower(a, b);
    REQUIRE(found.size() == 1);
    CHECK(found[0].first == 8);
    CHECK(found[0].last == 16);
    CHECK(found[0].points == 2);
    CHECK(found[0].smallest == Catch::Approx(1.16));
    CHECK(found[0].largest == Catch::Approx(1.3));
    CHECK(slower(b, a).empty());
    CHECK(slower(b, b).empty());
    // Beyond the errors, but by less than 5 %.
    CHECK(slower(curve_block("a", {{4, 10.4}, {8, 10.4}}, 0.01), curve_block("b", {{4, 10}, {8, 10}}, 0.01)).empty());
    // The only argument that both have.
    CHECK(slower(curve_block("a", {{4, 20}}, 0.1), b).size() == 1);
    auto other_method = a;
    other_method.rows[2].flags = {"fallback-barrier"};
    CHECK(slower(other_method, b).empty());
    auto single = a;
    single.rows[1].error.reset();
    CHECK(slower(single, b).empty());
}

TEST_CASE("a jump is a switch point, but a bend and a disturbed point are not", "[skampi][findings]") {
    // t = 10 + 0.010 m below 3000, otherwise 45 + 0.008 m, at the points of the worked example of refinement.
    std::vector<std::pair<std::int64_t, double>> points;
    for (std::int64_t const m : {256, 512, 1024, 2048, 2896, 3024, 3160, 3444, 4096, 8192, 16384}) {
        auto const length = static_cast<double>(m);
        points.emplace_back(m, m < 3000 ? 10 + 0.010 * length : 45 + 0.008 * length);
    }
    auto const found = switches(curve_block("x", points, 0.1));
    REQUIRE(found.size() == 1);
    CHECK(found[0].before == 2896);
    CHECK(found[0].behind == 3024);
    CHECK(found[0].time_before == Catch::Approx(38.96));
    CHECK(found[0].time_behind == Catch::Approx(69.192));
    // The same jump within errors that could cause it.
    CHECK(switches(curve_block("x", points, 20)).empty());
    // A single outlying point.
    CHECK(switches(curve_block("x", {{80, 10}, {90, 10}, {100, 10}, {110, 30}, {120, 10}, {130, 10}}, 0.1)).empty());
    // A bend: the previous line continues through the first point after it.
    CHECK(switches(curve_block("x", {{80, 8}, {100, 10}, {120, 12}, {140, 20}, {160, 28}}, 0.1)).empty());
    // The points are too far apart to locate the switch.
    CHECK(switches(curve_block("x", {{100, 10}, {200, 10}, {400, 30}, {800, 30}}, 0.1)).empty());
    auto over_nodes = curve_block("x", points, 0.1);
    over_nodes.variable = "nodes";
    CHECK(switches(over_nodes).empty());
}

TEST_CASE("findings come first: comparison with a baseline, switch points, replacements", "[skampi][findings]") {
    auto const slow = curve_block("MPI_Allreduce-length", {{4, 20}, {8, 20}}, 0.1);
    auto const quick = curve_block("MPI_Reduce_Bcast-length", {{4, 10}, {8, 16}}, 0.1);
    auto const before = curve_block("MPI_Allreduce-length", {{4, 10}, {8, 30}, {16, 1}}, 0.1);
    std::array const inputs{input({slow, quick}, "new"), input({before}, "old", "b.out")};
    auto const found = findings(inputs, &inputs[1]);
    CHECK(found.section.title == "Findings");
    CHECK(found.count == 1);  // one point up and one point down are not a finding
    auto const alone = findings(std::span{inputs}.first(1), nullptr);
    CHECK(alone.count == 1);
    auto const* const table = std::get_if<Table>(&alone.section.elements.at(1));
    REQUIRE(table != nullptr);
    CHECK(table->rows.at(0) ==
          std::vector<page::Cell>{"MPI_Allreduce-length", "4 to 8", "25 to 100", "MPI_Reduce_Bcast-length", "2"});
    auto const twice = curve_block("MPI_Allreduce-length", {{4, 10}, {8, 10}}, 0.1);
    std::array const pair{input({slow}, "new"), input({twice}, "old", "b.out")};
    auto const compared_with = findings(pair, &pair[1]);
    REQUIRE(compared_with.count == 1);
    auto const& against = std::get<Table>(compared_with.section.elements.at(0));
    CHECK_THAT(against.caption, ContainsSubstring("Compared with old: ") && ContainsSubstring("not a verdict"));
    CHECK(against.rows.at(0) == std::vector<page::Cell>{"new", "MPI_Allreduce-length", "4 to 8", "longer", "100", "2"});
    auto const backwards = findings(pair, &pair[0]);
    CHECK(std::get<Table>(backwards.section.elements.at(0)).rows.at(0) ==
          std::vector<page::Cell>{"old", "MPI_Allreduce-length", "4 to 8", "less", "50", "2"});
    CHECK(findings(pair, nullptr).count == 0);
    auto const report = make_report(pair, {}, &pair[1]);
    CHECK(report.findings == 1);
    CHECK(std::get<Heading>(report.document.elements.at(0)).text == "Findings");
}
