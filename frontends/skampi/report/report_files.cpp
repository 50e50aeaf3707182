// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/report_files.hpp"

#include "program/runtime/child.hpp"
#include "program/runtime/files.hpp"
#include "skampi/output/number.hpp"
#include "skampi/report/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace skampi::report {

namespace {

constexpr char const* gnuplot_log = "gnuplot.log";

/// A file that holds all plots, and the script that makes it.
struct PlotFile {
    char const* suffix;
    page::Terminal terminal;
    bool Formats::*format;
    [[nodiscard]] std::string name() const { return fmt::format("report.{}", suffix); }
    [[nodiscard]] std::string script() const { return fmt::format("report_{}.gp", suffix); }
};
constexpr std::array plot_files{PlotFile{"ps", page::Terminal::ps, &Formats::ps},
                                PlotFile{"pdf", page::Terminal::pdf, &Formats::pdf}};

}  // namespace

ReportFiles::ReportFiles(program::Session& session, std::string folder, Formats const& formats)
    : session_{session}, folder_{std::move(folder)}, formats_{formats} {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
        throw measure::UsageError(fmt::format("cannot create the folder '{}': {}", folder_, error.message()));
    lock_.emplace(path(".skampi-report.lock"), fmt::format("cannot write '{}'", folder_));
    if (!lock_->obstacle().empty())
        session.warn(program::unlocked_text(folder_, lock_->obstacle()));
}

void ReportFiles::check_record(std::string const& json, std::vector<Plot> const& plots) const {
    std::error_code error;
    namespace fs = std::filesystem;
    fs::path const record{json};
    auto const folder = record.has_parent_path() ? record.parent_path() : fs::path{"."};
    if (json.empty() || json == "-" || !fs::equivalent(folder, folder_, error))
        return;
    auto const name = record.filename().string();
    bool const is_plot =
        std::any_of(plots.begin(), plots.end(), [&](Plot const& plot) { return record.stem() == plot.stem; });
    if (is_plot || name == gnuplot_log || name.starts_with("report."))
        throw measure::UsageError(fmt::format("--json: '{}' is the name of a report file; choose another name", json));
}

void ReportFiles::clear() {
    for (char const* const old : {gnuplot_log, "report.html"})
        remove(old);
    for (auto const& file : plot_files)
        for (auto const& old : {file.name(), file.script()})
            remove(old);
}

std::string ReportFiles::path(std::string const& file) const { return fmt::format("{}/{}", folder_, file); }

void ReportFiles::write(std::string const& file, std::string const& text) {
    // These files are numerous and can be made again, so they need not reach the disk.
    program::write_file(session_.world(), path(file), text, program::Reaches::file_system);
}

void ReportFiles::remove(std::string const& file) {
    std::error_code ignored;  // a file that remains is replaced, or writing it fails
    std::filesystem::remove(path(file), ignored);
}

void ReportFiles::write_plots(std::vector<Plot> const& plots) {
    for (Plot const& plot : plots) {
        for (char const* const suffix : {"svg", "png"})
            remove(fmt::format("{}.{}", plot.stem, suffix));
        write(fmt::format("{}.dat", plot.stem), dat_text(plot));
        write(fmt::format("{}.gp", plot.stem), gp_text(plot));
    }
    for (auto const& file : plot_files)
        if (formats_.*file.format && !plots.empty())
            write(file.script(), page::script_text(plots, file.terminal, file.name()));
}

void ReportFiles::draw(std::vector<Plot> const& plots) {
    bool const wanted = formats_.png || std::any_of(plot_files.begin(), plot_files.end(),
                                                    [&](PlotFile const& file) { return formats_.*file.format; });
    if (plots.empty() || !wanted)
        return;
    if (!program::has_program("gnuplot")) {
        session_.warn("gnuplot is not installed: no picture files are written (report.html has its own pictures)");
        return;
    }
    std::vector<std::string> failed;
    for (Plot const& plot : plots) {
        std::string const script = fmt::format("{}.gp", plot.stem);
        if (formats_.png && !run(script))
            failed.push_back(script);
    }
    for (auto const& file : plot_files)
        if (formats_.*file.format && !run(file.script()))
            failed.push_back(file.script());
    if (!failed.empty())
        session_.warn(fmt::format("gnuplot failed for {} script{} ('{}' first); see '{}'", failed.size(),
                                  failed.size() == 1 ? "" : "s", failed[0], path(gnuplot_log)));
}

void ReportFiles::write_document(Document const& document) {
    if (formats_.html)
        write("report.html", html_text(document));
}

bool ReportFiles::run(std::string const& script) {
    static_cast<void>(session_.meet());
    session_.next(fmt::format("gnuplot {}", script));
    return program::run_child({.command = {"gnuplot", script}, .folder = folder_, .log = gnuplot_log}) == 0;
}

}  // namespace skampi::report
