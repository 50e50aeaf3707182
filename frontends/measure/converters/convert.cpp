// SPDX-License-Identifier: BSD-3-Clause
#include "converters/convert.hpp"

#include "converters/formats.hpp"
#include "program/cli/values.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace measure::tool::convert {

namespace {

struct Format {
    bool (*is_one)(std::string_view text);
    std::vector<measure::RunRecord> (*runs)(Text const& text, Given const& given);
};

constexpr std::array formats{Format{is_skampi, skampi_runs}, Format{is_osu, osu_runs}, Format{is_imb, imb_runs}};

/// Programs may print tables next to their records.
bool has_record_line(std::string_view text) {
    auto const lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [](Line const& line) { return line.text.starts_with('{'); });
}

std::string record_text(std::vector<measure::RunRecord> const& runs) {
    std::string text;
    auto const add = [&](std::string const& line) { text.append(line).append("\n"); };
    for (auto const& run : runs) {
        add(measure::json_line(run.run));
        for (auto const& point : run.points)
            add(measure::json_line(point));
        for (auto const& summary : run.summaries)
            add(measure::json_line(summary));
        if (run.end)
            add(measure::json_line(*run.end));
    }
    return text;
}

std::optional<std::string> name_from(program::Argument const& argument) {
    if (program::trimmed(argument.value).empty())
        throw measure::UsageError(argument.option + ": the name must not be empty");
    return argument.value;
}

std::optional<std::string> date_from(program::Argument const& argument) {
    for (char const* const form : {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"}) {
        std::tm parts{};
        char const* const end = ::strptime(argument.value.c_str(), form, &parts);
        // timegm turns 30 February into 1 March.
        std::tm day = parts;
        bool const is_day = ::timegm(&day) != -1 && day.tm_mday == parts.tm_mday;
        bool const is_whole = end != nullptr && *end == '\0' && is_day;
        // Years with fewer than four digits would sort wrongly.
        if (is_whole && argument.value.find('-') == 4)
            return argument.value;
    }
    throw measure::UsageError(
        fmt::format("{}: '{}' is not a date; use 2004-01-31 or 2004-01-31T10:00:00Z", argument.option, argument.value));
}

}  // namespace

void declare(program::Parser& parser, Given& given) {
    parser.heading("facts that output of other programs may lack");
    parser.option(
        "--ranks", "N", "set the number of processes", given.ranks,
        [](program::Argument const& argument) -> std::optional<int> { return program::as::Int{.low = 1}(argument); });
    parser.option("--library", "TEXT", "set the name of the MPI library, such as 'MPICH 1.2.5'", given.library,
                  name_from);
    parser.option("--machine", "NAME",
                  "set the name of the machine; for a record, replaces its hosts' names and processors", given.machine,
                  name_from);
    parser.option("--date", "DATE", "set the date of the measurement: 2004-01-31 or 2004-01-31T10:00:00Z", given.date,
                  date_from);
}

std::optional<std::string> converted(std::string const& text, std::string const& path, Given const& given) {
    auto const is_one = [&](Format const& format) { return format.is_one(text); };
    auto const found = std::find_if(formats.begin(), formats.end(), is_one);
    if (found == formats.end() || has_record_line(text))
        return std::nullopt;
    if (std::count_if(formats.begin(), formats.end(), is_one) > 1)
        refuse({text, path}, 1, "this text has tables of several suites; put each suite into its own file");
    auto runs = found->runs({text, path}, given);
    // The last line was cut off.
    if (!text.ends_with('\n'))
        runs.back().end.reset();
    return record_text(runs);
}

std::string unknown_text() { return fmt::format("this is neither a record nor a supported output file ({})", sources); }

}  // namespace measure::tool::convert
