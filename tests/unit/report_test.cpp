// SPDX-License-Identifier: BSD-3-Clause
#include "measure/report.hpp"
#include "measure/table.hpp"
#include "support/catch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

using measure::json_line;
using measure::Point;
using measure::PointStatus;
using measure::Quantity;
using measure::Record;
using measure::Value;

namespace {

double const not_a_number = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

measure::Environment two_ranks() {
    measure::Environment e;
    e.suite = "own";
    e.program = "halo";
    e.version = "0.1.0";
    e.command = {"halo", "--json", "halo.jsonl"};
    e.started = "2025-01-31T10:00:00Z";
    e.mpi_library = "MPICH 4.0.2";
    e.mpi_standard = "4.0";
    e.ranks = 2;
    e.hosts = {{.name = "node1", .ranks = "0-1", .cores = 2, .cpu = "Example CPU"}};
    e.kernel = "Linux 6.1.0";
    e.clocksource = "tsc";
    e.compiler = "gcc 12.2.0";
    e.timer.name = "mpi_wtime";
    e.timer.resolution = measure::seconds{2.5e-8};
    e.timer.overhead = measure::seconds{2e-8};
    e.clock_sync = measure::SyncReport{.algorithm = "ring",
                                       .duration = 0.001,
                                       .bound = 3e-7,
                                       .closure = -1e-8,
                                       .closure_bound = 6e-7,
                                       .rtt_min = 5e-7,
                                       .rtt_median = 5.5e-7,
                                       .rtt_max = 6e-7,
                                       .offset_max = 0.25,
                                       .edges = 2,
                                       .shared = 1,
                                       .messages = 400};
    e.options["seed"] = 1;
    e.options["start"] = "slot";
    e.warnings = {"cpu frequency governor is not readable"};
    return e;
}

/// Four samples of 2, 4, 5 and 9 us with the middle two kept, and one late sample.
Record bcast_record() {
    Record r;
    r.benchmark = "Bcast";
    r.at = Point{{"ranks", std::int64_t{2}}, {"bytes", std::int64_t{8}}, {"compute", 0.25}, {"cold", false}};
    r.value = 4.5e-6;
    r.stop_reason = "interval";
    r.estimate = measure::Estimate{};
    r.estimate->value = 4.5e-6;
    r.estimate->standard_error = 5e-7;
    r.estimate->interval = measure::Interval{3e-6, 6e-6};
    r.estimate->median = 4.5e-6;
    r.estimate->min = 2e-6;
    r.estimate->max = 9e-6;
    r.estimate->quantiles = {{0.05, 2.25e-6}, {0.5, 4.5e-6}};
    r.attempts = 5;
    r.valid = 4;
    r.kept = 2;
    r.invalid.late = 1;
    r.over_ranks = measure::RankSpread{3e-6, 4e-6, 4.5e-6};
    r.iterations_per_sample = 1;
    r.correction = 2e-8;
    r.derived["slot_lengths"] = Value::Array{1e-5, 2e-5};
    r.derived["sync"]["residual"] = nullptr;
    r.flags = {"migrated"};
    r.elapsed = measure::seconds{0.125};
    r.has_samples = true;
    r.samples = {{.stage = 1, .time = 2e-6, .span = 2.5e-6, .ranks = {{0, 1e-6}, {5e-7, 2.5e-6}}},
                 {.stage = 1, .invalid = measure::InvalidReason::late, .time = 7e-6}};
    return r;
}

std::vector<std::string> golden_lines() {
    std::ifstream file{MEASURE_TEST_DATA "/unit/golden.jsonl"};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

/// Both ends of a pipe.
class Pipe {
public:
    Pipe() { REQUIRE(pipe(ends_.data()) == 0); }
    ~Pipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    Pipe(Pipe const&) = delete;
    Pipe& operator=(Pipe const&) = delete;
    [[nodiscard]] int in() const { return ends_[1]; }
    [[nodiscard]] std::string read() const {
        std::array<char, 4096> buffer;
        auto const n = ::read(ends_[0], buffer.data(), buffer.size());
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
    }

private:
    std::array<int, 2> ends_{};
};

std::string table(std::initializer_list<Record> records) {
    std::ostringstream out;
    measure::TableSink sink{out};
    for (auto const& record : records)
        sink.write(record);
    return out.str();
}

std::string csv(std::initializer_list<Record> records) {
    std::ostringstream out;
    measure::CsvSink sink{out};
    for (auto const& record : records)
        sink.write(record);
    return out.str();
}

Record plain(std::string benchmark, Point at, double value) {
    Record r;
    r.benchmark = std::move(benchmark);
    r.at = std::move(at);
    r.value = value;
    return r;
}

}  // namespace

// tools/validate-records also checks this file, so these lines are known to be valid.
TEST_CASE("csv has columns for coordinates that only later records have", "[report]") {
    std::ostringstream out;
    measure::CsvSink sink{out, measure::TableForm::csv, {"bytes", "ranks"}};
    sink.write(plain("Barrier", {{"ranks", std::int64_t{2}}}, 1));
    sink.write(plain("Bcast", {{"bytes", std::int64_t{8}}, {"ranks", std::int64_t{4}}}, 2));
    CHECK_THAT(out.str(), Catch::Matchers::StartsWith("benchmark,ranks,bytes,other,") &&
                              Catch::Matchers::ContainsSubstring("\nBarrier,2,,,") &&
                              Catch::Matchers::ContainsSubstring("\nBcast,4,8,,"));
}

TEST_CASE("the lines of a record match the golden file", "[report]") {
    auto const lines = golden_lines();
    REQUIRE(lines.size() == 7);
    CHECK(json_line(two_ranks()) == lines[0]);
    CHECK(json_line(bcast_record()) == lines[1]);
    CHECK(json_line(measure::as_rate(bcast_record(), Quantity::bandwidth, 9)) == lines[2]);
    CHECK(json_line(measure::make_record("Bcast", {{"ranks", std::int64_t{2}}}, PointStatus::skipped, "time_budget")) ==
          lines[3]);
    measure::Measurement m;
    m.verdict = measure::StopVerdict::no_valid_samples;
    m.stop_reason = "exhausted";
    m.attempts = 16;
    m.invalid = {.late = 10, .overrun = 1, .slip = 3, .failed = 2};
    CHECK(json_line(measure::make_record("Barrier", {{"ranks", std::int64_t{2}}}, m)) == lines[4]);
    CHECK(json_line(measure::Summary{"latency", 4.5e-6, "s", Value::Object{{"points", 2}}}) == lines[5]);
    CHECK(json_line(measure::EndRecord{
              .exit_code = 4, .elapsed = 0.5, .clock_sync_residual = 2e-8, .clock_sync_residual_rms = 1e-8}) ==
          lines[6]);
}

TEST_CASE("NaN and infinity are null, and an interval with such an end is null as a whole", "[report]") {
    CHECK(measure::json_text(Value::Array{not_a_number, infinity, -infinity, 1.0}) == "[null,null,null,1.0]");
    Record r;
    r.benchmark = "x";
    r.value = not_a_number;
    r.estimate = measure::Estimate{};
    r.estimate->value = infinity;
    r.estimate->interval = measure::Interval{1, infinity};
    auto const line = json_line(r);
    CHECK_THAT(line, Catch::Matchers::ContainsSubstring(R"("value":null)"));
    CHECK_THAT(line, Catch::Matchers::ContainsSubstring(R"("mean":null)"));
    CHECK_THAT(line, Catch::Matchers::ContainsSubstring(R"("interval":null)"));
}

TEST_CASE("a coordinate is never null", "[report]") {
    Record r;
    r.benchmark = "x";
    r.at = Point{{"limit", infinity}};
    CHECK_THAT(json_line(r), Catch::Matchers::ContainsSubstring(R"("at":{"limit":"inf"})"));
}

TEST_CASE("numbers are written with all their digits", "[report]") {
    CHECK(measure::json_text(0.1 + 0.2) == "0.30000000000000004");
    CHECK(measure::json_text(4.31e-7) == "4.31e-07");
    CHECK(measure::json_text(std::int64_t{9007199254740993}) == "9007199254740993");
    CHECK(measure::json_text(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
}

TEST_CASE("text is escaped, and bytes that are not UTF-8 are replaced", "[report]") {
    CHECK(measure::json_text("a\"b\\c\n\xc3\xbc") == "\"a\\\"b\\\\c\\n\xc3\xbc\"");
    CHECK(measure::json_text("a\xff"
                             "b") == "\"a\xef\xbf\xbd"
                                     "b\"");
}

TEST_CASE("quantiles are named without an exponent", "[report]") {
    Record r;
    r.benchmark = "x";
    r.estimate = measure::Estimate{};
    r.estimate->quantiles = {{0.00001, 1}, {0.25, 2}, {0.9, 3}};
    CHECK_THAT(json_line(r), Catch::Matchers::ContainsSubstring(R"("quantiles":{"0.00001":1.0,"0.25":2.0,"0.9":3.0})"));
}

TEST_CASE("a line may omit the samples of its point", "[report]") {
    auto record = bcast_record();
    record.has_samples = true;
    CHECK_THAT(json_line(record), Catch::Matchers::ContainsSubstring(R"("samples":)"));
    CHECK_THAT(json_line(record, false), !Catch::Matchers::ContainsSubstring(R"("samples":)"));
}

TEST_CASE("a program without MPI has neither a library nor synchronised clocks", "[report]") {
    auto e = two_ranks();
    e.mpi_library.reset();
    auto const line = json_line(e);
    CHECK_THAT(line, Catch::Matchers::ContainsSubstring(R"("mpi":null)"));
    CHECK_THAT(line, Catch::Matchers::ContainsSubstring(R"("clock_sync":null)"));
}

TEST_CASE("a failed run states the reason", "[report]") {
    CHECK(json_line(measure::EndRecord{.status = "failed", .exit_code = 1, .message = "out of memory"}) ==
          R"({"record":"end","status":"failed","exit_code":1,"elapsed":null,"clock_sync_residual":null,)"
          R"("message":"out of memory"})");
}

TEST_CASE("each record is written immediately as one line of the file", "[report]") {
    Pipe const file;
    measure::JsonLinesSink sink{file.in()};
    sink.begin(two_ranks());
    CHECK(file.read() == json_line(two_ranks()) + "\n");
    sink.write(bcast_record());
    CHECK(file.read() == json_line(bcast_record()) + "\n");
    sink.write(measure::Summary{});
    CHECK(file.read() == json_line(measure::Summary{}) + "\n");
    sink.end({});
    CHECK(file.read() == json_line(measure::EndRecord{}) + "\n");
}

TEST_CASE("a line that cannot be written is an error", "[report]") {
    measure::JsonLinesSink closed{-1};
    CHECK_THROWS_AS(closed.write(measure::Summary{}), std::system_error);
}

TEST_CASE("a partially written line is an error that states the reason", "[report]") {
    Pipe const file;
    // A non-blocking pipe accepts only what fits, which is far less than this line.
    REQUIRE(fcntl(file.in(), F_SETFL, O_NONBLOCK) == 0);
    measure::Summary large;
    large.name.assign(std::size_t{8} << 20, 'x');
    measure::JsonLinesSink sink{file.in()};
    CHECK_THROWS_WITH(sink.write(large), "record: cannot write a line: Resource temporarily unavailable");
}

TEST_CASE("no csv field is a formula", "[report]") {
    CHECK(measure::csv_field("=1+1") == "'=1+1");
    CHECK(measure::csv_field("+cmd") == "'+cmd");
    CHECK(measure::csv_field("-x,y") == "\"'-x,y\"");
    CHECK(measure::csv_field("@A1") == "'@A1");
    CHECK(measure::csv_field("\t=1") == "'\t=1");
    CHECK(measure::csv_field("\r=1") == "\"'\r=1\"");
    for (char const* const text : {"-1.5", "+1e-9", "-inf", "-", "+-", "", "1=1", "a-b", "0"})
        CHECK(measure::csv_field(text) == text);
}

TEST_CASE("a table shows value, error and interval in one suitable unit", "[report]") {
    auto const microseconds = bcast_record();
    auto const rate = measure::as_rate(microseconds, Quantity::bandwidth, 9);
    CHECK("\n" + table({microseconds, rate}) == R"(
benchmark                 ranks      bytes    compute       cold     value               +-              interval       valid  verdict
Bcast                         2          8       0.25      false     4.500 us         0.500        3.000 .. 6.000         4/5  converged (interval) [migrated]
Bcast                         2          8       0.25      false     2.000 MB/s       0.222        1.500 .. 3.000         4/5  converged (interval) [migrated]
)");
}

TEST_CASE("a table shows at least one digit of each error, and no interval of times below zero", "[report]") {
    auto exact = bcast_record();
    exact.estimate->standard_error = 4e-11;
    auto wide = bcast_record();
    wide.estimate->interval = measure::Interval{-1e-6, 9e-6};
    CHECK("\n" + table({exact, wide}) == R"(
benchmark                 ranks      bytes    compute       cold     value               +-              interval       valid  verdict
Bcast                         2          8       0.25      false     4.500 us       0.00004        3.000 .. 6.000         4/5  converged (interval) [migrated]
Bcast                         2          8       0.25      false     4.500 us         0.500                     -         4/5  converged (interval) [migrated]
)");
}

TEST_CASE("a table starts again when the coordinates change", "[report]") {
    Point const ranks{{"ranks", std::int64_t{2}}};
    auto const text = table({plain("Barrier", ranks, 0.8e-6), plain("Scan", ranks, 12.34e-3),
                             plain("Bcast", {{"ranks", std::int64_t{2}}, {"bytes", std::int64_t{8}}}, 123.45)});
    CHECK("\n" + text == R"(
benchmark                 ranks     value               +-              interval       valid  verdict
Barrier                       2     800.0 ns             -                     -         0/0  converged
Scan                          2     12.34 ms             -                     -         0/0  converged

benchmark                 ranks      bytes     value               +-              interval       valid  verdict
Bcast                         2          8     123.5 s              -                     -         0/0  converged
)");
}

TEST_CASE("a table states why there is no value", "[report]") {
    auto const skipped = measure::make_record("Bcast", {}, PointStatus::skipped, "needs 4 ranks");
    CHECK_THAT(table({skipped}), Catch::Matchers::EndsWith("0/0  skipped: needs 4 ranks\n"));
}

TEST_CASE("comma-separated values have a heading and one line per record", "[report]") {
    CHECK(csv({bcast_record()}) ==
          "benchmark,ranks,bytes,compute,cold,other,quantity,unit,value,standard_error,interval_low,interval_high,"
          "median,min,max,attempts,valid,kept,verdict,reason,flags,elapsed\n"
          "Bcast,2,8,0.25,false,,time,s,4.5e-06,5e-07,3e-06,6e-06,4.5e-06,2e-06,9e-06,5,4,2,converged,,migrated,"
          "0.125\n");
}

TEST_CASE("separators, quotes and line ends are quoted (RFC 4180)", "[report]") {
    auto const skipped = measure::make_record("a,b", {}, PointStatus::skipped, "not \"here\"\nnor there");
    CHECK_THAT(csv({skipped}), Catch::Matchers::EndsWith(
                                   "\n\"a,b\",,time,s,,,,,,,,0,0,0,skipped,\"not \"\"here\"\"\nnor there\",,0\n"));
}

TEST_CASE("coordinates without their own column share one column", "[report]") {
    auto const text = csv({plain("Barrier", {{"ranks", std::int64_t{2}}}, 1),
                           plain("Reduce", {{"bytes", std::int64_t{8}}, {"root", std::int64_t{1}}}, 2)});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\nBarrier,2,,time,s,1,"));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\nReduce,,bytes=8 root=1,time,s,2,"));
}

static_assert(measure::Sink<measure::TableSink> && measure::Sink<measure::CsvSink> &&
              measure::Sink<measure::JsonLinesSink>);
