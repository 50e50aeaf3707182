// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/report.hpp"

#include "program/cli/values.hpp"
#include "program/engine/unsettled.hpp"

#include <fmt/format.h>

#include <utility>

namespace cachebench {

using llcbench::Fields;
using llcbench::fixed;
using llcbench::significant;

namespace {

/// Flavour and instruction set of the loops.
Fields of_flavour(Setup const& s) {
    Fields fields{{"flavour", std::string{s.flavour->name}}};
    if (s.isa != nullptr)
        fields.emplace_back("isa", std::string{s.isa->name});
    return fields;
}

std::string yes_no(bool yes) { return yes ? "yes" : "no"; }

/// Measurement settings of a point, for the head.
Fields of_rules(Setup const& s) {
    Fields fields;
    if (s.rules.constant_iterations)
        fields.emplace_back("constant_iterations", fmt::format("{}", *s.rules.constant_iterations));
    else
        fields.emplace_back("duration", program::duration_text(s.rules.duration));
    fields.emplace_back("stderr", fmt::format("{:g}", s.rules.standard_error));
    fields.emplace_back("flush", s.flush > 0 ? fmt::format("{}", s.flush) : "none");
    fields.emplace_back("cold", yes_no(s.rules.cold));
    fields.emplace_back("align", fmt::format("{}", s.layout.align));
    fields.emplace_back("offset", fmt::format("{}", s.layout.offset));
    fields.emplace_back("pad", fmt::format("{}", s.layout.pad));
    if (s.copies > 0)
        fields.emplace_back("copies", fmt::format("{} (copy 0 is the sum of all copies)", s.copies));
    return fields;
}

}  // namespace

std::vector<Fields> Report::head(Chosen const& chosen, measure::Environment const& environment) const {
    auto lines = llcbench::head(*machine_, environment);
    lines.push_back({{"flags", std::string{chosen.flags}}});
    lines.push_back({{"fp_reassociation", yes_no(chosen.reassociates)}});
    if (frequency_)
        lines.push_back({{"core_frequency", fmt::format("{:.3g} GHz", *frequency_ / 1e9)}});
    lines.push_back(of_rules(*setup_));
    return lines;
}

Counts Report::counts_of(measure::Record const& record) const {
    return counts(*test_, setup_->type->width, record.at.bytes("bytes"));
}

Report::Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine, std::optional<double> frequency)
    : out_{&out}, setup_{&setup}, machine_{&machine}, frequency_{frequency}, table_{out, setup.output.form()} {
    for (Test const* const test : setup.tests)
        table_.declare(columns(*test));
}

llcbench::Columns Report::columns(Test const& test) const {
    bool const latency = test.work == Work::latency;
    // Rates are in MB/s (2^20 bytes per second), times in ns.
    double const unit = latency ? 1e-9 : static_cast<double>(measure::mebi);
    auto const in_unit = [=](std::optional<double> const& number) {
        auto const scaled = number ? std::optional{*number / unit} : std::nullopt;
        return latency ? significant(scaled) : fixed(scaled);
    };
    auto const of_blocks = [in_unit](llcbench::Statistic statistic) {
        return [=](measure::Record const& r) { return in_unit(llcbench::number(r, statistic)); };
    };
    std::string const name = latency ? "ns" : "MB/s";
    llcbench::Columns columns{
        {"bytes", [](measure::Record const& r) { return fmt::format("{}", r.at.bytes("bytes")); }},
        {name, [=](measure::Record const& r) { return in_unit(r.value); }}};
    if (!latency)
        columns.push_back(
            {"ns", [this](measure::Record const& r) { return significant(nanoseconds(r, counts_of(r))); }});
    columns.insert(columns.end(),
                   {{"best_" + name, of_blocks(llcbench::Statistic::best)},
                    {"median_" + name, of_blocks(llcbench::Statistic::median)},
                    {"mean_" + name, of_blocks(llcbench::Statistic::mean)},
                    {"stddev", [=](measure::Record const& r) { return in_unit(llcbench::deviation(r)); }},
                    {"passes", [](measure::Record const& r) { return fmt::format("{}", r.value ? passes(r) : 0); }}});
    if (setup_->copies > 0)
        columns.push_back({"copy", [](measure::Record const& r) { return fmt::format("{}", r.at.integer("copy")); }});
    if (!latency)
        columns.push_back({"B/cycle", [](measure::Record const& r) { return significant(bytes_per_cycle(r)); }});
    return columns;
}

void Report::begin(Test const& test, measure::Environment const& environment) {
    previous_.reset();
    test_ = &test;
    if (setup_->terminal) {
        begin_on_terminal(test);
        return;
    }
    bool const latency = test.work == Work::latency;
    auto const width = latency ? node : setup_->type->width;
    Fields title{{"test", std::string{test.name}},
                 {"type", latency ? "pointer" : std::string{setup_->type->name}},
                 {"w", fmt::format("{}", width)}};
    for (auto const& field : of_flavour(*setup_))
        title.push_back(field);
    title.emplace_back("unit", latency ? "ns" : std::string{llcbench::megabyte_unit});
    title.emplace_back("statistic", llcbench::name(setup_->statistic));
    table_.begin({.program = "cachebench",
                  .title = std::move(title),
                  .head = head(choose(test, *setup_->type, setup_->loops()), environment),
                  .label = {"test", std::string{test.name}}},
                 columns(test));
}

void Report::begin_on_terminal(Test const& test) {
    *out_ << fmt::format("\n\t\t{} Cache Test\n\n", fmt::format(fmt::runtime(test.title), setup_->type->name))
          << "C Size\t\tNanosec\t\tMB/sec\t\t% Chnge" << (setup_->copies > 0 ? "\t\tCopy\n" : "\n")
          << "-------\t\t-------\t\t-------\t\t-------" << (setup_->copies > 0 ? "\t\t----\n" : "\n") << std::flush;
}

void Report::row_on_terminal(measure::Record const& record) {
    auto const ns = nanoseconds(record, counts_of(record));
    bool const is_rate = record.quantity == measure::Quantity::bandwidth;
    auto const rate =
        record.value && is_rate ? std::optional{*record.value / static_cast<double>(measure::mebi)} : std::nullopt;
    auto const change = ns ? std::optional{*ns / previous_.value_or(*ns)} : std::nullopt;
    if (ns)
        previous_ = ns;
    std::string const last = fixed(change, 2);
    *out_ << fmt::format("{:<15} {:<15} {:<15} ", record.at.bytes("bytes"), significant(ns), fixed(rate, 2))
          << (setup_->copies > 0 ? fmt::format("{:<15} {}", last, record.at.integer("copy")) : last)
          << (record.value || record.message.empty() ? "" : fmt::format("  ({})", record.message)) << '\n'
          << std::flush;
}

void Report::row(measure::Record const& record) {
    auto const bytes = record.at.bytes("bytes");
    if (program::is_unsettled(record))
        unsettled_.push_back(setup_->copies > 0 ? fmt::format("{} bytes in copy {}", bytes, record.at.integer("copy"))
                                                : fmt::format("{}", bytes));
    if (setup_->terminal)
        row_on_terminal(record);
    else
        table_.row(record, record.value || record.message.empty() ? "" : fmt::format("{}: {}", bytes, record.message));
}

void Report::end() {
    auto const text = program::unsettled_text(std::exchange(unsettled_, {}), setup_->copies > 0 ? "" : "bytes");
    if (!setup_->terminal)
        table_.remark(text);
    else if (!text.empty())
        *out_ << fmt::format("({})\n", text) << std::flush;
}

Fields build(Setup const& setup) {
    Fields fields = of_flavour(setup);
    fields.emplace_back("flags", setup.loops().flags);
    fields.emplace_back("flags of the tuned loops", tuned::table.flags);
    fields.emplace_back("element", fmt::format("{} of {} bytes", setup.type->name, setup.type->width));
    return fields;
}

}  // namespace cachebench
