// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/fold.hpp"
#include "measure/report.hpp"
#include "support/catch.hpp"

#include <cmath>

using measure::fold;
using measure::Point;
using measure::PointStatus;
using measure::Record;

namespace join = measure::join;

namespace {

Record record(std::int64_t bytes, std::int64_t repetition, double value) {
    Record r;
    r.benchmark = "ring";
    r.at = Point{{"bytes", bytes}, {"repetition", repetition}, {"method", std::string{"sendrecv"}}};
    r.quantity = measure::Quantity::bandwidth;
    r.value = value;
    r.attempts = 3;
    r.valid = 2;
    r.kept = 1;
    r.invalid.late = 1;
    r.elapsed = measure::seconds{0.5};
    return r;
}

double folded_value(std::vector<double> const& values, measure::Join const& join) {
    std::vector<Record> records;
    for (double const value : values)
        records.push_back(record(8, static_cast<std::int64_t>(records.size()), value));
    return fold(records, "repetition", join).at(0).value.value();
}

}  // namespace

TEST_CASE("values are joined by maximum, minimum, mean, median and logarithmic mean", "[fold]") {
    // exp((log 1 + log 4 + log 16) / 3) = 4
    CHECK(folded_value({1, 16, 4}, join::max) == 16);
    CHECK(folded_value({1, 16, 4}, join::min) == 1);
    CHECK(folded_value({1, 16, 4}, join::mean) == 7);
    CHECK(folded_value({1, 16, 4}, join::median) == 4);
    CHECK(folded_value({1, 16, 4, 2}, join::median) == 3);
    CHECK_THAT(folded_value({1, 16, 4}, join::log_mean), Catch::Matchers::WithinAbs(4, 1e-12));
    CHECK(std::isnan(folded_value({1, 0, 4}, join::log_mean)));
}

TEST_CASE("a weighted mean takes the weight of a value from its coordinate", "[fold]") {
    std::vector<Record> const records{record(8, 0, 10), record(8, 1, 20), record(8, 2, 60)};
    // (1 * 10 + 1 * 20 + 2 * 60) / 4 = 37.5
    join::WeightedMean const weighted{{{std::int64_t{0}, 1}, {std::int64_t{1}, 1}, {std::int64_t{2}, 2}}};
    CHECK(fold(records, "repetition", weighted).at(0).value == 37.5);

    join::WeightedMean const incomplete{{{std::int64_t{0}, 1}}};
    CHECK_THROWS_WITH(fold(records, "repetition", incomplete), "no weight for '1'");
}

TEST_CASE("a user function joins the values with their coordinates", "[fold]") {
    std::vector<Record> const records{record(8, 3, 10), record(8, 5, 20)};
    auto const first_place = [](measure::FoldGroup const& g) {
        return g.values.back() + static_cast<double>(std::get<std::int64_t>(g.at.front()));
    };
    CHECK(fold(records, "repetition", first_place).at(0).value == 23);
}

TEST_CASE("records are grouped by all other coordinates, in order of first appearance", "[fold]") {
    std::vector<Record> const records{record(64, 0, 5), record(8, 0, 1), record(8, 1, 2), record(64, 1, 4)};
    auto const folded = fold(records, "repetition", join::max);
    REQUIRE(folded.size() == 2);
    CHECK(folded[0].at.text() == "bytes=64 method=sendrecv");
    CHECK(folded[0].value == 5);
    CHECK(folded[1].at.text() == "bytes=8 method=sendrecv");
    CHECK(folded[1].value == 2);
}

TEST_CASE("different benchmarks and quantities are never mixed", "[fold]") {
    std::vector<Record> records{record(8, 0, 5), record(8, 1, 7), record(8, 2, 9)};
    records[1].benchmark = "random";
    records[2].quantity = measure::Quantity::time;
    CHECK(fold(records, "repetition", join::max).size() == 3);
}

TEST_CASE("counts and times of a group are summed, and details of single measurements are dropped", "[fold]") {
    std::vector<Record> records{record(8, 0, 5), record(8, 1, 7)};
    records[0].estimate = measure::Estimate{};
    records[0].over_ranks = measure::RankSpread{};
    records[0].derived["span"] = 1.0;
    records[0].has_samples = true;
    records[0].samples.resize(3);
    records[0].flags = {"migrated", "oversubscribed"};
    records[1].flags = {"autocorrelated", "migrated"};
    auto const joined = fold(records, "repetition", join::max).at(0);
    CHECK(joined.attempts == 6);
    CHECK(joined.valid == 4);
    CHECK(joined.kept == 2);
    CHECK(joined.invalid.late == 2);
    CHECK(joined.elapsed == measure::seconds{1});
    CHECK(joined.flags == std::vector<std::string>{"migrated", "oversubscribed", "autocorrelated"});
    CHECK_FALSE(joined.estimate);
    CHECK_FALSE(joined.over_ranks);
    CHECK(joined.derived.find("span") == nullptr);
    CHECK_FALSE(joined.has_samples);
    CHECK(joined.samples.empty());
}

TEST_CASE("the status of a group is its worst status, with the message of that record", "[fold]") {
    std::vector<Record> records{record(8, 0, 5), record(8, 1, 7), record(8, 2, 9)};
    records[1].status = PointStatus::exhausted;
    CHECK(fold(records, "repetition", join::max).at(0).status == PointStatus::exhausted);
    CHECK(fold(records, "repetition", join::max).at(0).value == 9);

    records[2].status = PointStatus::crashed;
    records[2].message = "out of memory";
    records[2].value.reset();
    auto const joined = fold(records, "repetition", join::max).at(0);
    CHECK(joined.status == PointStatus::crashed);
    CHECK(joined.message == "out of memory");
    CHECK_FALSE(joined.value);
}

TEST_CASE("a group with a point that has no valid samples has no value", "[fold]") {
    std::vector<Record> records{record(8, 0, 5), record(8, 1, 7)};
    records[1].status = PointStatus::no_valid_samples;
    records[1].value.reset();
    auto const joined = fold(records, "repetition", join::max).at(0);
    CHECK(joined.status == PointStatus::no_valid_samples);
    CHECK(joined.attempts == 6);
    CHECK(joined.valid == 0);
    CHECK(joined.kept == 0);
}

TEST_CASE("folding one record only removes the coordinate", "[fold]") {
    auto one = record(8, 0, 5);
    one.estimate = measure::Estimate{};
    one.derived["span"] = 1.0;
    auto expected = one;
    expected.at = Point{{"bytes", std::int64_t{8}}, {"method", std::string{"sendrecv"}}};
    auto const folded = fold(std::vector{one}, "repetition", [](auto const&) { return 0.0; });
    REQUIRE(folded.size() == 1);
    CHECK(measure::json_line(folded[0]) == measure::json_line(expected));
}

TEST_CASE("a record without the coordinate cannot be folded along it", "[fold]") {
    CHECK_THROWS_WITH(fold(std::vector{record(8, 0, 5)}, "pattern", join::max),
                      "fold: no coordinate 'pattern' in the point 'bytes=8 repetition=0 method=sendrecv'");
    CHECK(fold({}, "pattern", join::max).empty());
}
