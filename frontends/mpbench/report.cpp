// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "program/cli/values.hpp"
#include "program/engine/unsettled.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace mpbench {

using llcbench::Fields;
using llcbench::fixed;
using llcbench::significant;

namespace {

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
        fields.emplace_back("timing", "each operation alone, behind a flush and a barrier");
    return fields;
}

/// A number of PVM for what has no barrier in MPI says what it includes.
Fields of_layer(Test const& test, Setup const& s) {
    Fields fields = s.layer;
    if (s.api == Api::pvm && (test.kind == Kind::broadcast || adds(test.kind)))
        fields.emplace_back("includes", "one barrier in each iteration");
    return fields;
}

/// The calls of isend are timed in loops of their own, which -X has none of.
bool has_calls(Test const& test, Setup const& setup) { return test.kind == Kind::isend && !setup.rules.flush_each; }

std::vector<std::string> columns(Test const& test, Setup const& setup) {
    std::vector<std::string> all{
        test.kind == Kind::barrier ? "tasks" : "bytes", "value", "iterations", "repetitions", "stddev", "stderr"};
    if (test.slowest)
        all.emplace_back("slowest");
    if (test.figure == Figure::message)
        all.emplace_back(rate_unit(setup.units));
    if (has_calls(test, setup))
        all.emplace_back("call_us");
    return all;
}

std::string spread(std::optional<double> number) { return number == 0 ? "0" : significant(number); }

}  // namespace

void Report::begin(Test const& test, measure::Environment const& environment) {
    test_ = &test;
    auto head = llcbench::head(*machine_, environment);
    if (auto layer = of_layer(test, *setup_); !layer.empty())
        head.push_back(std::move(layer));
    head.push_back(of_rules(*setup_));
    head.push_back(of_flush(*setup_));
    table_.begin({.program = "mpbench",
                  .title = {{"test", std::string{test.name}},
                            {"api", std::string{name(setup_->api)}},
                            {"tasks", fmt::format("{}", setup_->tasks)},
                            {"unit", unit(test.figure, setup_->units)}},
                  .head = std::move(head),
                  .columns = columns(test, *setup_),
                  .label = {"test", std::string{test.name}}});
    if (setup_->oversubscribed && setup_->output.form() == llcbench::Format::dat)
        *out_ << "# oversubscribed: yes\n" << std::flush;
}

void Report::row(Row const& row) {
    if (row.unsettled)
        unsettled_.push_back(fmt::format("{}", row.first));
    std::vector<std::string> cells{
        fmt::format("{}", row.first),       fixed(row.value),      fmt::format("{}", row.iterations),
        fmt::format("{}", row.repetitions), spread(row.deviation), spread(row.error)};
    if (test_->slowest)
        cells.push_back(fixed(row.slowest));
    if (test_->figure == Figure::message)
        cells.push_back(fixed(row.rate));
    if (has_calls(*test_, *setup_))
        cells.push_back(fixed(row.call));
    table_.row(cells, row.value || row.note.empty() ? "" : fmt::format("{}: {}", row.first, row.note));
}

void Report::end() {
    table_.remark(program::unsettled_text(std::exchange(unsettled_, {}), columns(*test_, *setup_).front()));
}

Fields conditions(Setup const& setup) {
    Fields fields{{"api", std::string{name(setup.api)}}, {"tasks", fmt::format("{}", setup.tasks)}};
    for (auto const& part : {setup.layer, of_rules(setup), of_flush(setup)})
        fields.insert(fields.end(), part.begin(), part.end());
    return fields;
}

}  // namespace mpbench
