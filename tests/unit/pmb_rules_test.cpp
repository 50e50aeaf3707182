// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/rules.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <vector>

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using measure::Bytes;
using measure::seconds;
using pmb::Parameters;
using pmb::Part;
using pmb::Portion;

namespace {

constexpr Bytes kibi = 1024;
constexpr Bytes mebi = 1024 * kibi;

std::vector<std::int64_t> repetitions_of(std::vector<Bytes> const& lengths, std::int64_t at_most, Bytes volume) {
    std::vector<std::int64_t> result;
    for (Bytes const length : lengths)
        result.push_back(pmb::repetitions(length, at_most, volume));
    return result;
}

std::vector<Portion> portions(int processes, Bytes length, Bytes unit) {
    std::vector<Portion> result;
    for (int rank = 0; rank < processes; ++rank)
        result.push_back(pmb::portion(rank, processes, length, unit));
    return result;
}

}  // namespace

TEST_CASE("standard mode has the parameters of PMB 2.2", "[pmb][rules]") {
    for (Part const part : {Part::mpi1, Part::ext}) {
        Parameters const p = pmb::standard(part);
        CHECK(p.min_log == 0);
        CHECK(p.max_log == 22);
        CHECK(p.repetitions == 1000);
        CHECK(p.non_aggregate == 100);
        CHECK(p.volume == 41943040);
        CHECK(p.warm_up == 2);
        CHECK(p.barriers == 2);
        CHECK(p.zero);
    }
    Parameters const io = pmb::standard(Part::io);
    CHECK(io.min_log == 0);
    CHECK(io.max_log == 24);
    CHECK(io.repetitions == 50);
    CHECK(io.non_aggregate == 10);
    CHECK(io.volume == 16777216);
    CHECK(io.warm_up == 0);
    CHECK(io.barriers == 2);
    CHECK(io.cpu == seconds{0.1});
    CHECK(io.zero);
}

TEST_CASE("process counts double from the minimum and end with all processes", "[pmb][rules]") {
    using Counts = std::vector<int>;
    CHECK(pmb::process_counts(1, 2) == Counts{1});
    CHECK(pmb::process_counts(2, 2) == Counts{2});
    CHECK(pmb::process_counts(3, 2) == Counts{2, 3});
    CHECK(pmb::process_counts(4, 2) == Counts{2, 4});
    CHECK(pmb::process_counts(5, 2) == Counts{2, 4, 5});
    CHECK(pmb::process_counts(8, 2) == Counts{2, 4, 8});
    CHECK(pmb::process_counts(11, 2) == Counts{2, 4, 8, 11});
    CHECK(pmb::process_counts(11, 5) == Counts{5, 10, 11});
    CHECK(pmb::process_counts(14, 7) == Counts{7, 14});
    CHECK(pmb::process_counts(5, 3) == Counts{3, 5});
    CHECK(pmb::process_counts(10, 1) == Counts{1, 2, 4, 8, 10});
    CHECK(pmb::process_counts(4, 1) == Counts{1, 2, 4});
    CHECK(pmb::process_counts(1, 1) == Counts{1});
}

TEST_CASE("a minimum of at least the world size leaves only the world", "[pmb][rules]") {
    CHECK(pmb::process_counts(4, 4) == std::vector<int>{4});
    CHECK(pmb::process_counts(6, 9) == std::vector<int>{6});
    CHECK(pmb::process_counts(1 << 30, 1 << 30) == std::vector<int>{1 << 30});
    // Twice 2^30 exceeds an int.
    CHECK(pmb::process_counts(2147483647, 1 << 30) == std::vector<int>{1 << 30, 2147483647});
}

TEST_CASE("standard lengths are 0 and the powers of two, in whole elements", "[pmb][rules]") {
    auto const bytes = pmb::lengths(1, pmb::standard(Part::mpi1));
    REQUIRE(bytes.size() == 24);
    CHECK(bytes[0] == 0);
    CHECK(bytes[1] == 1);
    CHECK(bytes[2] == 2);
    CHECK(bytes[13] == 4096);
    CHECK(bytes[23] == 4194304);

    auto const floats = pmb::lengths(4, pmb::standard(Part::mpi1));
    REQUIRE(floats.size() == 22);
    CHECK(floats[0] == 0);
    CHECK(floats[1] == 4);
    CHECK(floats[2] == 8);
    CHECK(floats[21] == 4194304);

    auto const files = pmb::lengths(1, pmb::standard(Part::io));
    REQUIRE(files.size() == 26);
    CHECK(files[25] == 16777216);
}

TEST_CASE("lengths follow the logarithms, and the last one is reduced to whole elements", "[pmb][rules]") {
    using Lengths = std::vector<Bytes>;
    auto const between = [](int low, int high, Bytes unit, bool zero = true) {
        Parameters p;
        p.min_log = low;
        p.max_log = high;
        p.zero = zero;
        return pmb::lengths(unit, p);
    };
    CHECK(between(3, 5, 1) == Lengths{0, 8, 16, 32});
    CHECK(between(3, 5, 1, false) == Lengths{8, 16, 32});
    CHECK(between(0, 1, 1) == Lengths{0, 1, 2});
    CHECK(between(0, 3, 4) == Lengths{0, 4, 8});
    CHECK(between(0, 2, 4) == Lengths{0, 4});
    // Two bytes are too small for an element.
    CHECK(between(0, 1, 4) == Lengths{0});
    // Doubling 3 gives 6 and 12; 24 would exceed 15, the largest multiple of 3 within 16.
    CHECK(between(0, 4, 3) == Lengths{0, 3, 6, 12, 15});
    CHECK(between(29, 30, 1) == Lengths{0, 536870912, 1073741824});
}

TEST_CASE("given lengths keep their order and are rounded up to whole elements", "[pmb][rules]") {
    std::vector<Bytes> const given{1024, 3, 2097152, 0, 5};
    CHECK(pmb::rounded(given, 1) == given);
    CHECK(pmb::rounded(given, 4) == std::vector<Bytes>{1024, 4, 2097152, 0, 8});
}

TEST_CASE("repetitions are limited by the volume", "[pmb][rules]") {
    using Counts = std::vector<std::int64_t>;
    CHECK(repetitions_of({0, 1, 32 * kibi, 64 * kibi, 128 * kibi, 256 * kibi, 512 * kibi, mebi, 2 * mebi, 4 * mebi},
                         1000, 40 * mebi) == Counts{1000, 1000, 1000, 640, 320, 160, 80, 40, 20, 10});
    CHECK(repetitions_of({0, 256 * kibi, 512 * kibi, mebi, 2 * mebi, 4 * mebi}, 100, 40 * mebi) ==
          Counts{100, 100, 80, 40, 20, 10});
    CHECK(repetitions_of({0, 256 * kibi, 512 * kibi, mebi, 2 * mebi, 4 * mebi, 8 * mebi, 16 * mebi}, 50, 16 * mebi) ==
          Counts{50, 50, 32, 16, 8, 4, 2, 1});
    CHECK(repetitions_of({0, mebi, 2 * mebi, 4 * mebi, 8 * mebi, 16 * mebi}, 10, 16 * mebi) ==
          Counts{10, 10, 8, 4, 2, 1});
    // floor(1048576 / 65536) = 16, but only 10 are allowed.
    CHECK(repetitions_of({64 * kibi, 128 * kibi, 256 * kibi, 512 * kibi, mebi, 2 * mebi, 4 * mebi}, 10, mebi) ==
          Counts{10, 8, 4, 2, 1, 1, 1});
    // floor(100 / 30) = 3.
    CHECK(pmb::repetitions(30, 1000, 100) == 3);
}

TEST_CASE("a transfer is split into whole elements, and the first processes have one more", "[pmb][rules]") {
    using Portions = std::vector<Portion>;
    CHECK(portions(2, 16, 4) == Portions{{0, 8}, {8, 8}});
    // 7 elements on 3 processes: 3, 2, 2.
    CHECK(portions(3, 28, 4) == Portions{{0, 12}, {12, 8}, {20, 8}});
    // 8 elements on 3 processes: 3, 3, 2; the last one has only one byte.
    CHECK(portions(3, 29, 4) == Portions{{0, 12}, {12, 12}, {24, 5}});
    CHECK(portions(3, 10, 4) == Portions{{0, 4}, {4, 4}, {8, 2}});
    CHECK(portions(1, 10, 4) == Portions{{0, 10}});
    CHECK(portions(3, 7, 1) == Portions{{0, 3}, {3, 2}, {5, 2}});
}

TEST_CASE("a portion may be empty", "[pmb][rules]") {
    using Portions = std::vector<Portion>;
    CHECK(portions(2, 1, 4) == Portions{{0, 1}, {1, 0}});
    CHECK(portions(2, 4, 4) == Portions{{0, 4}, {4, 0}});
    CHECK(portions(3, 6, 4) == Portions{{0, 4}, {4, 2}, {6, 0}});
    CHECK(portions(2, 0, 4) == Portions{{0, 0}, {0, 0}});
}

TEST_CASE("the throughput counts the messages of one process", "[pmb][rules]") {
    CHECK_THAT(pmb::throughput(1, 1048576, seconds{0.5}), WithinRel(2097152.0, 1e-12));
    CHECK_THAT(pmb::throughput(2, 1000, seconds{0.001}), WithinRel(2e6, 1e-12));
    CHECK_THAT(pmb::throughput(4, 8, seconds{1e-6}), WithinRel(3.2e7, 1e-12));
    CHECK(pmb::throughput(4, 0, seconds{1e-6}) == 0);
    CHECK(pmb::throughput(1, 8, seconds{0}) == 0);
}

TEST_CASE("the overlap is the hidden share of the shorter part", "[pmb][rules]") {
    // 1538.14 + 109004.85 - 110116.13 = 426.86 us of 1538.14 us.
    CHECK_THAT(pmb::overlap(seconds{1538.14e-6}, seconds{109004.85e-6}, seconds{110116.13e-6}),
               WithinAbs(0.27752, 1e-5));
    CHECK_THAT(pmb::overlap(seconds{4}, seconds{2}, seconds{5}), WithinAbs(0.5, 1e-12));
    CHECK_THAT(pmb::overlap(seconds{2}, seconds{4}, seconds{5}), WithinAbs(0.5, 1e-12));
}

TEST_CASE("the overlap is between 0 and 1", "[pmb][rules]") {
    CHECK(pmb::overlap(seconds{1}, seconds{2}, seconds{4}) == 0);
    CHECK(pmb::overlap(seconds{1}, seconds{2}, seconds{1.5}) == 1);
    CHECK(pmb::overlap(seconds{0}, seconds{2}, seconds{2}) == 0);
    CHECK(pmb::overlap(seconds{2}, seconds{0}, seconds{1}) == 0);
}

TEST_CASE("a common scratch file holds what one length writes", "[pmb][rules]") {
    Parameters p = pmb::standard(Part::io);
    CHECK(pmb::file_size(p) == 16777216);
    p.max_log = 25;
    CHECK(pmb::file_size(p) == 33554432);
    p.max_log = 19;  // 32 times 512 KiB are 16 MiB
    CHECK(pmb::file_size(p) == 16777216);
    p.max_log = 18;  // 64 times 256 KiB are 16 MiB, but only 50 blocks are written
    CHECK(pmb::file_size(p) == 13107200);
    p.max_log = 4;
    p.repetitions = 3;
    CHECK(pmb::file_size(p) == 48);
}

TEST_CASE("private scratch files share the size of the common file", "[pmb][rules]") {
    Parameters p = pmb::standard(Part::io);
    CHECK(pmb::private_file_size(p, 1) == 16777216);
    CHECK(pmb::private_file_size(p, 2) == 8388608);
    // ceil(16777216 / 3) = 5592406, plus 4 x 50 because block sizes differ.
    CHECK(pmb::private_file_size(p, 3) == 5592606);
    p.max_log = 4;
    p.repetitions = 3;
    CHECK(pmb::private_file_size(p, 4) == 12);
    CHECK(pmb::private_file_size(p, 5) == 10 + 12);
}
