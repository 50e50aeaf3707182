// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/option_table.hpp"
#include "program/cli/values.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <optional>
#include <string>
#include <vector>

namespace {

namespace as = program::as;
using Catch::Matchers::ContainsSubstring;

enum class Colour { red, green };

struct Inner {
    std::optional<int> depth{};
};

struct RowOptions {
    int low = 1;
    int high = 8;
    bool loud = false;
    std::optional<double> share{};
    Colour colour = Colour::green;
    std::vector<std::string> names{"a", "b"};
    std::string log{};
    Inner inner{};
};

program::OptionTable<RowOptions> table() {
    program::OptionTable<Inner> inner;
    inner.option("--depth", "N", "how deep", &Inner::depth, as::Int{.low = 1}).unset("any");
    program::OptionTable<RowOptions> rows;
    rows.heading("Numbers");
    rows.option("-l,--low", "N", "the smallest", &RowOptions::low, as::Int{});
    rows.option("-H,--high-number", "N", "the largest", &RowOptions::high, as::Int{});
    rows.option("--share", "PCT", "a part", &RowOptions::share, as::Percentage{}).unset("all");
    rows.heading("Others");
    rows.option("--colour", "NAME", "red, green", &RowOptions::colour,
                as::Choice<Colour>{{{"red", Colour::red}, {"green", Colour::green}}});
    rows.list("--name", "NAME", "may be given again", &RowOptions::names, as::Text{}).key("names");
    rows.flag("--loud", "say more", &RowOptions::loud);
    rows.option("--log", "FILE", "what is done", &RowOptions::log, as::Text{}).unrecorded();
    rows.part(inner, &RowOptions::inner);
    rows.excludes("--loud", "--share");
    rows.needs("--colour", "--log", "there is no colour without --log");
    rows.ordered("-l", &RowOptions::low, "-H", &RowOptions::high, "the largest number");
    return rows;
}

/// The options of a command line.
RowOptions read(std::vector<std::string> const& arguments) {
    RowOptions options;
    program::Parser parser{"test", "A test."};
    auto const rows = table();
    rows.declare(parser, options);
    static_cast<void>(parser.parse(arguments));
    return options;
}

}  // namespace

TEST_CASE("the help shows the values of the members as defaults", "[option_table]") {
    RowOptions options;
    program::Parser parser{"test", "A test."};
    auto const rows = table();
    rows.declare(parser, options);
    auto const help = parser.help();
    CHECK_THAT(help, ContainsSubstring("Numbers:\n  -l, --low N") && ContainsSubstring("the smallest (default 1)"));
    CHECK_THAT(help, ContainsSubstring("a part (default all)"));
    CHECK_THAT(help, ContainsSubstring("red, green (default green)"));
    CHECK_THAT(help, ContainsSubstring("may be given again (default a,b)"));
    CHECK_THAT(help, ContainsSubstring("how deep (default any)"));
    CHECK_THAT(help, ContainsSubstring("say more\n") && !ContainsSubstring("say more (default"));
}

TEST_CASE("a record has a field for each row, named after the long name unless the row sets another name",
          "[option_table]") {
    auto const options = read({"--share", "50", "--depth", "3"});
    measure::Value record = measure::Value::Object{{"low", "resolved"}};
    table().describe(options, record);
    CHECK(measure::json_text(record) == R"({"low":"resolved","high_number":8,"share":0.5,"colour":"green",)"
                                        R"("names":["a","b"],"loud":false,"depth":3})");
}

TEST_CASE("options that cannot be combined are refused after all options are read", "[option_table]") {
    CHECK_THROWS_WITH(read({"--loud", "--share", "5"}), "--loud and --share cannot be combined");
    CHECK_THROWS_WITH(read({"--colour", "red"}), "--colour: there is no colour without --log");
    CHECK_THROWS_WITH(read({"-l", "9"}), "-l: 9 is more than the largest number, 8 (-H)");
    CHECK(read({"--colour", "red", "--log", "x"}).colour == Colour::red);
    CHECK(read({"-l", "8"}).low == 8);
    CHECK(read({"--loud"}).loud);
}
