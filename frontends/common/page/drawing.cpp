// SPDX-License-Identifier: BSD-3-Clause
#include "page/drawing.hpp"

#include "program/runtime/child.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/temporary_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace page {

namespace {

std::string text_of(std::string const& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// What gnuplot reads and writes; gone when the drawing is done.
class Desk {
public:
    /// \return what the script has drawn; an empty text where it failed
    std::string draw(std::span<Plot const> plots, Terminal terminal) {
        std::filesystem::resize_file(picture_.path(), 0);
        program::OutputFile script{script_.path(), {}, program::Appears::as_written};
        script.begin();
        script.stream() << script_text(plots, terminal, picture_.path());
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
    /// Nobody else's: the folder is that of all users, and a script is a program.
    static program::TemporaryFile file() {
        std::error_code error;
        auto path = (std::filesystem::temp_directory_path(error) / "measure-plot.XXXXXX").string();
        if (error)
            throw std::runtime_error("there is no folder for temporary files: see TMPDIR");
        int const handle = ::mkstemp(path.data());
        if (handle < 0)
            throw std::runtime_error(fmt::format("cannot create '{}'", path));
        ::close(handle);
        return program::TemporaryFile{path};
    }
    program::TemporaryFile script_ = file();
    program::TemporaryFile picture_ = file();
    program::TemporaryFile log_ = file();
};

/// The pictures of a file that holds several.
std::vector<std::string> split_svg(std::string const& text) {
    constexpr std::string_view begin = "<svg";
    constexpr std::string_view end = "</svg>";
    std::vector<std::string> pictures;
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        std::size_t const last = text.find(end, at);
        if (last == std::string::npos)
            break;
        pictures.push_back(text.substr(at, last + end.size() - at));
        at = last;
    }
    return pictures;
}

}  // namespace

std::optional<std::string> gnuplot_version() {
    std::istringstream words{Desk{}.version()};
    std::string program;
    std::string version;
    words >> program >> version;
    constexpr double oldest = 5;  // older ones have no dashes and no blocks of data
    if (program != "gnuplot" || std::strtod(version.c_str(), nullptr) < oldest)
        return std::nullopt;
    return version;
}

std::vector<std::string> draw_svg(std::span<Plot const> plots) {
    std::vector<Plot> drawn;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < plots.size(); ++i)
        if (has_points(plots[i])) {
            drawn.push_back(plots[i]);
            places.push_back(i);
        }
    std::vector<std::string> result(plots.size());
    if (drawn.empty())
        return result;
    Desk desk;
    auto pictures = split_svg(desk.draw(drawn, Terminal::svg));
    if (pictures.size() != drawn.size()) {
        pictures.clear();
        for (Plot const& plot : drawn) {
            auto one = split_svg(desk.draw(std::span{&plot, 1}, Terminal::svg));
            pictures.push_back(one.size() == 1 ? std::move(one.front()) : std::string{});
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        result[places[i]] = std::move(pictures[i]);
    return result;
}

std::string draw_pdf(std::span<Plot const> plots) {
    std::vector<Plot> drawn;
    for (Plot const& plot : plots)
        if (has_points(plot))
            drawn.push_back(plot);
    return drawn.empty() ? std::string{} : Desk{}.draw(drawn, Terminal::pdf);
}

}  // namespace page
