// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "models/document.hpp"
#include "models/text.hpp"
#include "page/drawing.hpp"
#include "page/html.hpp"
#include "page/markdown.hpp"
#include "page/svg.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/output_file.hpp"
#include "report/report.hpp"
#include "shared/destination.hpp"
#include "shared/filter.hpp"
#include "shared/inputs.hpp"

#include <measure/launches.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

enum class Format { by_name, html, markdown, csv, svg, pdf };

struct ReportOptions {
    std::string output{};
    Format format = Format::by_name;
    std::string title{};
    std::vector<std::string> labels{};
    std::vector<Condition> conditions{};
    double confidence = 0.95;
    bool join = false;
    bool with_models = false;
    std::string model{};
    std::vector<std::string> files{};
};

Format format_of(ReportOptions const& options) {
    if (options.format != Format::by_name)
        return options.format;
    auto const suffix = std::filesystem::path{options.output}.extension().string();
    return suffix == ".md"    ? Format::markdown
           : suffix == ".csv" ? Format::csv
           : suffix == ".svg" ? Format::svg
           : suffix == ".pdf" ? Format::pdf
                              : Format::html;
}

/// Without this check, a file with an unknown suffix would become an HTML page.
void check_suffix(ReportOptions const& options) {
    constexpr std::array known{".html", ".htm", ".md", ".csv", ".svg", ".pdf"};
    auto const suffix = std::filesystem::path{options.output}.extension().string();
    if (options.format == Format::by_name && !suffix.empty() &&
        std::find(known.begin(), known.end(), suffix) == known.end())
        throw measure::UsageError(
            fmt::format("-o: the suffix of '{}' does not name a format; give --format", options.output));
}

void check_report(ReportOptions const& options, Format format) {
    check_suffix(options);
    if (options.model.ends_with(".h"))
        throw measure::UsageError(
            fmt::format("--model: '{}' is not possible; models are written only as JSON", options.model));
    if (options.output.empty())
        throw measure::UsageError("no output; name a file with -o (-o report.html; - is standard output)");
    if (format == Format::svg && options.output == "-")
        throw measure::UsageError("-o: '-' cannot hold several pictures; name a folder, or a file name with % where "
                                  "each picture's name goes");
    if (format == Format::svg && options.output.find('%') == std::string::npos && options.output.ends_with(".svg"))
        throw measure::UsageError(fmt::format("-o: '{}' is one file for several pictures; put % where each picture's "
                                              "name goes, or name a folder with --format svg",
                                              options.output));
}

std::string title_of(ReportOptions const& options) {
    if (!options.title.empty())
        return options.title;
    if (options.files.size() > 3)
        return fmt::format("Report of {} files", options.files.size());
    std::vector<std::string> names;
    for (auto const& file : options.files)
        names.push_back(file == "-" ? "standard input" : std::filesystem::path{file}.filename().string());
    return fmt::format("Report of {}", fmt::join(names, ", "));
}

std::string csv_text(std::span<Series const> series) {
    std::vector<measure::Record> records;
    std::vector<std::string> coordinates;
    for (auto const& one : series)
        for (auto record : one.points) {
            if (series.size() > 1) {
                measure::Point at{{"run", one.label}};
                for (auto const& [name, value] : record.at.coordinates())
                    at.set(name == "run" ? "run of the record" : name, value);
                record.at = std::move(at);
            }
            // All columns must be for one estimator, the one of the value.
            record.estimate = measure::estimate_to_show(record);
            for (auto const& name : record.at.names())
                program::add_once(coordinates, name);
            records.push_back(std::move(record));
        }
    std::ostringstream text;
    measure::CsvSink sink{text, measure::TableForm::csv, std::move(coordinates)};
    for (auto const& record : records)
        sink.write(record);
    return text.str();
}

void write_pictures(ReportOptions const& options, page::Document const& document, program::Session& session) {
    auto const plots = page::plots(document);
    std::size_t const place = options.output.find('%');
    if (place == std::string::npos) {
        std::error_code error;
        std::filesystem::create_directories(options.output, error);
        if (error)
            throw measure::UsageError(
                fmt::format("-o: cannot create the folder '{}': {}", options.output, error.message()));
    }
    bool is_any = false;
    for (auto const& plot : plots)
        if (auto const picture = page::svg_file_text(plot); !picture.empty()) {
            is_any = true;
            auto path = options.output;
            if (place == std::string::npos)
                path += fmt::format("/{}.svg", plot.stem);
            else
                path.replace(place, 1, plot.stem);
            Destination{"-o", path, session}.write(picture, session.text());
        }
    if (!is_any)
        throw std::runtime_error("no picture was written because there is nothing to draw");
}

std::string pdf_text(page::Document const& document) {
    auto pdf = page::draw_pdf(page::plots(document));
    if (pdf.empty())
        throw std::runtime_error(
            "gnuplot wrote no PDF: there is nothing to draw, or gnuplot lacks the pdfcairo terminal");
    return pdf;
}

/// The section for --models. Also writes the file of --model.
std::vector<page::Section> models_of(std::span<Series const> series, ReportOptions const& options,
                                     program::Session& session) {
    if (!options.with_models && options.model.empty())
        return {};
    Destination file{"--model", options.model, session};
    auto const models = make_models(series, {.confidence = options.confidence});
    if (!options.model.empty())
        file.write(measure::json_text(model_document(models)) + "\n", session.text());
    return {model_section(models)};
}

void run_report(ReportOptions const& options, program::Session& session) {
    auto const format = format_of(options);
    auto sources = read_sources(options.files, session);
    ReportSettings settings{.title = title_of(options)};
    if (std::size_t const all = filter(sources, options.conditions); !options.conditions.empty()) {
        std::vector<std::string> texts;
        for (auto const& condition : options.conditions)
            texts.push_back(condition.text);
        settings.notices.push_back(
            fmt::format("Not all of the {} points are shown: only points with {}.", all, fmt::join(texts, " and ")));
    }
    for (auto const& source : sources)
        warn_of_gaps(source.launches, session);
    auto const series = series_of(sources, options.labels, options.confidence, options.join);
    if (format == Format::pdf && !page::gnuplot_version())
        throw measure::UsageError("--format: pdf needs gnuplot 5.0 or newer, which is not installed");
    Destination output{"-o", format == Format::svg ? "" : options.output, session};
    auto sections = models_of(series, options, session);
    if (format == Format::csv)
        return output.write(csv_text(series), session.text());
    auto const document = report(series, settings, std::move(sections));
    if (format == Format::markdown)
        return output.write(page::markdown_text(document), session.text());
    if (format == Format::svg)
        return write_pictures(options, document, session);
    if (format == Format::pdf)
        return output.write(pdf_text(document), session.text());
    output.write(page::html_text(document), session.text());
}

void check_options(ReportOptions const& options) {
    if (options.output == "-" && options.model == "-")
        throw measure::UsageError("-o - and --model - cannot both go to stdout");
    check_report(options, format_of(options));
    check_sources(options.files);
    check_labels(options.labels, options.files.size());
}

void declare_report(program::Parser& parser, ReportOptions& o) {
    parser.option(
        "-o,--output", "FILE",
        "write to this file (required); - is stdout. For svg, name a folder, or a file with % in place of the "
        "picture's name",
        o.output, program::as::Text{});
    parser.option(
        "--format", "TYPE",
        "choose the format: html, markdown (md), csv, svg or pdf (default from the suffix of the output, else html)",
        o.format,
        program::as::Choice<Format>{{{"html", Format::html},
                                     {"markdown", Format::markdown},
                                     {"md", Format::markdown},
                                     {"csv", Format::csv},
                                     {"svg", Format::svg},
                                     {"pdf", Format::pdf}}});
    parser.option("--title", "TEXT", "set the heading of the report (default the file names)", o.title,
                  program::as::Text{});
    parser.option("--labels", "A,B,...", "label the files, one label for each file (default the file names)", o.labels,
                  [](program::Argument const& a) { return program::split(a.value, ','); });
    parser.list("--filter", "CONDITION", filter_help, o.conditions, filter_from);
    parser.option("--confidence", "P", "set the confidence level of the intervals of joined launches", o.confidence,
                  program::as::Number{.low = 0.5, .high = 0.9999});
    parser.flag("--join", join_help, o.join);
    parser.flag("--models", "add the cost models of the command measure model", o.with_models);
    parser.option("--model", "FILE", "also write the cost models in the format of measure model --json; - is stdout",
                  o.model, program::as::Text{});
    parser.arguments("FILE...", "record files (--json) of any programs; - is standard input", o.files);
}

}  // namespace

program::Suite report_command() {
    return local_suite(
        "measure report",
        "Writes a page about records: main numbers, plots, warnings, results with their errors, environment.",
        program::prepared<ReportOptions>(declare_report, run_report, checked_by<ReportOptions>(check_options)));
}

}  // namespace measure::tool
