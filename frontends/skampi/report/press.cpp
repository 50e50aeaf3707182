// SPDX-License-Identifier: BSD-3-Clause
#include "report/press.hpp"

#include "output/number.hpp"
#include "program/runtime/child.hpp"
#include "program/runtime/files.hpp"
#include "report/pages.hpp"
#include "report/tex.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace skampi::report {

namespace {

constexpr char const* gnuplot_log = "gnuplot.log";
constexpr char const* latex_log = "latex.log";

/// Programs that make PostScript of report.pdf, the best first.
std::vector<std::vector<std::string>> converters() {
    return {
        {"pdftops", "report.pdf", "report.ps"},
        {"pdf2ps", "report.pdf", "report.ps"},
        {"gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=ps2write", "-sOutputFile=report.ps", "report.pdf"}};
}

}  // namespace

Press::Press(program::Session& session, std::string folder, Formats const& formats)
    : session_{session}, folder_{std::move(folder)}, formats_{formats} {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
        throw measure::UsageError(fmt::format("cannot create the folder '{}': {}", folder_, error.message()));
    lock_.emplace(path(".skampi-report.lock"), fmt::format("cannot write '{}'", folder_));
    if (!lock_->obstacle().empty())
        session.warn(program::unlocked_text(folder_, lock_->obstacle()));
}

void Press::clear() {
    for (char const* const old : {gnuplot_log, latex_log, "report.html", "report.tex", "report.pdf", "report.ps"})
        remove(old);
}

std::string Press::path(std::string const& file) const { return fmt::format("{}/{}", folder_, file); }

void Press::write(std::string const& file, std::string const& text) {
    auto out = program::open_file(session_.world(), path(file), {}, program::Appears::when_whole);
    out.stream() << text;
    out.finish();
}

void Press::remove(std::string const& file) {
    std::error_code ignored;  // a file that is there still will be replaced, or its writing fails
    std::filesystem::remove(path(file), ignored);
}

void Press::write_plots(std::vector<Plot> const& plots) {
    for (Plot const& plot : plots) {
        for (char const* const suffix : {"svg", "png", "pdf"})
            remove(fmt::format("{}.{}", plot.stem, suffix));
        write(fmt::format("{}.dat", plot.stem), dat_text(plot));
        write(fmt::format("{}.gp", plot.stem),
              gp_text(plot, {.svg = formats_.html, .png = formats_.png, .pdf = formats_.tex()}));
    }
}

void Press::draw(std::vector<Plot> const& plots) {
    if (plots.empty() || !(formats_.html || formats_.png || formats_.tex()))
        return;
    if (!program::has_program("gnuplot")) {
        session_.warn("gnuplot is not installed: no pictures, the report has tables in their place");
        return;
    }
    std::vector<std::string> failed;
    for (Plot const& plot : plots) {
        std::string const script = fmt::format("{}.gp", plot.stem);
        if (run({"gnuplot", script}, gnuplot_log) != 0)
            failed.push_back(script);
        std::string const picture = path(fmt::format("{}.svg", plot.stem));
        if (formats_.html && std::filesystem::exists(picture))
            pictures_[plot.stem] = program::file_text(picture);
    }
    if (!failed.empty())
        session_.warn(fmt::format("gnuplot failed with {} of {} plots, '{}' the first: see '{}'", failed.size(),
                                  plots.size(), failed[0], path(gnuplot_log)));
}

void Press::write_document(Document const& document) {
    if (formats_.html)
        write("report.html", html_text(document, pictures_));
    if (formats_.tex())
        write("report.tex", tex_text(document));
}

void Press::typeset() {
    if (!formats_.pdf && !formats_.ps)
        return;
    if (!program::has_program("pdflatex")) {
        session_.warn("pdflatex is not installed: no report.pdf and no report.ps");
        return;
    }
    std::vector<std::string> const command{"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"};
    // The second time for the table of contents and the widths of long tables.
    if (run(command, latex_log) != 0 || run(command, latex_log) != 0)
        session_.warn(fmt::format("pdflatex failed: see '{}'", path(latex_log)));
    else if (formats_.ps)
        make_postscript();
}

void Press::make_postscript() {
    for (auto const& command : converters())
        if (program::has_program(command[0])) {
            if (run(command, latex_log) != 0)
                session_.warn(fmt::format("{} failed: see '{}'", command[0], path(latex_log)));
            return;
        }
    session_.warn("none of pdftops, pdf2ps and gs is installed: no report.ps");
}

int Press::run(std::vector<std::string> const& command, std::string const& log) {
    static_cast<void>(session_.meet());
    session_.next(joined(command, " "));
    return program::run_child({.command = command, .folder = folder_, .log = log});
}

}  // namespace skampi::report
