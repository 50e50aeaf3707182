// SPDX-License-Identifier: BSD-3-Clause
#include "shared/filter.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <string>
#include <vector>

using measure::Launch;
using measure::Source;
using measure::UsageError;
using measure::tool::condition_from;
using measure::tool::filter;
using measure::tool::filter_from;

namespace {

bool is_held(std::string const& condition, std::vector<std::string> const& texts, std::optional<double> number = {}) {
    return measure::tool::holds(condition_from(condition), texts, number);
}

/// The sizes that pass a filter, from points of 8, 1024 and 65536 B and one point without a size (0).
std::vector<std::int64_t> left_by(std::string const& condition) {
    Launch launch;
    for (std::int64_t const bytes : {8, 1024, 65536})
        launch.record.points.push_back({.benchmark = "Bcast", .at = {{"bytes", bytes}}, .flags = {"trend"}});
    launch.record.points.push_back({.benchmark = "Barrier"});
    std::vector<Source> sources{{.path = "a", .launches = {launch}}};
    auto const all = filter(sources, std::vector{filter_from({"--filter", condition})});
    CHECK(all == 4);
    std::vector<std::int64_t> sizes;
    for (auto const& record : sources[0].launches[0].record.points)
        sizes.push_back(record.at.has("bytes") ? static_cast<std::int64_t>(record.at.number("bytes")) : 0);
    return sizes;
}

}  // namespace

TEST_CASE("a condition holds if one of its values matches, a negated one if none matches", "[measure][query]") {
    CHECK(is_held("mpi=MPICH*,Open MPI", {"MPICH 4.0.2"}));
    CHECK_FALSE(is_held("mpi=mpich*", {"MPICH 4.0.2"}));
    CHECK(is_held("mpi~mpich", {"MPICH 4.0.2"}));
    CHECK(is_held("tag!=paper", {"draft", "old"}));
    CHECK_FALSE(is_held("tag!=paper", {"draft", "paper"}));
    CHECK(is_held("tag!=paper", {}));
    CHECK(is_held("tag=", {}));
    CHECK(is_held("tag=", {""}));
    CHECK_FALSE(is_held("tag!=", {}));
    CHECK(is_held("bytes = 4 , 1KiB", {"1024"}, 1024));
}

TEST_CASE("ordering conditions compare numbers, sizes and times", "[measure][query]") {
    CHECK(is_held("bytes>=1KiB", {"1024"}, 1024));
    CHECK_FALSE(is_held("bytes>1KiB", {"1024"}, 1024));
    CHECK(is_held("value<10us", {"9e-06"}, 9e-6));
    CHECK_FALSE(is_held("value<10us", {"text"}));
    CHECK_THROWS_AS(is_held("bytes<many", {"8"}, 8), UsageError);
}

TEST_CASE("a filter keeps the points that meet its condition", "[measure][query]") {
    using Sizes = std::vector<std::int64_t>;
    CHECK(left_by("bytes=8,1KiB") == Sizes{8, 1024});
    CHECK(left_by("at.bytes>8") == Sizes{1024, 65536});
    CHECK(left_by("bytes!=8") == Sizes{1024, 65536, 0});
    CHECK(left_by("bytes=") == Sizes{0});
    CHECK(left_by("bytes=*4") == Sizes{1024});
    CHECK(left_by("benchmark=B?rrier") == Sizes{0});
    CHECK(left_by("flag=trend") == Sizes{8, 1024, 65536});
    CHECK_THROWS_WITH(left_by("bytes>64KiB"), "--filter: none of 4 points matches; their coordinates are bytes");
    CHECK_THROWS_WITH(filter_from({"--filter", "bytes<many"}),
                      "--filter: 'bytes<many': 'many' is not a number, size (1KiB) or time (10us)");
}
