// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/parse_errors.hpp"

#include "analysis/core/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace program {
namespace {

std::string faults_text(std::vector<ParseError> const& faults) {
    return fmt::format("{}:{}:{}: {}", faults.at(0).file, faults.at(0).line, faults.at(0).column, faults.at(0).text);
}

}  // namespace

ParseErrors::ParseErrors(std::vector<ParseError> faults)
    : measure::UsageError{faults_text(faults)}, faults_{std::move(faults)} {}

void throw_any(std::vector<ParseError> faults) {
    if (!faults.empty())
        throw ParseErrors{std::move(faults)};
}

void gather(std::vector<ParseError>& faults, std::function<void()> const& read) {
    try {
        read();
    } catch (ParseErrors const& found) {
        faults.insert(faults.end(), found.faults().begin(), found.faults().end());
    }
}

void read_lines(std::string const& text, std::string const& file,
                std::function<void(std::string const& line)> const& read) {
    std::vector<ParseError> faults;
    int number = 0;
    for (auto const& whole : measure::detail::split(text, '\n')) {
        ++number;
        std::string const line{measure::detail::trimmed(std::string_view{whole}.substr(0, whole.find('#')))};
        try {
            if (!line.empty())
                read(line);
        } catch (measure::UsageError const& error) {
            faults.push_back({.file = file, .line = number, .text = error.what()});
        }
    }
    throw_any(std::move(faults));
}

}  // namespace program
