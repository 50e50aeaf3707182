// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/library.hpp"
#include "blasbench/method.hpp"
#include "blasbench/operation.hpp"
#include "blasbench/options.hpp"
#include "blasbench/report.hpp"
#include "blasbench/result.hpp"
#include "blasbench/rules.hpp"
#include "llcbench/points.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/kiwi.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace {

using blasbench::Arena;
using blasbench::Blas;
using blasbench::Iterations;
using blasbench::Options;
using blasbench::Precision;
using blasbench::Report;
using blasbench::Search;
using blasbench::Setup;
using measure::Bytes;
using measure::mebi;
using Dimensions = std::vector<std::int64_t>;
using test::environment;
using test::Folder;
using test::kiwi;
using test::number;
using test::parsed;
using test::Words;

Setup setup(Words const& arguments, bool terminal = false) {
    return resolve(parsed<Options>(arguments), kiwi(), terminal);
}

Words routines_of(Words const& arguments, bool terminal = false) {
    Words result;
    auto const s = setup(arguments, terminal);
    for (auto const& series : s.series)
        result.emplace_back(series.routine->name);
    return result;
}

std::vector<Bytes> limits(Words const& arguments) {
    std::vector<Bytes> result;
    auto const s = setup(arguments);
    for (auto const& size : s.series.front().sizes)
        result.push_back(size.limit);
    return result;
}

Dimensions dimensions(Words const& arguments) {
    Dimensions result;
    auto const s = setup(arguments);
    for (auto const& size : s.series.front().sizes)
        result.push_back(size.dimensions.n);
    return result;
}

/// The record of a point whose blocks took these times, in seconds, with `calls` calls of a routine each.
measure::Record blocks(blasbench::Facts const& facts, measure::Point const& at, std::vector<double> const& times,
                       std::int64_t calls) {
    std::vector<measure::Sample> samples;
    for (double const time : times)
        samples.push_back({.stage = 1, .time = time / static_cast<double>(calls), .iterations = calls});
    auto m = llcbench::measurement(samples, {measure::StopVerdict::converged, "count"}, {});
    m.iterations_per_sample = calls;
    return result(measure::make_record(full_name(*facts.routine, facts.precision), at, m), facts);
}

measure::Record blocks(blasbench::Facts const& facts, std::int64_t n, std::vector<double> const& times,
                       std::int64_t calls) {
    auto const bytes = bytes_used(*facts.routine, facts.precision, n);
    return blocks(facts, {{"bytes", bytes}, {"n", n}}, times, calls);
}

blasbench::Facts shaped_facts() { return {.routine = &blasbench::shaped_gemm()}; }

/// A point with the shape 2 x 3 by 3 x 4.
measure::Point shaped_point() {
    return {{"bytes", std::int64_t{208}},
            {"m", std::int64_t{2}},
            {"n", std::int64_t{4}},
            {"k", std::int64_t{3}},
            {"trans", std::string{"TN"}}};
}

/// The points of a program's benchmark, as text.
Words points_of(blasbench::Shared& shared, std::size_t benchmark = 0) {
    auto const program = program_of(shared);
    auto const& row = program.benchmarks.at(benchmark);
    Words result;
    for (auto at : measure::points_of(axes_of(row, program.axes))) {
        row.complete(at);
        result.push_back(at.text());
    }
    return result;
}

/// The libraries that are available.
std::vector<Blas> libraries() {
    std::vector<Blas> result{blasbench::builtin()};
    blasbench::set_threads(1);
    for (auto const name : blasbench::library_names())
        try {
            result.push_back(blasbench::open(std::string{name}, blasbench::standard_search()));
        } catch (measure::UsageError const&) {
            // This library is not installed.
        }
    return result;
}

std::string refused(Words const& arguments) {
    try {
        static_cast<void>(setup(arguments));
    } catch (measure::UsageError const& error) {
        return error.what();
    }
    return "";
}

blasbench::Facts facts(char const* routine) { return {.routine = &blasbench::routine(routine)}; }

/// Calls of AXPY for -x 1 -m 12.
Dimensions calls_of_axpy(Iterations kind, std::int64_t most = 1000) {
    std::vector<double> references;
    for (Bytes const limit : {256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096})
        references.push_back(3 * static_cast<double>(limit) / 16);
    return blasbench::iterations({.iterations = most, .kind = kind}, references);
}

/// A library whose routines do nothing.
Blas idle() {
    Blas blas = blasbench::builtin();
    blas.real64.axpy = [](int const*, double const*, double const*, int const*, double*, int const*) {};
    blas.real64.gemm = [](char const*, char const*, int const*, int const*, int const*, double const*, double const*,
                          int const*, double const*, int const*, double const*, double*, int const*, std::size_t,
                          std::size_t) {};
    return blas;
}

}  // namespace

TEST_CASE("dimensions are the same as in the original", "[blasbench]") {
    struct Line {
        Bytes limit;
        Dimensions real64;
        Dimensions real32;
    };
    for (auto const& [limit, real64, real32] : std::vector<Line>{{256, {16, 4, 3}, {32, 7, 4}},
                                                                 {512, {32, 7, 4}, {64, 10, 6}},
                                                                 {1024, {64, 10, 6}, {128, 15, 9}},
                                                                 {2048, {128, 15, 9}, {256, 21, 13}},
                                                                 {4096, {256, 21, 13}, {512, 31, 18}},
                                                                 {8192, {512, 31, 18}, {1024, 44, 26}},
                                                                 {16384, {1024, 44, 26}, {2048, 63, 36}}})
        for (std::size_t i = 0; i < 3; ++i) {
            INFO(limit << " " << blasbench::routines()[i].name);
            CHECK(dimension(blasbench::routines()[i], Precision::real64, limit) == real64[i]);
            CHECK(dimension(blasbench::routines()[i], Precision::real32, limit) == real32[i]);
        }
}

TEST_CASE("dimensions of the solves and of syr2k depend on what they store", "[blasbench]") {
    auto const& [trsv, trsm, syr2k] =
        std::array{blasbench::routine("trsv"), blasbench::routine("trsm"), blasbench::routine("syr2k")};
    CHECK(dimension(trsv, Precision::real64, 256) == 5);  // 5 * 5 + 5 = 30 of 32 elements
    CHECK(dimension(trsm, Precision::real64, 256) == 4);  // 2 * 16 = 32 of 32 elements
    CHECK(dimension(syr2k, Precision::real64, 256) == 3);
    CHECK(dimension(trsv, Precision::real32, 16384) == 63);
    CHECK(dimension(trsm, Precision::real32, 16384) == 45);
    CHECK(dimension(syr2k, Precision::real32, 16384) == 36);
}

TEST_CASE("the operands fit, and the operands of the next dimension would not fit", "[blasbench]") {
    for (auto const& routine : blasbench::routines())
        for (auto const precision : {Precision::real64, Precision::real32})
            for (Bytes limit = 24; limit < Bytes{1} << 40; limit += limit / 3 + 1) {
                auto const n = dimension(routine, precision, limit);
                CHECK(bytes_used(routine, precision, n) <= limit);
                CHECK(bytes_used(routine, precision, n + 1) > limit);
            }
    CHECK(dimension(blasbench::routine("gemm"), Precision::real64, 23) == 0);
}

TEST_CASE("operation counts follow the algorithm", "[blasbench]") {
    auto const of = [](char const* name) { return counts(blasbench::routine(name), 4); };
    CHECK((of("axpy").references == 12 && of("axpy").flops == 8));
    CHECK((of("gemv").references == 40 && of("gemv").flops == 40));
    CHECK((of("gemm").references == 160 && of("gemm").flops == 160));
    CHECK((of("trsv").references == 24 && of("trsv").flops == 16));
    CHECK((of("trsm").references == 96 && of("trsm").flops == 80));
    CHECK((of("syr2k").references == 180 && of("syr2k").flops == 180));
}

TEST_CASE("with beta = 0 the result is neither read, scaled nor added to", "[blasbench]") {
    auto const of = [](char const* name) { return counts(without_beta(blasbench::routine(name)), 4); };
    // 2 * 16 flops, 32 reads and 4 writes.
    CHECK((of("gemv").references == 36 && of("gemv").flops == 32));
    CHECK((of("gemm").references == 144 && of("gemm").flops == 128));
    // 10 elements with 16 flops, 16 reads and one write each.
    CHECK((of("syr2k").references == 170 && of("syr2k").flops == 160));
    auto const shaped = counts(without_beta(blasbench::shaped_gemm()), {2, 4, 3});
    CHECK((shaped.references == 56 && shaped.flops == 48));
    CHECK(&without_beta(blasbench::routine("axpy")) == &blasbench::routine("axpy"));
    auto const s = setup({"--beta", "0", "-a"});
    CHECK(s.series.front().routine->flops == "2n^2");
    CHECK(setup({"--beta", "1", "-a"}).series.front().routine->flops == "2n^2+2n");
}

TEST_CASE("work and memory of a shape depend on m, n and k", "[blasbench]") {
    auto const& gemm = blasbench::shaped_gemm();
    // 2 x 3 by 3 x 4: 2 m n k = 48 and 2 m n = 16; 6 + 12 + 8 elements.
    CHECK(counts(gemm, {2, 4, 3}).flops == 64);
    CHECK(counts(gemm, {2, 4, 3}).references == 64);
    CHECK(elements(gemm, {2, 4, 3}) == std::vector<double>{6, 12, 8});
    CHECK(bytes_used(gemm, Precision::real64, {2, 4, 3}) == 208);
    CHECK(bytes_used(gemm, Precision::real32, {2, 4, 3}) == 104);
}

TEST_CASE("the number of calls falls with the references, without accumulating rounding errors", "[blasbench]") {
    CHECK(calls_of_axpy(Iterations::falling) == Dimensions{1000, 666, 500, 333, 250, 166, 125, 83, 62});
    CHECK(calls_of_axpy(Iterations::constant) == Dimensions(9, 1000));
    CHECK(calls_of_axpy(Iterations::falling, 5) == Dimensions{5, 3, 2, 1, 1, 1, 1, 1, 1});
    CHECK(setup({"-c"}).rules.kind == Iterations::constant);
}

TEST_CASE("the smallest problem gets the most calls, whatever its position", "[blasbench]") {
    CHECK(blasbench::iterations({.iterations = 100}, std::array{40.0, 10.0, 20.0}) == Dimensions{25, 100, 50});
}

TEST_CASE("rates are computed from counts and time", "[blasbench]") {
    // GEMM of dimension 100: 2.02 million operations and references, 10 calls in 10 ms.
    auto gemm = facts("gemm");
    gemm.peak = 4040;
    auto const r = blocks(gemm, 100, {8e-3, 12e-3}, 10);
    auto const f = figures(r, gemm);
    CHECK(f->mflops == Catch::Approx(2020));
    CHECK(f->megabytes == Catch::Approx(2020 * 8e6 / 1048576));
    CHECK(f->nanoseconds == Catch::Approx(1 / 2.02));
    // 2525 and 1683.33 MFLOPS.
    CHECK(*llcbench::deviation(r) == Catch::Approx((2525e6 - 5050e6 / 3) / std::sqrt(2.0)));
    CHECK(number(r.derived, "efficiency") == Catch::Approx(0.5));
    CHECK_FALSE(llcbench::deviation(blocks(gemm, 100, {1}, 1)).has_value());
}

TEST_CASE("blasbench: the selected statistic is the leading number", "[blasbench]") {
    // One call of GEMM of dimension 100 in 1, 2 and 5 ms: 2020, 1010 and 404 MFLOPS.
    auto const value = [](llcbench::Statistic statistic) {
        auto gemm = facts("gemm");
        gemm.statistic = statistic;
        return *blocks(gemm, 100, {5e-3, 1e-3, 2e-3}, 1).value * 1e-6;
    };
    CHECK(value(llcbench::Statistic::mean) == Catch::Approx(3 * 2020 / 8.0));
    CHECK(value(llcbench::Statistic::median) == Catch::Approx(1010));
    CHECK(value(llcbench::Statistic::best) == Catch::Approx(2020));
}

TEST_CASE("blasbench: a rate is all operations divided by all time, whatever the calls per block", "[blasbench]") {
    // GEMM of dimension 100, one call in 2 ms and three calls in 2 ms: 4 x 2.02 million operations in 4 ms.
    auto const m = llcbench::measurement(
        {{.stage = 1, .time = 2e-3, .iterations = 1}, {.stage = 1, .time = 2e-3 / 3, .iterations = 3}},
        {measure::StopVerdict::converged, "count"}, {});
    auto const r = result(measure::make_record("dgemm", {{"bytes", std::int64_t{240000}}, {"n", std::int64_t{100}}}, m),
                          facts("gemm"));
    CHECK(*r.value == Catch::Approx(2020e6));
    CHECK(*r.estimate->standard_error == Catch::Approx(1010e6));
}

TEST_CASE("the MB/s and MFLOPS of a routine have a fixed ratio", "[blasbench]") {
    for (auto const& [name, ratio] : {std::pair{"axpy", 11.44}, {"gemv", 7.63}, {"gemm", 7.63}}) {
        auto real64 = facts(name);
        auto real32 = facts(name);
        real32.precision = Precision::real32;
        auto const both = [](blasbench::Facts const& of) { return *figures(blocks(of, 77, {1e-3}, 3), of); };
        CHECK(both(real64).megabytes / both(real64).mflops == Catch::Approx(ratio).epsilon(1e-3));
        CHECK(both(real32).megabytes / both(real32).mflops == Catch::Approx(ratio / 2).epsilon(1e-3));
    }
}

TEST_CASE("every routine of every available library computes the right result, and damage is found", "[blasbench]") {
    // Every remainder of a block, and more than one block.
    std::vector<std::int64_t> sizes{31, 32, 33, 64};
    for (std::int64_t n = 1; n <= 17; ++n)
        sizes.push_back(n);
    for (auto const& blas : libraries())
        for (auto const& routine : blasbench::routines())
            for (auto const precision : {Precision::real64, Precision::real32})
                for (auto const n : sizes)
                    for (std::int64_t const leading : {n, n + 7}) {
                        INFO(blas.name << " " << full_name(routine, precision) << " " << n << " " << leading);
                        Arena const arena{{.offset = 8, .pad = 24}, precision, elements(routine, leading)};
                        auto const operation = make_operation({&routine, precision, &blas, n, leading}, arena);
                        CHECK_FALSE(operation->defect(false).has_value());
                        operation->run(2);
                        CHECK_FALSE(operation->defect(false).has_value());
                        CHECK(operation->defect(true).has_value());
                    }
}

TEST_CASE("a product of 2 x 3 by 3 x 1 matches the manual result for each storage of its factors", "[blasbench]") {
    // (1 2 3; 4 5 6) (7 8 9)' = (50 122)', added to (1 1)'.
    std::array const by_columns{1.0, 4.0, 2.0, 5.0, 3.0, 6.0};
    std::array const by_rows{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    std::array const b{7.0, 8.0, 9.0};
    double const one = 1;
    int const m = 2;
    int const n = 1;
    int const k = 3;
    for (auto const& blas : libraries())
        for (std::string const transposed : {"NN", "NT", "TN", "TT"}) {
            INFO(blas.name << " " << transposed);
            bool const ta = transposed[0] == 'T';
            bool const tb = transposed[1] == 'T';
            std::array c{1.0, 1.0};
            blas.real64.gemm(&transposed[0], &transposed[1], &m, &n, &k, &one, ta ? by_rows.data() : by_columns.data(),
                             ta ? &k : &m, b.data(), tb ? &n : &k, &one, c.data(), &m, 1, 1);
            CHECK(c == std::array{51.0, 123.0});
        }
}

TEST_CASE("every routine of every library applies alpha and beta", "[blasbench]") {
    for (auto const& blas : libraries())
        for (auto const& routine : blasbench::routines())
            for (auto const precision : {Precision::real64, Precision::real32})
                for (blasbench::Scalars const scalars :
                     {blasbench::Scalars{2.5, 0.5}, {-0.1, -1}, {1e6, 0}, {1, 0.3}}) {
                    INFO(blas.name << " " << full_name(routine, precision) << " " << scalars.alpha << " "
                                   << scalars.beta);
                    Arena const arena{{}, precision, elements(routine, 9)};
                    auto const operation = make_operation({&routine, precision, &blas, 9, 0, "NN", scalars}, arena);
                    CHECK(operation->defect(false).value_or("") == "");
                    CHECK(operation->defect(true).has_value());
                }
}

TEST_CASE("the library is called with the given alpha and beta", "[blasbench]") {
    static std::vector<std::pair<double, double>> seen;
    seen.clear();
    Blas blas = idle();
    blas.real64.axpy = [](int const*, double const* alpha, double const*, int const*, double*, int const*) {
        seen.emplace_back(*alpha, 0);
    };
    blas.real64.gemv = [](char const*, int const*, int const*, double const* alpha, double const*, int const*,
                          double const*, int const*, double const* beta, double*, int const*,
                          std::size_t) { seen.emplace_back(*alpha, *beta); };
    auto const s = setup({"--alpha", "-2.5", "--beta", "0.25", "-va"});
    for (auto const& series : s.series) {
        Arena const arena{{}, Precision::real64, elements(*series.routine, 4)};
        make_operation({series.routine, Precision::real64, &blas, 4, 4, "NN", s.scalars}, arena)->run(2);
    }
    CHECK(seen == std::vector<std::pair<double, double>>{{-2.5, 0}, {-2.5, 0}, {-2.5, 0.25}, {-2.5, 0.25}});
}

TEST_CASE("factors that would falsify the rates are refused", "[blasbench]") {
    using Catch::Matchers::ContainsSubstring;
    for (char const* const wrong : {"nan", "inf", "0", "1e7", "-1e7", "1e-7", "one"})
        CHECK_THAT(refused({"--alpha", wrong}), ContainsSubstring(std::string{"--alpha: '"} + wrong + "' is "));
    for (char const* const wrong : {"nan", "-inf", "1.5", "-1.5", "1e-7"})
        CHECK_THAT(refused({"--beta", wrong}), ContainsSubstring(std::string{"--beta: '"} + wrong + "' is "));
    CHECK(refused({"--alpha", "2", "--test", "trsv"}) == "--alpha: none of the selected routines has an alpha");
    CHECK_THAT(refused({"--beta", "0", "-v"}), ContainsSubstring("--beta: none of the selected routines"));
    CHECK_THAT(refused({"--alpha", "2", "--test", "trsm"}), ContainsSubstring("must be 1 or -1 for TRSM"));
    CHECK(refused({"--alpha", "-1", "--test", "trsm"}).empty());
}

TEST_CASE("GEMM of every shape computes the right result with any transposition, and damage is found", "[blasbench]") {
    using blasbench::Dimensions;
    auto const& gemm = blasbench::shaped_gemm();
    std::vector<Dimensions> const shapes{{1, 1, 1}, {2, 3, 4},   {17, 1, 5}, {1, 33, 2},
                                         {7, 8, 1}, {31, 64, 9}, {5, 5, 99}};
    for (auto const& blas : libraries())
        for (auto const precision : {Precision::real64, Precision::real32})
            for (auto const& shape : shapes)
                for (std::string const transposed : {"NN", "NT", "TN", "TT"})
                    for (std::int64_t const leading : {0, 101}) {
                        INFO(blas.name << " " << text(shape) << " " << transposed << " " << leading);
                        Arena const arena{{}, precision, elements(gemm, leading > 0 ? Dimensions{leading} : shape)};
                        auto const operation =
                            make_operation({&gemm, precision, &blas, shape, leading, transposed}, arena);
                        CHECK_FALSE(operation->defect(false).has_value());
                        operation->run(2);
                        CHECK_FALSE(operation->defect(false).has_value());
                        CHECK(operation->defect(true).has_value());
                    }
}

TEST_CASE("a library that ignores transposition is detected", "[blasbench]") {
    static auto* const loops = blasbench::builtin().real64.gemm;
    Blas blas = blasbench::builtin();
    blas.real64.gemm = [](char const*, char const*, int const* m, int const* n, int const* k, double const* alpha,
                          double const* a, int const* lda, double const* b, int const* ldb, double const* beta,
                          double* c, int const* ldc, std::size_t,
                          std::size_t) { loops("N", "N", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1); };
    auto const& gemm = blasbench::routine("gemm");
    Arena const arena{{}, Precision::real64, elements(gemm, 5)};
    auto const is_wrong = [&](char const* transposed) {
        return make_operation({&gemm, Precision::real64, &blas, 5, 5, transposed}, arena)->defect(false).has_value();
    };
    CHECK_FALSE(is_wrong("NN"));
    CHECK((is_wrong("NT") && is_wrong("TN") && is_wrong("TT")));
}

TEST_CASE("a library that does nothing is detected", "[blasbench]") {
    Blas const blas = idle();
    for (auto const* const name : {"axpy", "gemm"}) {
        auto const& routine = blasbench::routine(name);
        Arena const arena{{}, Precision::real64, elements(routine, 5)};
        auto const wrong = make_operation({&routine, Precision::real64, &blas, 5, 5}, arena)->defect(false);
        REQUIRE(wrong.has_value());
        CHECK(wrong->rfind("element (0, 0) is ", 0) == 0);
    }
}

TEST_CASE("operands have distinct values of both signs, also in single precision", "[blasbench]") {
    std::vector<float> x(100);
    std::vector<float> y(100);
    blasbench::fill(x.data(), {10, 10, 10}, 0);
    blasbench::fill(y.data(), {10, 10, 10}, 1);
    CHECK(x != y);
    for (auto const& each : {x, y}) {
        CHECK(*std::min_element(each.begin(), each.end()) < -0.5F);
        CHECK(*std::min_element(each.begin(), each.end()) >= -1);
        CHECK(*std::max_element(each.begin(), each.end()) > 0.5F);
        CHECK(*std::max_element(each.begin(), each.end()) < 1);
        CHECK(std::count(each.begin(), each.end(), 0.0F) == 0);
    }
    std::vector<double> triangle(12, 5);
    blasbench::fill_triangle(triangle.data(), {3, 3, 4}, 0);
    CHECK((triangle[0] == 1 && triangle[5] == 1 && triangle[10] == 1));
    CHECK((triangle[1] != 0 && std::abs(triangle[1]) <= 1e-8));
    CHECK((triangle[3] == 5 && triangle[7] == 5 && triangle[11] == 5));
}

TEST_CASE("a right-hand side keeps its values over many solves", "[blasbench]") {
    Blas const blas = blasbench::builtin();
    for (auto const* const name : {"trsv", "trsm"}) {
        auto const& routine = blasbench::routine(name);
        Arena const arena{{}, Precision::real64, elements(routine, 8)};
        auto const operation = make_operation({&routine, Precision::real64, &blas, 8, 8}, arena);
        auto const* const x = static_cast<double const*>(arena.operand(1));
        operation->refill();
        std::vector<double> const before(x, x + 8);
        operation->run(100'000);
        for (std::size_t i = 0; i < 8; ++i) {
            CHECK(x[i] == Catch::Approx(before[i]).margin(0.02));
            CHECK(std::abs(x[i]) > 1e-300);
        }
    }
}

TEST_CASE("operands start at their alignment plus the offset, with the pad between them", "[blasbench]") {
    auto const gemm = elements(blasbench::routine("gemm"), 10);
    Arena const arena{{.align = 4096, .offset = 24, .pad = 5000}, Precision::real64, gemm};
    auto const start = [&](int i) { return reinterpret_cast<std::uintptr_t>(arena.operand(i)); };
    for (int i = 0; i < 3; ++i)
        CHECK(start(i) % 4096 == 24);
    CHECK(start(1) - start(0) == 8192);  // 24 + 800 + 5000, rounded up
    CHECK(start(2) - start(1) == 8192);
    CHECK(Arena::bytes({.align = 64, .offset = 8, .pad = 100}, Precision::real64, gemm) == 2400 + 3 * 172);
}

TEST_CASE("blocks are short, and there are at least three of them and all requested calls", "[blasbench]") {
    using measure::StopVerdict;
    std::vector<double> const same(20, 1e-6);
    auto const after = [&](measure::StoppingRule const& rule, std::size_t n, std::int64_t calls, double spent = 0) {
        return rule({.samples = std::span{same}.first(n),
                     .attempts = static_cast<std::int64_t>(n),
                     .spent = measure::seconds{spent},
                     .iterations_per_sample = calls});
    };
    auto const falling = blasbench::stopping({}, 5000);
    CHECK(after(falling, 2, 5000) == StopVerdict::more);
    CHECK(after(falling, 3, 5000) == StopVerdict::converged);
    CHECK(after(falling, 4, 1000) == StopVerdict::more);
    CHECK(after(falling, 5, 1000) == StopVerdict::converged);
    CHECK(after(falling, 2, 1, 11) == StopVerdict::more);
    CHECK(after(falling, 3, 1, 11) == StopVerdict::converged);
    auto const constant = blasbench::stopping({.kind = Iterations::constant}, 1);
    CHECK(after(constant, 9, 1) == StopVerdict::more);
    CHECK(after(constant, 10, 1) == StopVerdict::converged);
    auto const window = std::get<measure::TargetDuration>(blasbench::plan({}).batch);
    CHECK((window.low.count() == 0.5e-3 && window.high.count() == 2e-3));
}

TEST_CASE("a constant number of calls is used for each size", "[blasbench]") {
    auto const s = setup({"-v", "-m", "10", "-x", "0", "-i", "7", "-c"});
    CHECK(blasbench::calls_of(s.series.front(), s.rules) == Dimensions{7, 7, 7});
    auto const falling = setup({"-v", "-m", "10", "-x", "0", "-i", "1000"});
    CHECK(blasbench::calls_of(falling.series.front(), falling.rules) == Dimensions{1000, 500, 250});
}

TEST_CASE("the cost of a clock reading is not subtracted if it exceeds the time of a block", "[blasbench]") {
    auto axpy = facts("axpy");
    axpy.timer.overhead = measure::seconds{1};
    auto const r = blocks(axpy, 16, {1e-6, 1e-6}, 1);
    CHECK(*r.correction == 0);
    CHECK(*r.value == Catch::Approx(32e6));
    CHECK(r.has_flag("near_timer_floor"));
}

TEST_CASE("blocks shorter than ten clock steps are near the timer floor", "[blasbench]") {
    auto axpy = facts("axpy");
    axpy.timer.resolution = measure::seconds{1e-6};
    CHECK(blocks(axpy, 16, {9e-6, 9e-6}, 1).has_flag("near_timer_floor"));
    CHECK_FALSE(blocks(axpy, 16, {11e-6, 11e-6}, 1).has_flag("near_timer_floor"));
}

TEST_CASE("blocks in which the clock went back are ignored", "[blasbench]") {
    auto m = llcbench::measurement({{.stage = 1, .time = 1e-6},
                                    {.stage = 1, .invalid = measure::InvalidReason::backward},
                                    {.stage = 1, .time = 3e-6}},
                                   {measure::StopVerdict::converged, "count"}, {});
    CHECK((m.attempts == 3 && m.valid == 2 && m.invalid.backward == 1));
    auto const r = result(measure::make_record("daxpy", {{"bytes", std::int64_t{256}}, {"n", std::int64_t{16}}}, m),
                          facts("axpy"));
    CHECK(*r.value == Catch::Approx(32 / 2e-6));
    CHECK(number(r.derived, "deviation") == Catch::Approx(std::sqrt(2.0) * (32e6 - 32e6 / 3) / 2));
}

TEST_CASE("the cost of a clock reading is subtracted from no block if it exceeds the time of one of them",
          "[blasbench]") {
    auto axpy = facts("axpy");
    axpy.timer.overhead = measure::seconds{2e-6};
    for (auto const statistic : {llcbench::Statistic::mean, llcbench::Statistic::best}) {
        axpy.statistic = statistic;
        auto const r = blocks(axpy, 16, {1e-6, 9e-6, 8e-6}, 1);
        CHECK(*r.correction == 0);
        CHECK(*r.value == Catch::Approx(statistic == llcbench::Statistic::best ? 32e6 : 32 / 6e-6));
    }
}

TEST_CASE("blocks shorter than one clock step have no rate", "[blasbench]") {
    auto const r = blocks(facts("axpy"), 16, {0, 0, 0}, 1);
    CHECK_FALSE(r.value.has_value());
    CHECK(r.message == "too short for the timer");
}

TEST_CASE("a record has flop/s as its value and the other numbers as derived values", "[blasbench]") {
    auto gemm = facts("gemm");
    gemm.leading = 120;
    gemm.peak = 20200;
    gemm.iterations = 25;
    gemm.timer.overhead = measure::seconds{1e-4};
    auto const r = blocks(gemm, 100, {1.1e-3, 3.1e-3}, 10);
    CHECK(r.benchmark == "dgemm");
    CHECK(r.quantity == measure::Quantity::flops);
    CHECK(*r.value == Catch::Approx(2.02e7 / 2e-3));
    CHECK(r.iterations_per_sample == 10);
    CHECK(*r.correction == Catch::Approx(1e-5));
    CHECK(r.samples.at(0).time == Catch::Approx(1.1e-4));
    // Without the readings 1 and 3 ms: 20.2 and 6.733 Gflop/s, and a mean time of 2 ms with an error of 1 ms.
    CHECK(number(r.derived, "deviation") == Catch::Approx((2.02e10 - 2.02e10 / 3) / std::sqrt(2.0)));
    CHECK(*r.estimate->standard_error == Catch::Approx(*r.value / 2));
    CHECK_FALSE(r.has_flag("near_timer_floor"));
    CHECK(number(r.derived, "bandwidth") == Catch::Approx(*r.value * 8));
    CHECK(number(r.derived, "time_per_reference") == Catch::Approx(2e-4 / 2.02e6));
    CHECK(number(r.derived, "efficiency") == Catch::Approx(0.5));
    auto const integer = [&](char const* key) { return std::get<std::int64_t>(r.derived.find(key)->data()); };
    CHECK(integer("iterations") == 20);  // of 25: the measurement ended early
    CHECK(integer("bytes_used") == 240000);
    CHECK(integer("leading_dimension") == 120);
}

TEST_CASE("the default routines depend on where the output goes", "[blasbench]") {
    CHECK(routines_of({}) == Words{"gemm"});
    CHECK(routines_of({}, true) == Words{"axpy", "gemv", "gemm"});
    CHECK(setup({}).repetitions == 1);
    CHECK(setup({}, true).repetitions == 2);
    CHECK(routines_of({"--output", "x"}, true) == Words{"gemm"});
    CHECK(routines_of({"-ta"}) == Words{"gemv", "gemm"});
    CHECK(routines_of({"--test", "trsm,AXPY,trsm"}) == Words{"trsm", "axpy"});
    CHECK(routines_of({"--test", "all"}).size() == 6);
    CHECK_THROWS_AS(setup({"-t", "--test", "trsv"}), measure::UsageError);
}

TEST_CASE("blasbench: bundled options carry their values", "[blasbench]") {
    auto const s = setup({"-vat", "-x1", "-m24", "-e2", "-i100000"});
    CHECK(s.series.size() == 3);
    CHECK(s.series[2].sizes.size() == 33);
    CHECK(s.repetitions == 2);
    CHECK(s.rules.iterations == 100000);
    CHECK(s.flush == 16 * mebi);
}

TEST_CASE("sizes are not rounded to a multiple of the element", "[blasbench]") {
    CHECK(limits({"-x", "2", "-m", "12"}) ==
          std::vector<Bytes>{256, 341, 426, 512, 682, 852, 1024, 1365, 1706, 2048, 2730, 3412, 4096});
    CHECK(dimensions({"-t", "-x", "0", "-m", "12"}) == Dimensions{3, 4, 6, 9, 13});
    CHECK(dimensions({"-d", "-a", "-x", "0", "-m", "12"}) == Dimensions{4, 7, 10, 15, 21});
    CHECK(dimensions({"-d", "-v", "-x", "0", "-m", "12"}) == Dimensions{16, 32, 64, 128, 256});
    CHECK(dimensions({"-ts", "-x", "0", "-m", "12"}) == Dimensions{4, 6, 9, 13, 18});
    CHECK(dimensions({"-vs", "-x", "0", "-m", "12"}) == Dimensions{32, 64, 128, 256, 512});
    CHECK(limits({"--smin", "1k", "-x", "0", "-m", "12"}) == std::vector<Bytes>{1024, 2048, 4096});
    CHECK(limits({"--size", "1M,4k"}) == std::vector<Bytes>{mebi, 4096});
    CHECK(limits({"--size", "8k,300"}) == std::vector<Bytes>{8192, 300});
}

TEST_CASE("dimensions given instead of sizes determine what is stored", "[blasbench]") {
    CHECK(dimensions({"--n", "100,7,100"}) == Dimensions{100, 7});
    CHECK(limits({"--n", "100,7"}) == std::vector<Bytes>{240000, 1176});
    CHECK(dimensions({"--nmin", "7", "-x0", "-m", "12"}) == Dimensions{7, 9, 13});
    CHECK(dimensions({"-v", "--nmin", "100", "-x", "0", "-m", "12"}) == Dimensions{100, 128, 256});
    CHECK(limits({"-v", "--nmin", "100", "-x", "0", "-m", "12"}) == std::vector<Bytes>{1600, 2048, 4096});
}

TEST_CASE("shapes of GEMM share the memory of their largest operands", "[blasbench]") {
    auto const s = setup({"--gemm", "100x1x1,1X100x1,100x1x1"});
    REQUIRE(s.series.front().sizes.size() == 2);
    CHECK(s.series.front().room() == std::vector<double>{100, 100, 100});
    CHECK(limits({"--gemm", "2x4x3,4x3x2"}) == std::vector<Bytes>{208, 208});
    // A alone has 16 GB. In the second case each C has 8 MB; memory for the largest m with the largest n would be 8 TB.
    CHECK(refused({"--gemm", "1000000x1x2000"}) == "--gemm: gemm of dimension 1000000x1x2000 has operands of 14.9 GiB "
                                                   "and needs 14.9 GiB of memory, but only 4 GiB "
                                                   "is available");
    CHECK(refused({"--gemm", "1000000x1x100,1x1000000x100"}).empty());
}

TEST_CASE("an impossible shape is refused", "[blasbench]") {
    CHECK(refused({"--gemm", "64x12"}) == "--gemm: '64x12' is not of the form MxNxK, such as 64x128x32");
    CHECK(refused({"--gemm", "4x0x4"}).starts_with("--gemm: '0'"));
    CHECK(refused({"--gemm", "2000000000x2000000000x1"}).find("too large for gemm") != std::string::npos);
    CHECK(refused({"--gemm", "4x4x4", "--n", "4"}).find("cannot be combined") != std::string::npos);
    CHECK(refused({"--gemm", "4x4x4", "-v"}) == "--gemm cannot be combined with -v, -a or --test");
    CHECK(refused({"--gemm", "4x4x4", "-l"}) == "--gemm and -l cannot be combined");
    CHECK(refused({"--gemm", "4x4x4", "-d"}) == "--gemm and -d cannot be combined");
    CHECK(refused({"-v", "--transpose", "NT"}) == "--transpose: applies only to GEMM; select it with -t or --gemm");
    CHECK(refused({"--transpose", "TC"}).starts_with("--transpose: 'TC'"));
}

TEST_CASE("points have m, n, k and trans if these were requested", "[blasbench]") {
    std::vector<Blas> const loops{idle()};
    auto const texts = [&](Words const& arguments, std::size_t benchmark = 0) {
        auto const s = setup(arguments);
        blasbench::Shared shared{.setup = s, .libraries = loops};
        return points_of(shared, benchmark);
    };
    CHECK(texts({"--n", "4"}) == Words{"bytes=384 repetition=0 blas=builtin n=4 threads=1"});
    // Both have 208 bytes.
    CHECK(texts({"--gemm", "2x4x3,4x3x2"}) == Words{"bytes=208 m=2 n=4 k=3 repetition=0 blas=builtin threads=1",
                                                    "bytes=208 m=4 n=3 k=2 repetition=0 blas=builtin threads=1"});
    CHECK(texts({"-vt", "--n", "4", "--transpose", "tn,NN"}, 0) ==
          Words{"bytes=64 repetition=0 blas=builtin n=4 threads=1"});
    CHECK(texts({"-vt", "--n", "4", "--transpose", "tn,NN"}, 1) ==
          Words{"bytes=384 trans=TN repetition=0 blas=builtin n=4 threads=1",
                "bytes=384 trans=NN repetition=0 blas=builtin n=4 threads=1"});
}

TEST_CASE("shapes with equal bytes get calls according to their own work", "[blasbench]") {
    // 2x4x3: 64 references, 4x3x2: 72 references.
    auto const s = setup({"--gemm", "2x4x3,4x3x2", "-i", "720"});
    CHECK(blasbench::calls_of(s.series.front(), s.rules) == Dimensions{720, 640});
    std::vector<Blas> const loops{idle()};
    blasbench::Shared const shared{.setup = s, .libraries = loops};
    auto const calls = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        measure::Point const at{{"bytes", std::int64_t{208}}, {"m", m}, {"n", n}, {"k", k}};
        return facts_of(shared, s.series.front(), at).iterations;
    };
    CHECK(calls(2, 4, 3) == 720);
    CHECK(calls(4, 3, 2) == 640);
}

TEST_CASE("an impossible value is refused with the name of its option", "[blasbench]") {
    CHECK(refused({"-m", "34"}) ==
          "-m: gemm of dimension 26754 has operands of 16 GiB and needs 16 GiB of memory, but only 4 GiB is available");
    CHECK(refused({"--size", "23"}) == "--size: '23' is too small for gemm (at least 24 bytes)");
    CHECK(refused({"--smin", "1M", "-m", "12"}) == "--smin: 1 MiB is more than the largest size, 4 KiB (-m 12)");
    CHECK(refused({"-v", "-m", "40"}).find("32-bit BLAS") != std::string::npos);
    CHECK(refused({"--n", "2000000000"}).find("too large for gemm") != std::string::npos);
    CHECK(refused({"--n", "4", "--size", "4k"}).find("cannot be combined") != std::string::npos);
    CHECK(refused({"-s", "--offset", "6"}).find("element size (4 bytes)") != std::string::npos);
    CHECK(refused({"--blas", "ref,ref"}).find("twice") != std::string::npos);
}

TEST_CASE("the reference library is never looked up by its plain name", "[blasbench]") {
    Search const search{.folder = "/lib/kiwi"};
    CHECK(blasbench::candidates("ref", search) == Words{"/lib/kiwi/blas/libblas.so.3"});
    CHECK(blasbench::candidates("openblas", search) == Words{"libopenblas.so.0"});
    CHECK(blasbench::candidates("blis", search) == Words{"libblis.so.4"});
    CHECK(blasbench::candidates("mkl", {.folder = "/x", .loader = false}).front() == "/x/libmkl_rt.so.2");
    Folder const folder;
    std::filesystem::create_directories(folder.path() / "blis-openmp");
    std::ofstream{folder.path() / "blis-openmp" / "libblis.so.4"} << "x";
    CHECK(blasbench::candidates("blis", {.folder = folder.path().string()}) ==
          Words{"libblis.so.4", (folder.path() / "blis-openmp" / "libblis.so.4").string()});
}

TEST_CASE("file names reveal 64-bit integers, folder names reveal vendors", "[blasbench]") {
    for (auto const* const name : {"libopenblas64.so.0", "/a/libblas64.so.3", "libblis64.so.4", "libopenblas64_p.so.0",
                                   "libmkl_intel_ilp64.so.2"})
        CHECK(blasbench::has_64_bit_name(name));
    for (auto const* const name :
         {"libopenblas.so.0", "/usr/lib64/libblas.so.3", "libopenblasp-r0.3.21.so", "libmkl_rt.so.2"})
        CHECK_FALSE(blasbench::has_64_bit_name(name));
    CHECK(blasbench::is_in_vendor_folder("/usr/lib/x/blis-openmp/libblas.so.3"));
    CHECK(blasbench::is_in_vendor_folder("/usr/lib/x/openblas-pthread/libblas.so.3"));
    CHECK_FALSE(blasbench::is_in_vendor_folder("/usr/lib/x/blas/libblas.so.3.11.0"));
}

TEST_CASE("without any library the built-in loops are measured, and asking for a vendor library fails", "[blasbench]") {
    Search const nowhere{.folder = "/nowhere", .loader = false};
    CHECK(open_default(false, nowhere).name == "builtin");
    CHECK_THROWS_WITH(open_default(true, nowhere), Catch::Matchers::StartsWith("no vendor BLAS is installed"));
    CHECK_THROWS_WITH(blasbench::open("ref", nowhere),
                      Catch::Matchers::StartsWith("--blas: cannot use 'ref': /nowhere/blas/"));
    CHECK(blasbench::list(nowhere).find("ref       - ") == 0);
    CHECK(blasbench::list(nowhere).find("--blas") == std::string::npos);
}

TEST_CASE("the number of threads is set for all libraries", "[blasbench]") {
    blasbench::set_threads(3);
    for (auto const* const name : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"})
        CHECK(std::string{std::getenv(name)} == "3");
    blasbench::set_threads(1);
}

TEST_CASE("several numbers of threads need a library that can change its number", "[blasbench]") {
    CHECK(setup({"--threads", "2,1,2"}).threads == std::vector<int>{2, 1});
    Blas blas = blasbench::builtin();
    CHECK_THROWS_WITH(check_threads(blas, std::array{1, 2}),
                      Catch::Matchers::Equals(
                          "--threads: builtin (built-in loops) cannot change its number of threads within a run"));
    blas.use_threads = [](int threads) { return std::min(threads, 2); };
    CHECK_NOTHROW(check_threads(blas, std::array{2, 1}));
    CHECK_THROWS_WITH(check_threads(blas, std::array{1, 2, 4}),
                      Catch::Matchers::Equals("--threads: builtin (built-in loops) uses 2 threads instead of 4"));
}

TEST_CASE("a point is measured with its number of threads, which alternates at each size", "[blasbench]") {
    auto const s = setup({"-t", "--n", "3,4", "--threads", "4,1", "-N", "-c", "-i", "1"});
    std::vector<int> used;
    std::vector<Blas> two{idle(), idle()};
    two[1].name = "other";
    for (Blas& blas : two)
        blas.use_threads = [&used](int threads) {
            used.push_back(threads);
            return threads;
        };
    blasbench::Shared shared{.setup = s, .libraries = two};
    auto program = program_of(shared);
    program.prepare(program.plan, environment());
    auto const& benchmark = program.benchmarks.front();
    for (auto at : measure::points_of(axes_of(benchmark, program.axes))) {
        benchmark.complete(at);
        used.clear();
        static_cast<void>(benchmark.make(measure::Comm::solo(), program.plan, at));
        CHECK(used.back() == at.integer("threads"));
    }
    CHECK(points_of(shared) ==
          Words{"bytes=216 repetition=0 blas=builtin threads=4 n=3",
                "bytes=216 repetition=0 blas=builtin threads=1 n=3", "bytes=216 repetition=0 blas=other threads=4 n=3",
                "bytes=216 repetition=0 blas=other threads=1 n=3", "bytes=384 repetition=0 blas=builtin threads=4 n=4",
                "bytes=384 repetition=0 blas=builtin threads=1 n=4", "bytes=384 repetition=0 blas=other threads=4 n=4",
                "bytes=384 repetition=0 blas=other threads=1 n=4"});
}

TEST_CASE("a block in a file names library and file, and marks times that are too short", "[blasbench]") {
    auto const s = setup({"-t", "-o", "--peak", "4000", "--n", "3"});
    auto const m = kiwi();
    std::ostringstream out;
    Report report{out, s, m, 1};
    Blas blas = blasbench::builtin();
    blas.version = "1.2";
    report.begin(s.series[0], blas, 1, environment());
    // 72 operations per call: 2000 MFLOPS are 36 ns.
    auto gemm = facts("gemm");
    gemm.iterations = 7;
    gemm.timer.overhead = measure::seconds{10e-9};
    report.row(blocks(gemm, 3, {7 * 36e-9 + 10e-9}, 7));
    gemm.timer.overhead = measure::seconds{1};
    report.row(blocks(gemm, 3, {7 * 36e-9}, 7));
    auto wrong = measure::make_record("dgemm", {{"bytes", std::int64_t{216}}, {"n", std::int64_t{3}}},
                                      measure::PointStatus::crashed, "element (0, 0) is 1, not 2");
    report.row(wrong);
    std::string const text = out.str();
    CHECK(text.starts_with("# blasbench routine=dgemm precision=double w=8 blas=builtin threads=1 unit=MFLOPS "
                           "statistic=mean\n"));
    CHECK(text.find("# library=built-in loops version=1.2 file=none\n") != std::string::npos);
    std::string const row = "216 2000.000000 3 216 7 2000.000000 15258.789062 2000.000000 2000.000000 2000.000000 - "
                            "0.500000\n";
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(
                         "# columns: size value n bytes iterations MFLOPS MB/s best median mean stddev efficiency\n" +
                         row + "# below timer resolution\n" + row +
                         "# note: 216: element (0, 0) is 1, not 2\n216 - 3 216 0 - - - - - - -\n"));
}

TEST_CASE("rows of shapes show m, n, k and the transposition", "[blasbench]") {
    auto const m = kiwi();
    Blas const blas = blasbench::builtin();
    auto const shown = [&](bool terminal) {
        auto const s = setup({"--gemm", "2x4x3", "--transpose", "TN", "-o"}, terminal);
        std::ostringstream out;
        Report report{out, s, m, 1};
        report.begin(s.series[0], blas, 1, environment());
        // 64 operations in 32 ns.
        auto gemm = shaped_facts();
        gemm.iterations = 5;
        report.row(blocks(gemm, shaped_point(), {5 * 32e-9}, 5));
        return out.str();
    };
    using Catch::Matchers::ContainsSubstring;
    auto const file = shown(false);
    CHECK_THAT(file, ContainsSubstring("\n# alpha=1 beta=1 flops=2mnk+2mn references=2mnk+2mn ("));
    CHECK_THAT(file, ContainsSubstring("\n# leading_dimension=rows "));
    CHECK_THAT(file, ContainsSubstring(
                         "\n# columns: size value m n k trans bytes iterations MFLOPS MB/s best median mean stddev\n"
                         "208 2000.000000 2 4 3 TN 208 5 2000.000000 15258.789062 2000.000000 2000.000000 2000.000000 "
                         "-\n"));
    auto const screen = shown(true);
    CHECK_THAT(screen, ContainsSubstring(" 2mnk+2mn operations a call\n"));
    CHECK_THAT(screen, ContainsSubstring("\tMB/sec\tMxNxK\tTrans\n"));
    CHECK_THAT(screen, ContainsSubstring("\n208\t208\t100.00\t5\t0.5000\t100.00\t2000.00\t15258.79\t2x4x3\tTN\n"));
    auto const record = blocks(shaped_facts(), shaped_point(), {32e-9}, 1);
    CHECK(*record.value == Catch::Approx(2e9));
    CHECK(std::get<std::int64_t>(record.derived.find("bytes_used")->data()) == 208);
    CHECK(record.derived.find("leading_dimension") == nullptr);
}

TEST_CASE("blasbench: a terminal shows the table of the original", "[blasbench]") {
    auto const m = kiwi();
    Blas const blas = blasbench::builtin();
    auto const shown = [&](Words const& arguments) {
        auto const s = setup(arguments, true);
        std::ostringstream out;
        Report report{out, s, m, 1};
        auto const& series = s.series[0];
        report.begin(series, blas, 1, environment());
        auto of = blasbench::Facts{.routine = series.routine};
        for (auto const& [i, calls, nanoseconds] : {std::tuple{0, 1000, 0.5}, {1, 450, 0.3}}) {
            auto const& size = series.sizes[static_cast<std::size_t>(i)];
            of.iterations = calls;
            auto const block = counts(*of.routine, size.dimensions).references * nanoseconds * 1e-9 * calls;
            auto r = blocks(of, size.dimensions.n, {block}, calls);
            r.at.set("bytes", size.limit);
            report.row(r);
        }
        return out.str();
    };
    std::string const bytes = shown({"-t", "-m", "9"});
    CHECK(bytes.find("double GEMM Cache Test\n") != std::string::npos);
    CHECK(bytes.find(" 2n^3+2n^2 operations a call\n\n") != std::string::npos);
    CHECK(bytes.find("BSize\tPSize\t% Fit\tIters\tNansec\t% Chng\tMFlopsS\tMB/sec\n") != std::string::npos);
    CHECK(bytes.find("\n256\t216\t84.38\t1000\t0.5000\t100.00\t2000.00\t15258.79\n"
                     "384\t384\t100.00\t450\t0.3000\t60.00\t3333.33\t25431.32\n") != std::string::npos);
    std::string const held = shown({"-t", "-d", "-l", "-m", "14"});
    CHECK(held.find("BDims\tPDims") != std::string::npos);
    CHECK(held.find("\n26\t3\t11.54\t1000\t") != std::string::npos);
    CHECK(shown({"-v", "-d", "-l", "-m", "14"}).find("\n16\t16\t100.00\t1000\t") != std::string::npos);
}
