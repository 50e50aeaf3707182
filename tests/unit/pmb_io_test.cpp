// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/cpu_loop.hpp"
#include "pmb/operations/file_check.hpp"
#include "pmb/operations/scratch.hpp"
#include "support/catch.hpp"
#include "support/fake_timer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

using pmb::file_value;
using pmb::Sharing;

namespace {

using Contents = std::vector<std::byte>;

/// The block of a writer: its elements, counted from 0.
Contents block_of(int writer, std::size_t size) {
    Contents block(size);
    pmb::fill(block, [writer](std::int64_t i) { return file_value(writer, i); });
    return block;
}

/// The first bytes of a file prepared for reading.
Contents prepared(std::size_t size) { return block_of(0, size); }

void append(Contents& file, Contents const& block) { file.insert(file.end(), block.begin(), block.end()); }

pmb::ReadAt reader(Contents const& file) {
    return [&file](measure::Bytes at, std::span<std::byte> into) {
        auto const begin = std::min(file.size(), static_cast<std::size_t>(at));
        auto const size = std::min(into.size(), file.size() - begin);
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(begin), size, into.begin());
    };
}

struct Checked {
    pmb::Verifier verifier{0};
    [[nodiscard]] double error() const { return verifier.defect().error; }
};

}  // namespace

TEST_CASE("a scratch file is named after its group and its owner", "[pmb]") {
    CHECK(scratch_name({.base = "run1"}, Sharing::common, 3) == "run1");
    CHECK(scratch_name({.base = "run1"}, Sharing::own, 3) == "run1_3");
    CHECK(scratch_name({.base = "run1", .group = 0}, Sharing::common, 3) == "run1_g0");
    CHECK(scratch_name({.base = "run1", .group = 2}, Sharing::own, 3) == "run1_g2_3");
}

TEST_CASE("records of 10 bytes hold 8 bytes of the first of two processes and 2 of the second", "[pmb]") {
    // 10 bytes are 3 units of 4 bytes: two for rank 0, and one for rank 1, which is cut short.
    Contents file;
    for (int i = 0; i < 2; ++i) {
        append(file, block_of(0, 8));
        append(file, block_of(1, 2));
    }
    pmb::Written const written{.processes = 2, .length = 10, .n = 2};

    SECTION("in rank order") {
        Checked c;
        check_in_order(c.verifier, reader(file), written);
        CHECK(c.error() == 0);
    }
    SECTION("a wrong byte of the second record is located") {
        Checked c;
        file[19] ^= std::byte{1};
        check_in_order(c.verifier, reader(file), written);
        CHECK(c.error() == 1);
        CHECK(c.verifier.defect().repetition == 1);
        CHECK(c.verifier.defect().position == 19);
    }
    SECTION("a missing record is found") {
        Checked c;
        file.resize(10);
        check_in_order(c.verifier, reader(file), written);
        CHECK(c.error() == 1);
        CHECK(c.verifier.defect().repetition == 1);
        CHECK(c.verifier.defect().position == 10);
    }
}

TEST_CASE("a private file holds the blocks of its process in sequence", "[pmb]") {
    // 8 bytes over two processes: 4 each.
    Contents file;
    for (int i = 0; i < 3; ++i)
        append(file, block_of(1, 4));
    pmb::Written const written{.processes = 2, .length = 8, .n = 3};
    Checked right;
    check_own(right.verifier, reader(file), written, 1);
    CHECK(right.error() == 0);
    Checked other;
    check_own(other.verifier, reader(file), written, 0);
    CHECK(other.error() == 1);
}

TEST_CASE("blocks written through the shared pointer may be in any order", "[pmb]") {
    pmb::Written const written{.processes = 2, .length = 10, .n = 2};
    auto const check = [&](std::vector<int> const& writers) {
        Contents file;
        for (int const writer : writers)
            append(file, block_of(writer, writer == 0 ? 8 : 2));
        Checked c;
        check_in_any_order(c.verifier, reader(file), written);
        return c.error();
    };
    CHECK(check({0, 1, 0, 1}) == 0);
    CHECK(check({1, 1, 0, 0}) == 0);
    CHECK(check({0, 0, 1, 1}) == 0);
    // Six short blocks and one long block: 20 bytes, but not two of each.
    CHECK(check({0, 1, 1, 1, 1, 1, 1}) == 1);

    // The second block is cut off after 4 of its 8 bytes.
    Contents file = block_of(0, 8);
    append(file, block_of(0, 4));
    append(file, Contents(8));
    Checked c;
    check_in_any_order(c.verifier, reader(file), written);
    CHECK(c.error() == 1);
}

TEST_CASE("the position of a block that was read follows from its content", "[pmb]") {
    Contents const file = prepared(4000);
    auto const part = [&](std::size_t at, std::size_t size) { return std::span{file}.subspan(at, size); };
    CHECK(pmb::locate(part(0, 4), 0, true) == 0);
    CHECK(pmb::locate(part(1200, 8), 0, true) == 1200);
    // Bytes 1203 to 1209 begin inside an element and contain one complete element at 1204.
    CHECK(pmb::locate(part(1203, 7), 0, false) == 1203);
    CHECK(pmb::locate(part(1201, 7), 0, false) == 1201);
    // Six bytes from the same position contain no complete element.
    CHECK(pmb::locate(part(1201, 6), 0, false) == std::nullopt);

    Contents wrong(part(1200, 8).begin(), part(1200, 8).end());
    wrong[7] ^= std::byte{1};
    CHECK(pmb::locate(wrong, 0, true) == std::nullopt);
}

TEST_CASE("values repeat after 10 million elements, but a block of a process keeps its position", "[pmb]") {
    Contents const block = prepared(8);
    CHECK(pmb::locate(block, 0, true) == 0);
    CHECK(pmb::locate(block, 1, true) == 40'000'000);
    CHECK(pmb::locate(block, 40'000'001, true) == 80'000'000);
}

TEST_CASE("blocks in any order tile a range without gaps and overlaps", "[pmb]") {
    CHECK(pmb::tile({{8, 2}, {0, 8}, {3, 0}}, 10));
    CHECK(pmb::tile({}, 0));
    CHECK_FALSE(pmb::tile({{0, 8}}, 10));
    CHECK_FALSE(pmb::tile({{0, 8}, {9, 1}}, 10));
    CHECK_FALSE(pmb::tile({{0, 8}, {6, 4}}, 10));
    CHECK_FALSE(pmb::tile({{-1, 8}, {0, 10}}, 10));
}

TEST_CASE("a computation of 40 us is repeated 2500 times to fill 0.1 s", "[pmb]") {
    using measure::seconds;
    CHECK(pmb::repetitions_for(seconds{0.1}, seconds{40e-6}) == 2500);
    CHECK(pmb::repetitions_for(seconds{0.1}, seconds{0.03}) == 3);
    CHECK(pmb::repetitions_for(seconds{0.1}, seconds{1}) == 1);
}

TEST_CASE("the CPU loop is calibrated by its measured cost", "[pmb]") {
    // Each reading is 1 ms after the previous one, so a call takes 1 ms whatever it does. That is already half of the
    // target of 2 ms, so one product costs 1 ms and two fill the target. A call has 40000 operations in 1 ms: 40
    // MFlop/s.
    pmb::CpuLoop const loop{measure::Comm::solo(), test::FakeTimer::counting(1'000'000), measure::seconds{2e-3}};
    CHECK(loop.call_time().count() == Catch::Approx(1e-3));
    CHECK(loop.mflops() == Catch::Approx(40));
}
