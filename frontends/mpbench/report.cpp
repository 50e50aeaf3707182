// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/report.hpp"

#include "llcbench/points.hpp"
#include "llcbench/statistic.hpp"
#include "program/engine/unsettled.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace mpbench {

using llcbench::Fields;
using llcbench::fixed;
using llcbench::significant;
using measure::Record;

namespace {

double scale(Units units) noexcept {
    switch (units) {
    case Units::kb:
        return static_cast<double>(measure::kibi);
    case Units::si:
        return measure::mega;
    case Units::mb:
        break;
    }
    return static_cast<double>(measure::mebi);
}

/// Divisor that converts a number of the record to the unit of the table.
double divisor(Figure figure, Units units) noexcept {
    switch (figure) {
    case Figure::rate:
        return scale(units);
    case Figure::transactions:
        return 1;
    case Figure::time:
    case Figure::message:
        break;
    }
    return 1e-6;
}

Fields of_rules(Setup const& s) {
    Rules const& r = s.rules;
    Fields fields{{"iterations", fmt::format("{}", r.iterations)}};
    if (r.exact)
        fields.emplace_back("exact_iterations", "yes");
    else
        fields.insert(fields.end(), {{"max_volume", fmt::format("{}", r.max_volume)},
                                     {"max_seconds", fmt::format("{:g}", r.max_seconds.count())}});
    fields.emplace_back("repetitions", fmt::format("{}", s.repetitions));
    fields.emplace_back("stderr", fmt::format("{:g}", r.standard_error));
    fields.emplace_back("statistic", llcbench::name(s.statistic));
    fields.emplace_back("verify", s.verify ? "yes" : "no");
    return fields;
}

Fields of_flush(Setup const& s) {
    Fields fields{{"flush", s.flush > 0 ? fmt::format("{}", s.flush) : "none"}};
    if (s.flush_sizes)
        fields.emplace_back("between", "sizes");
    if (s.flush_repetitions)
        fields.emplace_back("between", "repetitions");
    if (s.rules.flush_each)
        fields.emplace_back("timing", "each operation separately, after a flush and a barrier");
    return fields;
}

/// Notes on what the values of a test include or exclude.
Fields of_test(Test const& test, Setup const& s) {
    Fields fields = s.layer;
    // MPI needs no such barrier.
    if (s.api == Api::pvm && (test.kind == Kind::broadcast || adds(test.kind)))
        fields.emplace_back("includes", "one barrier in each iteration");
    if (test.kind == Kind::latency)
        fields.emplace_back("timed", "the send call alone, not the transfer of the message");
    return fields;
}

/// Whether a test has the column call_us. The calls of isend are timed in separate loops, which -X does not have.
bool has_calls(Test const& test, Setup const& setup) { return test.kind == Kind::isend && !setup.rules.flush_each; }

/// The first column: bytes, or tasks for the barrier.
std::int64_t first(Record const& r) { return r.at.has("bytes") ? r.at.bytes("bytes") : r.at.integer("ranks"); }

std::string integer(std::int64_t number) { return fmt::format("{}", number); }

/// Standard error of the mean over the loops, or over the operations if these are timed separately.
std::optional<double> error(Record const& r) {
    return r.value && r.estimate ? r.estimate->standard_error : std::nullopt;
}

}  // namespace

std::string unit(Figure figure, Units units) {
    if (figure == Figure::transactions)
        return "transactions/s";
    if (figure != Figure::rate)
        return "us";
    switch (units) {
    case Units::kb:
        return "KB/s (1 KB = 1024 bytes)";
    case Units::si:
        return "MB/s (1 MB = 1000000 bytes)";
    case Units::mb:
        break;
    }
    return std::string{llcbench::megabyte_unit};
}

llcbench::Columns columns(Test const& test, Setup const& setup) {
    double const by = divisor(test.figure, setup.units);
    auto const number = [by](auto of) {
        return [=](Record const& r) {
            std::optional<double> const found = of(r);
            return fixed(found ? std::optional{*found / by} : std::nullopt);
        };
    };
    auto const spread = [by](auto of) {
        return [=](Record const& r) {
            auto const found = of(r);
            return found == 0 ? std::string{"0"} : significant(found ? std::optional{*found / by} : std::nullopt);
        };
    };
    auto const of_loops = [number](llcbench::Statistic statistic) {
        return number([=](Record const& r) { return llcbench::number(r, statistic); });
    };
    llcbench::Columns all{
        {test.kind == Kind::barrier ? "tasks" : "bytes", [](Record const& r) { return integer(first(r)); }},
        {"value", number([](Record const& r) { return r.value; })},
        {"iterations", [](Record const& r) { return integer(r.iterations_per_sample.value_or(0)); }},
        {"repetitions", [](Record const& r) { return integer(r.valid); }},
        {"stddev", spread(llcbench::deviation)},
        {"stderr", spread(error)},
        {"best", of_loops(llcbench::Statistic::best)},
        {"median", of_loops(llcbench::Statistic::median)},
        {"mean", of_loops(llcbench::Statistic::mean)}};
    if (test.slowest)
        all.push_back({"slowest", number([rate = test.figure == Figure::rate](Record const& r) {
                           auto const& ranks = r.over_ranks;
                           return r.value && ranks ? std::optional{rate ? ranks->min : ranks->max} : std::nullopt;
                       })});
    if (test.figure == Figure::message)
        all.push_back({setup.units == Units::kb ? "KB/s" : "MB/s", [by = scale(setup.units)](Record const& r) {
                           auto const rate = r.derived.number({"bandwidth"});
                           return fixed(rate ? std::optional{*rate / by} : std::nullopt);
                       }});
    if (has_calls(test, setup))
        all.push_back({"call_us", [](Record const& r) {
                           auto const time = r.derived.number({"call_time"});
                           return fixed(time ? std::optional{*time * 1e6} : std::nullopt);
                       }});
    return all;
}

Report::Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine)
    : out_{&out}, setup_{&setup}, machine_{&machine}, table_{out, setup.output.form()} {
    for (Test const* const test : setup.tests)
        table_.declare(columns(*test, setup));
}

void Report::begin(measure::Benchmark const& benchmark, measure::Environment const& run) {
    Test const& test = mpbench::test(benchmark.name);
    columns_ = columns(test, *setup_);
    auto head = llcbench::head(*machine_, run);
    if (auto more = of_test(test, *setup_); !more.empty())
        head.push_back(std::move(more));
    head.push_back(of_rules(*setup_));
    head.push_back(of_flush(*setup_));
    table_.begin({.program = "mpbench",
                  .title = {{"test", benchmark.name},
                            {"api", std::string{name(setup_->api)}},
                            {"tasks", fmt::format("{}", setup_->tasks)},
                            {"unit", unit(test.figure, setup_->units)}},
                  .head = std::move(head),
                  .label = {"test", benchmark.name}},
                 columns_);
    if (setup_->oversubscribed && setup_->output.form() == llcbench::Format::dat)
        *out_ << "# oversubscribed: yes\n" << std::flush;
}

void Report::row(Record const& record) {
    auto const begin = integer(first(record));
    if (program::is_unsettled(record))
        unsettled_.push_back(begin);
    table_.row(record, record.value || record.message.empty() ? "" : fmt::format("{}: {}", begin, record.message));
}

void Report::end() { table_.remark(program::unsettled_text(std::exchange(unsettled_, {}), columns_.front().heading)); }

Fields conditions(Setup const& setup) {
    Fields fields{{"api", std::string{name(setup.api)}}, {"tasks", fmt::format("{}", setup.tasks)}};
    for (auto const& part : {setup.layer, of_rules(setup), of_flush(setup)})
        fields.insert(fields.end(), part.begin(), part.end());
    return fields;
}

}  // namespace mpbench
