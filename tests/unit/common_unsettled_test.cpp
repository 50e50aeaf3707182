// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/unsettled.hpp"
#include "support/catch.hpp"

using program::unsettled_text;

TEST_CASE("rows measured while memory was new are named below the table", "[unsettled]") {
    CHECK(unsettled_text({"0", "1", "2"}, "bytes") ==
          "unsettled: 0, 1, 2 bytes: memory was touched for the first time while these rows were measured");
    CHECK(unsettled_text({"Barrier"}) ==
          "unsettled: Barrier: memory was touched for the first time while this row was measured");
}

TEST_CASE("a row that occurs several times is named once", "[unsettled]") {
    CHECK(unsettled_text({"4", "4", "8", "8"}, "bytes") == unsettled_text({"4", "8"}, "bytes"));
}

TEST_CASE("without unsettled rows there is no note", "[unsettled]") { CHECK(unsettled_text({}, "bytes").empty()); }

TEST_CASE("the flag of a record says whether it is unsettled", "[unsettled]") {
    measure::Record record;
    CHECK_FALSE(program::is_unsettled(record));
    record.flag("unsettled");
    CHECK(program::is_unsettled(record));
}
