// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "program/engine/unsettled.hpp"

#include <fmt/format.h>

#include <utility>

namespace blasbench {

using llcbench::Fields;
using llcbench::fixed;
using llcbench::significant;

namespace {

constexpr int terminal_width = 80;

std::string centred(std::string const& text) { return fmt::format("{:^{}}", text, terminal_width); }

std::string trimmed_right(std::string text) { return text.erase(text.find_last_not_of(' ') + 1); }

std::string rule_text(Rules const& rules) {
    if (rules.kind == Iterations::constant)
        return fmt::format("constant:{}", rules.iterations);
    return fmt::format("{}:{} (calls of the smallest problem; the same references for all, but at most about 1 s)",
                       rules.kind == Iterations::chain ? "chain" : "falling", rules.iterations);
}

Fields of_memory(Setup const& s, Series const& series) {
    return {{"leading_dimension", s.holds(*series.routine) ? fmt::format("{} (held)", series.largest()) : "n"},
            {"flush", s.flush > 0 ? fmt::format("{}", s.flush) : "none"},
            {"align", fmt::format("{}", s.layout.align)},
            {"offset", fmt::format("{}", s.layout.offset)},
            {"pad", fmt::format("{}", s.layout.pad)}};
}

}  // namespace

std::vector<Fields> Report::head(measure::Environment const& environment) const {
    auto lines = llcbench::head(*machine_, environment);
    Setup const& s = *setup_;
    Fields library{{"library", blas_->product}, {"version", blas_->version}, {"file", blas_->file}};
    if (!blas_->kernels.empty())
        library.emplace_back("kernels", blas_->kernels);
    lines.push_back(std::move(library));
    lines.push_back({{"iterations", rule_text(s.rules)}});
    lines.push_back(
        {{"repetitions", fmt::format("{}", s.repetitions)}, {"stderr", fmt::format("{:g}", s.rules.standard_error)}});
    lines.push_back({{"flops", std::string{series_->routine->flops}},
                     {"references", fmt::format("{} (each operand of each multiply-add, so MB/s may be far above what "
                                                "the memory moves)",
                                                series_->routine->references)}});
    lines.push_back(of_memory(s, *series_));
    if (s.peak)
        lines.push_back({{"peak", fmt::format("{:g}", *s.peak)}});
    return lines;
}

std::vector<std::string> Report::columns() const {
    std::vector<std::string> result{
        setup_->show_dimension ? "dimension" : "size", "value", "n", "bytes", "iterations", "MFLOPS", "MB/s", "stddev"};
    if (setup_->peak)
        result.emplace_back("efficiency");
    if (several_ && setup_->output.form() == llcbench::Format::csv)
        result.emplace_back("blas");
    return result;
}

void Report::begin(Series const& series, Blas const& blas, measure::Environment const& environment) {
    series_ = &series;
    blas_ = &blas;
    previous_.reset();
    if (setup_->terminal) {
        begin_on_terminal();
        return;
    }
    std::string const routine = full_name(*series.routine, setup_->precision);
    table_.begin({.program = "blasbench",
                  .title = {{"routine", routine},
                            {"precision", std::string{name(setup_->precision)}},
                            {"w", fmt::format("{}", width(setup_->precision))},
                            {"blas", blas.name},
                            {"threads", fmt::format("{}", setup_->threads)},
                            {"unit", setup_->mflops ? "MFLOPS" : std::string{llcbench::megabyte_unit}}},
                  .head = head(environment),
                  .columns = columns(),
                  .label = {"routine", routine}});
}

void Report::begin_on_terminal() {
    bool const dims = setup_->show_dimension;
    auto const title = fmt::format("{} {} Cache Test", name(setup_->precision), series_->routine->title);
    auto const library = fmt::format("{}: {} {}, {} thread{}", blas_->name, blas_->product, blas_->version,
                                     setup_->threads, setup_->threads > 1 ? "s" : "");
    *out_ << '\n'
          << trimmed_right(centred(title)) << '\n'
          << trimmed_right(centred(library)) << "\n\n"
          << (dims ? "BDims\tPDims" : "BSize\tPSize") << "\t% Fit\tIters\tNansec\t% Chng\tMFlopsS\tMB/sec"
          << (setup_->peak ? "\t% Peak\n" : "\n") << "-----\t-----\t-----\t------\t------\t------\t-------\t------"
          << (setup_->peak ? "\t------\n" : "\n") << std::flush;
}

void Report::row_on_terminal(Row const& row) {
    Setup const& s = *setup_;
    bool const held = s.holds(*series_->routine);
    std::int64_t const n = row.size.n;
    std::int64_t const largest = held ? series_->largest() : n;
    std::int64_t asked = held ? bytes_used(*series_->routine, s.precision, largest) : row.size.limit;
    std::int64_t used = bytes_used(*series_->routine, s.precision, n);
    if (s.show_dimension) {
        asked = largest;
        used = n;
    }
    std::optional<double> ns;
    std::optional<double> change;
    if (row.figures) {
        ns = row.figures->nanoseconds;
        change = 100 * *ns / previous_.value_or(*ns);
        previous_ = ns;
    }
    if (row.unsettled)
        unsettled_.push_back(fmt::format("{}", used));
    auto const& f = row.figures;
    auto text =
        fmt::format("{}\t{}\t{:.2f}\t{}\t{}\t{}\t{}\t{}", asked, used,
                    100 * static_cast<double>(used) / static_cast<double>(asked), f ? f->iterations : 0,
                    significant(ns), fixed(change, 2), significant(f ? std::optional{f->mflops} : std::nullopt, 6),
                    significant(f ? std::optional{f->megabytes} : std::nullopt, 7));
    if (s.peak)
        text += fmt::format("\t{}", fixed(f && f->efficiency ? std::optional{100 * *f->efficiency} : std::nullopt, 2));
    *out_ << text << (row.note.empty() ? "" : fmt::format("\t({})", row.note)) << '\n' << std::flush;
}

void Report::row(Row const& row) {
    Setup const& s = *setup_;
    if (s.terminal) {
        row_on_terminal(row);
        return;
    }
    auto const& f = row.figures;
    auto const number = [&](auto of) { return f ? fixed(of(*f)) : "-"; };
    auto const value = [&](Figures const& figures) { return s.mflops ? figures.mflops : figures.megabytes; };
    std::vector<std::string> cells{fmt::format("{}", s.show_dimension ? row.size.n : row.size.limit),
                                   number(value),
                                   fmt::format("{}", row.size.n),
                                   fmt::format("{}", bytes_used(*series_->routine, s.precision, row.size.n)),
                                   fmt::format("{}", f ? f->iterations : 0),
                                   number([](Figures const& figures) { return figures.mflops; }),
                                   number([](Figures const& figures) { return figures.megabytes; }),
                                   f && f->deviation ? fixed(*f->deviation * value(*f)) : "-"};
    if (s.peak)
        cells.push_back(significant(f ? f->efficiency : std::nullopt, 6));
    if (several_ && s.output.form() == llcbench::Format::csv)
        cells.push_back(blas_->name);
    if (row.unsettled)
        unsettled_.push_back(cells.front());
    // Not as the table's own note: scripts look for this line.
    if (row.note == below_resolution && s.output.form() == llcbench::Format::dat)
        *out_ << "# " << below_resolution << '\n';
    table_.row(cells,
               row.note.empty() || row.note == below_resolution ? "" : fmt::format("{}: {}", cells.front(), row.note));
}

void Report::end() {
    auto const text = program::unsettled_text(std::exchange(unsettled_, {}), setup_->show_dimension ? "" : "bytes");
    if (!setup_->terminal)
        table_.remark(text);
    else if (!text.empty())
        *out_ << fmt::format("({})\n", text) << std::flush;
}

Fields libraries_info(std::span<Blas const> libraries, Setup const& setup) {
    Fields fields;
    for (Blas const& blas : libraries)
        fields.emplace_back(fmt::format("blas {}", blas.name),
                            fmt::format("{} {}, {}", blas.product, blas.version, blas.file));
    fields.emplace_back("threads", fmt::format("{}", setup.threads));
    return fields;
}

}  // namespace blasbench
