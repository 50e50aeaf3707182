// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/command.hpp"

#include "program/runtime/stderr_line.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>

namespace program {

namespace {

/// Number of errors in an input file that are printed.
constexpr std::size_t most_faults = 20;

/// Limit for an input file's name in an error line, in bytes, to leave room for the error.
constexpr std::size_t longest_name = 1000;

constexpr std::size_t longest_line = 4000;

/// The printable text, cut to `longest` bytes and then marked as cut.
std::string shortened(std::string const& text, std::size_t longest) {
    auto line = printable(text);
    if (line.size() > longest) {
        std::size_t const cut = line.size() - longest;
        line = printable(line.substr(0, longest)) + fmt::format(" ... ({} more bytes)", cut);
    }
    return line;
}

/// Thrown to end a check that leaves files to the run.
struct FileNeeded {};

CommonOptions defaults_of(Suite const& suite) {
    CommonOptions common = suite.common.defaults;
    if (!suite.uses_mpi && common.timer == "mpi_wtime")
        common.timer = "monotonic_raw";
    return common;
}

}  // namespace

Command::Command(Suite const& suite, std::vector<std::string> const& words)
    : suite_{suite}, common_{defaults_of(suite)}, parser_{suite.program, suite.summary}, prepared_{suite.prepare(
                                                                                             parser_, common_)} {
    declare(parser_, suite.common, common_);
    question_ = parser_.parse(words, {"--help", "--version"});
}

std::string Command::answer() const {
    return question_ == "--help" ? parser_.help()
                                 : fmt::format("{}{} {}\n", suite_.banner, suite_.program, suite_.version);
}

void Command::check(Supposed const& supposed) const {
    if (common_.ranks && !common_.list)
        throw measure::UsageError("--ranks: needs --list");
    if (!suite_.uses_mpi && common_.timer == "mpi_wtime")
        throw measure::UsageError("--timer: mpi_wtime needs MPI; use monotonic_raw");
    if (!prepared_.check)
        return;
    try {
        prepared_.check(common_, supposed);
    } catch (FileNeeded const&) {
    }
}

std::string error_line(Suite const& suite, std::string const& text) {
    return shortened(fmt::format("{}: error: {}", suite.program, text), longest_line);
}

std::vector<std::string> error_lines(Suite const& suite, ParseErrors const& faults) {
    std::vector<std::string> lines;
    auto const& all = faults.faults();
    std::size_t const shown = std::min(all.size(), most_faults);
    for (ParseError const& fault : std::span{all}.first(shown))
        lines.push_back(
            shortened(fmt::format("{}: {}:{}:{}: error: {}", suite.program, shortened(fault.file, longest_name),
                                  fault.line, fault.column, fault.text),
                      longest_line));
    if (shown < all.size())
        lines.push_back(fmt::format("{}: error: {} more errors are not shown", suite.program, all.size() - shown));
    return lines;
}

std::string const& supposed_file(Supposed const& supposed, std::string const& path) {
    if (supposed.leaves_files)
        throw FileNeeded{};
    auto const found = supposed.files.find(path);
    if (found == supposed.files.end())
        throw measure::UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(ENOENT)));
    return found->second;
}

bool has_file(Supposed const& supposed, std::string const& path) {
    if (supposed.leaves_files)
        throw FileNeeded{};
    return supposed.files.contains(path);
}

Checked checked(Suite const& suite, std::vector<std::string> const& words, Supposed const& supposed) {
    try {
        Command command{suite, words};
        if (!command.question().empty())
            return {0, command.answer()};
        auto& common = command.common();
        if (suite.common.config && command.parser().given("--config"))
            command.parser().configure(common.config, supposed_file(supposed, common.config));
        command.check(supposed);
        return {};
    } catch (FileNeeded const&) {
        return {};
    } catch (ParseErrors const& faults) {
        return {2, fmt::format("{}\n", fmt::join(error_lines(suite, faults), "\n"))};
    } catch (measure::UsageError const& error) {
        return {2, error_line(suite, error.what()) + '\n'};
    }
}

}  // namespace program
