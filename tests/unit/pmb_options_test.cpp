// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/method.hpp"
#include "pmb/setup.hpp"
#include "program/runtime/files.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <map>
#include <string>
#include <vector>

namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using pmb::Part;
using pmb::Setup;

using Words = std::vector<std::string>;

std::map<std::string, std::string> const files{
    {"names", "# chosen\n\n  reduce the first\nBcast x y\r\nBARRIER\r\n   \n"},
    {"wrong", "Bcast\n  PingPnog x\nReduce,xyzzy\n"},
    {"empty", "# nothing\n\n"},
    {"lengths", "1k\n3 # three\n# more\n2m\n"},
    {"two lengths", "1k\n8 9\n"},
};

Setup read(Part part, Words const& words, program::CommonOptions const& common = {}) {
    pmb::Options options;
    options.part = part;
    program::Parser parser{"PMB", "test"};
    pmb::declare(parser, options);
    static_cast<void>(parser.parse(words));
    return pmb::resolve(options, common, [](std::string const& path) {
        auto const found = files.find(path);
        if (found == files.end())
            throw measure::UsageError("cannot read '" + path + "'");
        return found->second;
    });
}

Setup read(Words const& words) { return read(Part::mpi1, words); }

Words names(Setup const& s) {
    Words result;
    for (auto const* const b : s.benchmarks)
        result.emplace_back(b->name);
    return result;
}

std::string fault(Words const& words, Part part = Part::mpi1) {
    try {
        static_cast<void>(read(part, words));
    } catch (measure::UsageError const& error) {
        return error.what();
    }
    return "accepted";
}

Words const everything{"PingPong",       "PingPing",  "Sendrecv",   "Exchange", "Allreduce", "Reduce",
                       "Reduce_scatter", "Allgather", "Allgatherv", "Alltoall", "Bcast",     "Barrier"};

}  // namespace

TEST_CASE("without names all standard benchmarks run in the order of PMB", "[pmb]") {
    CHECK(names(read({})) == everything);
    CHECK(names(read({"all"})) == everything);
    CHECK(names(read(Part::ext, {})) ==
          Words{"Window", "Unidir_Get", "Unidir_Put", "Bidir_Get", "Bidir_Put", "Accumulate"});
    CHECK(read(Part::io, {}).benchmarks.size() == 37);
    CHECK_FALSE(read({}).optional_mode());
}

TEST_CASE("names are case-insensitive, keep their order and may be repeated", "[pmb]") {
    CHECK(names(read({"barrier", "PINGPONG", "Barrier"})) == Words{"Barrier", "PingPong", "Barrier"});
    CHECK(names(read({"PingPing,reduce", "Bcast"})) == Words{"PingPing", "Reduce", "Bcast"});
}

TEST_CASE("names from a file are inserted at the position of its option", "[pmb]") {
    CHECK(names(read({"-input", "names", "PingPong"})) == Words{"Reduce", "Bcast", "Barrier", "PingPong"});
    CHECK(names(read({"PingPong", "-input", "names"})) == Words{"PingPong", "Reduce", "Bcast", "Barrier"});
    CHECK(names(read({"PingPong", "-input=names", "-npmin", "4", "Alltoall", "--input", "names"})) ==
          Words{"PingPong", "Reduce", "Bcast", "Barrier", "Alltoall", "Reduce", "Bcast", "Barrier"});
}

TEST_CASE("benchmarks can be added and excluded", "[pmb]") {
    CHECK(names(read({"PingPong", "-include", "Bcast,Barrier"})) == Words{"PingPong", "Bcast", "Barrier"});
    CHECK(names(read({"-exclude", "pingpong"})).front() == "PingPing");
    CHECK(fault({"Bcast", "-exclude", "Bcast"}) == "-exclude: no benchmark is left");
}

TEST_CASE("the five command lines of the manual are read", "[pmb]") {
    CHECK(names(read({"PingPing", "Reduce"})) == Words{"PingPing", "Reduce"});
    CHECK(read({"-npmin", "5"}).at_least == 5);
    CHECK(read({"-npmin", "4", "-input", "names"}).at_least == 4);
    auto const s = read({"-multi", "0", "PingPong", "Barrier", "-npmin", "7"});
    CHECK(names(s) == Words{"PingPong", "Barrier"});
    CHECK(s.multi == 0);
    CHECK(s.at_least == 7);
    CHECK_FALSE(s.optional_mode());
}

TEST_CASE("the smallest number of processes is 2, but 1 for files", "[pmb]") {
    CHECK(read({}).at_least == 2);
    CHECK(read(Part::io, {}).at_least == 1);
}

TEST_CASE("every option that affects the method selects optional mode, even with its standard value", "[pmb]") {
    auto const [words, flag, value, usual] = GENERATE(table<Words, std::string, std::string, std::string>({
        {{"-iter", "10,1"}, "-iter", "10,1,100", "1000,40,100"},
        {{"-msglog", "3:5"}, "-msglog", "3:5", "0:22"},
        {{"-msgsize", "1k,3"}, "-msgsize", "1024,3", "0,1,2,4,.."},
        {{"-time", "0.2"}, "-time", "0.2", "off"},
        {{"-iter_policy", "off"}, "-iter_policy", "off", "off"},
        {{"--iter-policy=dynamic"}, "-iter_policy", "dynamic", "off"},
        {{"-refine", "0.1"}, "-refine", "0.1", "off"},
        {{"-start", "slot"}, "-start", "slot", "loop"},
        {{"-n_warmup", "2"}, "-n_warmup", "2", "2"},
        {{"--n-barr", "0"}, "-n_barr", "0", "2"},
        {{"-warm_up", "off"}, "-warm_up", "off", "on"},
        {{"-root_shift", "off"}, "-root_shift", "off", "on"},
        {{"-zero_size", "off"}, "-zero_size", "off", "on"},
        {{"-check", "on"}, "-check", "on", "off"},
        {{"PingPongSpecificSource"}, "benchmark", "PingPongSpecificSource", "not included"},
    }));
    auto const s = read(words);
    REQUIRE(s.changes.size() == 1);
    CHECK(s.changes[0].flag == flag);
    CHECK(s.changes[0].value == value);
    CHECK(s.changes[0].standard == usual);
}

TEST_CASE("options for memory, places and output keep standard mode", "[pmb]") {
    CHECK_FALSE(read({"-mem", "0.5", "-format", "csv", "-mbyte", "1000000"}).optional_mode());
    CHECK_FALSE(read(Part::io, {"-file", "/scratch/run1", "-keep"}).optional_mode());
    CHECK(read({"-mem", "0.5"}).memory == 536870912);
}

TEST_CASE("another clock selects optional mode", "[pmb]") {
    program::CommonOptions common;
    common.timer = "tsc";
    auto const s = read(Part::mpi1, {}, common);
    REQUIRE(s.changes.size() == 1);
    CHECK(s.changes[0].flag == "-timer");
}

TEST_CASE("single calls use the requested stopping rule", "[pmb]") {
    program::CommonOptions common;
    common.stop = "count:12";
    common.trim = 0.1;
    CHECK_THROWS_WITH(read(Part::mpi1, {}, common), ContainsSubstring("only work with -start"));
    CHECK_THROWS_WITH(read(Part::imb_mpi1, {}, common), ContainsSubstring("-method sync"));
    CHECK_THROWS_WITH(read(Part::mpi1, {"-start", "slot", "-stderr", "0.1"}, common),
                      ContainsSubstring("-stop: cannot be combined with -stderr"));
    for (auto const& s :
         {read(Part::mpi1, {"-start", "slot"}, common), read(Part::imb_mpi1, {"-method", "sync"}, common)}) {
        auto const plan = pmb::plan(s, 100, measure::MonotonicTimer{}, false, {});
        CHECK(plan.estimate.trim == 0.1);
        std::vector<double> const samples(12, 1e-6);
        CHECK(plan.stop({.samples = std::span{samples}.first(11), .attempts = 11}) == measure::StopVerdict::more);
        CHECK(plan.stop({.samples = samples, .attempts = 12}) == measure::StopVerdict::converged);
    }
}

TEST_CASE("parameters are taken from the options", "[pmb]") {
    auto const s = read({"-iter", "10,0.5,7", "-msglog", "4", "-warm_up", "off", "-zero_size", "off"});
    CHECK(s.parameters.repetitions == 10);
    CHECK(s.parameters.volume == 524288);
    CHECK(s.parameters.non_aggregate == 7);
    CHECK(s.parameters.min_log == 0);
    CHECK(s.parameters.max_log == 4);
    CHECK(s.parameters.warm_up == 0);
    CHECK_FALSE(s.parameters.zero);
    CHECK(read({"-msglen", "lengths"}).lengths == std::vector<measure::Bytes>{1024, 3, 2097152});
    CHECK(read(Part::io, {"-cpu_secs", "10ms"}).parameters.cpu.count() == Approx(0.01));
    CHECK(read(Part::io, {}).parameters.write_sync == pmb::WriteSync::single);
    auto const triple = read(Part::io, {"-sync_writes", "Triple"});
    CHECK(triple.parameters.write_sync == pmb::WriteSync::triple);
    REQUIRE(triple.changes.size() == 1);
    CHECK(triple.changes[0].flag == "-sync_writes");
    CHECK(triple.changes[0].standard == "single");
    CHECK(read({"-window_size", "8"}).parameters.window == 8);
    CHECK(read({"-stderr", "0.02"}).policy == pmb::Policy::standard_error);
    CHECK(read({"-stderr", "0.02"}).standard_error == 0.02);
}

TEST_CASE("wrong input is reported in one message that names it", "[pmb]") {
    auto const [words, text] = GENERATE(table<Words, std::string>({
        {{"PingPnog"}, "there is no benchmark 'PingPnog'; did you mean 'PingPong'?"},
        {{"xyzzy"}, "there is no benchmark 'xyzzy' (-list shows all)"},
        {{"-npmin", "0"}, "-npmin: '0'"},
        {{"-npmin", "-1"}, "-npmin: '-1'"},
        {{"-npmin", "2x"}, "-npmin: '2x'"},
        {{"-npmin"}, "-npmin: needs a value"},
        {{"-multi", "2"}, "-multi: '2'"},
        {{"-multi", "x"}, "-multi: 'x'"},
        {{"-input", "missing"}, "cannot read 'missing'"},
        {{"-input", "empty"}, "-input: there is no name in 'empty'"},
        {{"-msglog", "9:3"}, "-msglog: '9:3'"},
        {{"-msglog", "3:31"}, "-msglog: '31'"},
        {{"-msglen", "two lengths"}, "two lengths:2:1: -msglen: unexpected text after '8'; write one length per line"},
        {{"-msglen", "empty"}, "-msglen: there is no length in 'empty'"},
        {{"-iter", "0"}, "-iter: '0'"},
        {{"-iter", "1,2,3,4"}, "-iter: '1,2,3,4'"},
        {{"-stderr", "0"}, "-stderr: '0'"},
        {{"-sync_alg", "ring"}, "-sync_alg: only works with -start slot"},
        {{"-stderr", "0.1", "-iter_policy", "off"}, "-stderr: only works with"},
        {{"-check", "on", "-start", "slot"}, "-check: checks the repetitions of one loop"},
        {{"-check", "maybe"}, "-check: 'maybe'"},
        {{"-nonsense"}, "unknown option '-nonsense'"},
    }));
    CHECK_THAT(fault(words), ContainsSubstring(text));
}

TEST_CASE("options without an effect are refused", "[pmb]") {
    for (auto const part : {Part::ext, Part::io}) {
        CHECK_THAT(fault({"-start", "slot"}, part), ContainsSubstring("unknown option '-start'"));
        CHECK_THAT(fault({"-root_shift", "off"}, part), ContainsSubstring("unknown option '-root_shift'"));
        CHECK_THAT(fault({"-window_size", "8"}, part), ContainsSubstring("unknown option '-window_size'"));
    }
    CHECK_THAT(fault({"-sync_writes", "single"}), ContainsSubstring("unknown option '-sync_writes'"));
    CHECK_THAT(fault({"-tests_per_compute", "4"}), ContainsSubstring("unknown option '-tests_per_compute'"));
    CHECK_THAT(fault({"-n_barr", "3", "-start", "slot"}), ContainsSubstring("-n_barr"));
    CHECK_THAT(fault({"-zero_size", "off", "-msgsize", "8"}), ContainsSubstring("-zero_size"));
}

TEST_CASE("all errors in a file of names are reported with their positions", "[pmb]") {
    try {
        static_cast<void>(read({"-input", "wrong"}));
        FAIL("the file must be refused");
    } catch (program::ParseErrors const& error) {
        auto const& faults = error.faults();
        REQUIRE(faults.size() == 2);
        CHECK(faults[0].file == "wrong");
        CHECK(faults[0].line == 2);
        CHECK(faults[0].column == 3);
        CHECK(faults[0].text == "there is no benchmark 'PingPnog'; did you mean 'PingPong'?");
        CHECK(faults[1].line == 3);
        CHECK(faults[1].text == "there is no benchmark 'xyzzy' (-list shows all)");
    }
}

TEST_CASE("tables and the record cannot go to the same file", "[pmb]") {
    program::CommonOptions common;
    common.json = "x";
    CHECK_THROWS_AS(read(Part::mpi1, {"-o", "x"}, common), measure::UsageError);
}

TEST_CASE("output cannot go to the configuration file", "[pmb]") {
    program::CommonOptions common;
    common.config = "x";
    for (char const* const option : {"-o", "-dumpfile"})
        CHECK_THROWS_AS(read(Part::imb_mpi1, {option, "x"}, common), measure::UsageError);
    CHECK_NOTHROW(read(Part::imb_mpi1, {"-o", "y"}, common));
}

TEST_CASE("the warm-up is off for files and can be switched on", "[pmb]") {
    CHECK(read(Part::io, {}).parameters.warm_up == 0);
    auto const s = read(Part::io, {"-warm_up", "on"});
    CHECK(s.parameters.warm_up == 2);
    CHECK(s.changes[0].standard == "off");
}

TEST_CASE("a plan measures single calls or loops of n calls", "[pmb]") {
    measure::AnyTimer const timer{measure::MonotonicTimer{}};
    auto const calls = pmb::plan(read({"-start", "slot"}), 40, timer, false, {});
    CHECK(std::holds_alternative<measure::SlotStart>(calls.start));
    CHECK(measure::first_iterations(calls.batch) == 1);
    std::vector<double> const samples(40, 1e-6);
    CHECK(calls.stop({.samples = samples, .attempts = 44}) == measure::StopVerdict::converged);
    CHECK(calls.stop({.samples = std::span{samples}.first(39), .attempts = 44}) == measure::StopVerdict::more);

    auto const loops = pmb::plan(read({"-stderr", "0.05"}), 40, timer, false, {});
    CHECK(measure::first_iterations(loops.batch) == 40);
    CHECK(loops.warm_up == 0);
}

TEST_CASE("measurement stops when the printed error is small enough", "[pmb]") {
    auto const plan = pmb::plan(read({"-start", "slot", "-stderr", "0.1"}), 100, measure::MonotonicTimer{}, false, {});
    std::vector<double> const still(9, 1.0);
    CHECK(plan.stop({.samples = still, .attempts = 9}) == measure::StopVerdict::more);
    std::vector<double> const enough(10, 1.0);
    CHECK(plan.stop({.samples = enough, .attempts = 10}) == measure::StopVerdict::converged);
    std::vector<double> const wild{1, 9, 1, 9, 1, 9, 1, 9, 1, 9};
    CHECK(plan.stop({.samples = wild, .attempts = 99}) == measure::StopVerdict::more);
    CHECK(plan.stop({.samples = wild, .attempts = 100}) == measure::StopVerdict::exhausted);
    CHECK(plan.stop({.samples = {}, .attempts = 100}) == measure::StopVerdict::no_valid_samples);
}
