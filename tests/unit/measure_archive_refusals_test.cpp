// SPDX-License-Identifier: BSD-3-Clause
// Command lines that measure archive rejects.
#include "shared/dispatch.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace {

bool no_archive(std::string_view) { return false; }

measure::tool::Dispatched archive_action(std::string const& action) {
    auto chosen = measure::tool::dispatched({"archive", action}, no_archive);
    REQUIRE(chosen.suite);
    CHECK(chosen.suite->program == "measure archive " + action);
    CHECK(chosen.taken == 2);
    return chosen;
}

void archive_refuses(std::string const& action, std::vector<std::string> const& words,
                     std::initializer_list<std::string_view> says) {
    refuses(*archive_action(action).suite, words, says);
}

void archive_accepts(std::string const& action, std::string_view words) {
    accepts(*archive_action(action).suite, words);
}

}  // namespace

TEST_CASE("measure archive lists its commands, and rejects others", "[measure][archive]") {
    CHECK_THAT(measure::tool::dispatched({"archive", "--help"}, no_archive).answer,
               Catch::Matchers::ContainsSubstring("export"));
    auto const melt = measure::tool::dispatched({"archive", "melt"}, no_archive);
    CHECK_FALSE(melt.suite);
    CHECK(melt.code == 2);
    CHECK(melt.answer == "measure archive: error: 'melt' is not a command (see measure archive --help)\n");
    // A file is not a condition, even if it exists.
    CHECK(measure::tool::dispatched({"archive", "a.jsonl"}, [](std::string_view) { return true; }).code == 2);
}

TEST_CASE("measure archive accepts its option also before the command", "[measure][archive]") {
    using Words = std::vector<std::string>;
    for (Words const& option : {Words{"-a", "runs"}, Words{"--archive", "runs"}, Words{"--archive=runs"}}) {
        Words words{"archive"};
        words.insert(words.end(), option.begin(), option.end());
        CHECK(measure::tool::dispatched(words, no_archive).code == 0);
        words.insert(words.end(), {"list", "--ids"});
        auto const chosen = measure::tool::dispatched(words, no_archive);
        REQUIRE(chosen.suite);
        CHECK(chosen.suite->program == "measure archive list");
        CHECK(chosen.taken == 2);
        CHECK(chosen.moved == option.size());
    }
    CHECK(measure::tool::dispatched({"archive", "-a"}, no_archive).code == 0);
    CHECK(measure::tool::dispatched({"archive", "-a", "list"}, no_archive).answer.find("export") != std::string::npos);
    CHECK(measure::tool::dispatched({"-a", "runs", "archive", "list"}, no_archive).code == 2);
}

TEST_CASE("measure archive rejects command lines without files, runs, marks or folder", "[measure][archive]") {
    archive_accepts("add", "--tag paper --machine box a.jsonl");
    archive_accepts("mark", "--untag c abcd");
    archive_accepts("export", "abcd");
    archive_accepts("remove", "abcd");
    archive_accepts("check", "");
    archive_accepts("site", "folder tag=none");
    archive_refuses("add", {}, {"no input"});
    archive_refuses("add", {"--machine", " ", "a.jsonl"}, {"--machine: the name must not be empty"});
    for (std::string const action : {"export", "mark", "remove"})
        archive_refuses(action, {}, {"no run"});
    archive_refuses("mark", {"abcd"}, {"nothing to change"});
    archive_refuses("mark", {"--machine", "", "abcd"}, {"--machine: the name must not be empty"});
    archive_refuses("mark", {"--tag", "a,b", "abcd"}, {"--tag: 'a,b' is not a tag"});
    archive_refuses("add", {"--tag", "a,b", "a.jsonl"}, {"--tag: 'a,b' is not a tag"});
    archive_refuses("site", {}, {"no folder"});
    archive_refuses("list", {"-a", ""}, {"the file name must not be empty"});
}

TEST_CASE("measure archive rejects outputs that cannot be combined", "[measure][archive]") {
    archive_accepts("list", "--ids benchmark=Barrier");
    archive_accepts("query", "--csv - --json points");
    archive_refuses("list", {"--ids", "--json", "runs"}, {"--ids prints only IDs"});
    archive_refuses("list", {"--ids", "--csv", "runs"}, {"--ids prints only IDs"});
    for (std::string const action : {"list", "query"})
        archive_refuses(action, {"--csv", "-", "--json", "-"}, {"--csv and --json cannot both go to stdout"});
    archive_refuses("query", {"--sql", "SELECT 1", "bytes=8"}, {"--sql and conditions cannot be combined"});
}

TEST_CASE("measure archive rejects words that are not conditions", "[measure][archive]") {
    archive_accepts("query", "bytes>=4KiB mpi~open started<=2025-02-01 tag= value<2us");
    std::vector<std::vector<std::string>> const wrong{
        {"bytes", "is not a condition"}, {"bytes>", "has no value"},   {"bytes>many", "is not a number, a size"},
        {"mpi>4", "has no order"},       {"=3", "is not a condition"}, {"started>=June", "'June' is not a date"},
        {"added<20261", "is not a date"}};
    for (auto const& one : wrong) {
        archive_refuses("query", {one[0]}, {one[1]});
        archive_refuses("list", {one[0]}, {one[1]});
        archive_refuses("site", {"folder", one[0]}, {one[1]});
    }
}
