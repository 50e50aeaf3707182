// SPDX-License-Identifier: BSD-3-Clause
#include "page/columns.hpp"
#include "shared/fields.hpp"
#include "support/catch.hpp"

#include <measure/report.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fields_test {

enum class Colour { red, green };
std::string_view name(Colour colour) { return colour == Colour::red ? "red" : "green"; }

struct Inner {
    double time = 0;
    std::optional<measure::Interval> interval{};
};
struct Head {
    std::string title{};
};
struct Outer {
    Head head{};
    Colour colour = Colour::red;
    std::vector<Inner> list{};
    Inner one{};
    std::map<Colour, std::int64_t> counts{};
    std::optional<int> absent{};
    std::optional<bool> left_out{};
    measure::Point at{};
    [[nodiscard]] std::size_t size() const { return list.size(); }
};

}  // namespace fields_test

using fields_test::Colour;
using fields_test::Head;
using fields_test::Inner;
using fields_test::Outer;

template <>
inline constexpr auto measure::tool::fields<Inner> =
    std::array{measure::tool::field<&Inner::time>("time", "duration", "s"),
               measure::tool::field<&Inner::interval>("interval", "of the time", "s")};
template <>
inline constexpr auto measure::tool::fields<Head> =
    std::array{measure::tool::field<&Head::title>("title", "first words")};
template <>
inline constexpr auto measure::tool::fields<Outer> =
    std::array{measure::tool::fields_of<&Outer::head>(),
               measure::tool::field<&Outer::colour>("colour", "red or green"),
               measure::tool::field<&Outer::list>("list", "some"),
               measure::tool::field<&Outer::one>("one", "another"),
               measure::tool::field<&Outer::size>("size", "of the list"),
               measure::tool::field<&Outer::counts>("counts", "by colour"),
               measure::tool::field<&Outer::absent>("absent", "a number"),
               measure::tool::field<&Outer::left_out>("left_out", "a switch", "", measure::tool::Present::if_set),
               measure::tool::field<[](Outer const& o) { return o.at; }>("at", "coordinates")};

namespace {

constexpr measure::tool::DocumentKind kind{"some", "measure some --json FILE", measure::tool::object_schema<Outer>};

}  // namespace

TEST_CASE("an object has the described fields, in their order", "[measure][fields]") {
    Outer outer{.head = {"T"}, .colour = Colour::green, .list = {{0.5, measure::Interval{0.25, 1}}, {2, {}}}};
    outer.counts = {{Colour::red, 3}, {Colour::green, 1}};
    outer.at.set("bytes", std::int64_t{8});
    CHECK(
        measure::json_text(measure::tool::object_of(outer)) ==
        R"({"title":"T","colour":"green","list":[{"time":0.5,"interval":[0.25,1.0]},{"time":2.0,"interval":null}],)"
        R"("one":{"time":0.0,"interval":null},"size":2,"counts":{"red":3,"green":1},"absent":null,"at":{"bytes":8}})");
    outer.left_out = false;
    CHECK(measure::tool::object_of(outer).find("left_out") != nullptr);
    auto const document = measure::tool::document("some", outer);
    CHECK(document.text("document") == "some");
    CHECK(std::get<measure::Value::Object>(document.data()).size() == 12);
}

TEST_CASE("a schema has the types of the members, and requires the members that are always present",
          "[measure][fields]") {
    auto const schema = measure::tool::schema_of(kind);
    auto const text = measure::json_text(schema);
    auto const has = [&](std::string const& part) { return text.find(part) != std::string::npos; };
    CHECK(has(R"("document":{"const":"some")"));
    CHECK(has(R"("interval":{"type":["array","null"],"items":{"type":"number"},"minItems":2,"maxItems":2)"));
    CHECK(has(R"("size":{"type":"integer")"));
    CHECK(has(R"("absent":{"type":["integer","null"],"description":"a number"})"));
    CHECK(has(R"("left_out":{"type":"boolean","description":"a switch"})"));
    CHECK(has(R"("counts":{"type":"object","additionalProperties":{"type":"integer"})"));
    CHECK(has(
        R"("required":["document","schema","version","title","colour","list","one","size","counts","absent","at"])"));
}

TEST_CASE("the table of fields lists nested fields once", "[measure][fields]") {
    CHECK(measure::tool::field_table(kind) == "| field | type | unit | meaning |\n| --- | --- | --- | --- |\n"
                                              "| `title` | string |  | first words |\n"
                                              "| `colour` | string |  | red or green |\n"
                                              "| `list` | array of objects |  | some |\n"
                                              "| `list[].time` | number | s | duration |\n"
                                              "| `list[].interval` | [low, high] or null | s | of the time |\n"
                                              "| `one` | object |  | another; fields as of `list[]` |\n"
                                              "| `size` | integer |  | of the list |\n"
                                              "| `counts` | object |  | by colour |\n"
                                              "| `absent` | integer or null |  | a number |\n"
                                              "| `left_out` | boolean, if any |  | a switch |\n"
                                              "| `at` | object |  | coordinates |\n");
}

TEST_CASE("a table has a column for each description and a row for each element", "[page]") {
    std::vector<int> const numbers{3, 5};
    page::Columns<int> const columns{{"n", [](int const& n) { return std::to_string(n); }},
                                     {"large", [](int const& n) {
                                          return page::Cell{n > 4 ? "yes" : "", n > 4};
                                      }}};
    auto const table = page::table_of({.caption = "Some", .row_headings = true}, numbers, columns);
    CHECK(table.caption == "Some");
    CHECK(table.row_headings);
    CHECK(table.columns == std::vector<std::string>{"n", "large"});
    CHECK(table.rows == std::vector<std::vector<page::Cell>>{{"3", ""}, {"5", page::Cell{"yes", true}}});
    CHECK(page::table_of({}, std::vector<int>{}, columns).columns.size() == 2);
}
