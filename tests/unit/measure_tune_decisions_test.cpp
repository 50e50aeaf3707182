// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"
#include "support/tune_model.hpp"
#include "tune/decide.hpp"
#include "tune/estimate.hpp"
#include "tune/phases/screening.hpp"
#include "tune/segments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace measure::tool::tune;

namespace {

constexpr int campaigns_each = 100;

}  // namespace

TEST_CASE("an algorithm that is slower in every block is dropped as soon as this is significant", "[measure][tune]") {
    // 1.9^n >= k (k - 1) / 0.05: 1120 for 8 algorithms, 240 for 4.
    for (auto const& [k, blocks] : std::map<std::size_t, int>{{8, 11}, {4, 9}}) {
        Screen screen{k};
        std::vector<std::optional<double>> times(k, 1.0);
        times[1] = 1.2;
        while (screen.is_left(1))
            screen.add(times);
        CHECK(screen.blocks() == blocks);
        CHECK(screen.left() == k - 1);
    }
}

TEST_CASE("the default and algorithms without a value are never dropped", "[measure][tune]") {
    Screen screen{3};
    for (int i = 0; i < 40; ++i)
        screen.add(std::array<std::optional<double>, 3>{100.0, 1.0, std::nullopt});
    CHECK(screen.is_left(0));
    CHECK(screen.is_left(1));
    CHECK(screen.is_left(2));
    CHECK(screen.is_over());
    CHECK(Screen{1}.is_over());
}

TEST_CASE("an algorithm that is less than 10 % slower is not dropped", "[measure][tune]") {
    Screen screen{2};
    for (int i = 0; i < 40; ++i)
        screen.add(std::array<std::optional<double>, 2>{1.0, 1.09});
    CHECK(screen.left() == 2);
}

TEST_CASE("screening rarely loses the best algorithm, and saves a quarter of the measurements", "[measure][tune]") {
    std::mt19937_64 random{7};
    constexpr int points = 200;
    auto const screened = test::screened_points({.noise = 0.1, .spikes = 0.02}, points, random);
    CHECK(screened.lost <= points / 20);
    CHECK(screened.measurements <= screened.planned * 3 / 4);
}

TEST_CASE("the default leads unless another algorithm is faster by at least the gain", "[measure][tune]") {
    std::vector<ScreenedSize> const sizes{{8, {"auto", "a", "b"}, {1.04, 1.0, 2.0}},
                                          {64, {"auto", "a", "b"}, {1.2, 1.0, 2.0}},
                                          {512, {"auto", "a", "b"}, {1.2, 1.02, 1.0}},
                                          {4096, {"auto", "a", "b"}, {1.2, 1.1, 1.0}},
                                          {32768, {"auto", "b"}, {1.0, 1.0}}};
    CHECK(leaders(sizes, 0.05) == std::vector<std::string>{"auto", "a", "a", "b", "auto"});
    auto const segments = segments_of(sizes, 0.05, true);
    REQUIRE(segments.size() == 4);
    CHECK(segments[1].low == 64);
    CHECK(segments[1].high == 4095);
    CHECK(segments[1].sizes == std::vector<measure::Bytes>{64, 512});
    CHECK(segments[3].high == 32768);
    CHECK(segments[3].algorithms == std::vector<std::string>{"auto", "b"});
    auto const one = segments_of(sizes, 0.05, false);
    REQUIRE(one.size() == 1);
    CHECK(one[0].sizes.size() == 5);
    CHECK(one[0].algorithms == std::vector<std::string>{"auto", "b"});
}

TEST_CASE("brackets are split at the geometric mean until they are narrow or no gain is possible", "[measure][tune]") {
    auto const size = [](measure::Bytes bytes, double other) {
        return ScreenedSize{bytes, {"auto", "a"}, {1.0, other}};
    };
    CHECK(sizes_between(std::vector{size(1024, 2.0), size(4096, 0.5)}, 0.05) == std::vector<measure::Bytes>{2048});
    CHECK(sizes_between(std::vector{size(1024, 2.0), size(1280, 0.5)}, 0.05).empty());
    CHECK(sizes_between(std::vector{size(1024, 2.0), size(4096, 2.0)}, 0.05).empty());
    CHECK(sizes_between(std::vector{size(8, 2.0), size(16, 0.5)}, 0.05).empty());
    // The times differ by more than 5 % at one end only.
    CHECK(sizes_between(std::vector{size(1024, 1.04), size(4096, 0.5)}, 0.05).size() == 1);
    CHECK(sizes_between(std::vector{size(1024, 1.0), size(4096, 0.953)}, 0.05).empty());
    // A size that was measured without a value is not requested again.
    CHECK(sizes_between(std::vector{size(1024, 2.0), size(4096, 0.5)}, 0.05, {1024, 2048, 4096}).empty());
}

TEST_CASE("the bracket of a switch contains the crossing", "[measure][tune]") {
    // The required gain is 0, so that the threshold does not move the switch away from the crossing.
    test::CrossingModel const model{.crossing = 9000, .noise = 0.02, .gain = 0};
    std::mt19937_64 random{11};
    int right = 0;
    for (int i = 0; i < campaigns_each; ++i) {
        auto const bracket = test::bracket_of(model, random);
        REQUIRE(bracket);
        right += bracket->holds(model.crossing);
        CHECK(bracket->high / bracket->low <= 1.25);
    }
    CHECK(right >= campaigns_each * 95 / 100);
}

TEST_CASE("with a threshold, the bracket contains the size at which the gain exceeds it", "[measure][tune]") {
    test::CrossingModel const model{.crossing = 9500, .noise = 0.02, .gain = 0.05};
    auto const [of_default, of_other] = model.times(model.switches_at());
    REQUIRE(std::abs(of_default / of_other - 1.05) < 1e-9);
    std::mt19937_64 random{11};
    int right = 0;
    int with_crossing = 0;
    for (int i = 0; i < campaigns_each; ++i) {
        auto const bracket = test::bracket_of(model, random);
        REQUIRE(bracket);
        right += bracket->holds(model.switches_at());
        with_crossing += bracket->holds(model.crossing);
    }
    CHECK(right >= campaigns_each * 95 / 100);
    CHECK(with_crossing <= campaigns_each * 5 / 100);
}

TEST_CASE("p-values are adjusted to control the false discovery rate", "[measure][tune]") {
    // 0.01 x 4 / 1, 0.02 x 4 / 2, 0.03 x 4 / 3 and 0.5; each is lowered to the minimum of the later values.
    auto const qs = benjamini_hochberg(std::vector{0.5, 0.01, 0.03, 0.02});
    CHECK(qs[0] == 0.5);
    CHECK(std::abs(qs[1] - 0.04) < 1e-12);
    CHECK(std::abs(qs[2] - 0.04) < 1e-12);
    CHECK(std::abs(qs[3] - 0.04) < 1e-12);
    CHECK(benjamini_hochberg({}).empty());
    CHECK(benjamini_hochberg(std::vector{0.9, 0.95})[0] == 0.95);
}

TEST_CASE("the noise of the default against itself includes a constant shift, and falls with more launches",
          "[measure][tune]") {
    CHECK(aa_noise(std::vector<double>{}, 10) == 0);
    CHECK(aa_noise(std::vector{0.0, 0.0, 0.0}, 3) == 0);
    // The noise of a constant shift is the shift.
    CHECK(std::abs(aa_noise(std::vector{0.1, 0.1, 0.1}, 3) - std::expm1(0.1)) < 1e-12);
    std::vector<double> values;
    for (int i = 0; i < 200; ++i)
        values.push_back(0.02 * (i % 2 == 0 ? 1 : -1) * (1 + i / 200.0));
    CHECK(aa_noise(values, 4) > 1.9 * aa_noise(values, 16));
}

namespace {

SegmentLaunches segment(std::vector<std::pair<std::string, std::vector<double>>> rivals, std::size_t launches = 10) {
    SegmentLaunches result{.collective = "Bcast", .noise = std::vector<double>(launches, 0.0)};
    for (auto& [name, gains] : rivals)
        result.rivals.push_back({name, std::move(gains)});
    return result;
}

std::vector<double> around(double gain, std::size_t launches = 10) {
    std::vector<double> gains;
    for (std::size_t i = 0; i < launches; ++i)
        gains.push_back(std::log1p(gain) + 0.001 * static_cast<double>(i % 5) - 0.002);
    return gains;
}

}  // namespace

TEST_CASE("a gain must exceed the threshold with certainty", "[measure][tune]") {
    auto const choices = decide(std::vector{segment({{"a", around(0.2)}}), segment({{"a", around(0.03)}}),
                                            segment({{"a", around(-0.2)}}), segment({}),
                                            segment({{"a", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -9, -9, -9, -9}}})},
                                {});
    CHECK(choices[0].algorithm == "a");
    CHECK(choices[0].reason.empty());
    // All of 10 launches gain, so p = 2^-10; there are four tests.
    CHECK(*choices[0].p == 1.0 / 1024);
    CHECK(std::abs(*choices[0].q - 4.0 / 1024) < 1e-12);
    CHECK(std::abs(*choices[0].gain - 0.2) < 0.01);
    CHECK(choices[1].algorithm.empty());
    CHECK(choices[1].reason == "below the threshold: a gains 3.0 %, less than 5.0 %");
    CHECK(choices[2].reason == "no difference");
    CHECK(choices[3].reason == "no other algorithm is left");
    CHECK(choices[4].reason.starts_with("not certain: a seems to gain 64.9 %"));
}

TEST_CASE("a gain below the noise of the default against itself does not count", "[measure][tune]") {
    auto noisy = segment({{"a", around(0.1)}});
    noisy.noise.assign(10, std::log1p(0.15));
    auto const choices = decide(std::vector{noisy}, {});
    CHECK(choices[0].algorithm.empty());
    CHECK(std::abs(choices[0].threshold - 0.15) < 1e-9);
}

TEST_CASE("among equally good algorithms, the one of the neighbouring segment is chosen", "[measure][tune]") {
    auto const choices = decide(std::vector{segment({{"a", around(0.4)}, {"b", around(0.2)}}),
                                            segment({{"a", around(0.30)}, {"b", around(0.32)}}),
                                            segment({{"a", around(0.2)}, {"b", around(0.4)}})},
                                {});
    CHECK(choices[0].algorithm == "a");
    CHECK(choices[1].algorithm == "a");
    CHECK(choices[2].algorithm == "b");
}

TEST_CASE("equal algorithms cause no change, and gains are found", "[measure][tune][not_quick]") {
    std::mt19937_64 random{5};
    auto const alike =
        test::decided_campaigns({.better = 0, .rivals = 7, .noise = 0.05, .launches = 10}, campaigns_each, random);
    CHECK(alike.with_change <= campaigns_each * 5 / 100);
    auto const found =
        test::decided_campaigns({.better = 20, .rivals = 1, .noise = 0.03, .launches = 12}, campaigns_each, random);
    CHECK(found.taken >= 20 * campaigns_each * 95 / 100);
    CHECK(found.false_ones <= found.taken / 20);
}

TEST_CASE("the cost of a campaign is estimated from one block of each algorithm", "[measure][tune]") {
    // Three empty launches take 3 s. A block takes 10 ms, a check takes no time.
    constexpr double start = 1;
    constexpr int blocks = 5;
    TuneOptions const options{.launches = 6, .proof = 6, .blocks = 40};
    auto const cost = [](double median) { return std::optional{BlockCost{.median = median, .block = 0.01}}; };
    // Similar algorithms: both get all 40 blocks and one that is not counted.
    PlaceCost const alike{.sizes = {8, 64}, .low = {cost(1.1), cost(1)}, .high = {cost(1.1), cost(1)}};
    auto const a = estimate({{alike}}, options, Via::mpi_t, blocks, start);
    CHECK(a.launches == 1 + 6 + 12 + 9);
    double const screen = 2 * 2 * 41 * 0.01;
    double const decide = 6 * 2 * 3 * 6 * 0.01;
    double const prove = 12 * 2 * 6 * 0.01;
    CHECK_THAT(a.seconds, Catch::Matchers::WithinRel(28 * start + screen + decide + prove, 1e-9));
    // A slow algorithm is dropped early, and no decision is left: log(2 / 0.05) / log(1.9) = 5.7 blocks.
    PlaceCost const slow{.sizes = {8}, .low = {cost(1), cost(2)}, .high = {cost(1), cost(2)}};
    auto const b = estimate({{slow}}, options, Via::mpi_t, blocks, start);
    CHECK(b.launches == 1);
    CHECK_THAT(b.seconds, Catch::Matchers::WithinRel(start + 2 * 7 * 0.01, 1e-9));
    // Each algorithm needs its own launches.
    CHECK(estimate({{alike}}, options, Via::environment, blocks, start).launches == 2 + 6 * 3 + 12 + 9);
    // A switch is searched for: a bracket of ratio 4 is halved until its ratio is at most 1.25.
    PlaceCost const other{.sizes = {8, 64}, .low = {cost(1.1), cost(1)}, .high = {cost(1.1), cost(1.2)}};
    auto const c = estimate({{other}}, options, Via::mpi_t, blocks, start);
    CHECK_THAT(c.seconds - 28 * start, Catch::Matchers::WithinRel(2.5 * (a.seconds - 28 * start), 1e-9));
    // Without a gain there is no proof.
    PlaceCost const best{.sizes = {8, 64}, .low = {cost(1), cost(1.1)}, .high = {cost(1), cost(1.1)}};
    CHECK(estimate({{best}}, options, Via::mpi_t, blocks, start).launches == 1 + 6);
    // There is no choice between algorithms.
    CHECK(estimate({}, options, Via::mpi_t, blocks, start).launches == 0);
    PlaceCost const alone{.sizes = {8}, .low = {cost(1)}, .high = {cost(1)}};
    CHECK(estimate({{alone}}, options, Via::mpi_t, blocks, start).launches == 0);
}

TEST_CASE("the largest sizes are left out if a campaign does not fit into the budget", "[measure][tune]") {
    auto const cost = [](double median) { return std::optional{BlockCost{.median = median, .block = median}}; };
    // 1 s at 8 B to 57 s at 64 B, one second more per byte.
    PlaceCost const sized{.sizes = {8, 16, 32, 64}, .low = {cost(1), cost(1)}, .high = {cost(57), cost(57)}};
    PlaceCost const whole{.sizes = {8, 16}, .low = {cost(1)}, .high = {cost(9)}, .is_sized = false};
    PlaceCost const sizeless{.sizes = {0}, .low = {cost(1)}, .high = {cost(1)}, .is_sized = false};

    auto const shorter = up_to(sized, 40);
    CHECK(shorter.sizes == std::vector<measure::Bytes>{8, 16, 32});
    CHECK_THAT(shorter.high[1]->block, Catch::Matchers::WithinRel(25.0, 1e-9));
    CHECK(shorter.low[1]->block == 1);
    CHECK(up_to(sized, 8).high[0]->block == 1);
    CHECK(up_to(sized, 64).sizes == sized.sizes);
    CHECK(up_to(sized, 7).sizes.empty());
    // One choice holds for all sizes, so none of them can be left out.
    CHECK(up_to(whole, 8).sizes.empty());
    CHECK(up_to(whole, 16).sizes.size() == 2);
    CHECK(up_to(sizeless, 8).sizes.size() == 1);

    std::vector const places{sized, whole, sizeless};
    auto const sizes_alone = [](std::vector<PlaceCost> const& all) {
        double seconds = 0;
        for (auto const& one : all)
            seconds += static_cast<double>(one.sizes.size());
        return seconds;
    };
    CHECK_FALSE(largest_within(7, places, sizes_alone));
    CHECK(largest_within(6, places, sizes_alone) == 32);
    CHECK(largest_within(5, places, sizes_alone) == 16);
    // A place that cannot be split is left out together with its largest size.
    CHECK(largest_within(4, places, sizes_alone) == 8);
    // The smallest size stays even if it does not fit.
    CHECK(largest_within(0.5, places, sizes_alone) == 8);
    CHECK_FALSE(largest_within(0.5, {sizeless}, sizes_alone));
    CHECK_FALSE(largest_within(0, {}, sizes_alone));
    // Like in a campaign: 2 s for a block of each algorithm, and 41 blocks of each in the screening.
    TuneOptions const options{.launches = 6, .proof = 6, .blocks = 40};
    auto const seconds = [&](std::vector<PlaceCost> const& all) {
        return estimate(all, options, Via::mpi_t, 5, 0).seconds;
    };
    auto const limit = seconds({up_to(sized, 16)});
    CHECK(largest_within(limit, {sized}, seconds) == 16);
    CHECK(largest_within(limit * 0.99, {sized}, seconds) == 8);
}
