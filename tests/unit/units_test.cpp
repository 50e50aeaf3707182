// SPDX-License-Identifier: BSD-3-Clause
#include "measure/units.hpp"
#include "support/catch.hpp"

using measure::Bytes;
using measure::seconds;
using measure::text;
using measure::text_bytes;

static_assert(measure::microseconds(seconds{0.25}) == 250000);
static_assert(measure::nanoseconds(seconds{0.25}) == 250000000);
static_assert(measure::seconds{std::chrono::microseconds{1}} == seconds{1e-6});
static_assert(measure::mebi - 48576 == 1000000 && measure::mega == 1e6);
static_assert(measure::kibi * measure::kibi == measure::mebi && measure::kibi * measure::mebi == measure::gibi);

TEST_CASE("a time is shown with three significant digits and a suitable unit", "[units]") {
    CHECK(text(seconds{431e-9}) == "431 ns");
    CHECK(text(seconds{4.31e-6}) == "4.31 us");
    CHECK(text(seconds{4.3149e-6}) == "4.31 us");
    CHECK(text(seconds{12.5e-3}) == "12.5 ms");
    CHECK(text(seconds{3.2}) == "3.2 s");
    CHECK(text(seconds{0.25e-9}) == "0.25 ns");
    CHECK(text(seconds{0}) == "0 s");
}

TEST_CASE("a time that rounds to 1000 is shown in the next unit", "[units]") {
    CHECK(text(seconds{999.4e-9}) == "999 ns");
    CHECK(text(seconds{999.6e-9}) == "1 us");
    CHECK(text(seconds{999.6e-6}) == "1 ms");
    CHECK(text(seconds{0.9996}) == "1 s");
}

TEST_CASE("many seconds are shown in full, without an exponent", "[units]") {
    CHECK(text(seconds{999.4}) == "999 s");
    CHECK(text(seconds{1234.4}) == "1234 s");
    CHECK(text(seconds{1e6}) == "1000000 s");
}

TEST_CASE("a negative time keeps its sign and its unit", "[units]") {
    CHECK(text(seconds{-4.31e-6}) == "-4.31 us");
    CHECK(text(seconds{-7}) == "-7 s");
}

TEST_CASE("sizes are shown in binary units with at most one decimal", "[units]") {
    CHECK(text_bytes(0) == "0 B");
    CHECK(text_bytes(1023) == "1023 B");
    CHECK(text_bytes(1024) == "1 KiB");
    CHECK(text_bytes(1536) == "1.5 KiB");
    CHECK(text_bytes(96 * 1024) == "96 KiB");
    CHECK(text_bytes(3 * measure::mebi / 2) == "1.5 MiB");
    CHECK(text_bytes(5 * measure::gibi) == "5 GiB");
    CHECK(text_bytes(-2048) == "-2 KiB");
}

TEST_CASE("a size that rounds to 1024 is shown in the next unit", "[units]") {
    CHECK(text_bytes(1023 * measure::kibi + 921) == "1023.9 KiB");
    CHECK(text_bytes(measure::mebi - 1) == "1 MiB");
}

TEST_CASE("the largest sizes have a unit", "[units]") {
    CHECK(text_bytes(Bytes{1} << 40) == "1 TiB");
    CHECK(text_bytes(Bytes{1} << 50) == "1 PiB");
    CHECK(text_bytes(INT64_MAX) == "8 EiB");
    CHECK(text_bytes(INT64_MIN) == "-8 EiB");
}
