// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/arrays.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/machine.hpp"
#include "llcbench/output.hpp"
#include "llcbench/points.hpp"
#include "llcbench/sizes.hpp"
#include "llcbench/statistic.hpp"
#include "llcbench/table.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/kiwi.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using llcbench::Fields;
using llcbench::Format;
using llcbench::Machine;
using llcbench::Table;
using measure::Bytes;
using measure::mebi;
using test::Folder;
using test::kiwi;
using Sizes = std::vector<Bytes>;

llcbench::Block block(std::string const& test) {
    return {.program = "cachebench",
            .title = {{"test", test}, {"w", "8"}},
            .head = {{{"host", "kiwi"}, {"os", "Linux"}}},
            .columns = {"bytes", "MB/s", "ns"},
            .label = {"test", test}};
}

/// A table with two blocks; a number is missing in the second one.
std::string written(Format format) {
    std::ostringstream out;
    Table table{out, format};
    table.begin(block("read"));
    table.row({"256", "100.5", "0.25"});
    table.begin(block("write"));
    table.row({"256", "-", "-"}, "256: too short for the timer");
    return out.str();
}

measure::Environment run_line() {
    auto e = test::environment();
    e.command = {"cachebench", "-r"};
    return e;
}

void touch(std::string const& path) { std::ofstream{path} << "x"; }

}  // namespace

TEST_CASE("sizes between powers of two are equally spaced and rounded down", "[llcbench]") {
    CHECK(llcbench::sizes({.smallest = 256, .last_log = 11, .between = 2, .multiple = 8}) ==
          Sizes{256, 336, 424, 512, 680, 848, 1024, 1360, 1704, 2048});
    CHECK(llcbench::sizes({.smallest = 256, .last_log = 10, .between = 1, .multiple = 8}) ==
          Sizes{256, 384, 512, 768, 1024});
    CHECK(llcbench::sizes({.smallest = 256, .last_log = 12, .between = 2}) ==
          Sizes{256, 341, 426, 512, 682, 852, 1024, 1365, 1706, 2048, 2730, 3412, 4096});
    CHECK(llcbench::sizes({.smallest = 4, .last_log = 24}).size() == 23);
}

TEST_CASE("sizes that become equal by rounding occur once", "[llcbench]") {
    CHECK(llcbench::sizes({.smallest = 4, .last_log = 6, .between = 2, .multiple = 4}) ==
          Sizes{4, 8, 12, 16, 20, 24, 32, 40, 52, 64});
}

TEST_CASE("a first size that is not a power of two is followed by the usual sizes", "[llcbench]") {
    CHECK(llcbench::sizes({.smallest = 300, .last_log = 10, .between = 1}) == Sizes{300, 384, 512, 768, 1024});
    CHECK(llcbench::sizes({.smallest = 1000, .last_log = 9}) == Sizes{512});
}

TEST_CASE("a list of sizes keeps its order and accepts binary units", "[llcbench]") {
    auto const size_list = program::as::list_of(program::as::Size{.low = 1});
    CHECK(size_list({"-M", "64K,4,1k,65536,1m"}) == Sizes{65536, 4, 1024, 1048576});
    CHECK_THROWS_WITH(size_list({"-M", "4,0"}),
                      Catch::Matchers::ContainsSubstring("-M") && Catch::Matchers::ContainsSubstring("'0'"));
    CHECK_THROWS_AS(size_list({"-M", "4,,8"}), measure::UsageError);
    CHECK_THROWS_AS(size_list({"-M", "4k:8k"}), measure::UsageError);
}

TEST_CASE("a range ends with the last size it reaches", "[llcbench]") {
    CHECK(llcbench::SizeRange{}({"--range", "4:1k:500"}) == Sizes{4, 504, 1004});
    CHECK(llcbench::SizeRange{}({"--range", "8:8:1"}) == Sizes{8});
    for (auto const* const wrong : {"8:4:1", "4:8", "4:8:0", "1:1g:1", "a:b:c"})
        CHECK_THROWS_AS(llcbench::SizeRange{}({"--range", wrong}), measure::UsageError);
}

TEST_CASE("the flush buffer is twice the last-level cache within bounds", "[llcbench]") {
    CHECK(llcbench::flush_size(1 * mebi) == 16 * mebi);
    CHECK(llcbench::flush_size(32 * mebi) == 64 * mebi);
    CHECK(llcbench::flush_size(480 * mebi) == 512 * mebi);
    llcbench::Flush flush{4096};
    flush();
    CHECK(flush.size() == 4096);
}

TEST_CASE("dat has comments and two blank lines between blocks", "[llcbench]") {
    CHECK(written(Format::dat) == "# cachebench test=read w=8\n"
                                  "# host=kiwi os=Linux\n"
                                  "# columns: bytes MB/s ns\n"
                                  "256 100.5 0.25\n"
                                  "\n\n"
                                  "# cachebench test=write w=8\n"
                                  "# host=kiwi os=Linux\n"
                                  "# columns: bytes MB/s ns\n"
                                  "# note: 256: too short for the timer\n"
                                  "256 - -\n");
}

TEST_CASE("csv has one header line and a column for the test", "[llcbench]") {
    CHECK(written(Format::csv) == "test,bytes,MB/s,ns\nread,256,100.5,0.25\nwrite,256,,\n");
}

TEST_CASE("csv has one header line for blocks with different columns, and empty cells for missing columns",
          "[llcbench]") {
    std::ostringstream out;
    Table table{out, Format::csv};
    table.declare({{"tasks", {}}, {"value", {}}});
    auto const begin = [&](std::string const& test, std::vector<std::string> columns) {
        auto next = block(test);
        next.columns = std::move(columns);
        table.begin(next);
    };
    begin("bandwidth", {"bytes", "value"});
    table.row({"4", "1.5"});
    begin("barrier", {"tasks", "value"});
    table.row({"2", "7"});
    begin("latency", {"value", "bytes"});
    table.row({"3", "8"});
    CHECK(out.str() == "test,tasks,value,bytes\nbandwidth,,1.5,4\nbarrier,2,7,\nlatency,,3,8\n");
    CHECK_THROWS_AS(begin("isend", {"call_us"}), std::logic_error);
}

TEST_CASE("csv quotes cells with a comma, and no cell is a formula", "[llcbench]") {
    std::ostringstream out;
    Table table{out, Format::csv};
    auto compared = block("gemm");
    compared.columns = {"size", "a,b"};
    table.begin(compared);
    table.row({"-1.5", "=x.so"});
    table.row({"-", "x,y"});
    CHECK(out.str() == "test,size,\"a,b\"\ngemm,-1.5,'=x.so\ngemm,,\"x,y\"\n");
}

TEST_CASE("plain has two columns and no comments", "[llcbench]") {
    CHECK(written(Format::plain) == "256 100.5\n\n\n256 -\n");
}

TEST_CASE("a list of names keeps its order and drops duplicates", "[llcbench]") {
    using Names = std::vector<std::string>;
    llcbench::NameList const list{{"read", "write", "copy"}};
    CHECK(list({"--test", "write,READ"}) == Names{"write", "read"});
    CHECK(list({"--test", "write,all,write"}) == Names{"write", "read", "copy"});
    CHECK_THROWS_WITH(list({"--test", "red"}), "--test: 'red' is unknown (read, write, copy or all)");
    CHECK_THROWS_AS(list({"--test", ""}), measure::UsageError);
}

TEST_CASE("infinite numbers are never written", "[llcbench]") {
    CHECK(llcbench::fixed(12172.4779981) == "12172.477998");
    CHECK(llcbench::fixed(1.005e3, 2) == "1005.00");
    CHECK(llcbench::fixed({}) == "-");
    CHECK(llcbench::fixed(std::numeric_limits<double>::infinity()) == "-");
    CHECK(llcbench::fixed(std::numeric_limits<double>::quiet_NaN()) == "-");
    CHECK(llcbench::significant(0.0234567) == "0.02346");
    CHECK(llcbench::significant(9.99996) == "10.00");
    CHECK(llcbench::significant(148.94) == "148.9");
    CHECK(llcbench::significant(123456.0) == "123456");
    CHECK(llcbench::significant(0.0) == "0.000");
    CHECK(llcbench::significant(-std::numeric_limits<double>::infinity()) == "-");
}

TEST_CASE("a header names machine, compiler, timer and date", "[llcbench]") {
    auto const lines = llcbench::head(kiwi(), run_line());
    REQUIRE(lines.size() == 4);
    CHECK(llcbench::text(lines[0]) == "host=kiwi os=Linux arch=x86_64 cpu=Fast CPU");
    CHECK(llcbench::text(lines[1]) == "caches=L1:49152:64,L2:2097152:64 memory=8 GiB kernel=6.1");
    CHECK(llcbench::text(lines[2]) == "compiler=gcc 12.2.0");
    CHECK(llcbench::text(lines[3]) == "timer=tsc resolution=2 ns overhead=20 ns date=2026-01-31T12:00:00Z");
    auto with_mpi = run_line();
    with_mpi.mpi_library = "MPICH 4.0.2";
    CHECK(llcbench::text(llcbench::head(kiwi(), with_mpi)[0]).ends_with(" cpu=Fast CPU mpi=MPICH 4.0.2"));
}

TEST_CASE("an .info file describes the machine and the run", "[llcbench]") {
    auto const info = llcbench::info(kiwi(), run_line(), {{"flags", "-O2"}});
    CHECK(info.starts_with("host: kiwi\nos: Linux\n"));
    CHECK_THAT(info, Catch::Matchers::ContainsSubstring("cache L2: 2 MiB, lines of 64 bytes\n") &&
                         Catch::Matchers::ContainsSubstring("command: cachebench -r\n") &&
                         Catch::Matchers::ContainsSubstring("cores: 2\n"));
    CHECK(info.ends_with("flags: -O2\n"));
}

TEST_CASE("the machine running this test has a name and caches with increasing levels", "[llcbench]") {
    auto const here = llcbench::machine();
    CHECK_FALSE(here.host.empty());
    CHECK(here.host.find('.') == std::string::npos);
    CHECK(here.last_level_cache() > 0);
    for (std::size_t i = 1; i < here.caches.size(); ++i)
        CHECK(here.caches[i - 1].level < here.caches[i].level);
    CHECK(Machine{}.last_level_cache() == 64 * mebi);
}

TEST_CASE("a time stamp follows the host name or precedes the extension, and never matches an existing file",
          "[llcbench]") {
    Folder const folder;
    CHECK(llcbench::stamped(folder.file("Linux-kiwi_mpi_latency.dat"), "kiwi", "T") ==
          folder.file("Linux-kiwi-T_mpi_latency.dat"));
    CHECK(llcbench::stamped(folder.file("results-vmware.dat"), "vm", "T") == folder.file("results-vmware-T.dat"));
    CHECK(llcbench::stamped(folder.file("x-vmware-vm_y.dat"), "vm", "T") == folder.file("x-vmware-vm-T_y.dat"));
    CHECK(llcbench::stamped(folder.file("x.dat"), "kiwi", "T") == folder.file("x-T.dat"));
    CHECK(llcbench::stamped(folder.file("x"), "kiwi", "T") == folder.file("x-T"));
    CHECK(llcbench::stamped("x.dat", "kiwi", "T") == "x-T.dat");
    touch(folder.file("x-T.dat"));
    CHECK(llcbench::stamped(folder.file("x.dat"), "kiwi", "T") == folder.file("x-T-2.dat"));
    touch(folder.file("x-T-2.dat"));
    CHECK(llcbench::stamped(folder.file("x.dat"), "kiwi", "T") == folder.file("x-T-3.dat"));
    CHECK(llcbench::stamp_now().size() == 16);
    CHECK(llcbench::beside("results/x.dat", ".info") == "results/x.info");
}

TEST_CASE("arrays start at their alignment plus the offset, with the pad between them", "[llcbench]") {
    using Starts = std::vector<Bytes>;
    std::vector<Bytes> const three{256, 100, 8};
    auto const p = llcbench::place({.align = 64, .offset = 8, .pad = 100}, three);
    CHECK(p.starts == Starts{8, 392, 648});  // after 264 + 100 and 492 + 100, rounded up
    CHECK(p.end == 704);
    auto const close = llcbench::place({}, three);
    CHECK(close.starts == Starts{0, 256, 384});
    CHECK(close.end == 448);
    CHECK(llcbench::place({}, {}).end == 0);
    llcbench::AlignedMemory const memory{4096, 8192};
    CHECK(reinterpret_cast<std::uintptr_t>(memory.at(24)) % 4096 == 24);
    CHECK_NOTHROW(check(llcbench::Layout{.offset = 24}, 8));
    CHECK_THROWS_WITH(check(llcbench::Layout{.offset = 12}, 8),
                      "--offset: '12' is not a multiple of the element size (8 bytes)");
}

TEST_CASE("the text format is the requested one, and the readable format is used only on a terminal", "[llcbench]") {
    llcbench::OutputOptions const none;
    CHECK(none.form() == Format::dat);
    CHECK(none.for_people(true));
    CHECK_FALSE(none.for_people(false));
    CHECK_FALSE(llcbench::OutputOptions{.file = "x"}.for_people(true));
    CHECK_FALSE(llcbench::OutputOptions{.format = Format::dat}.for_people(true));
    CHECK(llcbench::OutputOptions{.plain = true}.form() == Format::plain);
    CHECK_NOTHROW(llcbench::check({.file = "x", .info = true}, "-o"));
    CHECK_THROWS_WITH(llcbench::check({.timestamp = true}, "--output"), "--timestamp: needs a file (--output FILE)");
    CHECK_THROWS_WITH(llcbench::check({.format = Format::csv, .plain = true}, "-o"),
                      "--plain cannot be combined with --format csv");
}

TEST_CASE("times become a measurement, and without times it has no estimate", "[llcbench]") {
    auto const m = llcbench::measurement({{.stage = 1, .time = 1}, {.stage = 1, .time = 3}},
                                         {measure::StopVerdict::converged, "count"}, measure::seconds{5});
    CHECK(m.estimate->value == 2);
    CHECK((m.attempts == 2 && m.valid == 2 && m.kept == 2));
    CHECK(m.samples.at(1).time == 3);
    CHECK(m.elapsed == 5);
    auto const r = llcbench::too_short(measure::make_record("read", {}, m));
    CHECK(r.status == measure::PointStatus::no_valid_samples);
    CHECK_FALSE(r.value.has_value());
    CHECK((r.attempts == 2 && r.valid == 0));
    CHECK_FALSE(llcbench::measurement({}, {measure::StopVerdict::no_valid_samples, "budget"}, {}).estimate.has_value());
}

TEST_CASE("invalid samples are ignored, and without a valid sample there is no measurement", "[llcbench]") {
    measure::Sample const backward{.stage = 1, .invalid = measure::InvalidReason::backward};
    auto const m = llcbench::measurement({{.stage = 1, .time = 1}, backward, {.stage = 1, .time = 3}},
                                         {measure::StopVerdict::converged, "budget"}, {});
    CHECK(m.estimate->value == 2);
    CHECK((m.attempts == 3 && m.valid == 2 && m.invalid.backward == 1));
    auto const r = measure::make_record("read", {}, m);
    CHECK(llcbench::valid_samples(r).size() == 2);
    CHECK(llcbench::timed_blocks(r).size() == 2);
    auto const none = llcbench::measurement({backward}, {measure::StopVerdict::converged, "budget"}, {});
    CHECK(none.verdict == measure::StopVerdict::no_valid_samples);
}

TEST_CASE("a value is all time divided by all executions, with the error of that ratio", "[llcbench]") {
    auto const pooled = [](std::vector<llcbench::TimedBlock> const& blocks) {
        measure::Record r{.value = 9.0, .estimate = measure::Estimate{}};
        llcbench::pool(r, blocks);
        CHECK(*r.value == r.estimate->value);
        return *r.estimate;
    };
    // One execution in 3 s and three in 3 s: 6 / 4, deviations 1.5 and -1.5; sqrt(2 * 4.5) / 4. t for one degree of
    // freedom is 12.7062.
    auto const e = pooled({{3, 1}, {3, 3}});
    CHECK(e.value == 1.5);
    CHECK(*e.standard_error == Catch::Approx(0.75));
    CHECK(*e.relative_standard_error == Catch::Approx(0.5));
    CHECK(e.interval->first == Catch::Approx(1.5 - 12.7062 * 0.75));
    CHECK(e.interval->second == Catch::Approx(1.5 + 12.7062 * 0.75));
    CHECK((e.median == 2 && e.min == 1 && e.max == 3));
    // It equals s / sqrt(n) if all blocks have the same number of executions.
    CHECK(pooled({{2, 2}, {6, 2}}).value == 2);
    CHECK(*pooled({{2, 2}, {6, 2}}).standard_error == Catch::Approx(1));
    auto const one = pooled({{2, 2}});
    CHECK((one.value == 1 && !one.standard_error && !one.interval));
}

TEST_CASE("a spread is that of the block times or of their rates", "[llcbench]") {
    // 3 s and 1 s per execution, so 2 and 6 per second with six operations each.
    std::vector<llcbench::TimedBlock> const blocks{{3, 1}, {3, 3}};
    CHECK(*llcbench::spread(blocks, 0) == Catch::Approx(std::sqrt(2.0)));
    CHECK(*llcbench::spread(blocks, 6) == Catch::Approx(4 / std::sqrt(2.0)));
    CHECK_FALSE(llcbench::spread(std::vector<llcbench::TimedBlock>{{3, 1}}, 0));
    CHECK_FALSE(llcbench::spread(std::vector<llcbench::TimedBlock>{{0, 1}, {3, 1}}, 6));
}

TEST_CASE("repetitions are an axis that starts at zero", "[llcbench]") {
    auto const axis = llcbench::repetitions(3);
    CHECK(axis.name == "repetition");
    CHECK(axis.values == std::vector<measure::Point::Coordinate>{std::int64_t{0}, std::int64_t{1}, std::int64_t{2}});
}
