// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/options.hpp"
#include "program/runtime/agreement.hpp"
#include "program/runtime/progress.hpp"
#include "program/runtime/test_hooks.hpp"
#include "support/catch.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

using measure::UsageError;
using program::CommonOptions;
using program::CommonUse;
using program::Parser;
namespace as = program::as;

namespace {

using Words = std::vector<std::string>;

struct Options {
    bool r = false;
    bool b = false;
    std::int64_t x = 1;
    int npmin = 2;
    std::string file;
    std::vector<int> sizes{7};
    Words tests;
};

Parser make_parser(Options& o) {
    Parser parser{"prog", "Does something."};
    parser.flag("-r,--rotate", "rotates", o.r);
    parser.flag("-b", "bundles", o.b);
    parser.option("-x,--smallest", "SIZE", "smallest size", o.x, as::Size{});
    parser.option("-npmin", "N", "fewest ranks", o.npmin, as::Int{.low = 1});
    parser.option("-o", "FILE", "a file", o.file, as::Text{});
    parser.list("-s,--size", "N", "sizes", o.sizes, as::Int{});
    parser.arguments("TEST...", "what to do", o.tests);
    return parser;
}

Options parsed(Words const& words) {
    Options o;
    make_parser(o).parse(words);
    return o;
}

std::string refusal(Words const& words) {
    try {
        parsed(words);
        return {};
    } catch (UsageError const& error) {
        return error.what();
    }
}

CommonOptions common(Words const& words, CommonUse const& use = {}) {
    CommonOptions options = use.defaults;
    Parser parser{"prog", "Does something."};
    declare(parser, use, options);
    parser.parse(words);
    return options;
}

std::string common_fault(Words const& words, CommonUse const& use = {}) {
    try {
        common(words, use);
        return {};
    } catch (UsageError const& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("options that are not given keep their defaults", "[common][parse]") {
    Options const o = parsed({});
    CHECK_FALSE(o.r);
    CHECK(o.x == 1);
    CHECK(o.npmin == 2);
    CHECK(o.sizes == std::vector<int>{7});
    CHECK(o.tests.empty());
}

TEST_CASE("a historical option has the same meaning in four spellings", "[common][parse]") {
    for (Words const& words : {Words{"-npmin", "4"}, Words{"-npmin=4"}, Words{"--npmin", "4"}, Words{"--npmin=4"}}) {
        INFO(words.front());
        CHECK(parsed(words).npmin == 4);
    }
    CHECK(refusal({"-npmin", "0"}) == "-npmin: '0' is out of range (an integer from 1 to 2147483647)");
}

TEST_CASE("short options can be bundled and take their value with or without a blank", "[common][parse]") {
    CHECK(parsed({"-rb"}).r);
    CHECK(parsed({"-rb"}).b);
    CHECK(parsed({"-x4"}).x == 4);
    CHECK(parsed({"-x", "4"}).x == 4);
    CHECK(parsed({"-rbx4"}).x == 4);
    CHECK(parsed({"-rx", "4"}).x == 4);
    CHECK(parsed({"--smallest=4k"}).x == 4096);
    // An unknown word is not parsed as a value of the option with its first letter.
    CHECK(refusal({"-off_cache"}) == "unknown option '-off_cache' (see prog --help)");
    CHECK(refusal({"-rof"}) == "unknown option '-rof' (see prog --help)");
}

TEST_CASE("the word after an option is its value, even with a leading dash", "[common][parse]") {
    CHECK(parsed({"-o", "-"}).file == "-");
    CHECK(parsed({"-o", "--rotate"}).file == "--rotate");
    CHECK(refusal({"-x", "-4"}).find("-x: '-4' is out of range") == 0);
}

TEST_CASE("the word after an option with an empty value is not its value", "[common][parse]") {
    CHECK(refusal({"--smallest=", "4"}).find("--smallest: '' is not a size") == 0);
    CHECK(refusal({"-npmin=", "4"}).find("-npmin: '' is not an integer") == 0);
    CHECK(refusal({"-r", "--smallest="}).find("--smallest: '' is not a size") == 0);
    CHECK(parsed({"-o", "--smallest=", "-r"}).file == "--smallest=");
}

TEST_CASE("arguments can come before, between and after options", "[common][parse]") {
    CHECK(parsed({"Bcast", "-x", "4", "Reduce", "-r"}).tests == Words{"Bcast", "Reduce"});
    CHECK(parsed({"-r", "--", "-b", "-npmin"}).tests == Words{"-b", "-npmin"});
}

TEST_CASE("arguments and list entries know their position on the command line", "[common][parse]") {
    std::vector<program::Argument> names;
    std::vector<program::Argument> files;
    Parser parser{"prog", "Does something."};
    parser.arguments("NAME...", "names", names);
    parser.list("-input", "FILE", "files", files, [](program::Argument const& a) { return a; });
    parser.parse({"a", "-input", "f", "b", "-input=g", "c"});
    REQUIRE(names.size() == 3);
    REQUIRE(files.size() == 2);
    CHECK(names[0].value == "a");
    CHECK(names[0].place < files[0].place);
    CHECK(files[0].place < names[1].place);
    CHECK(names[1].place < files[1].place);
    CHECK(files[1].place < names[2].place);
}

TEST_CASE("only a list can be given several times", "[common][parse]") {
    CHECK(parsed({"-s", "1", "--size", "2", "-s3"}).sizes == std::vector<int>{1, 2, 3});
    CHECK(refusal({"-x", "1", "--smallest", "2"}) == "-x: given more than once");
    CHECK(refusal({"-r", "--rotate"}) == "-r: given more than once");
    CHECK(refusal({"-npmin", "1", "--npmin=2"}) == "-npmin: given more than once");
}

TEST_CASE("for a marked option the last value is used", "[common][parse]") {
    int value = 0;
    int other = 0;
    program::Parser parser{"prog", "Does something."};
    parser.option("-m,--most", "N", "number", value, program::as::Int{.low = 0, .high = 9});
    parser.option("-x", "N", "number", other, program::as::Int{.low = 0, .high = 9});
    parser.last_wins("-m");
    parser.parse({"-m", "1", "-x", "3", "--most", "2", "-m5"});
    CHECK((value == 5 && other == 3));
    // Values that are not used must be valid nevertheless.
    CHECK_THROWS_WITH(parser.parse({"-m", "10", "-m", "4"}), Catch::Matchers::ContainsSubstring("-m: '10'"));
    CHECK_THROWS_WITH(parser.parse({"-x", "1", "-x", "2"}), "-x: given more than once");
}

TEST_CASE("an option with an implied value takes another value only if it is attached", "[common][parse]") {
    std::string tail;
    int x = 0;
    Words words;
    auto const read = [&](Words const& command) {
        Parser parser{"prog", "Does something."};
        parser.option("-z,--tail", "[LIST]", "percentiles", tail, as::Text{});
        parser.option("-x", "N", "a number", x, as::Int{});
        parser.arguments("WORD", "words", words);
        parser.implied("-z", "50,90");
        tail.clear();
        words.clear();
        parser.parse(command);
    };
    read({"-z", "-x", "4"});
    CHECK(tail == "50,90");
    CHECK(x == 4);
    read({"-z25", "D"});
    CHECK(tail == "25");
    CHECK(words == Words{"D"});
    read({"--tail"});
    CHECK(tail == "50,90");
    read({"--tail=5"});
    CHECK(tail == "5");
    read({"-z", "7"});
    CHECK(tail == "50,90");
    CHECK(words == Words{"7"});
    read({});
    CHECK(tail.empty());
}

TEST_CASE("each command line fault has one clear line", "[common][parse]") {
    CHECK(refusal({"-Q"}) == "unknown option '-Q' (see prog --help)");
    CHECK(refusal({"--nosuch", "3"}) == "unknown option '--nosuch' (see prog --help)");
    CHECK(refusal({"--nosuch=3", "-x", "abc"}) == "unknown option '--nosuch=3' (see prog --help)");
    CHECK(refusal({"-x"}) == "-x: needs a value");
    CHECK(refusal({"-rx"}) == "-x: needs a value");
    CHECK(refusal({"--smallest"}) == "--smallest: needs a value");
    CHECK(refusal({"-r", "-npmin"}) == "-npmin: needs a value");
    CHECK(refusal({"--rotate=yes"}) == "--rotate: takes no value");
    CHECK(refusal({"--smallest", "abc"}).find("--smallest: 'abc' is not a size") == 0);
}

TEST_CASE("the first fault on the command line is reported", "[common][parse]") {
    CHECK(refusal({"-npmin", "a", "-x", "b"}).find("-npmin:") == 0);
    CHECK(refusal({"-x", "b", "-npmin", "a"}).find("-x:") == 0);
}

TEST_CASE("an argument is refused if none is declared", "[common][parse]") {
    CHECK(common_fault({"Bcast"}) == "unexpected argument 'Bcast' (see prog --help)");
}

TEST_CASE("--help is answered even if other options are wrong", "[common][parse]") {
    Options o;
    bool help = false;
    Parser parser = make_parser(o);
    parser.flag("-h,--help", "help", help);
    CHECK(parser.parse({"-x", "abc", "--nosuch", "--help"}, {"--help"}) == "--help");
    CHECK(parser.parse({"-h"}, {"--help"}) == "--help");
    CHECK(parser.parse({"-r"}, {"--help"}).empty());
    CHECK(parser.given("--rotate"));
    CHECK_FALSE(parser.given("-x"));
}

TEST_CASE("the help shows groups in declaration order and at most 80 columns", "[common][parse]") {
    Options o;
    CommonOptions options;
    Parser parser = make_parser(o);
    declare(parser, {.sync_alg = true, .start = true, .seed = true, .epochs = true, .list = true}, options);
    parser.closing("Read more elsewhere.");
    std::string const help = parser.help();
    CHECK(help.find("Usage: prog [options] TEST...\n\nDoes something.\n") == 0);
    CHECK(help.find("  -npmin N  ") != std::string::npos);
    CHECK(help.find("smallest size (default 1)\n") != std::string::npos);
    CHECK(help.find("sizes (default 7)\n") != std::string::npos);
    CHECK(help.find("a file\n") != std::string::npos);
    CHECK(help.find("\nOptions:\n") < help.find("\nCommon options:\n"));
    CHECK(help.find("  -h, --help  ") != std::string::npos);
    CHECK(help.substr(help.size() - 22) == "\nRead more elsewhere.\n");
    for (std::size_t begin = 0; begin < help.size();) {
        std::size_t const end = help.find('\n', begin);
        CHECK(end - begin <= 80);
        begin = end + 1;
    }
}

TEST_CASE("common options are read everywhere, optional ones only in suites that use them", "[common][parse]") {
    CommonOptions const o = common({"--json", "-", "--raw", "--quiet", "--progress", "NEVER", "--timer", "MPI_Wtime",
                                    "--time-budget", "90s", "--watchdog=0"});
    CHECK(o.json == "-");
    CHECK(o.raw);
    CHECK(o.quiet);
    CHECK(o.progress == program::ProgressMode::never);
    CHECK(o.timer == "mpi_wtime");
    CHECK(o.time_budget == measure::seconds{90});
    CHECK(o.watchdog == measure::seconds{0});
    CHECK(o.seed == 1);

    for (std::string const option :
         {"--sync-alg", "--start", "--seed", "--strict", "--epochs", "--shuffle", "--list"}) {
        INFO(option);
        CHECK(common_fault({option}) == "unknown option '" + option + "' (see prog --help)");
    }
    CommonUse const all{
        .sync_alg = true, .start = true, .seed = true, .strict = true, .epochs = true, .shuffle = true, .list = true};
    CommonOptions const p = common({"--sync-alg", "RING", "--start", "Free", "--seed", "7", "--strict", "--epochs", "3",
                                    "--shuffle", "--list", "--ranks", "16"},
                                   all);
    CHECK(p.sync_alg == "ring");
    CHECK(p.start == "free");
    CHECK(p.seed == 7);
    CHECK(p.strict);
    CHECK(p.epochs == 3);
    CHECK(p.shuffle);
    CHECK(p.list);
    CHECK(p.ranks == std::optional{16});
}

TEST_CASE("a suite can have its own timers, the start auto and its own option --ranks", "[common][parse]") {
    CommonUse use{.start = true, .list = true, .timers = {"Process"}};
    CHECK(common({"--timer", "process"}, use).timer == "Process");
    CHECK(common({"--timer", "TSC"}, use).timer == "tsc");
    CHECK(common_fault({"--timer", "process"}) ==
          "--timer: 'process' is unknown (mpi_wtime, gettimeofday, tsc, monotonic, monotonic_raw or synthetic:...)");
    use.defaults.start = "auto";
    Parser parser{"prog", "Does something."};
    CommonOptions options = use.defaults;
    std::string ranks;
    parser.option("--ranks", "LIST", "its own", ranks, program::as::Text{});
    declare(parser, use, options);
    parser.parse({"--start", "AUTO", "--ranks", "1..4"});
    CHECK(options.start == "auto");
    CHECK(ranks == "1..4");
    CHECK_FALSE(options.ranks);
}

TEST_CASE("no two options have the same name", "[common][parse]") {
    Parser parser{"prog", "Does something."};
    bool target = false;
    parser.flag("-j,--json", "its own", target);
    CommonOptions options;
    CHECK_THROWS_WITH(declare(parser, {}, options), "--json: an option with this name already exists");
}

TEST_CASE("wrong values of common options list the allowed values", "[common][parse]") {
    CHECK(common_fault({"--progress", "maybe"}) == "--progress: 'maybe' is unknown (auto, always or never)");
    CHECK(common_fault({"--timer", "nosuch"}).find("--timer: 'nosuch' is unknown (mpi_wtime, gettimeofday, tsc") == 0);
    CHECK(common({"--timer", "synthetic:tsc,skew=1s"}).timer == "synthetic:tsc,skew=1s");
    CHECK(common_fault({"--time-budget", "0"}) == "--time-budget: '0' is not greater than 0");
    CHECK(common_fault({"--raw=1"}) == "--raw: takes no value");
    CommonUse const use{.sync_alg = true, .seed = true};
    CHECK(common_fault({"--sync-alg", "nosuch"}, use).find("--sync-alg: ") == 0);
    CHECK(common_fault({"--seed", "-1"}, use).find("--seed: '-1' is out of range") == 0);
}

TEST_CASE("a suite can give common options its own short names", "[common][parse]") {
    CommonUse const use{.aliases = {{"--timer", "-t"}, {"--version", "-v"}}};
    CHECK(common({"-t", "tsc"}, use).timer == "tsc");
    CHECK(common_fault({"-t", "nosuch"}, use).find("-t: 'nosuch' is unknown") == 0);
    CHECK(common_fault({"-t", "tsc", "--timer", "tsc"}, use) == "-t: given more than once");
}

TEST_CASE("a run record shows the common options in use and keeps entries of the suite", "[common][parse]") {
    CommonOptions options;
    options.seed = 9;
    measure::Value record = measure::Value::Object{{"start", "free"}};
    describe(options, {.start = true, .seed = true}, record);
    CHECK(std::get<std::string>(record.find("start")->data()) == "free");
    CHECK(std::get<std::int64_t>(record.find("seed")->data()) == 9);
    CHECK(record.find("epochs") == nullptr);
    CHECK(record.find("time_budget")->is_null());
}

TEST_CASE("progress is silent for 5 s and then reports at most every 2 s", "[common][progress]") {
    using measure::seconds;
    program::Progress progress{program::ProgressMode::automatic};
    progress.plan(48);
    CHECK_FALSE(progress.line(seconds{6}));
    progress.next("Bcast bytes=8");
    CHECK_FALSE(progress.line(seconds{4.9}));
    CHECK(progress.line(seconds{5}) == std::optional<std::string>{"Bcast bytes=8: 0 of 48 points done, 5 s"});
    CHECK_FALSE(progress.line(seconds{6.9}));
    for (int i = 0; i < 12; ++i)
        progress.done();
    // 12 of 48 points took 100 s, so the other 36 take 300 s.
    CHECK(progress.line(seconds{100}) ==
          std::optional<std::string>{"Bcast bytes=8: 12 of 48 points done, 100 s, about 5 min left"});
    progress.plan(16, "launches");
    CHECK(progress.line(seconds{120}) ==
          std::optional<std::string>{"Bcast bytes=8: 12 of 16 launches done, 2 min, about 40 s left"});
}

TEST_CASE("on a terminal progress shows a bar and the latest result", "[common][progress]") {
    program::Progress progress{program::ProgressMode::always};
    progress.next("start 5 of 8");
    progress.found("Bcast 1 us");
    CHECK(progress.line(measure::seconds{1}, true) == std::optional<std::string>{"start 5 of 8: 0 points done, 1 s"});
    progress.plan(8, "starts");
    for (int i = 0; i < 4; ++i)
        progress.done();
    // Half of the work is done after 10 s.
    CHECK(progress.line(measure::seconds{10}, true) ==
          std::optional<std::string>{"start 5 of 8 [###---] 10 s, 10 s left; Bcast 1 us"});
    CHECK(progress.line(measure::seconds{20}) ==
          std::optional<std::string>{"start 5 of 8: 4 of 8 starts done, 20 s, about 20 s left"});
}

TEST_CASE("progress reports immediately in mode always and not at all in mode never", "[common][progress]") {
    program::Progress always{program::ProgressMode::always};
    always.next("Barrier");
    CHECK(always.line(measure::seconds{0.1}) == std::optional<std::string>{"Barrier: 0 points done, 0 s"});
    program::Progress never{program::ProgressMode::never};
    never.next("Barrier");
    CHECK_FALSE(never.line(measure::seconds{100}));
}

TEST_CASE("progress is never written to a file or between rows", "[common][progress]") {
    using program::ProgressMode;
    using program::ProgressPlace;
    auto const place = [](ProgressMode mode, program::Streams const& streams) {
        return program::progress_place(mode, streams);
    };
    program::Streams const pipes{};
    program::Streams const one_pipe{.are_one = true};
    program::Streams const file{.stderr_is_file = true};
    program::Streams const terminal{.stderr_is_terminal = true, .are_one = true};
    CHECK(place(ProgressMode::automatic, pipes) == ProgressPlace::lines);
    CHECK(place(ProgressMode::automatic, one_pipe) == ProgressPlace::nowhere);
    CHECK(place(ProgressMode::automatic, file) == ProgressPlace::nowhere);
    CHECK(place(ProgressMode::automatic, terminal) == ProgressPlace::erasable);
    CHECK(place(ProgressMode::always, one_pipe) == ProgressPlace::lines);
    CHECK(place(ProgressMode::always, file) == ProgressPlace::lines);
    CHECK(place(ProgressMode::always, terminal) == ProgressPlace::erasable);
    for (auto const& streams : {pipes, file, terminal})
        CHECK(place(ProgressMode::never, streams) == ProgressPlace::nowhere);
}

TEST_CASE("a delay hook has the form RANK:RUN:DURATION", "[common][hooks]") {
    program::Delay const delay = program::delay_from("1:30:2ms");
    CHECK(delay.rank == 1);
    CHECK(delay.run == 30);
    CHECK(delay.duration.count() == 0.002);
    for (std::string const text : {"", "1", "1:2", "a:2:1s", "1:-2:1s", "1:2:x"}) {
        INFO(text);
        CHECK_THROWS_AS(program::delay_from(text), UsageError);
    }
}

TEST_CASE("options after a command belong to the command", "[common][parse]") {
    auto const read = [](Words const& arguments) {
        int n = 1;
        Words command;
        Parser parser{"prog", "Starts something."};
        parser.option("-n,--starts", "N", "starts", n, as::Int{.low = 1});
        parser.command("COMMAND...", "what is started", command);
        static_cast<void>(parser.parse(arguments));
        return std::pair{n, command};
    };
    std::pair const expected{3, Words{"mpiexec", "-n", "2", "bench", "--", "-x", "--help"}};
    CHECK(read({"-n", "3", "mpiexec", "-n", "2", "bench", "--", "-x", "--help"}) == expected);
    CHECK(read({"-n", "3", "--", "mpiexec", "-n", "2", "bench", "--", "-x", "--help"}) == expected);
    CHECK(read({"--", "-n", "3"}) == std::pair{1, Words{"-n", "3"}});
    CHECK(read({"-n", "3"}) == std::pair{3, Words{}});
    CHECK(read({"mpiexec", "--starts=", "-n"}) == std::pair{1, Words{"mpiexec", "--starts=", "-n"}});
    CHECK_THROWS_WITH(read({"--foo", "mpiexec"}), "unknown option '--foo' (see prog --help)");
}

TEST_CASE("a hook is empty if its variable is not set", "[common][hooks]") {
    CHECK_FALSE(program::read_hook(measure::Comm::solo(), "MEASURE_TEST_IS_NOT_SET"));
}

TEST_CASE("a build without tests warns that it ignores a hook", "[common][hooks]") {
    CHECK(program::hook_warning("SKAMPI_TEST_HANG", "x", true) == "the test hook SKAMPI_TEST_HANG=x is active");
    CHECK(program::hook_warning("SKAMPI_TEST_HANG", "x", false) ==
          "the test hook SKAMPI_TEST_HANG=x is ignored: this program was built without tests");
    CHECK(program::obeys_hooks());
}

TEST_CASE("the agreement of a single rank is its own decision", "[common][agreement]") {
    program::Agreement agreement{measure::Comm::solo()};
    auto const point = agreement.meet({.stop = 15, .budget_spent = true});
    CHECK(point.stop == 15);
    CHECK(point.budget_spent);
    for (int const code : {0, 1, 2, 3, 4, 130, 143}) {
        auto const ending = agreement.leave(code, false, {});
        REQUIRE(ending);
        CHECK(ending->code == code);
        CHECK(ending->speaker == 0);
    }
}
