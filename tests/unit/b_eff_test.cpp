// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/catalogue.hpp"
#include "b_eff/exchange.hpp"
#include "b_eff/hpcc.hpp"
#include "b_eff/lengths.hpp"
#include "b_eff/options.hpp"
#include "b_eff/pace.hpp"
#include "b_eff/plot.hpp"
#include "b_eff/report.hpp"
#include "b_eff/result.hpp"
#include "b_eff/rules.hpp"
#include "b_eff/shapes.hpp"
#include "b_eff/tables.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using b_eff::Averages;
using b_eff::Cell;
using b_eff::Cuts;
using b_eff::Exchange;
using b_eff::Family;
using b_eff::Grid;
using b_eff::length_count;
using b_eff::Lengths;
using b_eff::Method;
using b_eff::nobody;
using b_eff::Pattern;
using b_eff::Results;
using b_eff::Setup;
using Catch::Approx;
using measure::Bytes;
using measure::mebi;
using Words = std::vector<std::string>;

/// Number of processes, then the ring sizes of the six patterns.
constexpr char const* ring_table = R"(
    2 1x2 1x2 1x2 1x2 1x2 1x2
    3 1x3 1x3 1x3 1x3 1x3 1x3
    4 2x2 1x4 1x4 1x4 1x4 1x4
    5 1x2+1x3 1x5 1x5 1x5 1x5 1x5
    6 3x2 1x6 1x6 1x6 1x6 1x6
    7 2x2+1x3 1x7 1x7 1x7 1x7 1x7
    8 4x2 2x4 1x8 1x8 1x8 1x8
    9 3x2+1x3 1x4+1x5 1x9 1x9 1x9 1x9
    10 5x2 2x5 1x10 1x10 1x10 1x10
    11 4x2+1x3 2x4+1x3 1x11 1x11 1x11 1x11
    12 6x2 3x4 1x12 1x12 1x12 1x12
    13 5x2+1x3 2x4+1x5 1x6+1x7 1x13 1x13 1x13
    14 7x2 1x4+2x5 2x7 1x14 1x14 1x14
    15 6x2+1x3 3x4+1x3 1x8+1x7 1x15 1x15 1x15
    16 8x2 4x4 2x8 1x16 1x16 1x16
    17 7x2+1x3 3x4+1x5 1x8+1x9 1x17 1x17 1x17
    18 9x2 2x4+2x5 2x9 1x18 1x18 1x18
    19 8x2+1x3 4x4+1x3 1x10+1x9 1x19 1x19 1x19
    20 10x2 5x4 2x10 1x20 1x20 1x20
    21 9x2+1x3 4x4+1x5 3x7 1x21 1x21 1x21
    22 11x2 3x4+2x5 1x8+2x7 1x22 1x22 1x22
    23 10x2+1x3 5x4+1x3 2x8+1x7 1x23 1x23 1x23
    24 12x2 6x4 3x8 1x24 1x24 1x24
    25 11x2+1x3 5x4+1x5 2x8+1x9 1x25 1x25 1x25
    26 13x2 4x4+2x5 1x8+2x9 2x13 1x26 1x26
    27 12x2+1x3 6x4+1x3 3x9 1x14+1x13 1x27 1x27
    28 14x2 7x4 1x10+2x9 2x14 1x28 1x28
    29 13x2+1x3 6x4+1x5 1x8+3x7 1x14+1x15 1x29 1x29
    30 15x2 5x4+2x5 2x8+2x7 2x15 1x30 1x30
    31 14x2+1x3 7x4+1x3 3x8+1x7 1x16+1x15 1x31 1x31
    32 16x2 8x4 4x8 2x16 1x32 1x32
    33 15x2+1x3 7x4+1x5 3x8+1x9 1x16+1x17 1x33 1x33
    34 17x2 6x4+2x5 2x8+2x9 2x17 1x34 1x34
    35 16x2+1x3 8x4+1x3 1x8+3x9 1x18+1x17 1x35 1x35
    36 18x2 9x4 4x9 2x18 1x36 1x36
    37 17x2+1x3 8x4+1x5 2x8+3x7 1x18+1x19 1x37 1x37
    38 19x2 7x4+2x5 3x8+2x7 2x19 1x38 1x38
    39 18x2+1x3 9x4+1x3 4x8+1x7 1x20+1x19 1x39 1x39
    40 20x2 10x4 5x8 2x20 1x40 1x40
    48 24x2 12x4 6x8 3x16 1x48 1x48
    64 32x2 16x4 8x8 4x16 2x32 1x64
    100 50x2 25x4 8x8+4x9 4x25 2x50 1x100
    128 64x2 32x4 16x8 4x32 2x64 1x128
    256 128x2 64x4 32x8 4x64 2x128 1x256
    512 256x2 128x4 64x8 4x128 2x256 1x512
)";

/// Memory in MB, then the eight lengths that depend on it.
constexpr char const* length_table = R"(
    1 4467 4871 5312 5793 6317 6889 7512 8192
    16 6317 9742 15024 23170 35734 55109 84990 131072
    64 7512 13777 25268 46341 84990 155872 285870 524288
    128 8192 16384 32768 65536 131072 262144 524288 1048576
    256 8933 19484 42495 92682 202141 440872 961548 2097152
    512 9742 23170 55109 131072 311744 741455 1763488 4194304
    1024 10624 27554 71468 185364 480774 1246974 3234251 8388608
    2048 11585 32768 92682 262144 741455 2097152 5931642 16777216
    4096 12634 38968 120194 370728 1143480 3526975 10878679 33554432
    8192 13777 46341 155872 524288 1763488 5931642 19951585 67108864
    16384 15024 55109 202141 741455 2719670 9975792 36591368 134217728
)";

std::vector<std::vector<std::string>> rows(char const* text) {
    std::vector<std::vector<std::string>> all;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};
        std::vector<std::string> row;
        for (std::string word; words >> word;)
            row.push_back(word);
        if (!row.empty())
            all.push_back(row);
    }
    return all;
}

Setup setup(Words const& arguments, int ranks = 2, Bytes machine = 64 * mebi) {
    b_eff::Options options;
    program::Parser parser{"b_eff", "test"};
    declare(parser, options);
    parser.parse(arguments);
    return resolve(options, ranks, 1, {machine, "the machine"});
}

Pattern pattern(std::string const& key, int n) {
    auto const all = b_eff::catalogue(n, 2, true);
    auto const found = std::find_if(all.begin(), all.end(), [&](Pattern const& p) { return p.key == key; });
    REQUIRE(found != all.end());
    return *found;
}

std::vector<std::string> keys(int n, bool extra = true) {
    std::vector<std::string> all;
    for (auto const& p : b_eff::catalogue(n, 1, extra))
        all.push_back(p.key);
    return all;
}

/// A fixed order of n ranks that is not sorted.
std::vector<int> any_order(int n) {
    std::vector<int> order;
    for (int i = 0; i < n; ++i)
        order.push_back(n - 1 - i);
    return order;
}

/// By default 2 methods, 2 repetitions, 6 rings and 1 random pattern on two processes. Each loop has one execution,
/// whose time gives the bandwidth `rate(place)` in bytes/s.
template <class Rate>
Results results(Rate rate, Bytes largest = 8192, int ranks = 2, bool extra = false) {
    Results r{
        ranks, b_eff::lengths(largest), b_eff::catalogue(ranks, 1, extra), {Method::sendrecv, Method::nonblocking}, 2};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t l = 0; l < length_count; ++l)
            for (std::size_t p = 0; p < r.patterns.size(); ++p)
                for (std::size_t m = 0; m < 2; ++m) {
                    b_eff::Place const place{i, l, p, m};
                    double const t =
                        static_cast<double>(r.patterns[p].messages) * static_cast<double>(r.lengths[l]) / rate(place);
                    r.at(place) = {.state = Cell::State::measured, .loop = 1, .time = {t / 4, t / 2, t}, .elapsed = t};
                }
    return r;
}

}  // namespace

TEST_CASE("ring sizes match the published table, with even sizes first", "[b_eff]") {
    auto const table = rows(ring_table);
    REQUIRE(table.size() == 45);
    for (auto const& row : table) {
        int const n = std::stoi(row.at(0));
        REQUIRE(row.size() == 7);
        for (int k = 1; k <= 6; ++k) {
            auto const rings = b_eff::rings(k, n);
            INFO("n = " << n << ", pattern " << k);
            CHECK(rings.text() == row.at(static_cast<std::size_t>(k)));
        }
    }
}

TEST_CASE("rings cover every process once and their sizes differ by at most one", "[b_eff]") {
    for (int n = 2; n <= 512; ++n)
        for (int k = 1; k <= 6; ++k) {
            auto const rings = b_eff::rings(k, n);
            auto const sizes = rings.sizes();
            INFO("n = " << n << ", pattern " << k);
            REQUIRE(std::accumulate(sizes.begin(), sizes.end(), 0) == n);
            REQUIRE(std::abs(sizes.front() - sizes.back()) <= 1);
            REQUIRE(*std::min_element(sizes.begin(), sizes.end()) >= 2);
            REQUIRE((sizes.front() == sizes.back() || sizes.front() % 2 == 0));
        }
    CHECK(b_eff::rings(6, 65536).sizes().size() == 1);
}

TEST_CASE("the members of a ring are consecutive ranks", "[b_eff]") {
    CHECK(b_eff::members(b_eff::rings(1, 7)) == "{0,1} {2,3} {4,5,6}");
    CHECK(b_eff::members(b_eff::rings(2, 7)) == "{0,1,2,3,4,5,6}");
    CHECK(b_eff::rings(3, 29).sizes() == std::vector<int>{8, 7, 7, 7});
    CHECK(pattern("ring-1", 7).label == "ring-3*2&+1");
    CHECK(pattern("ring-3", 29).label == "ring-4*8&-1");
    CHECK(pattern("ring-1", 2).label == "ring-1*2fix");
}

TEST_CASE("lengths are computed from the memory size", "[b_eff]") {
    for (auto const& row : rows(length_table)) {
        auto const lengths = b_eff::lengths(b_eff::largest_length(std::stoll(row.at(0)) * mebi));
        for (std::size_t i = 0; i < 13; ++i)
            CHECK(lengths[i] == Bytes{1} << i);
        INFO(row.at(0) << " MB");
        for (std::size_t i = 0; i < 8; ++i)
            CHECK(lengths[13 + i] == std::stoll(row.at(1 + i)));
    }
    CHECK(b_eff::largest_length(65536 * mebi) == 134217728);
    CHECK(b_eff::largest_length(1000000) == 7812);
}

TEST_CASE("grids match the published list", "[b_eff]") {
    std::vector<std::pair<std::string, std::string>> const list{
        {"2*1", "2*1*1"}, {"3*1", "3*1*1"}, {"2*2", "2*2*1"}, {"2*2", "2*2*1"}, {"3*2", "3*2*1"},
        {"3*2", "3*2*1"}, {"4*2", "2*2*2"}, {"3*3", "2*2*2"}, {"5*2", "2*2*2"}, {"5*2", "2*2*2"},
        {"4*3", "3*2*2"}, {"4*3", "3*2*2"}, {"7*2", "3*2*2"}, {"5*3", "3*2*2"}, {"4*4", "4*2*2"},
        {"4*4", "4*2*2"}, {"6*3", "3*3*2"}, {"6*3", "3*3*2"}, {"5*4", "5*2*2"}};
    for (std::size_t i = 0; i < list.size(); ++i) {
        int const n = static_cast<int>(i) + 2;
        INFO("n = " << n);
        CHECK(b_eff::grid(2, n).text() == list[i].first);
        CHECK(b_eff::grid(3, n).text() == list[i].second);
    }
    CHECK(b_eff::factors(3, 24) == Grid{3, {4, 3, 2}});
    CHECK(b_eff::grid(3, 65536).size() == 65536);
}

TEST_CASE("the catalogue lists its patterns in a fixed order", "[b_eff]") {
    CHECK(keys(2) == Words{"ring-1", "ring-2", "ring-3", "ring-4", "ring-5", "ring-6", "random-1", "worst-cycle",
                           "best-bisection", "worst-bisection", "ping-pong", "acyclic-2d", "acyclic-3d", "cyclic-2d-x",
                           "cyclic-2d-all", "cyclic-3d-x", "cyclic-3d-all"});
    CHECK(keys(8).size() == 7 + 13);
    CHECK(keys(8).back() == "cyclic-3d-all");
    CHECK(keys(2, false).size() == 7);
    // With the usual 30 random patterns, n = 2 ends at number 45 and a full grid at number 48.
    CHECK(b_eff::catalogue(2, 30, true).size() == 46);
    CHECK(b_eff::catalogue(8, 30, true).size() == 49);
}

TEST_CASE("the messages of each pattern are counted exactly", "[b_eff]") {
    CHECK(pattern("ring-1", 2).messages == 2);
    CHECK(pattern("random-1", 2).messages == 2);
    CHECK(pattern("ring-1", 2).exchanges == 1);
    CHECK(pattern("ring-1", 3).messages == 6);
    CHECK(pattern("ring-1", 4).messages == 4);
    CHECK(pattern("ring-2", 4).messages == 8);
    CHECK(pattern("best-bisection", 4).messages == 4);
    CHECK(pattern("ping-pong", 4).messages == 2);
    CHECK(pattern("acyclic-2d", 4).messages == 8);
    CHECK(pattern("acyclic-2d", 4).exchanges == 4);
    CHECK(pattern("cyclic-2d-x", 4).messages == 4);
    CHECK(pattern("cyclic-2d-x", 4).exchanges == 1);
    CHECK(pattern("cyclic-2d-all", 4).messages == 8);
    CHECK(pattern("cyclic-2d-all", 4).exchanges == 2);
    // Two rings of two processes and one ring of three.
    CHECK(pattern("ring-1", 7).messages == 2 + 2 + 6);
    CHECK(pattern("best-bisection", 5).processes == 4);
    for (int const n : {2, 5, 7, 29, 512})
        for (auto const& p : b_eff::catalogue(n, 1, false))
            if (p.family == Family::ring) {
                INFO(p.key << " of " << n);
                std::int64_t messages = 0;
                for (int const size : p.rings.sizes())
                    messages += size == 2 ? 2 : 2 * size;
                CHECK(p.messages == messages);
            }
}

TEST_CASE("each sent message is received and included in M", "[b_eff]") {
    for (int const n : {2, 3, 4, 5, 7, 8, 9, 12, 18, 27, 30})
        for (Pattern const& p : b_eff::catalogue(n, 1, true)) {
            INFO(p.key << " of " << n);
            std::multiset<std::array<int, 3>> sent;
            std::multiset<std::array<int, 3>> received;
            int most = 0;
            for (int rank = 0; rank < p.processes; ++rank) {
                auto const list = exchanges(p, rank, any_order(n));
                most = std::max(most, static_cast<int>(list.size()));
                std::set<int> partners;
                for (std::size_t i = 0; i < list.size(); ++i) {
                    if (list[i].to != nobody) {
                        sent.insert({static_cast<int>(i), rank, list[i].to});
                        // One call of MPI_Alltoallv carries at most one message from one process to another.
                        CHECK(partners.insert(list[i].to).second);
                        CHECK(list[i].to != rank);
                    }
                    if (list[i].from != nobody)
                        received.insert({static_cast<int>(i), list[i].from, rank});
                }
            }
            CHECK(sent == received);
            CHECK(static_cast<std::int64_t>(sent.size()) == p.messages);
            CHECK(most <= static_cast<int>(b_eff::most_exchanges));
            CHECK(most == p.exchanges);
        }
}

TEST_CASE("a process in a ring sends to the left first", "[b_eff]") {
    CHECK(exchanges(pattern("ring-6", 5), 0) == std::vector<Exchange>{{4, 1}, {1, 4}});
    CHECK(exchanges(pattern("ring-1", 7), 4) == std::vector<Exchange>{{6, 5}, {5, 6}});
    CHECK(exchanges(pattern("ring-1", 7), 2) == std::vector<Exchange>{{3, 3}});
    std::vector<int> const order{2, 0, 3, 1};
    CHECK(exchanges(pattern("random-1", 4), 3, order) == std::vector<Exchange>{{0, 1}, {1, 0}});
}

TEST_CASE("the cycles and bisections for analysis are as defined", "[b_eff]") {
    CHECK(b_eff::worst_cycle(6) == std::vector<int>{0, 5, 1, 4, 2, 3});
    CHECK(b_eff::worst_cycle(5) == std::vector<int>{0, 4, 1, 3, 2});
    auto const best = pattern("best-bisection", 6);
    CHECK(exchanges(best, 2) == std::vector<Exchange>{{3, nobody}, {nobody, 3}});
    CHECK(exchanges(best, 3) == std::vector<Exchange>{{nobody, 2}, {2, nobody}});
    auto const worst = pattern("worst-bisection", 6);
    CHECK(exchanges(worst, 1) == std::vector<Exchange>{{4, nobody}, {nobody, 4}});
    CHECK(exchanges(worst, 4) == std::vector<Exchange>{{nobody, 1}, {1, nobody}});
    CHECK(pattern("worst-bisection", 5).processes == 4);
}

TEST_CASE("classic loops aim at the middle between 2.5 and 5 ms", "[b_eff]") {
    // 300 executions took 1 ms. At twice the length they may take 2 ms, which is short, but 300 is the maximum.
    CHECK(b_eff::next_classic(300, 1e-3, 2) == 300);
    // 4 ms become 8 ms: floor(300 * 3.75 / 8).
    CHECK(b_eff::next_classic(300, 4e-3, 2) == 140);
    // 2.5 ms are not too short and 5 ms are not too long.
    CHECK(b_eff::next_classic(100, 2.5e-3, 2) == 100);
    // 2 ms are too short: ceil(100 * 3.75 / 4).
    CHECK(b_eff::next_classic(100, 2e-3, 2) == 94);
    CHECK(b_eff::next_classic(100, 0.1e-3, 2) == 300);
    CHECK(b_eff::next_classic(2, 8e-3, 2) == 1);
    CHECK(b_eff::next_classic(1, 1, 2) == 1);
    CHECK(b_eff::next_classic(10, 0, 2) == 300);
}

TEST_CASE("calibrated loops on an oversubscribed host start with a length that fits their time", "[b_eff]") {
    CHECK(b_eff::first_calibrated(2e-3) == 1);
    CHECK(b_eff::first_calibrated(1e-3) == 3);
    CHECK(b_eff::first_calibrated(1) == 1);
    CHECK(b_eff::first_calibrated(1e-7) == 300);
    CHECK(b_eff::first_calibrated(0) == 300);
}

TEST_CASE("timed loops share one time budget among all patterns", "[b_eff]") {
    // 10 executions of all patterns took 1 ms, so 5000 fit into half a second.
    auto const rule = b_eff::TimedRule::after(0.5, 1e-3);
    CHECK(rule.cap == 5000);
    CHECK(rule.first() == 2500);
    CHECK(rule.next(2500, 0.25, 2) == 2500);
    CHECK(rule.next(2500, 1, 2) == 1250);
    CHECK(rule.next(2500, 0.01, 2) == 5000);
    CHECK(rule.next(1, 10, 2) == 1);
    CHECK(b_eff::TimedRule::after(0.5, 10).cap == 10);
    CHECK(b_eff::TimedRule::after(0.5, 0).cap == 10);
    CHECK(rule.next(5, 0, 2) == 5000);
}

TEST_CASE("the time for the two longest lengths is predicted from the length before them", "[b_eff]") {
    auto const lengths = b_eff::lengths(1048576);
    // An execution takes 1 ms, a = 2: 1e-3 * 46 * 4 * (2 + 4) * 3 * 3.
    CHECK(b_eff::last_two(1e-3, lengths, 46, 3, 3) == Approx(9.936));
}

TEST_CASE("a lack of time first cuts the analysis patterns, then the two longest lengths", "[b_eff]") {
    auto const lengths = b_eff::lengths(1048576);
    std::vector<b_eff::Row> rows(13, {.elapsed = 0.1, .each = 0.001});
    b_eff::Forecast f{.lengths = lengths, .rows = rows, .repetition = 2, .next = 13, .repetitions = 3, .share = 0.5};
    // 8192 B to 1 MiB: an execution takes 2, 4, .., 256 ms, twice that with a warm-up; a row takes at least 0.1 s.
    double const all = 6 * 0.1 + 0.128 + 0.256;
    CHECK(rest(f, {}) == Approx(all));
    CHECK(rest(f, {.no_extra = true}) == Approx(all / 2));
    // One execution with one of three methods; the third repetition does not measure the longest length.
    CHECK(rest(f, {.last_two = true}) == Approx(all - 0.128 - 0.256 + 0.128 / 3));
    CHECK(cut(f, {}, all) == Cuts{});
    CHECK(cut(f, {}, all * 0.9) == Cuts{.no_extra = true});
    CHECK(cut(f, {}, all * 0.1) == Cuts{.no_extra = true, .last_two = true});
    CHECK(cut(f, {.no_extra = true}, all) == Cuts{.no_extra = true});
    CHECK(b_eff::in_effect({.no_extra = true, .last_two = true}, 12) == Cuts{});
    CHECK(b_eff::in_effect({.no_extra = true, .last_two = true}, 13) == Cuts{.no_extra = true});
    CHECK(b_eff::in_effect({.no_extra = true, .last_two = true}, 19) == Cuts{.no_extra = true, .last_two = true});
    f.rows = {};
    f.next = 0;
    CHECK(cut(f, {}, 0.001) == Cuts{});
}

TEST_CASE("the loop length at a message length follows from the length before it", "[b_eff]") {
    auto const s = setup({"--no-extra", "--random", "1", "--methods", "sendrecv,nonblocking", "--mem", "1"});
    auto r = results([](b_eff::Place) { return 1e9; });
    b_eff::Pace pace{s, r};
    pace.begin(0, std::nullopt, 0);
    pace.begin(1, 6 * 10 * 1e-4, 6);
    auto const first = pace.order(0, 0, {}, 100.0);
    CHECK(first.loops[0] == 300);
    // An execution takes 100 us, so 37 of them fit into 3.75 ms.
    CHECK(first.loops[1] == 37);
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        // An execution takes 20 us: 300 take 6 ms, and 12 ms at twice the length.
        r.at({0, 0, p, 0}).time.max = 20e-6;
        r.at({0, 0, p, 1}).time.max = 1e-6;
    }
    pace.learn(0, 0, 0.1, {});
    auto const second = pace.order(0, 1, {}, 100.0);
    CHECK(second.loops[0] == 93);
    CHECK(second.loops[1] == 300);
    CHECK(second.cuts == Cuts{});
    // 20 more lengths of 0.1 s each and two more repetitions do not fit into one second.
    CHECK(pace.order(0, 1, {}, 1.0).cuts.last_two);
    CHECK(pace.order(0, 1, {}, std::nullopt).cuts == Cuts{});
}

TEST_CASE("the best method of each pattern is known before the two longest lengths", "[b_eff]") {
    auto const s = setup({"--quick", "--no-extra", "--random", "1", "--methods", "sendrecv,nonblocking", "--mem", "1"});
    auto r = results([](b_eff::Place p) { return p.method == p.pattern % 2 ? 2e6 : 1e6; });
    b_eff::Pace pace{s, r};
    pace.begin(0, 1.0, 7);
    pace.begin(1, 1.0, 7);
    // Executions take milliseconds, the two longest lengths seconds, which exceeds the second that --quick allows.
    CHECK(pace.order(0, 19, {}, std::nullopt).cuts == Cuts{.last_two = true});
    CHECK(pace.best_methods() == std::vector<int>{0, 1, 0, 1, 0, 1, 0});
}

TEST_CASE("b_eff takes the maximum of each length before averaging over the lengths", "[b_eff]") {
    // Method 0 is best at even lengths, method 1 at odd lengths; the second repetition of ring-1 is twice as fast.
    auto const r = results([](b_eff::Place p) {
        double const rate = (p.length + p.method) % 2 == 0 ? 4e6 : 1e6;
        return p.pattern == 0 && p.repetition == 1 ? 2 * rate : rate;
    });
    Averages const a{r};
    CHECK(*a.best(0, 0) == Approx(8e6));
    CHECK(*a.best(1, 0) == Approx(4e6));
    CHECK(*a.mean(0) == Approx(8e6));
    CHECK(*a.mean(1) == Approx(4e6));
    // 11 even and 10 odd lengths.
    CHECK(*a.mean_by_method(1, 0) == Approx((11 * 4e6 + 10 * 1e6) / 21));
    CHECK(*a.mean_by_method(1, 1) == Approx((10 * 4e6 + 11 * 1e6) / 21));
    CHECK(*a.method_last(1) == *a.mean_by_method(1, 0));
    CHECK(*a.mean_by_repetition(0, 0) == Approx(4e6));
    CHECK(*a.repetition_last(0) == Approx(8e6));
    auto const f = figures(a);
    // Five rings of 4 and one of 8; all rings together have the same weight as the single random pattern.
    double const ring = 4e6 * std::pow(2.0, 1.0 / 6);
    CHECK(f.b_eff->ring == Approx(ring));
    CHECK(f.b_eff->random == Approx(4e6));
    CHECK(f.b_eff->both == Approx(std::sqrt(ring * 4e6)));
    CHECK(f.method_last->both < f.b_eff->both);
    CHECK(f.method_last->both >= f.single_method[0]->both);
    CHECK(f.method_last->both >= f.single_method[1]->both);
    // The repetitions of ring-1 differ by a factor of two, the others agree exactly.
    CHECK(*f.spread == 0);
}

TEST_CASE("summaries have the names and units of the record", "[b_eff]") {
    auto const r = results([](b_eff::Place p) { return p.length == 20 ? 8e6 : p.length == 0 ? 1e6 : 4e6; });
    Averages const a{r};
    auto const f = figures(a);
    auto const all = summaries(a, f, {.memory = mebi, .rmax = 10e9, .marks = {"REPS=2"}});
    std::vector<std::string> names;
    for (auto const& s : all)
        names.push_back(s.name);
    CHECK(names == Words{"b_eff", "b_eff_at_lmax", "b_eff_at_lmax_rings", "latency", "latency_rings",
                         "memory_exchange_time", "balance"});
    double const b = (1e6 + 8e6 + 19 * 4e6) / 21;
    CHECK(*all[0].value == Approx(b));
    CHECK(*all[1].value == Approx(8e6));
    // Two processes reach 1e6 B/s together, so each needs 2 us per byte.
    CHECK(*all[3].value == Approx(2e-6));
    CHECK(*all[5].value == Approx(2 * 1048576 / b));
    CHECK(*all[6].value == Approx(b / 10e9));
    CHECK(all[6].unit == "B/flop");
}

TEST_CASE("the ping-pong reports the range over its repetitions and the hosts", "[b_eff]") {
    auto const r = results([](b_eff::Place p) { return p.repetition == 0 ? 4e6 : 2e6; }, 8192, 3, true);
    Averages const a{r};
    auto const f = figures(a);
    CHECK(f.ping_pong_latency->min == Approx(0.25e-6));
    CHECK(f.ping_pong_latency->mean == Approx(0.375e-6));
    CHECK(f.ping_pong_latency->max == Approx(0.5e-6));
    CHECK(f.ping_pong_bandwidth->min == Approx(2e6));
    CHECK(f.ping_pong_bandwidth->mean == Approx(8e6 / 3));
    CHECK(f.ping_pong_bandwidth->max == Approx(4e6));
    measure::Environment e;
    e.hosts = {{.name = "alpha", .ranks = "0-2"}};
    CHECK(b_eff::ping_pong_hosts(e) == Words{"alpha", "alpha"});
    e.hosts = {{.name = "alpha", .ranks = "0-1,3"}, {.name = "beta", .ranks = "2"}};
    CHECK(b_eff::ping_pong_hosts(e) == Words{"alpha", "alpha"});
    e.hosts = {{.name = "alpha", .ranks = "0,2"}, {.name = "beta", .ranks = "1,3"}};
    CHECK(b_eff::ping_pong_hosts(e) == Words{"alpha", "beta"});
    for (auto const& s : summaries(a, f, {.pair = b_eff::ping_pong_hosts(e)}))
        if (s.name == "latency_ping_pong" || s.name == "ping_pong_bandwidth") {
            CHECK(*s.value == Approx(s.name == "latency_ping_pong" ? 0.25e-6 : 4e6));
            CHECK(std::get<measure::Value::Array>(s.derived.find("hosts")->data()).size() == 2);
            CHECK(s.derived.find("mean") != nullptr);
        }
}

TEST_CASE("values with HPCC names are what HPCC measures", "[b_eff]") {
    constexpr Bytes two_megabytes = 2097152;
    // The ring of all processes is pattern 5, the random ring is pattern 6. The rates are those of one process with one
    // message in flight.
    auto const rate = [](b_eff::Place p) {
        double const best = p.pattern == 5 ? 3e9 : p.pattern == 6 ? 2e9 : 7e9;
        return p.repetition == 1 && p.method == 1 ? best : best / 2;
    };
    auto const of = [](b_eff::Hpcc const& h, std::string const& name) {
        auto const found =
            std::find_if(h.values.begin(), h.values.end(), [&](auto const& v) { return v.first == name; });
        return found == h.values.end() ? 0.0 : found->second;
    };
    auto const three = b_eff::hpcc(results(rate, two_megabytes, 3, true));
    CHECK(three.values.size() == 4);
    CHECK(three.bandwidth_length == two_megabytes);
    CHECK(of(three, "NaturallyOrderedRingLatency_usec") == Approx(3 * 8 / 3e9 * 1e6));
    CHECK(of(three, "RandomlyOrderedRingLatency_usec") == Approx(3 * 8 / 2e9 * 1e6));
    CHECK(of(three, "NaturallyOrderedRingBandwidth_GBytes") == Approx(1));
    CHECK(of(three, "RandomlyOrderedRingBandwidth_GBytes") == Approx(2.0 / 3));
    CHECK(three.left_out.size() == 1);
    auto const two = b_eff::hpcc(results(rate, two_megabytes, 2, true));
    CHECK(of(two, "MaxPingPongLatency_usec") == Approx(8 / 7e9 * 1e6));
    CHECK(of(two, "MinPingPongBandwidth_GBytes") == Approx(7));
    CHECK(two.left_out.empty());
    auto const small = b_eff::hpcc(results(rate));
    CHECK(small.values.size() == 2);
    CHECK(small.bandwidth_length == 0);
    CHECK(text(small) == "with HPCC names       : latency at 8 bytes; left out bandwidths: no length is within 5 % of "
                         "2000000 bytes (use --mem 256)\nNaturallyOrderedRingLatency_usec=0.00533333\n"
                         "RandomlyOrderedRingLatency_usec=0.008\n");
    CHECK(text(two).starts_with("with HPCC names       : latency at 8 bytes, bandwidth at 2097152 bytes\nNatural"));
}

TEST_CASE("HPCC names omit values that were not measured", "[b_eff]") {
    auto r = results([](b_eff::Place) { return 1e9; });
    for (auto& cell : r.cells)
        cell.state = Cell::State::copied;
    CHECK(b_eff::hpcc(r).values.empty());
    auto const left_out = b_eff::hpcc(r).left_out;
    CHECK(std::count(left_out.begin(), left_out.end(),
                     "NaturallyOrderedRingLatency_usec: not measured with sendrecv or nonblocking") == 1);
    r.methods = {Method::alltoallv, Method::alltoallv};
    for (auto& cell : r.cells)
        cell.state = Cell::State::measured;
    CHECK(b_eff::hpcc(r).values.empty());
}

TEST_CASE("an unresolved value is ignored, and b_eff is missing if a cell has no resolved value", "[b_eff]") {
    auto r = results([](b_eff::Place) { return 4e6; });
    r.at({0, 3, 2, 0}).state = Cell::State::unresolved;
    CHECK(figures(Averages{r}).b_eff->both == Approx(4e6));
    auto const record = b_eff::record(r, {0, 3, 2, 0});
    CHECK(!record.value);
    CHECK(record.status == measure::PointStatus::no_valid_samples);
    CHECK(record.flags == Words{"unresolved"});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t m = 0; m < 2; ++m)
            r.at({i, 3, 2, m}).state = Cell::State::unresolved;
    auto const f = figures(Averages{r});
    CHECK(!f.b_eff);
    CHECK(f.at_lmax);
    auto const all = summaries(Averages{r}, f, {});
    CHECK(std::none_of(all.begin(), all.end(), [](auto const& s) { return s.name == "b_eff"; }));
}

TEST_CASE("a bandwidth that is not positive is an error", "[b_eff]") {
    auto const r = results([](b_eff::Place p) { return p.pattern == 3 ? -1.0 : 1.0; });
    CHECK_THROWS_AS(figures(Averages{r}), std::logic_error);
}

TEST_CASE("a record has the rates of the slowest and the fastest process", "[b_eff]") {
    auto const r = results([](b_eff::Place) { return 4e6; });
    auto const record = b_eff::record(r, {1, 12, 0, 1});
    CHECK(record.at.text() == "ranks=2 pattern=ring-1 bytes=4096 method=nonblocking repetition=2");
    CHECK(*record.value == Approx(4e6));
    CHECK(record.over_ranks->min == *record.value);
    CHECK(record.over_ranks->mean == Approx(8e6));
    CHECK(record.over_ranks->max == Approx(16e6));
}

TEST_CASE("a row of values is unsettled if one of its repetitions is unsettled", "[b_eff]") {
    auto r = results([](b_eff::Place) { return 4e6; });
    CHECK_THAT(values(r), !Catch::Matchers::ContainsSubstring("unsettled"));
    auto& cell = r.at({1, 12, 0, 1});
    cell.runs = 100;
    cell.settling = {.faults_counted = 3, .faults_all_ranks = 4};
    CHECK(b_eff::record(r, {1, 12, 0, 1}).has_flag("unsettled"));
    CHECK_THAT(values(r), Catch::Matchers::EndsWith("unsettled: 4096 nonblocking ring-1: memory was touched for the "
                                                    "first time while this row was measured\nSECTION-VALUES-END\n\n"));
}

TEST_CASE("values that the rule for the two longest lengths skips are copied", "[b_eff]") {
    auto r = results([](b_eff::Place p) { return p.method == 1 ? 8e6 : 4e6; });
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        r.at({0, 20, p, 0}) = {};
    copy_methods(r, 0, 20);
    CHECK(r.at({0, 20, 0, 0}).state == Cell::State::copied);
    CHECK(*r.value({0, 20, 0, 0}) == Approx(8e6));
    copy_repetition(r, 1, 20);
    CHECK(r.at({1, 20, 5, 1}).state == Cell::State::copied);
    CHECK(figures(Averages{r}).b_eff->both == Approx(8e6));
    // A copy takes no time.
    CHECK(r.at({0, 20, 0, 0}).elapsed == 0);
    CHECK(r.at({1, 20, 5, 1}).elapsed == 0);
}

TEST_CASE("rows of loop lengths mark what was not measured", "[b_eff]") {
    auto r = results([](b_eff::Place) { return 4e6; });
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        r.at({1, 19, p, 0}) = {};
    copy_methods(r, 1, 19);
    copy_repetition(r, 1, 20);
    measure::Environment const e;
    auto const text = b_eff::loop_lengths(r, {.environment = e, .last_two = true});
    std::vector<std::string> flags;
    for (auto const& row : rows(text.c_str()))
        for (auto const& word : row)
            if (word == "|M" || word == "|R")
                flags.push_back(row.front() + word);
    // The first repetition was measured completely.
    CHECK(flags == Words{"7512|M", "8192|R", "7512|M", "8192|R"});
}

TEST_CASE("options are resolved to settings", "[b_eff]") {
    CHECK(setup({"--mem", "16"}).memory == 16 * mebi);
    CHECK(setup({"--mem", "2G"}).memory == 2048 * mebi);
    CHECK(setup({"--mem", "1.5"}).memory == 3 * mebi / 2);
    CHECK(setup({"--mem", "auto"}).memory == 64 * mebi);
    CHECK(setup({}).memory_source == "the machine");
    CHECK(setup({}).random == 30);
    CHECK(setup({}).repetitions == 3);
    CHECK(setup({"--quick"}).random == 2);
    CHECK(setup({"--quick", "--reps", "1"}).repetitions == 1);
    CHECK(setup({"--methods", "nonblocking,sendrecv"}).methods ==
          std::vector<Method>{Method::sendrecv, Method::nonblocking});
    CHECK(setup({"-yrange", "1:100"}).range.high == 100);
    CHECK(*setup({"--rmax", "10"}).rmax == 10e9);
    CHECK_THROWS_WITH(setup({}, 2, mebi - 1), Catch::Matchers::ContainsSubstring("--mem"));
}

TEST_CASE("every run that deviates from the standard is marked", "[b_eff]") {
    auto const mark = [](Words const& arguments) {
        auto const s = setup(arguments);
        return label(s, marks(s, false, false));
    };
    CHECK(mark({}) == "b_eff");
    CHECK(mark({"--no-extra"}) == "b_eff");
    CHECK(mark({"--reps", "1"}) == "b_eff[REPS=1]");
    CHECK(mark({"--random", "2"}) == "b_eff[RANDOM=2]");
    CHECK(mark({"--quick"}) == "b_eff[QUICK,TIMED]");
    CHECK(mark({"--loop", "timed"}) == "b_eff[TIMED]");
    CHECK(mark({"--methods", "sendrecv"}) == "b_eff(partial)");
    CHECK(mark({"--methods", "sendrecv", "--no-check"}) == "b_eff(partial)[UNCHECKED]");
    auto const s = setup({});
    CHECK(marks(s, true, true) == Words{"SHORTENED", "OVERSUBSCRIBED"});
}

TEST_CASE("the final line has the documented format", "[b_eff]") {
    auto const s = setup({"--mem", "128"});
    measure::Environment const e;
    b_eff::RunFacts const facts{.environment = e, .system = "Linux host"};
    CHECK(final_line(s, 6360350000, facts) ==
          "b_eff =   6360.350 MB/s = 3180.175 *   2 PEs with 128 MB/PE on Linux host");
}

TEST_CASE("plot data have ten blocks of 21 lines", "[b_eff]") {
    auto const r = results([](b_eff::Place) { return 4e6; });
    auto const text = b_eff::plot(Averages{r});
    int blocks = 0;
    int lines = 0;
    for (auto const& row : rows(text.c_str()))
        ++(row.front() == "#" ? blocks : lines);
    CHECK(blocks == 10);
    CHECK(lines == 210);
    // The unmeasured method has no numbers: the row has the length and ten columns.
    CHECK(text.find("         -         -") != std::string::npos);
    auto const script = b_eff::script(setup({"-yrange", "1:100"}), Averages{r}, "dir/x.plot");
    CHECK(script.find("set yrange [1:100]") != std::string::npos);
    CHECK(script.find("'x.plot' index 9") != std::string::npos);
}

TEST_CASE("the plots contain only columns with numbers", "[b_eff]") {
    auto r = results([](b_eff::Place) { return 4e6; }, 8192, 3, true);
    // The collective method has no ping-pong, and alltoallv was not selected.
    auto const ping_pong = static_cast<std::size_t>(
        std::find_if(r.patterns.begin(), r.patterns.end(), [](auto& p) { return p.key == "ping-pong"; }) -
        r.patterns.begin());
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t l = 0; l < length_count; ++l)
            r.at({i, l, ping_pong, 1}).state = Cell::State::missing;
    auto const script = b_eff::script(setup({}), Averages{r}, "x.plot");
    auto const count = [&](std::string const& text) {
        int n = 0;
        for (auto at = script.find(text); at != std::string::npos; at = script.find(text, at + 1))
            ++n;
        return n;
    };
    CHECK(count("title 'ping-pong'") == 2);   // with sendrecv and with the best method
    CHECK(count("title 'acyclic-2d'") == 3);  // also with nonblocking
    CHECK(count("index 1 using 0:5 ") == 1);  // the column of the ping-pong
    CHECK(count("index 5 using 0:5 ") == 0);
    CHECK(count("index 5 using 0:6 ") == 1);
    CHECK(count("index 2 ") + count("index 3 ") == 0);
    CHECK(count("index 8 using 0:3 ") == 0);  // rings with alltoallv
    CHECK(count("index 8 using 0:4 ") == 1);
}

TEST_CASE("messages are placed one after the other and start over if the next would not fit", "[b_eff]") {
    b_eff::Mailbox box{8192};
    box.open(8192, 20, true);
    std::vector<Bytes> places;
    for (int i = 0; i < 7; ++i)
        places.push_back(box.next());
    CHECK(places == std::vector<Bytes>{0, 8192, 16384, 24576, 32768, 40960, 0});
    box.open(3, 0, true);
    CHECK(box.next() == 8192);
    CHECK(box.next() == 8200);
    // 8208 is not a multiple of the next stride; the place after 12296 would not be one either.
    box.open(4096, 12, true);
    CHECK(box.next() == 12288);
}

TEST_CASE("the messages of one execution never overlap, whatever the previous length was", "[b_eff]") {
    for (int shorter = 0; shorter < 3000; ++shorter)
        for (Bytes const bytes : {8192, 8185, 7512}) {
            b_eff::Mailbox box{8192};
            box.open(5, 3, true);
            for (int i = 0; i < shorter; ++i)
                static_cast<void>(box.next());
            box.open(bytes, 20, true);
            std::set<Bytes> places;
            for (std::size_t i = 0; i < b_eff::most_exchanges; ++i)
                places.insert(box.next());
            REQUIRE(places.size() == b_eff::most_exchanges);
            Bytes free = 0;
            for (Bytes const at : places) {
                REQUIRE(at >= free);
                free = at + bytes;
            }
            REQUIRE(free <= b_eff::area(8192));
        }
}

TEST_CASE("data from an earlier loop are not mistaken for a message of this loop", "[b_eff]") {
    b_eff::Mailbox box{8192};
    std::set<int> marks;
    for (int loop = 0; loop < 256; ++loop) {
        box.open(8192, 20, true);
        box.mark(0, 0, 0);
        marks.insert(static_cast<int>(box.send()[0]));
    }
    CHECK(marks.size() == 256);
}

TEST_CASE("the first and the last byte of a message are checked", "[b_eff]") {
    b_eff::Mailbox box{8192};
    box.open(5, 4, true);
    auto const at = box.next();
    box.mark(at, 2, 10);
    // v1 = exchange * index + 1, shifted by the iteration and by 101 for the first loop; v2 = 2 v1 - 1.
    CHECK(static_cast<int>(box.send()[at]) == 2 * 4 + 1 + 10 + 101);
    CHECK(static_cast<int>(box.send()[at + 4]) == 2 * 120 - 1);
    std::copy(box.send(), box.send() + 100, box.receive());
    box.look(at, 2, 10);
    CHECK(!box.take_defect());
    box.look(at, 2, 11);
    auto const stale = box.take_defect();
    REQUIRE(stale);
    CHECK(stale->text() == "exchange 2, iteration 11: the first byte is 120 instead of 121");
    box.receive()[at + 4] = std::byte{0};
    box.look(at, 2, 10);
    CHECK(box.take_defect()->is_last_byte);
    CHECK(!box.take_defect());
    box.open(5, 4, false);
    box.look(at, 2, 10);
    CHECK(!box.take_defect());
}

TEST_CASE("the single byte of a message is both the first and the last byte", "[b_eff]") {
    b_eff::Mailbox box{8192};
    box.open(1, 0, true);
    box.mark(0, 0, 0);
    CHECK(static_cast<int>(box.send()[0]) == 1 + 101);
    box.mark(0, 1, 3);
    std::copy(box.send(), box.send() + 1, box.receive());
    box.look(0, 1, 3);
    CHECK(!box.take_defect());
}

TEST_CASE("alltoallv counts are nonzero only for partners", "[b_eff]") {
    b_eff::Counts counts{4};
    std::vector<Exchange> const list{{1, 3}, {nobody, 2}};
    counts.set(list, 7);
    CHECK(counts.send == std::vector<int>{0, 7, 0, 0});
    CHECK(counts.receive == std::vector<int>{0, 0, 7, 7});
    counts.clear(list);
    CHECK(counts.send == std::vector<int>(4));
    CHECK(counts.receive == std::vector<int>(4));
}

TEST_CASE("sections have BEGIN and END lines", "[b_eff]") {
    CHECK(b_eff::section("LOOP", "x\n") == "SECTION-LOOP-BEGIN\nx\nSECTION-LOOP-END\n\n");
    auto const r = results([](b_eff::Place) { return 4e6; });
    measure::Environment const e;
    CHECK(b_eff::elapsed(r, {.environment = e, .loop_elapsed = 1000}).find("WARNING") != std::string::npos);
    double sum = 0;
    for (auto const& cell : r.cells)
        sum += cell.elapsed;
    CHECK(b_eff::elapsed(r, {.environment = e, .loop_elapsed = 1.04 * sum}).find("WARNING") == std::string::npos);
    auto const way = b_eff::by_patterns_and_lengths(Averages{r}, figures(Averages{r}));
    CHECK(way.find("logarithmic average of both                    2.000 * 2 =      4.000") != std::string::npos);
}

TEST_CASE("agreeing repetitions are trusted, a run with one disturbed pattern is not", "[b_eff]") {
    auto const value = [](Results const& r) { return b_eff::figures(Averages{r}).b_eff->both; };
    auto const quiet = results([](b_eff::Place) { return 1e9; });
    auto const good = b_eff::noise(Averages{quiet}, value(quiet), false);
    CHECK(*good.agreement == 1);
    CHECK(*good.spread == 0);
    CHECK(*good.undisturbed == Catch::Approx(1e9));
    CHECK(b_eff::text(good) == "agreement 100.0 %, spread 0.0 %, undisturbed 1000.000 MB/s: trust");
    CHECK(b_eff::noise(Averages{quiet}, value(quiet), true).reason == "more processes than cores");
    CHECK(b_eff::noise(Averages{quiet}, std::nullopt, false).reason == "there is no b_eff");

    // One of seven patterns took twice as long in one repetition: 42 of 294 cells.
    auto const busy = results([](b_eff::Place at) { return at.pattern == 0 && at.repetition == 1 ? 5e8 : 1e9; });
    auto const bad = b_eff::noise(Averages{busy}, value(busy), false);
    CHECK(*bad.agreement == Catch::Approx(252.0 / 294));
    CHECK(bad.reason == "in 14 % of the cells the two best repetitions differ by more than 10 %");
    CHECK(b_eff::text(bad).ends_with(": repeat, " + bad.reason));
}

TEST_CASE("the undisturbed value uses only loops without an interruption", "[b_eff]") {
    // Every loop of the first repetition was interrupted, although it was 8 % faster.
    auto r = results([](b_eff::Place at) { return at.repetition == 0 ? 1e9 : 0.92e9; });
    for (std::size_t l = 0; l < length_count; ++l)
        for (std::size_t p = 0; p < r.patterns.size(); ++p)
            for (std::size_t m = 0; m < 2; ++m)
                r.at({0, l, p, m}).settling.involuntary_switches = 1;
    auto const n = b_eff::noise(Averages{r}, 1e9, false);
    CHECK(*n.undisturbed == Catch::Approx(0.92e9));
    CHECK(n.reason == "the loops without interruptions give 8.0 % less");
    for (std::size_t m = 0; m < 2; ++m)
        r.at({1, 3, 2, m}).settling.involuntary_switches = 2;
    auto const none = b_eff::noise(Averages{r}, 1e9, false);
    CHECK_FALSE(none.undisturbed.has_value());
    CHECK(none.reason == "some cells have only interrupted loops");
}

TEST_CASE("the worst cycle and the pairs of the bisections are named", "[b_eff]") {
    CHECK(b_eff::partners(pattern("worst-cycle", 6)) == "0 5 1 4 2 3");
    CHECK(b_eff::partners(pattern("worst-bisection", 6)) == "(0,5) (1,4) (2,3)");
    CHECK(b_eff::partners(pattern("best-bisection", 5)) == "(0,1) (2,3)");
    CHECK(b_eff::partners(pattern("ring-1", 4)).empty());
    CHECK(b_eff::partners(pattern("ping-pong", 4)).empty());
}
