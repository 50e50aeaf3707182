// SPDX-License-Identifier: BSD-3-Clause
// Contents of messages: datatypes, large counts and known values, computed by hand without MPI.
#include "bodies/collectives.hpp"
#include "bodies/datatype.hpp"
#include "bodies/expectation.hpp"
#include "bodies/large_count.hpp"
#include "bodies/verification.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/messages.hpp"
#include "mpiperf/operations/transfer.hpp"
#include "mpiperf/report/result.hpp"
#include "mpiperf/rules.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using bodies::collective;
using bodies::CountLimits;
using bodies::Stretch;
using bodies::type_layout;
using bodies::TypeMap;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The contiguous pieces of a message, from its first byte to its last.
std::vector<Stretch> stretches(std::string const& name, measure::Bytes message) {
    TypeMap const map{type_layout(name), message};
    std::vector<Stretch> all;
    for (measure::Bytes i = 0; i < message; i += all.back().size)
        all.push_back(map.place(i));
    return all;
}

using Stretches = std::vector<Stretch>;

}  // namespace

TEST_CASE("a datatype keeps its name", "[mpiperf]") {
    for (auto const* const name : {"byte", "double", "vector:2:3", "indexed:5", "subarray:2x3", "struct", "resized"})
        CHECK(type_layout(name).name() == name);
}

TEST_CASE("an unknown datatype is refused with the list of known ones", "[mpiperf]") {
    for (auto const* const name : {"", "float", "vector", "vector:1", "vector:1:2:3", "vector:0:2", "vector:a:2",
                                   "indexed", "indexed:-1", "subarray:2", "subarray:2x", "struct:1", "double:2"})
        CHECK_THROWS_AS(type_layout(name), measure::UsageError);
    CHECK_THROWS_WITH(type_layout("vektor:1:2"), ContainsSubstring("vektor:1:2") && ContainsSubstring("subarray:AxB"));
    CHECK_THROWS_WITH(type_layout("vector:3:2"), ContainsSubstring("overlap"));
    CHECK_THROWS_WITH(type_layout("indexed:99999999"), ContainsSubstring("16777216"));
}

TEST_CASE("the payload is a multiple of the repeated part of a datatype", "[mpiperf]") {
    CHECK(type_layout("byte").unit() == 1);
    CHECK(type_layout("vector:2:3").unit() == 16);
    CHECK(type_layout("indexed:4").unit() == 64);  // 1 + 3 + 1 + 3 doubles
    CHECK(type_layout("subarray:2x3").unit() == 48);
    CHECK(type_layout("struct").unit() == 32);
    CHECK(type_layout("resized").unit() == 8);
    CHECK_THROWS_WITH((TypeMap{type_layout("struct"), 33}), ContainsSubstring("33") && ContainsSubstring("struct"));
}

TEST_CASE("a message in a vector is one element that ends with its last block", "[mpiperf]") {
    TypeMap const map{type_layout("vector:2:3"), 48};
    CHECK(map.elements() == 1);
    CHECK(map.extent() == 64);  // 24 + 24 + 16
    CHECK(map.blocks() == 3);
    CHECK(stretches("vector:2:3", 48) == Stretches{{0, 16}, {24, 16}, {48, 16}});
    // The next message begins directly after this one.
    CHECK(map.place(48 + 17) == Stretch{64 + 24 + 1, 15});
}

TEST_CASE("the other types repeat elements", "[mpiperf]") {
    CHECK(stretches("indexed:4", 64) == Stretches{{0, 8}, {24, 24}, {64, 8}, {88, 24}});
    CHECK(TypeMap{type_layout("indexed:4"), 128}.span() == 2 * 112);
    // The inner 1 x 2 of 3 x 4 doubles: row 1, column 1.
    CHECK(stretches("subarray:1x2", 32) == Stretches{{40, 16}, {96 + 40, 16}});
    CHECK(TypeMap{type_layout("subarray:1x2"), 32}.extent() == 96);
    CHECK(stretches("struct", 32) == Stretches{{0, 4}, {8, 24}, {32, 4}});
    CHECK(TypeMap{type_layout("struct"), 32}.extent() == 40);
    CHECK(stretches("resized", 16) == Stretches{{0, 8}, {16, 8}});
    CHECK(stretches("double", 24) == Stretches{{0, 24}});
    CHECK(TypeMap{type_layout("double"), 24}.blocks() == 1);
    CHECK(TypeMap{type_layout("vector:2:2"), 64}.blocks() == 1);
    CHECK(TypeMap{type_layout("resized"), 0}.blocks() == 0);
}

TEST_CASE("counts are rounded up to whole elements, and equal counts are used once", "[mpiperf]") {
    auto const rounded = mpiperf::whole_elements({0, 1, 2, 8, 9, 16, 40}, type_layout("double"));
    CHECK(rounded == std::vector<std::int64_t>{0, 8, 16, 40});
}

TEST_CASE("a count that fits into an int is passed unchanged", "[mpiperf]") {
    auto const c = bodies::carrier(collective("Bcast").shape, "Bcast", {}, 2147483647, 2);
    CHECK_FALSE(c.wide);
    CHECK(c.chunk == 1);
}

TEST_CASE("counts beyond an int use large-count functions if available", "[mpiperf]") {
    CountLimits const limits{.has_wide_calls = true};
    std::int64_t const count = std::int64_t{1} << 31;
    CHECK(bodies::carrier(collective("Bcast").shape, "Bcast", {}, count, 2, limits).wide);
    CHECK(bodies::carrier(collective("Allreduce").shape, "Allreduce", {}, count, 2, limits).wide);
    // Displacements count too: 3 * 10^9 exceeds an int.
    CHECK(bodies::carrier(collective("Gatherv").shape, "Gatherv", {}, 1'000'000'000, 4, limits).wide);
    CHECK_FALSE(bodies::carrier(collective("Gather").shape, "Gather", {}, 1'000'000'000, 4, limits).wide);
}

TEST_CASE("without large-count functions, powers of two of elements are joined until the count fits", "[mpiperf]") {
    CountLimits const limits{.has_wide_calls = false};
    auto const chunk = [&](bodies::Shape const& shape, std::int64_t count, int n, char const* type = "byte") {
        return bodies::carrier(shape, "X", type_layout(type), count, n, limits).chunk;
    };
    CHECK(chunk(collective("Bcast").shape, std::int64_t{1} << 32, 2) == 4);  // 2^32 / 2 is still 2^31
    CHECK(chunk(collective("Bcast").shape, std::int64_t{3} << 30, 2) == 2);
    CHECK(chunk(collective("Allgatherv").shape, std::int64_t{1} << 30, 5) == 4);  // 4 * 2^30 / 2 is 2^31
    CHECK(chunk(collective("Bcast").shape, std::int64_t{1} << 35, 2, "resized") == 4);
    CHECK(chunk(collective("Bcast").shape, std::int64_t{1} << 35, 2, "vector:1:2") == 1);  // one element
}

TEST_CASE("a count that fits neither way is refused with its value and the function", "[mpiperf]") {
    CountLimits const limits{.has_wide_calls = false};
    auto const refused = [&](bodies::Shape const& shape, std::int64_t count, int n) {
        CHECK_THROWS_WITH(bodies::carrier(shape, "Thing", {}, count, n, limits),
                          ContainsSubstring("Thing") && ContainsSubstring(std::to_string(count)));
    };
    refused(collective("Bcast").shape, (std::int64_t{1} << 32) + 1, 2);     // odd
    refused(collective("Allreduce").shape, std::int64_t{1} << 32, 2);       // a reduction needs single numbers
    refused(collective("Alltoallw").shape, std::int64_t{1} << 30, 4);       // displacements are in bytes
    refused(collective("Alltoall").shape, std::int64_t{1} << 62, 1 << 20);  // larger than any memory
}

TEST_CASE("each content type defines which rank has which data after a call", "[mpiperf]") {
    using bodies::Content;
    using Origins = std::vector<bodies::Origin>;
    CHECK(bodies::origins(Content::root_everywhere, 0, 3, 1) == Origins{{1, 0}});
    CHECK(bodies::origins(Content::root_everywhere, 1, 3, 1).empty());
    CHECK(bodies::origins(Content::gathered, 2, 3, 0) == Origins{{0, 0}, {1, 0}, {2, 0}});
    CHECK(bodies::origins(Content::gathered_at_root, 2, 3, 0).empty());
    CHECK(bodies::origins(Content::gathered_at_root, 2, 3, 2) == Origins{{0, 0}, {1, 0}, {2, 0}});
    CHECK(bodies::origins(Content::scattered, 2, 3, 1) == Origins{{1, 2}});
    CHECK(bodies::origins(Content::exchanged, 1, 3, 0) == Origins{{0, 1}, {1, 1}, {2, 1}});
    CHECK(bodies::origins(Content::reduced, 1, 3, 0).empty());
}

TEST_CASE("the sums of all contributions are known", "[mpiperf]") {
    for (std::int64_t const i : {0, 1, 1020, 1021, 5000}) {
        double sum = 0;
        for (int r = 0; r < 5; ++r) {
            sum += bodies::message_number(r, i);
            CHECK(bodies::number_sum(r + 1, i) == sum);
        }
    }
    CHECK(bodies::message_number(0, 2) != bodies::message_number(1, 2));
    CHECK(bodies::message_number(0, 2) != bodies::message_number(0, 3));
}

TEST_CASE("sums of floats over many ranks are exact in any order", "[mpiperf]") {
    constexpr int ranks = 4000;
    constexpr std::int64_t numbers = 1100;
    using measure::Bytes;
    bodies::TypeMap const map{bodies::TypeLayout{}, 1};
    auto const kind = bodies::NumberKind::real32;
    std::vector<float> up(numbers);
    std::vector<float> down(numbers);
    std::vector<float> sent(numbers);
    Bytes const bytes = numbers * Bytes{sizeof(float)};
    auto const add = [&](std::vector<float>& sums, int rank) {
        bodies::Expectation const from{{.numbers = numbers, .rank = rank, .kind = kind}, {}, map};
        from.fill({reinterpret_cast<std::byte*>(sent.data()), nullptr, {.send = bytes}});
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += sent[i];
    };
    for (int rank = 0; rank < ranks; ++rank) {
        add(up, rank);
        add(down, ranks - 1 - rank);
    }
    bodies::Expectation const expected{{}, {.numbers = numbers, .summed = ranks, .kind = kind}, map};
    CHECK(expected.fault({nullptr, reinterpret_cast<std::byte*>(up.data()), {.receive = bytes}}).empty());
    CHECK(expected.fault({nullptr, reinterpret_cast<std::byte*>(down.data()), {.receive = bytes}}).empty());
    up[7] += 1;
    CHECK_FALSE(expected.fault({nullptr, reinterpret_cast<std::byte*>(up.data()), {.receive = bytes}}).empty());
}

namespace {

/// Two processes gather a message of two elements; this is the view of rank 1.
struct Gathered {
    bodies::TypeLayout layout = type_layout("resized");
    TypeMap map{layout, 16};
    bodies::Convention convention{.moved_extent = 16};
    bodies::Part part{.rank = 1, .size = 2};
    bodies::Sizes sizes = bodies::sizes(collective("Allgather").shape, 2, 1, 2, {}, convention);
    std::vector<std::byte> send = std::vector<std::byte>(static_cast<std::size_t>(sizes.send));
    std::vector<std::byte> receive = std::vector<std::byte>(static_cast<std::size_t>(sizes.receive));
    bodies::Place place{send.data(), receive.data(), sizes};
    bodies::Expectation expected =
        bodies::expectation(collective("Allgather").shape, collective("Allgather").content, part, map, 0);

    Gathered() {
        expected.fill(place);
        for (std::int64_t i = 0; i < 2 * 16; ++i)
            receive[static_cast<std::size_t>(i / 8 * 16 + i % 8)] =
                bodies::message_byte(static_cast<int>(i / 16), i % 16);
    }
};

}  // namespace

TEST_CASE("gathered data are recognised", "[mpiperf]") {
    Gathered const g;
    CHECK(g.sizes.send == 32);
    CHECK(g.sizes.receive == 64);
    CHECK(g.expected.fault(g.place).empty());
}

TEST_CASE("missing data, a byte in a gap and a changed send buffer are defects", "[mpiperf]") {
    Gathered g;
    g.receive[48] ^= std::byte{1};  // second element of the message from rank 1: byte 8
    CHECK_THAT(g.expected.fault(g.place), ContainsSubstring("byte 8 of the message from rank 1"));
    g = Gathered{};
    g.place = {g.send.data(), g.receive.data(), g.sizes};
    g.receive[40] ^= std::byte{1};
    CHECK_THAT(g.expected.fault(g.place), ContainsSubstring("byte 40 of the buffer, outside of all messages"));
    g.receive[40] ^= std::byte{1};
    g.send[0] ^= std::byte{1};
    CHECK_THAT(g.expected.fault(g.place), ContainsSubstring("send buffer was changed"));
    g.expected.fill(g.place);
    CHECK_THAT(g.expected.fault(g.place), ContainsSubstring("byte 0 of the message from rank 0"));
}

TEST_CASE("a wrong sum is reported as a number", "[mpiperf]") {
    std::vector<double> send(3);
    std::vector<double> receive(3);
    bodies::Place const place{
        reinterpret_cast<std::byte*>(send.data()), reinterpret_cast<std::byte*>(receive.data()), {24, 24}};
    auto const scan = bodies::expectation(collective("Scan").shape, collective("Scan").content, {.rank = 1, .size = 3},
                                          TypeMap{{}, 0}, 3);
    scan.fill(place);
    CHECK(send == std::vector<double>{4, 5, 6});  // rank 1: 2^2 + i
    receive = {5, 7, 9};                          // plus rank 0: 1 + i
    CHECK(scan.fault(place).empty());
    receive[2] = 8;
    CHECK(scan.fault(place) == "number 2 is 8 instead of 9");
    auto const before = bodies::expectation(collective("Exscan").shape, collective("Exscan").content,
                                            {.rank = 0, .size = 3}, TypeMap{{}, 0}, 3);
    before.fill(place);
    receive[1] = 77;  // undefined in MPI
    CHECK(before.fault(place).empty());
}

TEST_CASE("a local sum adds the sent values to the previous content", "[mpiperf]") {
    std::vector<double> send(2);
    std::vector<double> receive(2);
    bodies::Place const place{
        reinterpret_cast<std::byte*>(send.data()), reinterpret_cast<std::byte*>(receive.data()), {16, 16}};
    auto const& of = collective("Reduce_local");
    auto const sum = bodies::expectation(of.shape, of.content, {.rank = 3, .size = 4}, TypeMap{{}, 0}, 2);
    sum.fill(place);
    CHECK(send == std::vector<double>{1, 2});     // 1^2 + i
    CHECK(receive == std::vector<double>{4, 5});  // 2^2 + i
    CHECK(sum.fault(place) == "number 0 is 4 instead of 5");
    receive = {5, 7};
    CHECK(sum.fault(place).empty());
}

TEST_CASE("a block of a reduce-scatter begins after the blocks of lower ranks", "[mpiperf]") {
    // 5 numbers for 2 processes: 3 and 2.
    std::vector<double> send(5);
    std::vector<double> receive(2);
    bodies::Place const place{
        reinterpret_cast<std::byte*>(send.data()), reinterpret_cast<std::byte*>(receive.data()), {40, 16}};
    auto const shares = bodies::expectation(collective("Reduce_scatter").shape, collective("Reduce_scatter").content,
                                            {.rank = 1, .size = 2}, TypeMap{{}, 0}, 5);
    shares.fill(place);
    receive = {5 + 2 * 3, 5 + 2 * 4};  // 1 + 4 plus twice the position
    CHECK(shares.fault(place).empty());
}

TEST_CASE("a broadcast message arrives in the buffer that the root sends from", "[mpiperf]") {
    std::byte send[4]{};
    bodies::Part const part{.rank = 1, .size = 2};
    auto const place = bodies::place_of(collective("Bcast").content, part, send, nullptr, {4, 0});
    auto const expected =
        bodies::expectation(collective("Bcast").shape, collective("Bcast").content, part, TypeMap{{}, 4}, 0);
    expected.fill(place);
    CHECK_FALSE(expected.fault(place).empty());
    for (std::int64_t i = 0; i < 4; ++i)
        send[i] = bodies::message_byte(0, i);
    CHECK(expected.fault(place).empty());
    expected.spoil(place);
    CHECK_THAT(expected.fault(place), ContainsSubstring("byte 3 of the message from rank 0"));
}

TEST_CASE("blocks between neighbours identify both ranks, and blocks of missing neighbours stay unchanged",
          "[mpiperf]") {
    // Rank 1 of the line 0, 1, 2 receives from 0 and from a missing neighbour, and sends to a missing neighbour and to
    // 2.
    bodies::Neighbours const line{.in = {0, -1}, .out = {-1, 2}};
    TypeMap const map{{}, 1};
    bodies::Sizes const sizes{2, 2};
    auto const data = bodies::neighbour_data(collective("Alltoall").shape, line, 1, map, sizes);
    std::vector<std::byte> send(2);
    std::vector<std::byte> receive(2);
    auto const [expected, place] = data.trial({}, send.data(), receive.data());
    expected.fill(place);
    CHECK(send[1] == bodies::message_byte(1, 2));  // block 2 of one-byte messages
    CHECK_THAT(expected.fault(place), ContainsSubstring("from rank 0"));
    receive[0] = bodies::message_byte(0, 1);
    CHECK(expected.fault(place).empty());
    receive[1] ^= std::byte{1};
    CHECK_THAT(expected.fault(place), ContainsSubstring("byte 1 of the buffer, outside of all messages"));

    auto const same = bodies::neighbour_data(collective("Allgather").shape, line, 1, map, {1, 2});
    auto const [gathered, where] = same.trial({}, send.data(), receive.data());
    gathered.fill(where);
    CHECK(send[0] == bodies::message_byte(1, 0));
    receive[0] = bodies::message_byte(0, 0);
    CHECK(gathered.fault(where).empty());
}

TEST_CASE("a message goes from one of two processes to the other", "[mpiperf]") {
    bodies::Datatype const type{{}, 4};
    auto const receiver = mpiperf::message_data(1, false, true, type);
    CHECK(receiver.sizes.send == 0);
    CHECK(receiver.sizes.receive == 4);
    CHECK(receiver.arrived.blocks == std::vector<bodies::Origin>{{0, 0}});
    auto const both = mpiperf::message_data(0, true, true, type);
    CHECK(both.sent.blocks == std::vector<bodies::Origin>{{0, 0}});
    CHECK(both.arrived.blocks == std::vector<bodies::Origin>{{1, 0}});
}

TEST_CASE("test hooks check their values", "[mpiperf]") {
    CHECK(mpiperf::corruption_from("1:4KiB").count == 4096);
    CHECK_THROWS_AS(mpiperf::corruption_from("1"), measure::UsageError);
    CHECK(mpiperf::limits_from("1000").largest == 1000);
    CHECK_FALSE(mpiperf::limits_from("1000:chunks").has_wide_calls);
    CHECK_THROWS_AS(mpiperf::limits_from("1000:bricks"), measure::UsageError);
    CHECK_THROWS_AS(mpiperf::limits_from("0"), measure::UsageError);
}

TEST_CASE("every collective that moves data accepts datatypes, but sums accept only doubles", "[mpiperf]") {
    CHECK(mpiperf::find_test("Alltoallw").shape != nullptr);
    CHECK(mpiperf::find_test("WaitPatternUp").shape == nullptr);
    for (auto const* name : {"Ialltoallw", "Ineighbor_alltoallw", "Neighbor_allgather", "Bsend"}) {
        CHECK(mpiperf::find_test(name).shape != nullptr);
        CHECK(mpiperf::find_test(name).int_counts);
    }
    mpiperf::Options o;
    o.datatype = type_layout("struct");
    mpiperf::Test const* const sum[] = {&mpiperf::find_test("Allreduce")};
    CHECK_THROWS_WITH(mpiperf::axes(o, sum, 2), ContainsSubstring("Allreduce") && ContainsSubstring("struct"));
    o.datatype = type_layout("double");
    CHECK_NOTHROW(mpiperf::axes(o, sum, 2));
    CHECK(mpiperf::benchmark_of(*sum[0], o).variants == std::nullopt);
}
