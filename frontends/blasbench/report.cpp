// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/report.hpp"

#include "program/engine/unsettled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>
#include <variant>

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
    return fmt::format(
        "falling:{} (calls of the smallest problem, in blocks of about 1 ms; larger ones make the same number of "
        "references, for at most about 1 s)",
        rules.iterations);
}

Fields of_memory(Setup const& s, Series const& series) {
    return {{"leading_dimension", s.holds(*series.routine)    ? fmt::format("{} (held)", series.largest().n)
                                  : series.routine->has_shape ? "rows"
                                                              : "n"},
            {"flush", s.flush > 0 ? fmt::format("{}", s.flush) : "none"},
            {"align", fmt::format("{}", s.layout.align)},
            {"offset", fmt::format("{}", s.layout.offset)},
            {"pad", fmt::format("{}", s.layout.pad)}};
}

/// Calls that the rule requires, or fewer if the time ran out; 0 if there is no value.
std::string calls(measure::Record const& record) {
    auto const* const number = record.derived.get<std::int64_t>("iterations");
    return fmt::format("{}", number != nullptr && record.value ? *number : 0);
}

/// The reason why a row has no figures or doubtful ones; empty for a good row.
std::string note(measure::Record const& record) {
    if (record.has_flag("near_timer_floor"))
        return below_resolution;
    return record.value ? std::string{} : record.message;
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
    lines.push_back({{"alpha", fmt::format("{:g}", s.scalars.alpha)},
                     {"beta", fmt::format("{:g}", s.scalars.beta)},
                     {"flops", std::string{series_->routine->flops}},
                     {"references", fmt::format("{} (each operand of each multiply-add, so MB/s may be far above the "
                                                "memory bandwidth)",
                                                series_->routine->references)}});
    lines.push_back(of_memory(s, *series_));
    if (s.peak)
        lines.push_back({{"peak", fmt::format("{:g}", *s.peak)}});
    return lines;
}

Report::Report(std::ostream& out, Setup const& setup, llcbench::Machine const& machine, std::size_t libraries)
    : out_{&out}, setup_{&setup}, machine_{&machine}, several_{libraries > 1}, table_{out, setup.output.form()} {
    for (Series const& series : setup.series)
        table_.declare(columns(*series.routine));
}

bool Report::tells_transposed(Routine const& routine) const {
    return !setup_->transposed.empty() && routine.kind == Kind::gemm;
}

Facts Report::facts() const { return {.routine = series_->routine, .precision = setup_->precision}; }

llcbench::Columns Report::columns(Routine const& routine) const {
    Setup const& s = *setup_;
    auto const integer = [](auto of) { return [of](measure::Record const& r) { return fmt::format("{}", of(r)); }; };
    auto const figure = [this](double Figures::*member) {
        return [this, member](measure::Record const& r) {
            auto const f = figures(r, facts());
            return fixed(f ? std::optional{(*f).*member} : std::nullopt);
        };
    };
    auto const in_unit = s.mflops ? &Figures::mflops : &Figures::megabytes;
    // Statistics and spread of the blocks, in the unit of the second column.
    auto const of_blocks = [this, in_unit](llcbench::Statistic statistic) {
        return [=, this](measure::Record const& r) {
            auto const f = figures(r, facts());
            auto const number = llcbench::number(r, statistic);
            return fixed(f && number ? std::optional{(*f).*in_unit * *number / *r.value} : std::nullopt);
        };
    };
    auto const spread = [this, in_unit](measure::Record const& r) {
        auto const f = figures(r, facts());
        auto const of_rates = llcbench::deviation(r);
        return fixed(f && of_rates ? std::optional{(*f).*in_unit * *of_rates / *r.value} : std::nullopt);
    };
    auto const used = [this](measure::Record const& r) {
        return bytes_used(*series_->routine, setup_->precision, dimensions_at(r.at));
    };
    auto const coordinate = [&](char const* of) {
        return integer([of](measure::Record const& r) { return r.at.integer(of); });
    };
    char const* const first = s.show_dimension ? "n" : "bytes";
    llcbench::Columns columns{{s.show_dimension ? "dimension" : "size", coordinate(first)}, {"value", figure(in_unit)}};
    auto const add = [&](llcbench::Columns const& more) { columns.insert(columns.end(), more.begin(), more.end()); };
    if (routine.has_shape)
        add({{"m", coordinate("m")}, {"n", coordinate("n")}, {"k", coordinate("k")}});
    else
        add({{"n", coordinate("n")}});
    if (tells_transposed(routine))
        add({{"trans", [](measure::Record const& r) { return r.at.text("trans"); }}});
    add({{"bytes", integer(used)},
         {"iterations", calls},
         {"MFLOPS", figure(&Figures::mflops)},
         {"MB/s", figure(&Figures::megabytes)},
         {"best", of_blocks(llcbench::Statistic::best)},
         {"median", of_blocks(llcbench::Statistic::median)},
         {"mean", of_blocks(llcbench::Statistic::mean)},
         {"stddev", spread}});
    if (s.peak)
        columns.push_back({"efficiency", [this](measure::Record const& r) {
                               auto const f = figures(r, facts());
                               return significant(f ? std::optional{f->mflops / *setup_->peak} : std::nullopt, 6);
                           }});
    bool const is_csv = s.output.form() == llcbench::Format::csv;
    if (several_ && is_csv)
        columns.push_back({"blas", [](measure::Record const& r) { return r.at.text("blas"); }});
    if (s.threads.size() > 1 && is_csv)
        columns.push_back({"threads", coordinate("threads")});
    return columns;
}

void Report::begin(Series const& series, Blas const& blas, int threads, measure::Environment const& environment) {
    series_ = &series;
    blas_ = &blas;
    threads_ = threads;
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
                            {"threads", fmt::format("{}", threads)},
                            {"unit", setup_->mflops ? "MFLOPS" : std::string{llcbench::megabyte_unit}},
                            {"statistic", std::string{llcbench::name(setup_->statistic)}}},
                  .head = head(environment),
                  .label = {"routine", routine}},
                 columns(*series.routine));
}

void Report::begin_on_terminal() {
    bool const dims = setup_->show_dimension;
    auto const title = fmt::format("{} {} Cache Test", name(setup_->precision), series_->routine->title);
    auto const library = fmt::format("{}: {} {}, {} thread{}", blas_->name, blas_->product, blas_->version, threads_,
                                     threads_ > 1 ? "s" : "");
    std::string titles = dims ? "BDims\tPDims" : "BSize\tPSize";
    titles += "\t% Fit\tIters\tNansec\t% Chng\tMFlopsS\tMB/sec";
    std::string rule = "-----\t-----\t-----\t------\t------\t------\t-------\t------";
    auto const add = [&](bool wanted, char const* more) {
        titles += wanted ? more : "";
        rule += wanted ? "\t------" : "";
    };
    add(setup_->peak.has_value(), "\t% Peak");
    add(series_->routine->has_shape, "\tMxNxK");
    add(tells_transposed(*series_->routine), "\tTrans");
    *out_ << '\n'
          << trimmed_right(centred(title)) << '\n'
          << trimmed_right(centred(library)) << '\n'
          << trimmed_right(centred(fmt::format("{} operations a call", series_->routine->flops))) << "\n\n"
          << titles << '\n'
          << rule << '\n'
          << std::flush;
}

void Report::row_on_terminal(measure::Record const& record) {
    Setup const& s = *setup_;
    bool const held = s.holds(*series_->routine);
    Dimensions const dimensions = dimensions_at(record.at);
    Dimensions const largest = held ? series_->largest() : dimensions;
    std::int64_t asked = held ? bytes_used(*series_->routine, s.precision, largest) : record.at.bytes("bytes");
    std::int64_t used = bytes_used(*series_->routine, s.precision, dimensions);
    if (s.show_dimension) {
        asked = largest.n;
        used = dimensions.n;
    }
    auto const f = figures(record, facts());
    auto const ns = f ? std::optional{f->nanoseconds} : std::nullopt;
    auto const change = ns ? std::optional{100 * *ns / previous_.value_or(*ns)} : std::nullopt;
    if (ns)
        previous_ = ns;
    if (program::is_unsettled(record))
        unsettled_.push_back(fmt::format("{}", used));
    auto text = fmt::format(
        "{}\t{}\t{:.2f}\t{}\t{}\t{}\t{}\t{}", asked, used, 100 * static_cast<double>(used) / static_cast<double>(asked),
        calls(record), significant(ns), fixed(change, 2), significant(f ? std::optional{f->mflops} : std::nullopt, 6),
        significant(f ? std::optional{f->megabytes} : std::nullopt, 7));
    if (s.peak)
        text += fmt::format("\t{}", fixed(f ? std::optional{100 * f->mflops / *s.peak} : std::nullopt, 2));
    if (series_->routine->has_shape)
        text += fmt::format("\t{}", blasbench::text(dimensions));
    if (tells_transposed(*series_->routine))
        text += fmt::format("\t{}", record.at.text("trans"));
    *out_ << text << (note(record).empty() ? "" : fmt::format("\t({})", note(record))) << '\n' << std::flush;
}

void Report::row(measure::Record const& record) {
    if (setup_->terminal) {
        row_on_terminal(record);
        return;
    }
    auto const first = fmt::format("{}", record.at.integer(setup_->show_dimension ? "n" : "bytes"));
    if (program::is_unsettled(record))
        unsettled_.push_back(first);
    auto const text = note(record);
    // Scripts search for this exact line, so it is not printed as a note of the table.
    bool const is_short = text == below_resolution;
    if (is_short && setup_->output.form() == llcbench::Format::dat)
        *out_ << "# " << below_resolution << '\n';
    table_.row(record, text.empty() || is_short ? "" : fmt::format("{}: {}", first, text));
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
    fields.emplace_back("threads", fmt::format("{}", fmt::join(setup.threads, ",")));
    return fields;
}

}  // namespace blasbench
