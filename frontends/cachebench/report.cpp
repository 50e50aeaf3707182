// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "program/cli/values.hpp"
#include "program/engine/unsettled.hpp"

#include <fmt/format.h>

#include <utility>

namespace cachebench {

using llcbench::Fields;
using llcbench::fixed;
using llcbench::significant;

namespace {

std::string yes_no(bool yes) { return yes ? "yes" : "no"; }

/// How long a point is measured.
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
        fields.emplace_back("copies", fmt::format("{} (copy 0 is all together)", s.copies));
    return fields;
}

}  // namespace

std::vector<Fields> Report::head(Chosen const& chosen, measure::Environment const& environment) const {
    auto lines = llcbench::head(*machine_, environment);
    lines.push_back({{"flags", std::string{chosen.flags}}});
    lines.push_back({{"fp_reassociation", yes_no(chosen.reassociates)}});
    lines.push_back(of_rules(*setup_));
    return lines;
}

void Report::begin(Test const& test, measure::Environment const& environment) {
    previous_.reset();
    latency_ = test.work == Work::latency;
    if (setup_->terminal) {
        begin_on_terminal(test);
        return;
    }
    std::vector<std::string> columns{"bytes", "MB/s", "ns", "best_MB/s", "stddev", "passes"};
    if (latency_)
        columns = {"bytes", "ns", "best_ns", "stddev", "passes"};
    if (setup_->copies > 0)
        columns.emplace_back("copy");
    auto const width = latency_ ? node : setup_->type->width;
    table_.begin({.program = "cachebench",
                  .title = {{"test", std::string{test.name}},
                            {"type", latency_ ? "pointer" : std::string{setup_->type->name}},
                            {"w", fmt::format("{}", width)},
                            {"flavour", std::string{setup_->flavour->name}},
                            {"unit", latency_ ? "ns" : std::string{llcbench::megabyte_unit}}},
                  .head = head(choose(test, *setup_->type, *setup_->flavour), environment),
                  .columns = std::move(columns),
                  .label = {"test", std::string{test.name}}});
}

void Report::begin_on_terminal(Test const& test) {
    *out_ << fmt::format("\n\t\t{} Cache Test\n\n", fmt::format(fmt::runtime(test.title), setup_->type->name))
          << "C Size\t\tNanosec\t\tMB/sec\t\t% Chnge" << (setup_->copies > 0 ? "\t\tCopy\n" : "\n")
          << "-------\t\t-------\t\t-------\t\t-------" << (setup_->copies > 0 ? "\t\t----\n" : "\n") << std::flush;
}

void Report::row_on_terminal(Row const& row) {
    std::optional<double> ns;
    std::optional<double> rate;
    std::optional<double> change;
    if (row.figures) {
        ns = row.figures->nanoseconds;
        rate = row.figures->rate;
        change = *ns / previous_.value_or(*ns);
        previous_ = ns;
    }
    std::string const last = fixed(change, 2);
    *out_ << fmt::format("{:<15} {:<15} {:<15} ", row.bytes, significant(ns), fixed(rate, 2))
          << (setup_->copies > 0 ? fmt::format("{:<15} {}", last, row.copy) : last)
          << (row.note.empty() ? "" : fmt::format("  ({})", row.note)) << '\n'
          << std::flush;
}

void Report::row(Row const& row) {
    if (row.unsettled)
        unsettled_.push_back(row.copy > 0 ? fmt::format("{} bytes in copy {}", row.bytes, row.copy)
                                          : fmt::format("{}", row.bytes));
    if (setup_->terminal) {
        row_on_terminal(row);
        return;
    }
    std::vector<std::string> cells{fmt::format("{}", row.bytes)};
    if (auto const& f = row.figures; f && latency_)
        cells.insert(cells.end(), {significant(f->nanoseconds), significant(f->best), significant(f->deviation)});
    else if (f)
        cells.insert(cells.end(), {fixed(f->rate), significant(f->nanoseconds), fixed(f->best), fixed(f->deviation)});
    else
        cells.insert(cells.end(), latency_ ? 3 : 4, "-");
    cells.push_back(fmt::format("{}", row.figures ? row.figures->passes : 0));
    if (setup_->copies > 0)
        cells.push_back(fmt::format("{}", row.copy));
    table_.row(cells, row.note.empty() ? "" : fmt::format("{}: {}", row.bytes, row.note));
}

void Report::end() {
    auto const text = program::unsettled_text(std::exchange(unsettled_, {}), setup_->copies > 0 ? "" : "bytes");
    if (!setup_->terminal)
        table_.remark(text);
    else if (!text.empty())
        *out_ << fmt::format("({})\n", text) << std::flush;
}

Fields build(Setup const& setup) {
    return {{"flavour", std::string{setup.flavour->name}},
            {"flags", setup.flavour->loops->flags},
            {"flags of the tuned loops", tuned::table.flags},
            {"element", fmt::format("{} of {} bytes", setup.type->name, setup.type->width)}};
}

}  // namespace cachebench
