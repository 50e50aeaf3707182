// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/report/check.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using pmb::Compare;
using pmb::Corruption;
using pmb::Verifier;

namespace {

/// Values sent by rank 0: 0.1, 1.1, 2.1, ..
float of_rank_0(std::int64_t i) { return pmb::message_value(0, i); }

/// 100, 200, 300, ..: relative errors are easy to compute.
float hundreds(std::int64_t i) { return static_cast<float>(100 * (i + 1)); }

/// 16384, 32768, ..: an error of 1 is small and exact in a float.
float large(std::int64_t i) { return static_cast<float>(16384 * (i + 1)); }

template <class Value>
std::vector<std::byte> filled(std::size_t size, Value const& value) {
    std::vector<std::byte> buffer(size);
    pmb::fill(buffer, value);
    return buffer;
}

template <class Number>
void put(std::span<std::byte> buffer, std::size_t i, Number value) {
    std::memcpy(buffer.data() + i * sizeof value, &value, sizeof value);
}

template <class Number>
Number at(std::span<std::byte const> buffer, std::size_t i) {
    Number value{};
    std::memcpy(&value, buffer.data() + i * sizeof value, sizeof value);
    return value;
}

/// The defect of one block, compared from the start of the stream.
template <class Value>
pmb::Defect compared(std::span<std::byte> block, Value const& value, measure::Bytes from = 0,
                     Compare how = Compare::exact) {
    Verifier verifier{0};
    verifier.begin(static_cast<measure::Bytes>(block.size()));
    verifier.compare(block, from, 0, 0, value, how);
    return verifier.defect();
}

}  // namespace

TEST_CASE("messages hold 0.1 (rank + 1) + i", "[pmb][check]") {
    CHECK_THAT(pmb::message_value(0, 0), WithinRel(0.1f, 1e-6f));
    CHECK_THAT(pmb::message_value(0, 3), WithinRel(3.1f, 1e-6f));
    CHECK_THAT(pmb::message_value(1, 3), WithinRel(3.2f, 1e-6f));
    CHECK_THAT(pmb::message_value(10, 1048575), WithinRel(1048576.1f, 1e-6f));
}

TEST_CASE("files hold 10^7 (rank + 1) + i modulo 10^7", "[pmb][check]") {
    CHECK(pmb::file_value(0, 0) == 10000000);
    CHECK(pmb::file_value(0, 5) == 10000005);
    CHECK(pmb::file_value(1, 9999999) == 29999999);
    CHECK(pmb::file_value(1, 10000000) == 20000000);
    CHECK(pmb::file_value(2, 12345678) == 32345678);
    // 32-bit integers can hold the values of 213 ranks.
    CHECK(pmb::file_value(212, 0) == 2130000000);
}

TEST_CASE("a buffer that ends inside an element contains the first bytes of that element", "[pmb][check]") {
    auto const whole = filled(8, of_rank_0);
    CHECK_THAT(at<float>(whole, 0), WithinRel(0.1f, 1e-6f));
    CHECK_THAT(at<float>(whole, 1), WithinRel(1.1f, 1e-6f));
    for (std::size_t size = 0; size < 8; ++size) {
        INFO(size);
        CHECK(filled(size, of_rank_0) == std::vector<std::byte>(whole.begin(), whole.begin() + std::ptrdiff_t(size)));
    }
}

TEST_CASE("complete data have no defect", "[pmb][check]") {
    for (std::size_t const size : {0U, 1U, 2U, 3U, 4U, 5U, 64U, 67U}) {
        INFO(size);
        auto messages = filled(size, of_rank_0);
        CHECK(compared(messages, of_rank_0).error == 0);
        auto const value = [](std::int64_t i) { return pmb::file_value(1, i); };
        auto file = filled(size, value);
        CHECK(compared(file, value).error == 0);
    }
}

TEST_CASE("sent data must arrive unchanged to the last bit", "[pmb][check]") {
    auto block = filled(16, large);
    put(block, 2, 49153.0f);
    CHECK(compared(block, large).error == 1);
    // A block of a file that is shifted by one element.
    auto const here = [](std::int64_t i) { return pmb::file_value(0, i); };
    auto const beside = [](std::int64_t i) { return pmb::file_value(0, i + 1); };
    auto moved = filled(64, beside);
    CHECK(compared(moved, here).error == 1);
}

TEST_CASE("the error of sums within the tolerance is the largest relative error", "[pmb][check]") {
    auto block = filled(16, large);
    put(block, 1, 32769.0f);  // 1 / 32768
    put(block, 2, 49154.0f);  // 2 / 49152
    put(block, 3, 65537.0f);  // 1 / 65536
    CHECK_THAT(compared(block, large, 0, Compare::sum).error, WithinRel(2.0 / 49152, 1e-12));
}

TEST_CASE("a sum with an error above 1 in 10000 counts as 1", "[pmb][check]") {
    auto block = filled(8, large);
    put(block, 0, 16385.0f);
    CHECK_THAT(compared(block, large, 0, Compare::sum).error, WithinRel(1.0 / 16384, 1e-12));
    put(block, 0, 16386.0f);
    CHECK(compared(block, large, 0, Compare::sum).error == 1);
    put(block, 0, 16382.0f);
    CHECK(compared(block, large, 0, Compare::sum).error == 1);
}

TEST_CASE("the error is absolute if the expected sum is 0", "[pmb][check]") {
    auto const zero = [](std::int64_t) { return 0.0f; };
    auto block = filled(4, zero);
    put(block, 0, 0.00006103515625f);
    CHECK_THAT(compared(block, zero, 0, Compare::sum).error, WithinAbs(0.00006103515625, 1e-12));
    put(block, 0, -0.5f);
    CHECK(compared(block, zero, 0, Compare::sum).error == 1);
}

TEST_CASE("NaN is a defect", "[pmb][check]") {
    for (float const value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        auto block = filled(8, hundreds);
        put(block, 1, value);
        CHECK(compared(block, hundreds).error == 1);
        CHECK(compared(block, hundreds, 0, Compare::sum).error == 1);
    }
}

TEST_CASE("the first wrong element is reported", "[pmb][check]") {
    auto block = filled(20, hundreds);
    put(block, 2, -1.0f);
    put(block, 4, -2.0f);
    Verifier verifier{0};
    verifier.begin(20);
    verifier.compare(block, 0, 7, 1000, hundreds);
    verifier.compare(block, 0, 8, 2000, hundreds);
    auto const& defect = verifier.defect();
    CHECK(defect.error == 1);
    CHECK(defect.repetition == 7);
    CHECK(defect.position == 1008);
    CHECK(defect.got == -1);
    CHECK(defect.expected == 300);
}

TEST_CASE("a new row begins without defects", "[pmb][check]") {
    auto block = filled(4, hundreds);
    put(block, 0, 5.0f);
    Verifier verifier{0};
    verifier.begin(4);
    verifier.compare(block, 0, 0, 0, hundreds);
    CHECK(verifier.defect().error == 1);
    verifier.begin(8);
    CHECK(verifier.defect().error == 0);
}

TEST_CASE("blocks shorter than an element are compared byte by byte", "[pmb][check]") {
    for (std::size_t size = 1; size <= 3; ++size)
        for (std::size_t wrong = 0; wrong < size; ++wrong) {
            INFO(size << " bytes, byte " << wrong);
            auto block = filled(size, hundreds);
            block[wrong] ^= std::byte{1};
            auto const defect = compared(block, hundreds);
            CHECK(defect.error == 1);
            CHECK(defect.position == static_cast<measure::Bytes>(wrong));
            CHECK(defect.got == std::to_integer<int>(block[wrong]));
            CHECK(defect.expected == std::to_integer<int>(block[wrong] ^ std::byte{1}));
        }
}

TEST_CASE("an incomplete last element is compared too", "[pmb][check]") {
    auto block = filled(6, hundreds);
    block[5] ^= std::byte{1};
    auto const defect = compared(block, hundreds);
    CHECK(defect.error == 1);
    CHECK(defect.position == 5);
}

TEST_CASE("a block may begin inside an element", "[pmb][check]") {
    // Bytes 6 to 14 of the stream: two of element 1, all of element 2, three of element 3.
    auto const stream = filled(16, hundreds);
    std::vector<std::byte> block(stream.begin() + 6, stream.begin() + 15);
    CHECK(compared(block, hundreds, 6).error == 0);
    CHECK(compared(block, hundreds, 7).error == 1);

    std::array<std::size_t, 3> const places{1, 5, 8};
    for (std::size_t const wrong : places) {
        INFO(wrong);
        auto changed = block;
        changed[wrong] ^= std::byte{0x80};
        CHECK(compared(changed, hundreds, 6).error == 1);
    }
    // Element 2 holds 300.
    put(std::span{block}.subspan(2), 0, 303.0f);
    auto const defect = compared(block, hundreds, 6);
    CHECK(defect.error == 1);
    CHECK(defect.position == 2);
    CHECK(defect.got == 303);
    CHECK(defect.expected == 300);
}

TEST_CASE("missing data are a defect", "[pmb][check]") {
    Verifier verifier{0};
    verifier.begin(64);
    verifier.miss(pmb::DefectKind::number, 3, 128, 4, 5);
    auto const& defect = verifier.defect();
    CHECK(defect.error == 1);
    CHECK(defect.repetition == 3);
    CHECK(defect.position == 128);
    CHECK(defect.got == 4);
    CHECK(defect.expected == 5);
    CHECK(text(defect) == "4 blocks of a process are in the file, but 5 were written");
    CHECK(text(pmb::Defect{.error = 1, .position = 8, .got = 3, .expected = 4}) == "3 at byte 8 where 4 was expected");
    CHECK(text(pmb::Defect{.kind = pmb::DefectKind::nobodys, .position = 8}) ==
          "no process's block begins at byte 8 of the file");
}

TEST_CASE("a corruption is given by rank, length and repetition", "[pmb][check]") {
    Corruption const corruption = pmb::corruption_from("1:64:3");
    CHECK(corruption.rank == 1);
    CHECK(corruption.length == 64);
    CHECK(corruption.repetition == 3);
    for (std::string const text : {"", "1", "1:64", "x:64:3", "1::3", "-1:64:3", "1:64:-3", "1:64:3:4", "1:64:3 "}) {
        INFO(text);
        CHECK_THROWS_AS(pmb::corruption_from(text), measure::UsageError);
        CHECK_THROWS_WITH(pmb::corruption_from(text), ContainsSubstring("MEASURE_TEST_CORRUPT"));
    }
}

TEST_CASE("a corruption changes one block on one rank", "[pmb][check]") {
    auto const errors = [](int rank) {
        Verifier verifier{rank};
        verifier.falsify(Corruption{.rank = 1, .length = 64, .repetition = 3});
        std::vector<double> result;
        for (measure::Bytes const length : {32, 64, 128}) {
            verifier.begin(length);
            for (std::int64_t repetition = 0; repetition < 5; ++repetition) {
                auto block = filled(static_cast<std::size_t>(length), of_rank_0);
                verifier.compare(block, 0, repetition, 0, of_rank_0);
            }
            result.push_back(verifier.defect().error);
        }
        return result;
    };
    CHECK(errors(0) == std::vector<double>{0, 0, 0});
    CHECK(errors(1) == std::vector<double>{0, 1, 0});
}

TEST_CASE("a corruption is detected in blocks of every length except 0", "[pmb][check]") {
    for (measure::Bytes length = 0; length <= 5; ++length) {
        INFO(length);
        Verifier verifier{0};
        verifier.falsify(Corruption{.rank = 0, .length = length, .repetition = 0});
        verifier.begin(length);
        auto block = filled(static_cast<std::size_t>(length), of_rank_0);
        verifier.compare(block, 0, 0, 0, of_rank_0);
        CHECK(verifier.defect().error == (length == 0 ? 0 : 1));
    }
}
