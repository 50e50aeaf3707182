// SPDX-License-Identifier: BSD-3-Clause
#include "page/drawing.hpp"

#include "program/runtime/child.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace page {

namespace {

std::string text_of(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The temporary files that gnuplot reads and writes.
class Desk {
public:
    /// \return the drawing; an empty text if the script failed
    std::string pdf(std::span<Plot const> plots) {
        program::OutputFile script{script_.path(), {}, program::Appears::as_written};
        script.begin();
        script.stream() << script_text(plots, Terminal::pdf, picture_.path());
        script.flush();
        return program::run_child({.command = {"gnuplot", script_.path()}, .log = log_.path()}) == 0
                   ? text_of(picture_.path())
                   : std::string{};
    }

    std::string version() {
        return program::run_child({.command = {"gnuplot", "--version"}, .log = log_.path()}) == 0 ? text_of(log_.path())
                                                                                                  : std::string{};
    }

private:
    program::TemporaryFolder folder_{"measure-plot"};
    program::TemporaryFile script_{folder_.file("script")};
    program::TemporaryFile picture_{folder_.file("picture")};
    program::TemporaryFile log_{folder_.file("log")};
};

}  // namespace

std::optional<std::string> gnuplot_version() {
    std::istringstream words{Desk{}.version()};
    std::string program;
    std::string version;
    words >> program >> version;
    constexpr double oldest = 5;  // older versions have no dash types and no data blocks
    if (program != "gnuplot" || std::strtod(version.c_str(), nullptr) < oldest)
        return std::nullopt;
    return version;
}

std::string draw_pdf(std::span<Plot const> plots) {
    std::vector<Plot> drawn;
    for (Plot const& plot : plots)
        if (has_points(plot))
            drawn.push_back(plot);
    return drawn.empty() ? std::string{} : Desk{}.pdf(drawn);
}

}  // namespace page
