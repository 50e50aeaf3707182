// SPDX-License-Identifier: BSD-3-Clause
// Command lines that measure rejects.
#include "analysis/compare/sides.hpp"
#include "launching/folder.hpp"
#include "launching/launcher.hpp"
#include "pairs/campaign.hpp"
#include "run/campaign.hpp"
#include "shared/dispatch.hpp"
#include "shared/inputs.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using Catch::Matchers::ContainsSubstring;

namespace {

bool no_file(std::string_view) { return false; }

/// The command that the first words name. Removes its name from the words.
program::Suite measure_command(std::vector<std::string>& words) {
    auto chosen = measure::tool::dispatched(words, no_file);
    REQUIRE(chosen.suite);
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(chosen.taken));
    return *chosen.suite;
}

void measure_refuses(std::vector<std::string> words, std::initializer_list<std::string_view> says,
                     program::Supposed const& supposed = {}) {
    auto const suite = measure_command(words);
    refuses(suite, words, says, supposed);
}
void measure_refuses(std::string_view line, std::initializer_list<std::string_view> says,
                     program::Supposed const& supposed = {}) {
    measure_refuses(words_of(line), says, supposed);
}

void measure_accepts(std::string_view line, program::Supposed const& supposed = {}) {
    auto words = words_of(line);
    auto const suite = measure_command(words);
    auto const [code, text] = program::checked(suite, words, supposed);
    CAPTURE(line, text);
    CHECK(code == 0);
}

/// The only launch of a record. \param members  further members of its run line
measure::Launch launch_with(std::string const& name, std::string const& members) {
    return measure::tool::launches_of(
               R"({"record":"run","schema":2,"suite":"own","program":"halo","started":"2025-01-31T10:00:00Z")" +
                   members + "}\n",
               name)
        .front();
}

std::string why_apart_of(std::string const& members, std::string const& others) {
    std::vector const both{launch_with("a", members), launch_with("b", others)};
    return measure::why_apart(both).value_or("");
}

std::string difference_of(std::string const& members, std::string const& others) {
    std::vector const both{launch_with("a", members), launch_with("b", others)};
    auto const found = measure::differences(both);
    return found.empty() ? std::string{} : found.front().text;
}

}  // namespace

// ---- the program

TEST_CASE("measure lists its commands by purpose", "[measure]") {
    auto const help = measure::tool::dispatched({"--help"}, no_file);
    auto const alone = measure::tool::dispatched({}, no_file);
    CHECK_FALSE(help.suite);
    CHECK(help.code == 0);
    CHECK(alone.code == 0);
    CHECK(measure::tool::dispatched({"-h"}, no_file).answer == help.answer);
    REQUIRE(alone.answer.starts_with(help.answer));
    std::istringstream next{alone.answer.substr(help.answer.size())};
    int hints = 0;
    for (std::string line; std::getline(next, line);)
        hints += line.starts_with("  measure ") ? 1 : 0;
    CHECK(hints == 3);
    std::istringstream all{alone.answer};
    std::vector<std::string> headings;
    for (std::string line; std::getline(all, line);) {
        CHECK(line.size() <= 80);
        if (line.starts_with("Commands "))
            headings.push_back(line);
    }
    CHECK(headings == std::vector<std::string>{
                          "Commands to measure:", "Commands to look at results:", "Commands to keep and compare:"});
    CHECK(help.answer.find("tune-worker") == std::string::npos);
    CHECK_THAT(measure::tool::dispatched({"--version"}, no_file).answer, Catch::Matchers::StartsWith("measure "));
}

TEST_CASE("measure runs the command that the first word names", "[measure]") {
    auto const merge = measure::tool::dispatched({"merge", "report"}, no_file);
    REQUIRE(merge.suite);
    CHECK(merge.suite->program == "measure merge");
    CHECK(merge.taken == 1);
    REQUIRE(measure::tool::dispatched({"tune-worker"}, no_file).suite);
}

TEST_CASE("measure runs show for a file, or for a word named like one", "[measure]") {
    for (std::string const word : {"-", "none.jsonl", "none.json", "there"}) {
        auto const shown = measure::tool::dispatched({word}, [](std::string_view file) { return file == "there"; });
        REQUIRE(shown.suite);
        CHECK(shown.suite->program == "measure show");
        CHECK(shown.taken == 0);
    }
}

TEST_CASE("measure rejects a word that is neither a command nor a file", "[measure]") {
    auto const melt = measure::tool::dispatched({"melt", "--help"}, no_file);
    CHECK_FALSE(melt.suite);
    CHECK(melt.code == 2);
    CHECK(melt.answer == "measure: error: 'melt' is neither a command nor a file (see measure --help)\n");
    CHECK(measure::tool::dispatched({"reprt"}, no_file).answer ==
          "measure: error: 'reprt' is neither a command nor a file; did you mean 'report'? (see measure --help)\n");
    CHECK(measure::tool::dispatched({"a\x1b"}, no_file).answer.find('\x1b') == std::string::npos);
}

// ---- merge, launches

TEST_CASE("measure merge rejects a command line without files, and invalid values", "[measure]") {
    measure_accepts("merge --confidence 0.9 a.jsonl -");
    measure_refuses("merge", {"no input"});
    measure_refuses("merge --confidence 2 broken", {"--confidence: '2'"});
    measure_refuses("merge - -", {"standard input can be read only once"});
}

TEST_CASE("measure merge names the differences between launches", "[measure]") {
    auto const started = [](std::string const& day) { return R"(,"started":"2025-)" + day + R"(T10:00:00Z")"; };
    auto const day_of = [&](std::string const& day) {
        return measure::tool::launches_of(
                   R"({"record":"run","schema":2,"suite":"own","program":"halo")" + started(day) + "}\n", day)
            .front();
    };
    std::vector const far{day_of("01-31"), day_of("11-30")};
    CHECK_THAT(measure::why_apart(far).value(), ContainsSubstring("not started within 24 hours"));
    std::vector const near{day_of("01-31"), day_of("02-01")};
    CHECK_FALSE(measure::why_apart(near));
    std::string const one = R"(,"campaign":{"id":"x","launch":1})";
    CHECK_THAT(why_apart_of("", one), ContainsSubstring("belongs to no campaign, but"));
    CHECK_THAT(why_apart_of(one, R"(,"campaign":{"id":"y","launch":1})"), ContainsSubstring("campaign y"));
    CHECK(why_apart_of(one, R"(,"campaign":{"id":"x","launch":2})").empty());
    std::string const halo = R"(,"command":["halo"])";
    CHECK_THAT(why_apart_of(halo, R"(,"command":["halo","-x","9"])"),
               ContainsSubstring("have different commands: halo and halo -x 9"));
    CHECK(why_apart_of(halo, R"(,"command":["halo","--json","h","--seed=4"])").empty());
    auto const setting = [](std::string const& x) { return R"(,"mpi_settings":{"MPIR_CVAR_X":")" + x + R"("})"; };
    CHECK_THAT(difference_of(setting("1"), setting("2")),
               ContainsSubstring(R"(differ in mpi_settings.MPIR_CVAR_X: "1" and "2")"));
    CHECK_THAT(difference_of("", setting("1")), ContainsSubstring("differ in mpi_settings: not recorded and recorded"));
    auto const start = [](std::string const& by) { return R"(,"options":{"start":")" + by + R"("})"; };
    CHECK_THAT(difference_of(start("slot"), start("barrier")),
               ContainsSubstring(R"(differ in options.start: "slot" and "barrier")"));
    CHECK(difference_of(start("slot"), start("slot")).empty());
}

TEST_CASE("measure launches rejects commands that it cannot start", "[measure][launches]") {
    measure_accepts("launches -n 3 --keep kept -- halo --seed {}");
    measure_refuses("launches", {"no command"});
    measure_refuses("launches true --json x", {"remove --json from the command"});
    measure_refuses("launches -n 0 true", {"-n: '0'"});
    measure_refuses("launches --foo true", {"unknown option '--foo'"});
}

// ---- show, report, model, guidelines, export

TEST_CASE("measure show rejects a command line without files", "[measure]") {
    measure_accepts("show a.jsonl");
    measure_accepts("a.jsonl --filter bytes=8");
    measure_refuses("show", {"no input"});
    measure_refuses("show - -", {"standard input can be read only once"});
}

TEST_CASE("measure regions rejects a command line without files", "[measure]") {
    measure_accepts("regions a.jsonl -");
    measure_refuses("regions", {"no input"});
    measure_refuses("regions --filter bytes=8 a.jsonl", {"unknown option '--filter'"});
}

TEST_CASE("measure convert rejects invalid options", "[measure][convert]") {
    measure_accepts("convert skampi.out -o a.jsonl --ranks 4 --library MPICH --machine T3E --date 2004-01-31");
    measure_refuses("convert", {"no input"});
    measure_refuses("convert - -", {"standard input can be read only once"});
    measure_refuses("convert --ranks 0 a.txt", {"--ranks: '0'"});
    measure_refuses("convert --date yesterday a.txt", {"--date: 'yesterday' is not a date"});
    measure_refuses("convert --machine= a.txt", {"--machine: the name must not be empty"});
}

TEST_CASE("measure report rejects invalid outputs, labels and filters", "[measure]") {
    measure_accepts("report -o r.html a.jsonl b.jsonl --labels old,new --filter bytes>=1KiB --model m.json");
    measure_accepts("report -o p-%.svg a.jsonl");
    measure_accepts("report -o plots --format svg a.jsonl");
    measure_refuses("report -o r.html", {"no input"});
    measure_refuses("report good", {"no output"});
    measure_refuses("report -o - --format svg good", {"several pictures"});
    measure_refuses("report -o x.svg good", {"one file for several pictures"});
    measure_refuses("report -o x a.jsonl b.jsonl --labels one",
                    {"--labels: got 1 for 2 files, one per file is needed"});
    measure_refuses("report -o r.html a.jsonl --model m.h", {"models are written only as JSON"});
    measure_refuses("report -o r.html a.jsonl --filter bytes", {"--filter: 'bytes' is not a condition"});
    measure_refuses("report -o r.html a.jsonl --filter bytes<1kB", {"--filter: 'bytes<1kB': '1kB' is not a number"});
    measure_refuses("report -o - a.jsonl --model -", {"-o - and --model - cannot both go to stdout"});
}

TEST_CASE("measure model rejects missing files and a wrong number of labels", "[measure]") {
    measure_accepts("model source.jsonl --json model.json --labels a");
    measure_refuses("model", {"no input"});
    measure_refuses("model source --labels a,b", {"2 for 1 files"});
}

TEST_CASE("measure guidelines rejects a command line without files", "[measure]") {
    measure_accepts("guidelines --strict a.jsonl");
    measure_refuses("guidelines", {"no input"});
}

TEST_CASE("measure export rejects a command line without files or format", "[measure]") {
    measure_accepts("export --format osu good");
    measure_refuses("export", {"no format"});
    measure_refuses("export --format xml good", {"xml"});
    measure_refuses("export --format osu", {"no input"});
}

// ---- compare

TEST_CASE("measure compare rejects invalid options", "[measure][compare]") {
    measure_accepts("compare --help");
    measure_accepts("compare --threshold 3 --alpha 0.1 --fail-on slower:5% --fail-on unclear a b");
    measure_accepts("compare --between ranks a");
    measure_refuses("compare --alpha 2 a a", {"--alpha: '2'"});
    measure_refuses("compare --threshold -1 a a", {"--threshold: '-1'"});
    measure_refuses("compare --format pdf a a", {"--format: 'pdf'"});
    measure_refuses("compare --seed 1 a a", {"unknown option '--seed'"});
    measure_refuses("compare --colour a a", {"unknown option '--colour'"});
    measure_refuses("compare --raw a a", {"unknown option '--raw'"});
    for (std::string const rule : {"ugly", "slower:x", "unclear:5", "slower:-1"})
        measure_refuses("compare --fail-on " + rule + " a b", {"--fail-on: "});
    measure_refuses("compare - -", {"standard input can be read only once"});
    measure_refuses("compare --noise - a -", {"standard input can be read only once"});
    measure_refuses("compare --between ranks", {"no input"});
}

TEST_CASE("measure compare reports missing and surplus files of a side", "[measure][compare]") {
    using Names = std::vector<std::string>;
    auto const sides = [](std::string const& line, Names const& files) {
        return measure::files_by_side(words_of(line), files);
    };
    CHECK_NOTHROW(sides("compare a -- b", {"a", "b"}));
    CHECK_THROWS_WITH(sides("compare a b c", {"a", "b", "c"}), ContainsSubstring("more than two files to compare"));
    CHECK_THROWS_WITH(sides("compare a", {"a"}), ContainsSubstring("one file to compare"));
    CHECK_THROWS_WITH(sides("compare", {}), ContainsSubstring("no files to compare"));
    CHECK_THROWS_WITH(sides("compare a --", {"a"}), ContainsSubstring("no files after --"));
    CHECK_THROWS_WITH(sides("compare a -- b --format html", {"a", "b", "--format", "html"}),
                      ContainsSubstring("'--format' is an option after --"));
}

TEST_CASE("measure compare --between names the values of a coordinate that does not have two", "[measure][compare]") {
    auto const launches = measure::tool::launches_of(
        R"({"record":"run","schema":2,"suite":"own","program":"halo"})"
        "\n"
        R"({"record":"point","benchmark":"Bcast","at":{"ranks":2,"bytes":8},"quantity":"time","unit":"s","value":1,)"
        R"("status":"converged"})"
        "\n",
        "f");
    CHECK_THROWS_WITH(measure::split_by("ranks", launches),
                      ContainsSubstring("--between: 'ranks' has 1 value here, two are needed: 2"));
}

// ---- doctor, profile

TEST_CASE("measure doctor rejects invalid durations and formats", "[measure]") {
    measure_accepts("doctor --duration 500ms --format md");
    measure_refuses("doctor --duration 0", {"--duration: '0'"});
    measure_refuses("doctor --duration 2h", {"--duration: '2h'"});
    measure_refuses("doctor --duration 1ms", {"shorter than 100 ms"});
    measure_refuses("doctor --duration 5min", {"longer than 1 min"});
    measure_refuses("doctor --format pdf", {"measure doctor: error: --format: 'pdf'"});
    measure_refuses("doctor --timer tsc", {"--timer"});
    measure_refuses("doctor file", {"file"});
}

TEST_CASE("measure profile rejects words that are neither a command nor a profile", "[measure]") {
    measure_accepts("profile -- true");
    measure_accepts("profile --library");
    measure_accepts("profile profile.jsonl");
    measure_accepts("profile --mixed mpiperf.records profile.jsonl", {.files = {{"mpiperf.records", ""}}});
    measure_refuses("profile", {"no command and no profile"});
    measure_refuses("profile --timer sundial -- true", {"--timer"});
    measure_refuses("profile --top 0 -- true", {"--top"});
    measure_refuses("profile --json - -- true", {"--json"});
    measure_refuses("profile --mixed -- true", {"--mixed"});
    measure_refuses("profile --nonsense", {"--nonsense"});
}

// ---- run, ab

TEST_CASE("measure run rejects invalid options and combinations of options", "[measure][run]") {
    program::Supposed const files{
        .files = {{"broken", "node1: Bcast 8 = soon\n"}, {"good", "node1: Bcast 8 = 1us -5% +5%\n"}}};
    measure_accepts("run --budget 20s --calls Bcast --name monday --expect good -- mpiexec -n 2", files);
    measure_accepts("run --what io --io-folder .");
    measure_accepts("run --resume monday --budget 1min");
    measure_accepts("run --compare none --against nosuch --fail-on slower");
    measure_refuses("run --budget 5s", {"--budget: '5s' is too short; the minimum is 20 s"});
    measure_refuses("run --what luck", {"--what: 'luck' is unknown"});
    measure_refuses("run --calls Bcast;ls", {"--calls: 'Bcast;ls' is not a test"});
    measure_refuses("run --what rate --calls Bcast", {"--what and --calls cannot be combined"});
    measure_refuses("run --name ../x", {"--name: '../x' is not a valid name"});
    measure_refuses({"run", "--against", "env 'A"}, {"has an unmatched quotation mark"});
    measure_refuses("run --resume never --strict", {"--resume and --strict cannot be combined"});
    measure_refuses("run --resume x --fail-on slower", {"--resume and --fail-on cannot be combined"});
    measure_refuses("run --expect broken", {"broken:1:1: error: ", "not of the form"}, files);
    measure_refuses("run --compare none --fail-on slower", {"--fail-on needs a comparison"});
    measure_refuses("run env --plan", {"--plan must precede the launcher"});
    measure_refuses("run --resume x -- env", {"--resume takes no launcher"});
}

TEST_CASE("measure run rejects programs and folders that do not exist", "[measure][run]") {
    auto const plan = [](void (*change)(measure::tool::runs::RunOptions&)) {
        measure::tool::runs::RunOptions options{.launcher = {"env"}, .program = "env"};
        change(options);
        return measure::tool::runs::plan_of(options, {}, "monday", "/nonexistent/runs");
    };
    using Options = measure::tool::runs::RunOptions;
    CHECK(plan([](Options&) {}).sides.size() == 1);
    CHECK(plan([](Options& o) { o.against = "env A=1"; }).sides.size() == 2);
    CHECK_THROWS_WITH(plan([](Options& o) { o.launcher = {"/nonexistent/mpiexec"}; }),
                      "LAUNCHER: '/nonexistent/mpiexec' is not an executable program");
    CHECK_THROWS_WITH(plan([](Options& o) { o.program = "/nonexistent/mpiperf"; }),
                      "--program: '/nonexistent/mpiperf' is not an executable program");
    CHECK_THROWS_WITH(plan([](Options& o) { o.against_program = "/none"; }),
                      "--against-program: '/none' is not an executable program");
    CHECK_THROWS_WITH(plan([](Options& o) { o.against_mpiexec = "/none"; }),
                      "--against-mpiexec: '/none' is not an executable program");
    CHECK_THROWS_WITH(plan([](Options& o) { o.against = "nosuch A=1"; }),
                      "--against: 'nosuch' is not an executable program");
    CHECK_THROWS_WITH(plan([](Options& o) { o.against = "env 'A"; }),
                      ContainsSubstring("has an unmatched quotation mark"));
    CHECK_THROWS_WITH(plan([](Options& o) {
                          o.what = {measure::tool::runs::Topic::io};
                          o.io_folder = "/proc";
                      }),
                      ContainsSubstring("--io-folder: cannot write in '/proc'"));
    CHECK_THROWS_WITH(plan([](Options& o) {
                          o.what = {measure::tool::runs::Topic::io};
                          o.io_folder = "/nonexistent";
                      }),
                      "--io-folder: '/nonexistent' is not a folder");
    CHECK_THROWS_WITH(plan([](Options& o) { o.io_folder = "."; }), "--io-folder needs --what io");
    using measure::tool::RunFolder;
    CHECK_THROWS_WITH((RunFolder{"/nonexistent", "never"}), "no run 'never' in '/nonexistent'");
    CHECK_THROWS_WITH((RunFolder{"/nonexistent", ""}), "no run in '/nonexistent'");
}

TEST_CASE("measure ab requires two commands that do not write a record themselves", "[measure][run]") {
    measure_accepts("ab -- true -- false");
    measure_accepts("ab --separator @@ @@ true @@ false");
    measure_refuses("ab -- true", {"two commands are needed"});
    measure_refuses("ab -- true --json x -- true", {"remove --json from the command"});
    measure_refuses("ab -n 2 --separator @@ @@ true", {"two commands are needed"});
}

// ---- tune

TEST_CASE("measure tune rejects invalid options and combinations of options", "[measure][tune]") {
    measure_accepts("tune -o /runs/new --sizes 8:64 --collectives Bcast --ranks 2,4 -- mpiexec -n 4");
    measure_accepts("tune --list -- mpiexec");
    measure_accepts("tune --resume /runs/old --budget 1min");
    measure_accepts("tune --prove /runs/old --proof 6 -- mpiexec");
    measure_refuses("tune -o out", {"no launcher"});
    auto const refused_with = [](std::string const& options, std::string_view text) {
        measure_refuses("tune -o /runs/new " + options + " -- never", {"measure tune: error: ", text});
    };
    measure_refuses("tune never", {"no folder"});
    measure_refuses("tune --list -o out never", {"--list and -o"});
    refused_with("--collectives Broadcast", "'Broadcast'");
    refused_with("--sizes 8", "is not LOW:HIGH");
    refused_with("--sizes 64:8", "HIGH is smaller than LOW");
    refused_with("--launches 5", "--launches");
    refused_with("--proof 0", "--proof");
    refused_with("--gain -1", "--gain");
    refused_with("--alpha 5", "--alpha");
    refused_with("--ranks 2,0", "--ranks");
    measure_refuses("tune --resume out --gain 3", {"cannot be combined"});
    measure_refuses("tune --resume out --alpha 0.1", {"--resume and --alpha"});
    measure_refuses("tune --prove out --sizes 8:8 never", {"--prove and --sizes"});
    measure_refuses("tune --prove out --list never", {"--prove and --list"});
    measure_refuses("tune --prove out --no-han never", {"--prove and --no-han"});
    measure_refuses("tune --list --no-han never", {"--list and --no-han"});
}

TEST_CASE("measure tune rejects folder names that tuned.env cannot contain", "[measure][tune]") {
    measure_refuses({"tune", "-o", "/my runs", "never"}, {"has a blank"});
    measure_refuses("tune -o /runs*/new never", {"has a blank"});
    measure_refuses({"tune", "--resume", "/my runs"}, {"has a blank"});
    measure_refuses({"tune", "--prove", "/my runs", "never"}, {"has a blank"});
}

TEST_CASE("measure tune rejects a base that it cannot modify", "[measure][tune]") {
    program::Supposed const files{.files = {{"torn", "{"}, {"empty", "{}"}, {"bcast", R"({"collective=bcast": {}})"}}};
    measure_accepts("tune -o /runs/new --base bcast --collectives Bcast never", files);
    measure_refuses("tune -o /runs/new --base torn never", {"is not JSON"}, files);
    measure_refuses("tune -o /runs/new --base empty --collectives Scan never", {"has no 'collective=scan'"}, files);
}

// ---- pairs

TEST_CASE("measure pairs rejects invalid options", "[measure_pairs]") {
    measure_accepts("pairs --what latency --size 4k --csv -");
    measure_accepts("pairs --effect 20");
    for (std::string const words :
         {"--what speed", "--size 0", "--size 3GiB", "--alpha 0", "--repetitions 0", "--threshold nan", "--rounds 0"})
        measure_refuses("pairs " + words, {words.substr(0, words.find(' '))});
    measure_refuses("pairs word", {"'word': only --compare takes files"});
    measure_refuses("pairs --csv - --json -", {"--csv - and --json - cannot be combined: both write to stdout"});
    measure_refuses("pairs --effect 5", {"--threshold"});
    measure_refuses("pairs --effect 20 --repetitions 2", {"cannot be combined"});
}

TEST_CASE("measure pairs rejects ranks that do not form pairs", "[measure_pairs]") {
    using measure::tool::pairs::Per;
    using measure::tool::pairs::Place;
    measure_accepts("pairs", {.ranks = 2});
    measure_refuses("pairs", {"at least two ranks"}, {.ranks = 1});
    auto const nodes = [](std::vector<Place> const& all, Per per) {
        return measure::tool::pairs::nodes_of(all, per).size();
    };
    Place const bound{.host = "a", .core = 0, .socket = 0};
    Place const loose{.host = "a"};
    CHECK(nodes({bound, bound, bound}, Per::automatic) == 3);
    CHECK(nodes({bound, {.host = "b"}}, Per::host) == 2);
    CHECK_THROWS_WITH(nodes({bound}, Per::rank), "measure pairs needs at least two ranks");
    CHECK_THROWS_WITH(nodes({bound, bound, loose}, Per::host), ContainsSubstring("all ranks are on one host"));
    CHECK_THROWS_WITH(nodes({bound, bound, bound}, Per::socket),
                      ContainsSubstring("all ranks are on the same socket or core"));
    CHECK_THROWS_WITH(nodes({bound, loose}, Per::socket), "--per socket: rank 1 is not bound to a socket");
    CHECK_THROWS_WITH(nodes({loose, bound}, Per::core), "--per core: rank 0 is not bound to a core");
}

TEST_CASE("measure pairs rejects files without pairs or groups", "[measure_pairs]") {
    program::Supposed const files{
        .files = {{"odd", "no record"},
                  {"racks", "one\n"},
                  {"groups", "node1 rack1\n"},
                  {"table", "from,to,host_from,host_to,class,mode,quantity,value\n"},
                  {"run", R"({"record":"run","schema":2,"suite":"measure","program":"measure pairs"})"
                          "\n"
                          R"({"record":"point","benchmark":"Pair_latency","at":{"from":0,"to":1,"host_from":"h",)"
                          R"("host_to":"h","class":"same host","mode":"hosts","bytes":8},"quantity":"time",)"
                          R"("unit":"s","value":1e-06,"status":"converged"})"
                          "\n"}}};
    measure_accepts("pairs --groups groups --reference run", files);
    measure_accepts("pairs --compare run run", files);
    measure_refuses("pairs --reference odd", {"odd:1"}, files);
    measure_refuses("pairs --reference table", {"this is not a record file"}, files);
    measure_refuses("pairs --groups racks", {"'one' is not a line of the form HOST GROUP"}, files);
    measure_refuses("pairs --compare run odd", {"odd:1"}, files);
    measure_refuses("pairs --compare run", {"two files, an earlier run and a later one, not 1"}, files);
    measure_refuses("pairs --compare run run --what bandwidth", {"neither run has the quantity given by --what"},
                    files);
    measure_refuses("pairs --compare run none", {"none"}, files);
    measure_refuses("pairs --compare run run --csv -", {"--csv"}, files);
    measure::tool::pairs::Result result;
    result.nodes = {{.place = {.host = "node1"}}};
    CHECK_THROWS_WITH(measure::tool::pairs::give_groups("other rack\n", "racks", result),
                      "--groups 'racks': host 'node1' has no group");
}
