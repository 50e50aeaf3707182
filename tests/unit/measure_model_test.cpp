// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/models/loggp.hpp"
#include "analysis/models/models.hpp"
#include "analysis/models/roofline.hpp"
#include "models/document.hpp"
#include "models/roofline_plots.hpp"
#include "models/text.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <variant>
#include <vector>

using measure::bandwidth_at;
using measure::BandwidthPoint;
using measure::bound_of;
using measure::cost_point;
using measure::loggp;
using measure::model_costs;
using measure::roofline;
using measure::RoofPoint;
using measure::Series;
using measure::series_of;
using measure::Source;
using measure::work_of;
using namespace measure::tool;
using measure::Record;

namespace {

auto as_modelled(double x) { return Catch::Matchers::WithinRel(x, 1e-6); }
auto contains(std::string const& part) { return Catch::Matchers::ContainsSubstring(part); }

Record costly(std::string benchmark, measure::Point at, double value,
              measure::Quantity quantity = measure::Quantity::time) {
    Record record{.benchmark = std::move(benchmark), .at = std::move(at), .quantity = quantity, .value = value};
    record.estimate = measure::Estimate{.value = value, .standard_error = 0.001 * value};
    return record;
}

/// Keeps the sources, because series refer to them.
struct World {
    std::vector<Source> sources{};

    World& add(std::string const& suite, std::vector<Record> points) {
        measure::RunRecord record{};
        record.run.suite = suite;
        record.run.program = suite;
        record.run.ranks = 2;
        record.points = std::move(points);
        sources.push_back({.path = suite + ".jsonl", .launches = {{.name = suite, .record = std::move(record)}}});
        return *this;
    }

    /// The series of all sources, with one label as if they came from one machine.
    [[nodiscard]] std::vector<Series> series() const {
        return series_of(sources, std::vector<std::string>(sources.size(), "here"));
    }
};

std::vector<Record> over_sizes(std::string const& benchmark, int ranks, int sizes,
                               std::function<double(double)> const& time) {
    std::vector<Record> points;
    for (int i = 0; i < sizes; ++i)
        points.push_back(
            costly(benchmark,
                   {{"ranks", std::int64_t{ranks}}, {"count", std::int64_t{1} << i}, {"bytes", std::int64_t{1} << i}},
                   time(std::ldexp(1.0, i))));
    return points;
}

measure::Value const& member(measure::Value const& value, std::string_view name) {
    auto const* const found = value.find(name);
    REQUIRE(found != nullptr);
    return *found;
}

double number_in(measure::Value const& value, std::string_view name) {
    return std::get<double>(member(value, name).data());
}

}  // namespace

TEST_CASE("each benchmark and number of ranks has a model", "[measure_model]") {
    World world;
    auto points = over_sizes("Bcast", 2, 20, [](double m) { return 1e-6 + 1e-9 * m; });
    for (int const ranks : {4, 8})
        for (auto const& p :
             over_sizes("Bcast", ranks, 20, [&](double m) { return (1e-6 + 1e-9 * m) * std::log2(ranks); }))
            points.push_back(p);
    for (int const ranks : {2, 4})
        points.push_back(costly("Barrier", {{"ranks", std::int64_t{ranks}}}, 1e-6 * ranks));
    world.add("mpiperf", points);
    auto const costs = model_costs(world.series());
    REQUIRE(costs.size() == 2);
    CHECK(costs[0].identifier == "Bcast");
    REQUIRE(costs[0].by_ranks.size() == 3);
    CHECK(costs[0].by_ranks[1].ranks == 4);
    CHECK_THAT(costs[0].by_ranks[1].model.pieces.front().line.beta, as_modelled(2e-9));
    REQUIRE(costs[0].over_ranks);
    CHECK_THAT(costs[0].over_ranks->at(1024, 5).value(), as_modelled((1e-6 + 1024e-9) * std::log2(5)));
    CHECK_FALSE(costs[1].has_sizes);
    REQUIRE(costs[1].by_ranks.size() == 2);
    CHECK_THAT(costs[1].by_ranks[1].model.at(0).value(), as_modelled(4e-6));
    CHECK_FALSE(costs[1].over_ranks);
    CHECK_THAT(costs[1].notes.front(), contains("two numbers of ranks"));
}

TEST_CASE("too few sizes are reported", "[measure_model]") {
    World world;
    world.add("mpiperf", over_sizes("Bcast", 2, 2, [](double m) { return m; }));
    auto const costs = model_costs(world.series());
    REQUIRE(costs.size() == 1);
    CHECK(costs[0].by_ranks.empty());
    CHECK_THAT(costs[0].notes.front(), contains("fewer than three sizes"));
    CHECK_THAT(model_text(make_models(world.series())), contains("fewer than three sizes"));
}

TEST_CASE("message rates count as times, other rates do not", "[measure_model]") {
    auto const rate = costly("bandwidth", {{"bytes", std::int64_t{100}}}, 50, measure::Quantity::bandwidth);
    CHECK_THAT(cost_point(rate, "mpbench").value().seconds, as_modelled(2));
    CHECK_THAT(cost_point(rate, "mpbench").value().standard_error, as_modelled(0.002));
    CHECK_FALSE(cost_point(rate, "cachebench"));
    auto const trips = costly("roundtrip", {{"bytes", std::int64_t{4}}}, 8, measure::Quantity::rate);
    CHECK_THAT(cost_point(trips, "mpbench").value().seconds, as_modelled(0.125));
    auto nothing = rate;
    nothing.value.reset();
    CHECK_FALSE(cost_point(nothing, "mpbench"));
    nothing.value = 0;
    CHECK_FALSE(cost_point(nothing, "mpbench"));
}

TEST_CASE("the LogGP parameters are determined as far as the measurements allow", "[measure_model]") {
    World world;
    auto points = over_sizes("Pingpong", 2, 20, [](double m) { return 1e-6 + 1e-10 * m; });
    for (auto const& p : over_sizes("Send", 2, 20, [](double m) { return 2e-7 + 5e-11 * m; }))
        points.push_back(p);
    world.add("mpiperf", points);
    auto parameters = loggp(world.series());
    REQUIRE(parameters.size() == 1);
    double const send = 2e-7 + 5e-11;
    CHECK_THAT(parameters[0].overhead.value.value(), as_modelled(send));
    CHECK_THAT(parameters[0].latency.value.value(), as_modelled(1e-6 + 1e-10 - 2 * send));
    CHECK_THAT(parameters[0].gap_per_byte.value.value(), as_modelled(1e-10));
    CHECK_FALSE(parameters[0].gap.value);
    CHECK_THAT(parameters[0].gap.from, contains("missing: a stream"));
    CHECK_THAT(parameters[0].latency.from, contains("A - 2 o"));

    std::vector<Record> stream;
    for (int i = 0; i < 15; ++i) {
        double const m = std::ldexp(4.0, i);
        stream.push_back(costly("bandwidth", {{"bytes", static_cast<std::int64_t>(m)}}, m / (3e-7 + 8e-11 * m),
                                measure::Quantity::bandwidth));
    }
    world.add("mpbench", stream);
    parameters = loggp(world.series());
    REQUIRE(parameters.size() == 1);
    CHECK_THAT(parameters[0].gap.value.value(), as_modelled(3e-7 + 8e-11 * 4));
    CHECK_THAT(parameters[0].gap_per_byte.value.value(), as_modelled(8e-11));
}

TEST_CASE("there is no latency if the overheads exceed half a round trip", "[measure_model]") {
    World world;
    auto points = over_sizes("Pingpong", 2, 5, [](double) { return 1e-6; });
    for (auto const& p : over_sizes("Send", 2, 5, [](double) { return 6e-7; }))
        points.push_back(p);
    world.add("mpiperf", points);
    auto const parameters = loggp(world.series());
    REQUIRE(parameters.size() == 1);
    CHECK_FALSE(parameters[0].latency.value);
    CHECK_THAT(parameters[0].latency.from, contains("not significantly more than 2 o"));
}

TEST_CASE("the work of BLAS routines agrees with hand-counted values", "[measure_model]") {
    CHECK(work_of("daxpy", 10)->flops == 20);
    CHECK(work_of("daxpy", 10)->bytes == 240);
    CHECK(work_of("sgemv", 4)->flops == 40);
    CHECK(work_of("sgemv", 4)->bytes == 28 * 4);
    CHECK(work_of("dgemm", 4)->flops == 160);
    CHECK(work_of("dgemm", 4)->bytes == 512);
    CHECK(work_of("dgemm", 4)->references == 1280);
    CHECK(work_of("dtrsv", 3)->bytes == 12 * 8);
    CHECK(work_of("dsyr2k", 2)->flops == 30);
    CHECK_FALSE(work_of("zgemm", 4));
    CHECK_FALSE(work_of("d", 4));
}

TEST_CASE("the bandwidth between measured sizes is interpolated logarithmically", "[measure_model]") {
    std::vector<BandwidthPoint> const memory{{1024, 8e10, ""}, {4096, 2e10, ""}};
    CHECK_THAT(bandwidth_at(memory, 2048).first, as_modelled(4e10));
    CHECK_FALSE(bandwidth_at(memory, 2048).second);
    CHECK(bandwidth_at(memory, 4096) == std::pair{2e10, false});
    CHECK(bandwidth_at(memory, 1e6) == std::pair{2e10, true});
    CHECK(bandwidth_at(memory, 1) == std::pair{8e10, true});
    CHECK(bandwidth_at({}, 1) == std::pair{0.0, true});
}

TEST_CASE("routines are bound by the lower roof: memory or processor", "[measure_model]") {
    // The memory has 12 GB/s and the peak is the 16 GFLOPS of dgemm, so the ridge is at 4/3 flop per byte. daxpy has
    // 1/12 flop per byte, dgemm 16 at n = 511.
    auto const at = [](std::int64_t n) {
        return measure::Point{{"bytes", std::int64_t{1} << 20}, {"n", n}, {"blas", std::string{"fast"}}};
    };
    World world;
    world.add("blasbench", {costly("daxpy", at(65536), 0.5e9, measure::Quantity::flops),
                            costly("dgemm", at(209), 16e9, measure::Quantity::flops),
                            costly("dodd", at(209), 16e9, measure::Quantity::flops)});
    auto const alone = roofline(world.series());
    REQUIRE(alone);
    CHECK(alone->memory.empty());
    REQUIRE(alone->notes.size() == 2);
    CHECK(bound_of(alone->curves[0].points.front()).empty());
    world.add("cachebench", {costly("read", {{"bytes", std::int64_t{1} << 20}}, 12e9, measure::Quantity::bandwidth),
                             costly("write", {{"bytes", std::int64_t{1} << 20}}, 9e9, measure::Quantity::bandwidth)});
    auto const roof = roofline(world.series());
    REQUIRE(roof);
    REQUIRE(roof->peaks.size() == 1);
    CHECK(roof->peaks[0].rate == 16e9);
    CHECK(roof->peaks[0].of == "dgemm fast, n = 209");
    REQUIRE(roof->curves.size() == 2);
    auto const& axpy = roof->curves[0].points.front();
    CHECK(bound_of(axpy) == "memory");
    CHECK_THAT(axpy.bandwidth, as_modelled(12e9));
    CHECK_THAT(axpy.share, as_modelled(0.5));
    CHECK_THAT(axpy.counted, as_modelled(6e9));
    CHECK(bound_of(roof->curves[1].points.front()) == "processor");
    CHECK_THAT(roof->curves[1].points.front().share, as_modelled(1));
    auto const plot = roofline_plot(*roof);
    CHECK(page::has_points(plot));
    CHECK(page::has_points(bandwidth_plot(*roof)));
}

TEST_CASE("products that are not square or are transposed are not on the curve of square products", "[measure_model]") {
    auto const at = [](std::int64_t n) {
        return measure::Point{{"bytes", std::int64_t{1} << 20}, {"n", n}, {"blas", std::string{"fast"}}};
    };
    World world;
    world.add("blasbench", {costly("dgemm", at(209), 16e9, measure::Quantity::flops),
                            costly("dgemm", at(8).set("m", std::int64_t{2000}).set("k", std::int64_t{60}), 1e9,
                                   measure::Quantity::flops),
                            costly("dgemm", at(100).set("trans", std::string{"TN"}), 17e9, measure::Quantity::flops)});
    auto const roof = roofline(world.series());
    REQUIRE(roof);
    REQUIRE(roof->curves.size() == 1);
    CHECK(roof->curves[0].points.size() == 1);
    CHECK(roof->peaks.at(0).rate == 16e9);
    CHECK_THAT(roof->notes.at(0), contains("dgemm: points with m and k, or transposed, are left out"));
}

TEST_CASE("the document contains the models and badly placed switches", "[measure_model]") {
    World world;
    world.add("mpiperf",
              over_sizes("Reduce", 2, 15, [](double m) { return m <= 1024 ? 10 + 0.1 * m : 30 + 0.02 * m; }));
    auto const models = make_models(world.series());
    auto const document = model_document(models);
    auto const& list = std::get<measure::Value::Array>(member(document, "models").data());
    REQUIRE(list.size() == 1);
    auto const& ranks = std::get<measure::Value::Array>(member(list[0], "by_ranks").data()).front();
    auto const& pieces = std::get<measure::Value::Array>(member(ranks, "pieces").data());
    REQUIRE(pieces.size() == 2);
    CHECK_THAT(number_in(pieces[1], "alpha"), as_modelled(30));
    auto const& fault = member(std::get<measure::Value::Array>(member(ranks, "breaks").data()).front(), "badly_placed");
    CHECK(std::get<std::string>(member(fault, "too").data()) == "late");
    CHECK_THAT(std::get<std::string>(member(fault, "text").data()), contains("comes too late"));
    CHECK_THAT(model_text(models), contains("badly placed"));
    CHECK_FALSE(model_section(models).elements.empty());
    CHECK(model_section({}).elements.empty());
    CHECK_THAT(model_text({}), contains("Nothing to model"));
}

TEST_CASE("invalid benchmark names become valid, unique identifiers", "[measure_model]") {
    World world;
    for (auto const* const name : {"a*/ \"b\"", "a b", "\xff", "9?\?/x\n#error"}) {
        auto points = over_sizes(name, 2, 4, [](double m) { return m; });
        world.add("own", points);
    }
    auto const costs = model_costs(world.series());
    REQUIRE(costs.size() == 4);
    CHECK(costs[0].identifier == "a_b");
    CHECK(costs[1].identifier == "a_b_2");
    CHECK(costs[2].identifier == "benchmark");
    CHECK(costs[3].identifier == "9_x_error");
}

TEST_CASE("times that scatter too much have no model and no parameters", "[measure_model]") {
    World world;
    auto const wild = [](double m) { return std::fmod(m, 3) < 1.5 ? 1e-6 : 1e-3; };
    auto points = over_sizes("Pingpong", 2, 20, wild);
    for (auto const& p : over_sizes("Send", 2, 20, wild))
        points.push_back(p);
    world.add("mpiperf", points);
    auto const models = make_models(world.series());
    REQUIRE(models.costs.size() == 2);
    CHECK(models.costs[0].by_ranks.empty());
    CHECK_THAT(models.costs[0].notes.front(), contains("scatter too much"));
    REQUIRE(models.loggp.size() == 1);
    CHECK_FALSE(models.loggp[0].overhead.value);
    CHECK_FALSE(models.loggp[0].latency.value);
    CHECK_FALSE(models.loggp[0].gap_per_byte.value);
}

TEST_CASE("long messages give no overhead", "[measure_model]") {
    World world;
    std::vector<Record> points;
    for (auto const& p : over_sizes("Send", 2, 20, [](double m) { return 2e-7 + 5e-11 * m; }))
        if (number(p, "bytes").value() > 1024)
            points.push_back(p);
    world.add("mpiperf", points);
    auto const parameters = loggp(world.series());
    REQUIRE(parameters.size() == 1);
    CHECK_FALSE(parameters[0].overhead.value);
    CHECK_THAT(parameters[0].overhead.from, contains("short messages"));
}

TEST_CASE("tiny and huge times can be written", "[measure_model]") {
    for (double const time : {4.9e-324, 1e-310, 1e300}) {
        World world;
        world.add("own", over_sizes("Bcast", 2, 4, [&](double) { return time; }));
        CHECK_THAT(model_text(make_models(world.series())), contains("Bcast"));
    }
}

TEST_CASE("each precision and each number of threads has its own peak", "[measure_model]") {
    auto const at = [](std::int64_t threads) {
        return measure::Point{{"bytes", std::int64_t{1} << 20},
                              {"n", std::int64_t{209}},
                              {"blas", std::string{"fast"}},
                              {"threads", threads}};
    };
    World world;
    world.add("blasbench", {costly("dgemm", at(1), 16e9, measure::Quantity::flops),
                            costly("sgemm", at(1), 30e9, measure::Quantity::flops),
                            costly("dgemm", at(2), 31e9, measure::Quantity::flops)});
    world.add("cachebench", {costly("read", {{"bytes", std::int64_t{1} << 20}}, 12e9, measure::Quantity::bandwidth)});
    world.sources[0].launches[0].record.run.hosts = {{.name = "a"}};
    world.sources[1].launches[0].record.run.hosts = {{.name = "b"}};
    auto const roof = roofline(world.series());
    REQUIRE(roof);
    CHECK(roof->peaks.size() == 3);
    REQUIRE(roof->curves.size() == 3);
    CHECK_THAT(roof->curves[0].points.front().share, as_modelled(1));
    CHECK_THAT(roof->curves[1].points.front().share, as_modelled(1));
    CHECK(bound_of(roof->curves[2].points.front()).empty());
    REQUIRE(roof->notes.size() == 2);
    CHECK_THAT(roof->notes[0], contains("several hosts (a, b)"));
    CHECK_THAT(roof->notes[1], contains("several threads"));
}

TEST_CASE("a routine far below or above its roof is bound by neither memory nor processor", "[measure_model]") {
    RoofPoint point{.bandwidth = 1e9, .below_memory = true, .share = 0.8};
    CHECK(bound_of(point) == "memory");
    point.share = 0.3;
    CHECK(bound_of(point) == "neither");
    point.share = 2.5;
    CHECK(bound_of(point) == "above the roof");
}

TEST_CASE("control characters in names do not reach the terminal", "[measure_model]") {
    World world;
    world.add("own", over_sizes("a\x1b[31m\nb", 2, 4, [](double m) { return m; }));
    auto const text = model_text(make_models(world.series()));
    CHECK_THAT(text, contains("a?[31m?b ("));
    CHECK(text.find('\x1b') == std::string::npos);
}
