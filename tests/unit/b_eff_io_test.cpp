// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/catalogue.hpp"
#include "b_eff_io/data.hpp"
#include "b_eff_io/hints.hpp"
#include "b_eff_io/options.hpp"
#include "b_eff_io/place.hpp"
#include "b_eff_io/plot.hpp"
#include "b_eff_io/record.hpp"
#include "b_eff_io/report.hpp"
#include "b_eff_io/result.hpp"
#include "b_eff_io/rules.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

using namespace b_eff_io;
using Catch::Approx;
using measure::Bytes;

namespace {

/// The checked options of this command line.
Options options(std::vector<std::string> const& arguments) {
    Options o;
    program::Parser parser{"b_eff_io", ""};
    declare(parser, o);
    parser.parse(arguments);
    check(o, {});
    return o;
}

Setting of(std::vector<std::string> arguments, int processes = 2) {
    arguments.insert(arguments.begin(), {"-MB", "256", "-MT", "512"});
    return setting(options(arguments), processes);
}

/// Sets the bandwidth of a type, in bytes/s: its timed pattern moves these bytes in 1 s; opening and closing take no
/// time.
void give(AccessResult& access, Type type, double bytes) {
    access.types[index(type)] = TypeTimes{};
    auto& pattern = access.patterns[static_cast<std::size_t>(patterns_of(type)[1].number)];
    pattern.measured = true;
    pattern.transferred = bytes;
    pattern.time = 1;
    pattern.repetitions = 1;
}

/// Bandwidths of the types in order, in bytes/s: write 10 20 30 40 50, rewrite 60, read 70 80 90 100 110.
PartitionResult example() {
    PartitionResult p;
    double value = 10;
    for (Type const type : all_types) {
        give(p.at(Access::write), type, value);
        value += 10;
    }
    give(p.at(Access::rewrite), Type::scatter, value);
    for (Type const type : all_types) {
        value += 10;
        give(p.at(Access::read), type, value);
    }
    return p;
}

}  // namespace

TEST_CASE("the types have 64, 22, 12, 10 and 10 time units, which makes 43 patterns", "[b_eff_io]") {
    std::vector<int> units;
    for (Type const type : all_types)
        units.push_back(units_of(type));
    CHECK(units == std::vector{22, 12, 10, 10, 10});
    auto const of_value = std::span{patterns()}.first(43);
    CHECK(std::count_if(of_value.begin(), of_value.end(), [](auto const& p) { return p.units > 0; }) == 36);
    for (std::size_t i = 0; i < patterns().size(); ++i)
        CHECK(patterns()[i].number == static_cast<int>(i));
}

TEST_CASE("each type fills each of the seven summary positions once", "[b_eff_io]") {
    for (Type const type : all_types) {
        std::vector<int> positions;
        for (Pattern const& p : patterns_of(type))
            if (p.position >= 1 && p.position <= 7)
                positions.push_back(p.position);
        std::sort(positions.begin(), positions.end());
        CHECK(positions == std::vector{1, 2, 3, 4, 5, 6, 7});
    }
}

TEST_CASE("the memory of a scatter call is a whole number of chunks", "[b_eff_io]") {
    std::vector<Bytes> ratios;
    for (Pattern const& p : patterns_of(Type::scatter)) {
        auto const chunk = resolve(p.chunk, 2 * megabyte, 0);
        CHECK(resolve(p.length, 2 * megabyte, 0) % chunk == 0);
        ratios.push_back(resolve(p.length, 2 * megabyte, 0) / chunk);
    }
    CHECK(ratios == std::vector<Bytes>{1, 1, 2, 1, 32, 1024, 32, 1024, 1});
}

TEST_CASE("M_PART is 1/128 of the memory and at least 2 MB", "[b_eff_io]") {
    CHECK(largest_chunk(1) == 2097152);
    CHECK(largest_chunk(256) == 2097152);
    CHECK(largest_chunk(512) == 4 * megabyte);
    CHECK(largest_chunk(2048) == 16 * megabyte);
    CHECK(largest_chunk(131072) == 1024 * megabyte);
    CHECK(largest_chunk(1000000) == 8192000000);
}

TEST_CASE("the memory comes from the options or from the machine", "[b_eff_io]") {
    Machine const machine{.per_process = 1024 * megabyte, .total = 5000 * megabyte + 1};
    auto const given = setting(options({"-MB", "256", "-MT", "512"}), 2, machine);
    CHECK(given.memory_per_process == 256);
    CHECK(given.memory_total == 512);
    CHECK(given.memory_source == "given by -MB");
    CHECK(given.total_source == "given by -MT");
    CHECK(given.cache == machine.total);
    for (auto const& words : {std::vector<std::string>{"-MB", "auto"}, {"-MB", "AUTO", "-MT", "auto"}}) {
        auto const found = setting(options(words), 2, machine);
        CHECK(found.memory_per_process == 1024);
        CHECK(found.m_part == 8 * megabyte);
        CHECK(found.memory_total == 5000);
        CHECK(found.memory_source == "auto: memory of a node / its processes, the smallest of all nodes");
        CHECK(found.total_source == "auto: memory of all nodes");
    }
    CHECK(setting(options({"-MB", "auto", "-MT", "7"}), 2, machine).memory_total == 7);
    CHECK(setting(options({"-MB", "9", "-MT", "auto"}), 2, machine).memory_total == 5000);
    CHECK_THROWS_WITH(setting(options({"-MB", "auto"}), 2), Catch::Matchers::StartsWith("-MB: auto finds 0 MBytes"));
    CHECK_THROWS_WITH(setting(options({"-MB", "9", "-MT", "auto"}), 2),
                      Catch::Matchers::StartsWith("-MT: auto finds 0 MBytes"));
    CHECK_THROWS_WITH(options({"-MT", "auto"}), Catch::Matchers::StartsWith("-MB is missing"));
}

TEST_CASE("data are read from a neighbour on another node if there is one", "[b_eff_io]") {
    auto const found = [](std::vector<int> const& nodes) {
        auto const [shift, elsewhere] = neighbor(nodes);
        return std::pair{shift, elsewhere};
    };
    CHECK(found({5}) == std::pair{0, 0});
    CHECK(found({5, 5}) == std::pair{1, 0});
    CHECK(found({0, 2}) == std::pair{1, 2});
    CHECK(found({0, 0, 2, 2}) == std::pair{2, 4});
    CHECK(found({0, 1, 0, 1}) == std::pair{1, 4});
    CHECK(found({0, 0, 0, 3}) == std::pair{1, 2});
    CHECK(found({0, 0, 0, 3, 3, 3, 6, 6, 6}) == std::pair{3, 9});
    CHECK(found({0, 0, 0, 3, 3}) == std::pair{2, 4});
}

TEST_CASE("--read-neighbor applies to data that belong to a process", "[b_eff_io]") {
    auto const s = of({"--read-neighbor"});
    for (Type const type : all_types)
        CHECK(s.reads_neighbor(Access::read, type) == (type != Type::shared));
    CHECK(of({"--read-neighbor", "-noshared"}).reads_neighbor(Access::read, Type::shared));
    CHECK_FALSE(s.reads_neighbor(Access::rewrite, Type::separated));
    CHECK_FALSE(of({}).reads_neighbor(Access::read, Type::separated));
    CHECK(never_valid(of({"-T", "1800", "--read-neighbor"})) == "--read-neighbor");
    CHECK(criteria(example(), s).unmodified == false);
    CHECK(criteria(example(), of({})).unmodified == true);
}

TEST_CASE("the default partitions are small, medium and all", "[b_eff_io]") {
    CHECK(default_partitions(1) == std::vector{1});
    CHECK(default_partitions(2) == std::vector{1, 2});
    CHECK(default_partitions(3) == std::vector{1, 2, 3});
    CHECK(default_partitions(4) == std::vector{2, 3, 4});
    CHECK(default_partitions(5) == std::vector{2, 4, 5});
    CHECK(default_partitions(12) == std::vector{2, 8, 12});
    CHECK(default_partitions(20) == std::vector{4, 8, 20});
    CHECK(default_partitions(32) == std::vector{4, 16, 32});
    CHECK(default_partitions(87) == std::vector{4, 32, 87});
    CHECK(default_partitions(142) == std::vector{8, 32, 142});
    CHECK(default_partitions(625) == std::vector{8, 128, 625});
    CHECK(default_partitions(1024) == std::vector{16, 128, 1024});
}

TEST_CASE("a pattern gets its share of the partition's time", "[b_eff_io]") {
    CHECK(scheduled(of({"-T", "20", "-N", "2"}), 4) == Approx(20.0 * 4 / 150));
    CHECK(scheduled(of({"-T", "20", "-N", "2", "-rewrite"}), 4) == Approx(20.0 * 4 / 192));
    CHECK(scheduled(of({"-T", "21"}), 2) == Approx(10.0 * 2 / 150));  // two partitions: floor(21 / 2)
    CHECK(scheduled(of({}), 0) == 0);
}

TEST_CASE("without -rewrite only scatter is rewritten", "[b_eff_io]") {
    auto const usual = of({});
    CHECK(usual.measures(Access::rewrite, Type::scatter));
    CHECK_FALSE(usual.measures(Access::rewrite, Type::shared));
    CHECK(of({"-rewrite"}).measures(Access::rewrite, Type::seg_coll));
    CHECK_FALSE(of({"--types", "0,shared"}).measures(Access::write, Type::separated));
}

TEST_CASE("repetitions of the segmented types are computed from the other types", "[b_eff_io]") {
    std::array<Repetitions, 3> const counts{Repetitions{1, 5, 99, 7, 3, 2, 4, 1, 9},
                                            Repetitions{1, 1, 9, 9, 9, 1, 9, 9},
                                            Repetitions{1, 4, 20, 50, 999, 20, 5000, 8}};
    auto const s = segment(counts, 2 * megabyte);
    // k = 1: min(5, 10, 4); k = 2: min(7, 90, 20); k = 3: min(3 x 32, 90, 50); k = 4: min(2 x 1024, 90, 999); k = 5:
    // min(4 x 32, 10, 20); k = 6: min(1024, 90, 5000); k = 7: min(9, 90, 8)
    CHECK(s.repetitions == std::array<std::int64_t, 8>{1, 4, 7, 50, 90, 10, 90, 8});
    // 1 MB + 4 x 2 MB + 7 MB + 50 x 32 kB + 90 kB + 10 x 32776 + 90 x 1032 + 8 x 1048584
    CHECK(s.size == 27 * megabyte);
    CHECK(s.size - s.fill == 1048576 + 8388608 + 7340032 + 1638400 + 92160 + 327760 + 92880 + 8388672);
}

TEST_CASE("a segment is rounded up to whole megabytes and the rest is filled", "[b_eff_io]") {
    // One call each: 1 MB + 2 MB + 1 MB + 32 kB + 1 kB + 32776 + 1032 + 1048584 bytes.
    std::array<Repetitions, 3> counts{Repetitions(9, 1), Repetitions(8, 1), Repetitions(8, 1)};
    auto const s = segment(counts, 2 * megabyte);
    CHECK(s.size == 6 * megabyte);
    CHECK(s.fill == 6 * megabyte - (5 * megabyte + 2 * 32768 + 8 + 2 * 1024 + 8 + 8));
    CHECK(s.fill < megabyte);
}

TEST_CASE("a process needs at least 35.2 MB if M_PART is 2 MB", "[b_eff_io]") {
    // types 0, 1 and 2: 11 MB + 8 kB + 256 + 8, then twice 5 MB + 66 kB + 24; types 3 and 4: 6 MB + 1 MB each
    CHECK(least_bytes(2 * megabyte) ==
          11 * megabyte + 8192 + 264 + 2 * (5 * megabyte + 66 * 1024 + 24) + 14 * megabyte);
    auto s = of({"-N", "1,2"});
    CHECK(least_bytes(s) == 3 * least_bytes(s.m_part));
}

TEST_CASE("disk space that a pattern leaves unused passes to the next pattern", "[b_eff_io]") {
    auto s = of({"-N", "2"});
    s.max_bytes = least_bytes(s) + 64 * 8 * megabyte;  // 8 MB per time unit
    DiskShare share{s, 2};
    CHECK(share.most_calls(4, megabyte) == 1 + 16);  // 32 MB for two processes that write 1 MB per call
    share.used(7 * 2 * megabyte);
    CHECK(share.most_calls(0, 2 * megabyte) == 1 + 5);  // 10 x 2 MB are left
    share.used(1 * 4 * megabyte);
    CHECK(share.most_calls(1, megabyte) == 1 + 4 + 10);
    s.max_bytes = least_bytes(s);
    DiskShare none{s, 2};
    CHECK(none.most_calls(4, megabyte) == 1);
}

TEST_CASE("sizes without a unit are in MB", "[b_eff_io]") {
    CHECK(of({"--cache", "3"}).cache == 3 * megabyte);
    CHECK(of({"--max-bytes", "2G"}).max_bytes == 2048 * megabyte);
    CHECK(of({"--quick"}).time == 60);
    CHECK(of({"--quick", "-T", "5"}).time == 5);
    CHECK_FALSE(of({"--quick"}).part_modified);
}

TEST_CASE("chunks contain their writer and the repetition", "[b_eff_io]") {
    // 1e7 r + 1000 i + 10 p + a + 1; the last value is larger by 5
    Origin const origin{.repetition = 3, .pattern = 12, .access = Access::rewrite, .rank = 5};
    CHECK(first_value(origin, 128) == 30128122);
    CHECK(last_value(origin, 128) == 30128127);
    Buffer buffer{64};
    buffer.begin(32, 64);  // two chunks with four elements each
    buffer.fill(origin);
    std::vector<double> const expected{30000122, 5, -4, 30000127, 30004122, 5, -12, 30004127};
    CHECK(std::equal(expected.begin(), expected.end(), buffer.data()));
    buffer.begin(16, 32);
    CHECK(std::vector(buffer.data(), buffer.data() + 8) == std::vector<double>{0, -2, -4, -6, -8, -10, -12, -14});
}

TEST_CASE("buffers are aligned for direct I/O", "[b_eff_io]") {
    Buffer buffer{8192, 4096};
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096 == 0);
    CHECK(buffer.data()[1023] == -2046);
}

TEST_CASE("an element that differs from what was written is found and reported", "[b_eff_io]") {
    Origin const origin{.repetition = 1, .pattern = 0, .rank = 2};
    Buffer buffer{64};
    std::vector<Mismatch> found;
    found.reserve(1);
    buffer.begin(32, 64);
    buffer.fill(origin);
    CHECK(buffer.check(origin, found) == 0);
    for (std::size_t const position : {0U, 1U, 3U, 4U, 5U, 7U}) {
        buffer.fill(origin);
        buffer.data()[position] += 1;
        found.clear();
        CHECK(buffer.check(origin, found) == 1);
        CHECK(found.front().element == static_cast<std::int64_t>(position));
    }
    CHECK(buffer.check({.repetition = 1, .pattern = 0, .rank = 3}, found) ==
          3);  // both ranks and the last element are wrong
    CHECK(found.size() == 1);
}

TEST_CASE("the shortest fill-ups are checked although they cannot hold all values", "[b_eff_io]") {
    Origin const origin{.repetition = 0, .pattern = 33, .rank = 1};
    std::vector<Mismatch> found;
    for (Bytes const size : {8, 16, 24}) {
        Buffer buffer{64};
        buffer.begin(size, size);
        buffer.fill(origin);
        CHECK(buffer.check(origin, found) == 0);
        buffer.data()[size / 8 - 1] = 0;
        CHECK(buffer.check(origin, found) == 1);
    }
}

TEST_CASE("data files are recognised by their names, including hidden files", "[b_eff_io]") {
    CHECK(data_name(0, 2, Type::shared, 1) == "b_eff_io_data_i00_002_1");
    CHECK(data_name(9, 1024, Type::separated, 7) == "b_eff_io_data_i09_1024_2.007");
    for (auto const* const name :
         {"b_eff_io_data_i00_002_0", "b_eff_io_data_i09_1024_2.1023", "b_eff_io_data_i00_002_5",
          ".b_eff_io_data_i00_002_1.shfp.4711.12", "b_eff_io_data_i00_002_1-4711-12.lock"})
        CHECK(is_data_name(name));
    for (auto const* const name :
         {"b_eff_io_data_i00_002_2", "b_eff_io_data_i00_002_6", "b_eff_io_data_i0_002_1", "b_eff_io_data_i00_02_1",
          "b_eff_io_data_i00_002_1.shfp.1.1", "b_eff_io_data_i00_002_1x", "b_eff_io.prot", "x_b_eff_io_data_i00_002_1",
          ".b_eff_io_data_i00_002_1.shfp.4711", ".b_eff_io_data_i00_002_1", "b_eff_io_data_i00_002_2.01",
          "b_eff_io_data_i00_002_1-4711.lock", ".b_eff_io_data_i00_002_1-4711-12.lock", ""})
        CHECK_FALSE(is_data_name(name));
}

TEST_CASE("scatter counts twice and reading counts half", "[b_eff_io]") {
    auto const p = example();
    CHECK(*access_value(p, Access::write, false) == Approx((2 * 10 + 20 + 30 + 40 + 50) / 6.0));
    CHECK(*access_value(p, Access::rewrite, false) == Approx(60));
    CHECK(*access_value(p, Access::read, false) == Approx((2 * 70 + 80 + 90 + 100 + 110) / 6.0));
    CHECK(*partition_value(p, false) == Approx(0.25 * 160 / 6 + 0.25 * 60 + 0.5 * 520 / 6));
    CHECK(*release_2_1(p, false) == Approx(std::sqrt((10 + 60 + 20 + 30 + 40 + 50) / 6.0 * 520 / 6)));
}

TEST_CASE("only a complete partition has a value", "[b_eff_io]") {
    auto p = example();
    CHECK_FALSE(partition_value(p, true).has_value());  // with -rewrite, four types are missing
    p.at(Access::read).types[index(Type::segmented)].reset();
    CHECK_FALSE(partition_value(p, false).has_value());
    CHECK_FALSE(release_2_1(p, false).has_value());
    CHECK(access_value(p, Access::write, false).has_value());
}

TEST_CASE("a type is timed from open to close", "[b_eff_io]") {
    AccessResult access;
    access.types[index(Type::shared)] = TypeTimes{.open = 0.5, .close = 1.5};
    auto const set = [&](std::size_t number, double bytes, double time) {
        access.patterns[number].transferred = bytes;
        access.patterns[number].time = time;
    };
    set(9, 100, 1);    // 0 time units
    set(10, 4000, 4);  // 4 time units, 1000 bytes/s
    set(13, 300, 3);   // 1 time unit, 100 bytes/s
    auto const v = *type_volume(access, Type::shared);
    CHECK(v.transferred == 4400);
    CHECK(v.time == 10);
    CHECK(v.rate() == 440);
    CHECK(*v.weighted == Approx((4 * 1000 + 100) / 5.0));
    CHECK_FALSE(type_volume(access, Type::scatter).has_value());
}

TEST_CASE("a criterion is met, not met or unknown", "[b_eff_io]") {
    auto p = example();
    auto s = of({"-T", "900", "-N", "2"});
    s.cache = 2;
    CHECK(criteria(p, s).cache == true);  // the smallest transfer is 60 bytes, when rewriting
    CHECK(criteria(p, s).valid());
    CHECK(marks(p, s).empty());
    s.cache = 4;
    CHECK_FALSE(criteria(p, s).cache.has_value());
    s.cache_known = true;
    CHECK(criteria(p, s).cache == false);
    CHECK_FALSE(criteria(p, s).valid());
    s.cache = 2;
    s.shared_pointer = false;
    CHECK(criteria(p, s).shared_pointer == false);
    s.shared_pointer = true;
    p.at(Access::write).patterns[1].disk_limited = true;
    CHECK(criteria(p, s).unmodified == false);
    CHECK(marks(p, s) == std::vector<std::string>{"DISK-LIMITED"});
    p.at(Access::write).patterns[1].errors = 1;
    CHECK(criteria(p, s).errors == false);
}

TEST_CASE("15 min per partition, or 30 min with the default partitions, are long enough", "[b_eff_io]") {
    CHECK(of({}, 3).long_enough());
    CHECK_FALSE(of({"-N", "1,2,3"}, 3).long_enough());
    CHECK(of({"-N", "1,3", "-T", "1800"}, 3).long_enough());
    CHECK_FALSE(of({"-N", "3", "-T", "899"}, 3).long_enough());
    CHECK_FALSE(of({"-T", "1799"}, 3).long_enough());
}

TEST_CASE("an invalid partition never beats a valid one", "[b_eff_io]") {
    std::vector<PartitionResult> both{example(), example()};
    both[1].at(Access::write).patterns[1].transferred *= 10;
    auto s = of({"-T", "1800", "-N", "1,2"});
    s.cache = 1;
    CHECK(best(both, s) == 1U);
    both[1].at(Access::write).patterns[1].disk_limited = true;
    CHECK(best(both, s) == 0U);
    both[0].at(Access::read).types[0].reset();
    CHECK(best(both, s) == 1U);
    both[1].at(Access::read).types[0].reset();
    CHECK_FALSE(best(both, s).has_value());
}

TEST_CASE("hints apply to the partitions, accesses, types and chunks of their line", "[b_eff_io]") {
    auto const s = of({"-N", "1,2"});
    Hints const hints{"f",
                      "# a comment\n\n"
                      "all all all on_open striping_factor 4\n"
                      "2 write scatter on_open striping_factor 8  \n"
                      "all read all Lmax cb_nodes 1\n"
                      "all all separated all key a value of words\n",
                      s};
    CHECK(text(hints.at_open(1, Access::write, Type::scatter)) == "striping_factor=4");
    CHECK(text(hints.at_open(2, Access::write, Type::scatter)) == "striping_factor=8");
    CHECK(text(hints.at_open(1, Access::write, Type::separated)) == "striping_factor=4 key=a value of words");
    CHECK(text(hints.at_pattern(2, Access::read, Type::shared, part_of_memory)) == "cb_nodes=1");
    CHECK(text(hints.at_pattern(2, Access::read, Type::shared, megabyte)) == "none");
    CHECK(text(hints.at_pattern(2, Access::write, Type::separated, 1032)) == "key=a value of words");
}

TEST_CASE("each wrong line of an info file is reported with its position", "[b_eff_io]") {
    auto const s = of({"-N", "2"});
    std::string const text = "all writes all all k v\n"
                             "all all all 1000 k v\n"
                             "3 all all all k v\n"
                             "all rewrite shared all k v\n"
                             "all all all all k\n" +
                             std::string(2001, ' ') + "x\n" + "all all all all " + std::string(400, 'k') + " v\n";
    try {
        Hints const hints{"hints.txt", text, s};
        FAIL("no fault was found");
    } catch (program::ParseErrors const& e) {
        std::vector<std::pair<int, int>> places;
        for (auto const& fault : e.faults())
            places.emplace_back(fault.line, fault.column);
        CHECK(places == std::vector<std::pair<int, int>>{{1, 5}, {2, 13}, {3, 1}, {4, 1}, {5, 18}, {6, 1}, {7, 17}});
        CHECK(e.faults()[0].file == "hints.txt");
    }
}

TEST_CASE("a value dominated by barriers is marked and the run should be repeated", "[b_eff_io]") {
    auto p = example();
    auto const quiet = noise(p, false);
    CHECK(quiet.agreement == 0);
    CHECK(quiet.patterns == 11);
    CHECK(quiet.bound == 0);
    CHECK(*quiet.undisturbed == Approx(*partition_value(p, false)));
    CHECK(quiet.reason.empty());

    // Writing separated files reaches 30 bytes/s. Barriers and broadcasts take 0.8 s of its second, so the calls alone
    // reach 150 bytes/s.
    auto& pattern = p.at(Access::write).patterns[static_cast<std::size_t>(patterns_of(Type::separated)[1].number)];
    pattern.barrier = 0.7;
    pattern.broadcast = 0.1;
    CHECK(pattern.agreement_bound());
    auto const busy = noise(p, false);
    CHECK(busy.agreement == Approx(0.8 / 11));
    CHECK(busy.bound == 1);
    // 0.25 x 160 / 6 + 0.25 x 60 + 0.5 x 520 / 6 = 65; with 280 instead of 160: 70
    CHECK(*partition_value(p, false) == Approx(65));
    CHECK(*busy.undisturbed == Approx(70));
    CHECK(busy.reason == "barriers and broadcasts reduce the value by 7.1 %");

    // A tenth of the time is not marked.
    pattern.barrier = 0.06;
    pattern.broadcast = 0.04;
    CHECK_FALSE(pattern.agreement_bound());
    CHECK(noise(p, false).reason.empty());
    p.at(Access::read).types[0].reset();
    CHECK(noise(p, false).reason == "there is no value");
}

TEST_CASE("a run that can never be valid is detected before it starts", "[b_eff_io]") {
    CHECK(never_valid(of({"-T", "900", "-N", "2"})).empty());
    CHECK(never_valid(of({"-T", "60", "-N", "2"})) == "-T: 60 s for a partition is less than 900 s");
    CHECK(never_valid(of({"-noshared", "--read-neighbor"})) == "-noshared, --read-neighbor");
    CHECK(never_valid(of({"--types", "0,1,2", "-unique"})) == "--types, -unique");
}

TEST_CASE("the line of a pattern shows all its numbers", "[b_eff_io]") {
    PatternResult r{.measured = true,
                    .chunk = 2097152,
                    .length = 2097152,
                    .repetitions = 15,
                    .transferred = 62914560,
                    .time = 0.5533,
                    .scheduled = 0.5333,
                    .io = 0.325,
                    .barrier = 0.190,
                    .broadcast = 0.0004,
                    .sync = 0.038,
                    .last_call = 0.020,
                    .last_agreement = 0.014,
                    .decisions = 9};
    CHECK(
        pattern_line(2, Access::write, patterns()[1], r, "i00_002_0") ==
        "n=2   a=0 type=0 p= 1 Tp= 0.53 l= 2097152 L= 2097152 i00_002_0        r=   15 S=  62.915 MB t= 0.55 = 0.325+ "
        "0.190+0.000+0.038 0.020 0.014 bw=   113.708 MB/s decisions=9 agreement=34%\n");
    r.errors = 3;
    r.time_limited = true;
    CHECK_THAT(pattern_line(2, Access::write, patterns()[1], r, ""),
               Catch::Matchers::ContainsSubstring("bw=  -999.999 MB/s") &&
                   Catch::Matchers::ContainsSubstring(" time_limited 3 ERRORS"));
}

TEST_CASE("the final line states whether the value is valid and comparable", "[b_eff_io]") {
    auto p = example();
    p.processes = 2;
    CHECK(
        value_line(p, of({"-T", "20", "-N", "2"}), "Linux x") ==
        "b_eff_io =    0.000 MB/s on 2 processes with 256 MByte/PE, scheduled time=0.3 Min, on Linux x, NOT VALID (see "
        "above), rewrite=type0 only, QUICK T=20, not comparable\n");
    // 4 s are 0.067 min.
    CHECK_THAT(value_line(p, of({"-T", "4", "-N", "2"}), "Linux x"),
               Catch::Matchers::ContainsSubstring(", scheduled time=0.067 Min, "));
}

TEST_CASE("a point has a value only if its data are correct", "[b_eff_io]") {
    PatternResult r{.measured = true, .chunk = 1024, .length = 2048, .repetitions = 3, .transferred = 12288, .time = 2};
    auto const record = point(2, Access::read, patterns()[5], r, "");
    CHECK(*record.value == 6144);
    CHECK(record.at.text() == "ranks=2 access=read type=scatter pattern=5 chunk=1024 bytes=2048");
    r.errors = 1;
    auto const wrong = point(2, Access::read, patterns()[5], r, "");
    CHECK_FALSE(wrong.value.has_value());
    CHECK(wrong.flags == std::vector<std::string>{"data_error"});
    CHECK(wrong.status == measure::PointStatus::crashed);
}

TEST_CASE("a pattern in which the clock went back has no value, and neither has its type", "[b_eff_io]") {
    PatternResult const r{
        .measured = true, .chunk = 1024, .length = 2048, .repetitions = 3, .transferred = 12288, .is_backward = true};
    auto const record = point(2, Access::read, patterns()[5], r, "");
    CHECK_FALSE(record.value.has_value());
    CHECK(record.status == measure::PointStatus::no_valid_samples);
    CHECK(record.message == "the clock went back");
    CHECK(record.invalid.backward == 1);

    AccessResult access;
    access.types[index(Type::shared)] = TypeTimes{.open = 0.5, .close = 1.5};
    access.patterns[10].transferred = 4000;
    access.patterns[10].time = 4;
    CHECK(type_volume(access, Type::shared)->known_rate() == 4000 / 6.0);
    access.patterns[13] = r;
    CHECK_FALSE(type_volume(access, Type::shared)->known_rate());
    CHECK_FALSE(access_volume(access).known_rate());
    access.patterns[13] = {};
    access.types[index(Type::shared)]->is_backward = true;
    CHECK_FALSE(type_volume(access, Type::shared)->known_rate());
}

TEST_CASE("each access method of each partition has a data block in the diagrams", "[b_eff_io]") {
    std::vector<PartitionResult> const two{example(), example()};
    auto const data = plot_data(two);
    auto const count = [](std::string const& text, std::string const& part) {
        int n = 0;
        for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
            ++n;
        return n;
    };
    CHECK(count(data, "\n\n\n") == 6);
    auto const script = plot_script(two, "it's");
    CHECK(count(script, "\nset output 'it''s_001_") == 6);
    CHECK(count(script, "index 5 using") == 5);
    CHECK(count(script, "index 4 using") == 1);  // only type 0 is rewritten
    CHECK(count(script, "index 6") == 0);
}

TEST_CASE("protocol and summary name patterns whose calls caused page faults", "[b_eff_io]") {
    b_eff_io::PartitionResult partition{.processes = 2};
    CHECK(unsettled_line(partition.at(Access::write), Type::scatter).empty());
    PatternResult const faults{
        .measured = true, .repetitions = 100, .transferred = 1e6, .time = 1, .settling = {.faults_counted = 3}};
    partition.at(Access::write).patterns[1] = faults;
    CHECK(unsettled_line(partition.at(Access::write), Type::scatter) ==
          " unsettled: p=1: memory was touched for the first time while this row was measured\n");
    CHECK(point(2, Access::write, patterns()[1], faults, "").has_flag("unsettled"));
    CHECK_THAT(block(partition, b_eff_io::Setting{}, ""),
               Catch::Matchers::ContainsSubstring("\nunsettled: " + std::to_string(patterns()[1].position) +
                                                  " write scatter: memory"));
}

TEST_CASE("random access visits each slot of a pattern once, in another order", "[b_eff_io]") {
    auto const order = [](std::int64_t slots, int pattern) {
        RandomOrder const place{slots, pattern};
        std::vector<std::int64_t> all;
        for (std::int64_t i = 0; i < slots; ++i)
            all.push_back(place(i));
        return all;
    };
    // Three bits: x = 5 x + 46, x + 46, 3 x + 46, each modulo 8, then XOR with the upper bits. 0: 6^3 = 5, 3^1 = 2, 4^2
    // = 6. There is no slot 6, so it continues: 4^2 = 6, 4^2 = 6, 0: slot 0.
    CHECK(order(6, 46) == std::vector<std::int64_t>{0, 5, 3, 2, 1, 4});
    CHECK(order(1, 43) == std::vector<std::int64_t>{0});
    CHECK(order(100, 46) != order(100, 47));
    for (std::int64_t slots = 1; slots < 70; ++slots) {
        auto all = order(slots, 44);
        std::sort(all.begin(), all.end());
        for (std::int64_t i = 0; i < slots; ++i)
            CHECK(all[static_cast<std::size_t>(i)] == i);
    }
}

TEST_CASE("random access has as many slots as type separated has calls, at multiples of the chunk", "[b_eff_io]") {
    Repetitions const separated{1, 4, 3, 5, 7, 2, 9, 1};
    std::vector<std::pair<Bytes, std::int64_t>> parts;
    for (std::size_t k = 0; k < 8; ++k) {
        auto const part = random_part(separated, k, 2, 2 * megabyte);
        parts.emplace_back(part.begin, part.slots);
    }
    // 1 MB x 2, 2 MB x 8, 1 MB x 6, 32 kB x 10, 1 kB x 14; 25507840 bytes are 778.2 x 32776; 779 x 32776 + 4 x 32776 =
    // 25663608 bytes are 24867.8 x 1032; + 18 x 1032 = 25682352 bytes are 24.5 x 1048584.
    CHECK(parts == std::vector<std::pair<Bytes, std::int64_t>>{{0, 2},
                                                               {2 * megabyte, 8},
                                                               {18 * megabyte, 6},
                                                               {24 * megabyte, 10},
                                                               {24 * megabyte + 320 * 1024, 14},
                                                               {779 * 32776, 4},
                                                               {24868 * 1032, 18},
                                                               {25 * 1048584, 2}});
}

TEST_CASE("random access has its own disk space and time", "[b_eff_io]") {
    auto s = of({"-N", "2", "--random", "-T", "150"});
    auto const plain = of({"-N", "2", "-T", "150"});
    CHECK(least_bytes(s) - least_bytes(plain) == 2 * 2 * (5 * megabyte + 66 * 1024 + 24));
    s.max_bytes = least_bytes(s) + 74 * 8 * megabyte;  // 8 MB for each of 64 + 10 time units
    CHECK(DiskShare{s, 2}.most_calls(4, megabyte) == 1 + 16);
    CHECK(scheduled(s, 2) == scheduled(plain, 2));
    for (Access const access : all_accesses) {
        CHECK(s.measures(access, Type::random));
        CHECK_FALSE(plain.measures(access, Type::random));
    }
    CHECK(never_valid(of({"-T", "1800", "--random"})).empty());
}

TEST_CASE("random access does not affect values, criteria or marks", "[b_eff_io]") {
    auto const without = example();
    auto with = without;
    for (Access const access : all_accesses)
        give(with.at(access), Type::random, 1e6);
    auto& pattern = with.at(Access::write).patterns[44];
    REQUIRE(pattern.repetitions == 1);
    pattern.barrier = 0.9;
    pattern.errors = 7;
    with.random_stopped = "a call failed";
    auto s = of({"-T", "900", "-N", "2", "--random"});
    s.cache = 2;
    CHECK(*partition_value(with, false) == *partition_value(without, false));
    CHECK(*release_2_1(with, false) == *release_2_1(without, false));
    CHECK(access_volume(with.at(Access::write)).transferred == access_volume(without.at(Access::write)).transferred);
    CHECK(*access_volume(with.at(Access::read)).weighted == *access_volume(without.at(Access::read)).weighted);
    CHECK(noise(with, false).patterns == noise(without, false).patterns);
    CHECK(noise(with, false).agreement == 0);
    CHECK(criteria(with, s).valid());
    CHECK(marks(with, s).empty());
    CHECK(errors(with) == 0);
    CHECK(type_volume(with.at(Access::read), Type::random)->rate() == 1e6);
    CHECK(type_summary(with, Access::read, Type::random).name == "random_bandwidth");
}

TEST_CASE("random access has a separate table in the summary and a curve in the diagram", "[b_eff_io]") {
    auto p = example();
    give(p.at(Access::write), Type::random, 12e6);
    auto const s = of({"-N", "2", "--random"});
    auto const text = block(p, s, "Linux x");
    auto const table = text.substr(text.find("\nRandom access on 1 processes, not part of b_eff_io\n"));
    CHECK_THAT(table, Catch::Matchers::ContainsSubstring("\n   1 PEs 7        0      12.000         -         -\n") &&
                          Catch::Matchers::ContainsSubstring("\n   1 PEs      total      12.000         -"));
    CHECK(text.find(block(p, of({"-N", "2"}), "Linux x")) == 0);
    p.random_stopped = "no space";
    CHECK_THAT(block(p, s, ""), Catch::Matchers::EndsWith("\nstopped: no space\n\n"));
    CHECK_THAT(plot_data({&p, 1}, true), Catch::Matchers::ContainsSubstring("\n10 0 0.000010 0.000020 0.000030 "
                                                                            "0.000040 0.000050 12.000000\n"));
    CHECK_THAT(plot_script({&p, 1}, "x", true),
               Catch::Matchers::ContainsSubstring("using 1:8 with linespoints title 'random, not part of b_eff_io'\n"));
    TypeTimes const times{.open = 0.5};
    CHECK_THAT(type_line(Access::write, Type::random, {.transferred = 2e6, .time = 1}, times, 0),
               Catch::Matchers::EndsWith(" write_random=   2.000 MB/s, not part of b_eff_io\n"));
}
