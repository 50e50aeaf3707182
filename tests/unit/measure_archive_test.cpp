// SPDX-License-Identifier: BSD-3-Clause
#include "archive/benchmark_page.hpp"
#include "archive/condition.hpp"
#include "archive/history.hpp"
#include "archive/operations.hpp"
#include "archive/record.hpp"
#include "archive/site.hpp"
#include "archive/site_folder.hpp"
#include "archive/table.hpp"
#include "program/runtime/files.hpp"
#include "shared/fields.hpp"
#include "shared/sha256.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using measure::UsageError;
using measure::tool::condition_from;
using measure::tool::sha256;
using measure::tool::sha256_base64;
using namespace measure::tool::archive;

namespace {

std::string const archived_run = R"({"record":"run","schema":2,"suite":"own","started":"2025-01-01T00:00:00Z"})"
                                 "\n";
std::string const archived_point =
    R"({"record":"point","benchmark":"B","at":{},"quantity":"time","unit":"s","value":1,"status":"converged"})"
    "\n";

measure::Environment on(std::vector<measure::Host> hosts) {
    measure::Environment environment;
    environment.hosts = std::move(hosts);
    return environment;
}

/// A run with one value on a machine.
SiteRun site_run(std::string const& machine, std::string const& started, double value, std::int64_t seed) {
    SiteRun result;
    result.entry = {.hash = machine + started, .suite = "own", .started = started, .machine = machine, .ranks = 1};
    result.launch.record.run.options["seed"] = seed;
    result.launch.record.points.push_back({.benchmark = "B", .value = value});
    return result;
}

}  // namespace

TEST_CASE("hashes agree with the examples of FIPS 180-4", "[measure][archive]") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_base64("") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the texts of all runs of a file add up to the whole file", "[measure][archive]") {
    auto const text =
        "hello\n" + archived_run + archived_point + "chatter\n" + archived_run + archived_point + R"({"rec)";
    auto const runs = archived_runs(text, "f");
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].content == "hello\n" + archived_run + archived_point + "chatter\n");
    CHECK(runs[0].content + runs[1].content == text);
    CHECK(runs[1].name == "f:2");
    CHECK(std::string{run_line(runs[0].content)} + "\n" == archived_run);
    CHECK(whole_lines(runs[1].content) == archived_run + archived_point);
    CHECK(status_of(runs[1].record) == "cut");
    CHECK_THROWS_AS(archived_runs(archived_point, "f"), program::ParseErrors);
}

TEST_CASE("the nodes of a cluster count as one machine", "[measure][archive]") {
    CHECK(machine_name(on({{.name = "r1n12", .cpu = "X"}, {.name = "r10n2", .cpu = "X"}})) == "r#n# (X)");
    CHECK(machine_name(on({{.name = "fat", .cpu = "Y"}, {.name = "thin7", .cpu = "X"}})) == "fat + thin# (X + Y)");
    CHECK(machine_name(on({{.name = "pc"}})) == "pc");
    CHECK(machine_name(on({})) == "unknown");
}

TEST_CASE("a condition has a name, an operator and values", "[measure][archive]") {
    auto const condition = condition_from("mpi!~Open MPI,a=b");
    CHECK(condition.name == "mpi");
    CHECK(condition.op == "!~");
    CHECK(condition.values == std::vector<std::string>{"Open MPI", "a=b"});
    CHECK(condition_from("x<=1,5").values == std::vector<std::string>{"1,5"});
    CHECK(condition_from("tag=").values == std::vector<std::string>{""});
    CHECK(coordinate_of(condition_from("at.mpi=2")) == "mpi");
    CHECK(coordinate_of(condition_from("mpi=2")).empty());
    for (auto const* const text : {"", "mpi", "=1", "a b=1", "x<", "tag=a,", "mpi~"})
        CHECK_THROWS_AS(condition_from(text), UsageError);
}

TEST_CASE("conditions apply to runs or to points, and values never become part of the SQL text", "[measure][archive]") {
    std::vector const conditions{condition_from("suite=a'b"), condition_from("bytes>=1KiB")};
    auto const terms = search_terms(conditions);
    CHECK(terms.run_cells == std::vector<measure::tool::archive::Cell>{std::string{"a'b"}});
    CHECK(terms.run.find("a'b") == std::string::npos);
    CHECK(terms.point_cells == std::vector<measure::tool::archive::Cell>{std::string{"bytes"}, 1024.0});
    CHECK_FALSE(search_terms(std::vector{conditions[0]}).has_point());
    CHECK_THROWS_AS(search_terms(std::vector{condition_from("mpi<4")}), UsageError);
}

TEST_CASE("a table is written as text without empty columns, as CSV with quotes, and as JSON", "[measure][archive]") {
    measure::tool::archive::Table const table{
        .columns = {"name", "none", "n"},
        .rows = {{std::string{"a,\"b\"\x1b"}, nullptr, std::int64_t{7}}, {std::string{"\u00e9"}, nullptr, 0.5}}};
    CHECK(table_text(table) == "name      n\na,\"b\"?    7\n\u00e9       0.5\n");
    CHECK(csv_text(table) == "name,none,n\n\"a,\"\"b\"\"\x1b\",,7\n\u00e9,,0.5\n");
    auto const rows = json_rows({.columns = {"n"}, .rows = {{nullptr}, {2.5}}});
    CHECK(measure::json_text(measure::tool::value_of(rows)) == R"([{"n":null},{"n":2.5}])");
}

TEST_CASE("file names contain no path characters, and differ if the original names differ", "[measure][archive]") {
    CHECK(file_name("machine", "../../etc/passwd") ==
          "machine-etc-passwd-" + sha256("../../etc/passwd").substr(0, 8) + ".html");
    CHECK(file_name("x", "a b") != file_name("x", "a-b"));
    CHECK(file_name("x", "\xff/") == "x-" + sha256("\xff/").substr(0, 8) + ".html");
}

TEST_CASE("a list of files contains only names inside its folder", "[measure][archive]") {
    FileList const list{{"index.html", {sha256("a"), sha256("b")}}, {"records/x.jsonl", {sha256("c")}}};
    CHECK(file_list_from(file_list_text(list), "f") == list);
    auto const lie = file_list_text({{"../x", {sha256("a")}}, {"/etc/x", {sha256("a")}}, {"good", {sha256("a")}}});
    CHECK(file_list_from(lie, "f") == FileList{{"good", {sha256("a")}}});
    CHECK_THROWS_AS(file_list_from("0123  index.html\n", "f"), UsageError);
}

TEST_CASE("the newest run of a machine is compared, joined with earlier runs of the same kind", "[measure][archive]") {
    std::vector runs{site_run("a", "2025-01", 1, 1), site_run("a", "2025-02", 3, 2), site_run("a", "2025-03", 7, 3),
                     site_run("b", "2025-02", 9, 1)};
    runs[1].launch.record.run.options["start"] = "slot";
    auto const series = compared(runs, "own", "B");
    REQUIRE(series.size() == 2);
    CHECK(series[0].label == "b, without MPI");
    CHECK(series[1].launches.size() == 2);
    REQUIRE(series[1].points.size() == 1);
    CHECK(series[1].points[0].value == 4);
    CHECK(compared(runs, "other", "B").empty());
}

TEST_CASE("an operation in several suites has a page with one curve per program and method", "[measure][archive]") {
    measure::Semantics const bcast{.operation = "Bcast"};
    auto const run_of = [&](std::string const& suite, std::string const& start, measure::Record point) {
        auto run = site_run("a", suite, 1, 1);
        run.entry.suite = run.launch.record.run.suite = run.launch.record.run.program = suite;
        run.launch.record.run.options["start"] = start;
        point.semantics = bcast;
        point.at = {{"ranks", 2}, {"bytes", 8}};
        run.launch.record.points = {std::move(point)};
        return run;
    };
    std::vector runs{
        run_of("mpiperf", "slot", {.benchmark = "Bcast", .value = 2}),
        run_of("pmb", "loop", {.benchmark = "Bcast", .value = 3}),
        run_of("mpbench", "", {.benchmark = "broadcast", .quantity = measure::Quantity::bandwidth, .value = 2})};
    auto const common = runs_of_operations(runs);
    REQUIRE(common.size() == 3);
    auto const series = compared(common, several_programs, "Bcast");
    REQUIRE(series.size() == 3);
    auto const value_of = [&](std::string const& label) -> std::optional<double> {
        for (auto const& one : series)
            if (one.label == label)
                return one.points.at(0).value;
        return std::nullopt;
    };
    CHECK(value_of("mpiperf Bcast (synchronised starts, slowest process), a, without MPI") == 2);
    CHECK(value_of("pmb Bcast (loop of calls, slowest process, root changes with each call), a, without MPI") == 3);
    CHECK(value_of("mpbench broadcast (loop of calls and an acknowledgement at its end, root), a, without MPI") == 4);
    bool has_page = false;
    for (auto const& [name, text] : site_files(runs, {}))
        if (name == benchmark_page(several_programs, "Bcast")) {
            has_page = true;
            CHECK(text.find("This may cause differences between the curves.") != std::string::npos);
        }
    CHECK(has_page);
    runs.resize(1);
    CHECK(runs_of_operations(runs).empty());
}

TEST_CASE("a history has one point per campaign, and marks the campaigns that compare reports as different",
          "[measure][archive]") {
    std::vector<SiteRun> runs;
    auto const campaign = [&](std::string const& day, double value, int launches) {
        for (int launch = 1; launch <= launches; ++launch) {
            auto run = site_run("a", day, value + 0.001 * launch, 1);
            run.launch.record.run.started = fmt::format("{}T10:0{}:00Z", day, launch - 1);
            run.launch.record.run.campaign = measure::Campaign{day, launch};
            runs.push_back(std::move(run));
        }
    };
    campaign("2025-01-10", 1, 6);
    campaign("2025-01-20", 1, 6);
    campaign("2025-02-09", 2, 6);
    campaign("2025-02-19", 4, 1);
    auto const plots = history_of(configurations(runs, "own", "B"), "B");
    REQUIRE(plots.size() == 1);
    auto const& plot = plots[0].plot;
    CHECK(plot.x.unit == page::Unit::date);
    REQUIRE(plot.curves.size() == 1);
    CHECK(plot.curves[0].label == "a, without MPI");
    auto const& points = plot.curves[0].points;
    REQUIRE(points.size() == 4);
    // The median of 1.001 .. 1.006. The last campaign has a single launch and therefore no verdict.
    CHECK(points[0].y == Catch::Approx(1.0035));
    CHECK(points[2].y == Catch::Approx(2.0035));
    std::array const days{0, 10, 30, 40};
    std::array const marked{false, false, true, false};
    for (std::size_t i = 0; i < points.size(); ++i) {
        CHECK(points[i].x == 1736503200.0 + days[i] * 86400);  // 2025-01-10 10:00
        CHECK(points[i].marked == marked[i]);
    }
    // A single campaign has no history.
    runs.resize(6);
    CHECK(history_of(configurations(runs, "own", "B"), "B").empty());
}

TEST_CASE("a history does not mark a change that the controls explain", "[measure][archive]") {
    auto const marked = [](double of_control) {
        std::vector<SiteRun> runs;
        for (std::string const day : {"2025-01-10", "2025-01-20"})
            for (int launch = 1; launch <= 6; ++launch) {
                bool const is_later = day == "2025-01-20";
                auto run = site_run("a", day, (is_later ? 1.2 : 1) + 0.001 * launch, 1);
                run.entry.suite = run.launch.record.run.suite = "mpiperf";
                run.launch.record.points.push_back(
                    {.benchmark = "Fixed_work", .value = (is_later ? of_control : 1) + 0.0001 * launch});
                run.launch.record.run.started = fmt::format("{}T10:0{}:00Z", day, launch - 1);
                run.launch.record.run.campaign = measure::Campaign{day, launch};
                runs.push_back(std::move(run));
            }
        auto const plots = history_of(configurations(runs, "mpiperf", "B"), "B");
        REQUIRE(plots.size() == 1);
        REQUIRE(plots[0].plot.curves.size() == 1);
        return plots[0].plot.curves[0].points.back().marked;
    };
    CHECK(marked(1));
    CHECK_FALSE(marked(1.2));
}

TEST_CASE("runs of different days, campaigns and settings are separate rows of a site", "[measure][archive]") {
    auto const on_day = [](char const* day, double value) {
        auto run = site_run("a", day, value, 1);
        run.launch.record.run.started = std::string{day} + "T10:00:00Z";
        run.launch.record.run.mpi_library = run.entry.mpi = "MPICH 4.0.2";
        run.launch.record.run.mpi_settings.emplace();
        return run;
    };
    std::vector runs{on_day("2025-01-10", 1), on_day("2025-11-20", 3), on_day("2025-11-20", 5)};
    auto series = compared(runs, "own", "B");
    REQUIRE(series.size() == 1);
    CHECK(series[0].launches.size() == 2);
    CHECK(series[0].points[0].value == 4);
    CHECK(compared(runs, "own", "B", true)[0].launches.size() == 3);

    // A campaign may last longer than a day. Runs of other campaigns are not joined with it.
    for (auto& run : runs)
        run.launch.record.run.campaign = measure::Campaign{"x", 1};
    CHECK(compared(runs, "own", "B")[0].launches.size() == 3);
    runs[1].launch.record.run.campaign->id = "y";
    CHECK(compared(runs, "own", "B")[0].launches.size() == 2);

    // Different settings are shown next to each other and never joined.
    runs[1].launch.record.run.campaign->id = "x";
    runs[1].launch.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "1"}, {"UCX_TLS", "tcp"}};
    runs[2].launch.record.run.mpi_settings = std::vector<measure::Setting>{{"MPIR_CVAR_X", "2"}, {"UCX_TLS", "tcp"}};
    for (bool const join : {false, true}) {
        series = compared(runs, "own", "B", join);
        REQUIRE(series.size() == 3);
        CHECK(series[0].label == "a, MPICH 4.0.2, MPIR_CVAR_X unset, UCX_TLS unset");
        CHECK(series[1].label == "a, MPICH 4.0.2, MPIR_CVAR_X=1, UCX_TLS=tcp");
        CHECK(series[2].label == "a, MPICH 4.0.2, MPIR_CVAR_X=2, UCX_TLS=tcp");
    }
}
