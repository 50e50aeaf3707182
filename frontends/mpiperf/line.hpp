// SPDX-License-Identifier: BSD-3-Clause
/// One line of the report: cells of the widths of MPIPerf 0.0.3 for people, commas for programs.
#pragma once

#include "report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mpiperf {

/// Widths of the columns, as in MPIPerf 0.0.3: Procs, Count, the three numbers of runs, times, ratios.
inline constexpr int procs_width = 7;
inline constexpr int count_width = 11;
inline constexpr int runs_width = 7;
inline constexpr int ratio_width = 10;
inline constexpr int usec_width = 14;
inline constexpr int sec_width = 12;

/// Collects the cells of one line, for people or for programs.
class Line {
public:
    explicit Line(Style const& style, std::string_view lead = "  ") : style_{style}, lead_{lead} {}

    Line& cell(std::string_view text, int width) {
        if (style_.format == Format::csv)
            text_ += fmt::format("{}{}", text_.empty() ? "" : ",", text);
        else
            text_ += fmt::format("{:<{}}", text, width);
        return *this;
    }
    Line& number(std::int64_t n, int width) { return cell(fmt::format("{}", n), width); }
    Line& time(std::optional<double> seconds) { return time(seconds, time_width()); }
    Line& time(std::optional<double> seconds, int width) {
        if (seconds && style_.scale == TimeScale::usec)
            *seconds *= 1e6;
        return real(seconds, style_.time_digits, width);
    }
    Line& ratio(std::optional<double> x) { return real(x, style_.ratio_digits, ratio_cell()); }
    [[nodiscard]] int ratio_cell() const { return ratio_width + style_.ratio_digits - 2; }
    [[nodiscard]] int time_width() const {
        return style_.scale == TimeScale::usec ? usec_width + style_.time_digits - 2
                                               : sec_width + style_.time_digits - 6;
    }
    [[nodiscard]] std::string str() const {
        if (style_.format == Format::csv)
            return text_ + "\n";
        std::string line = lead_ + text_;
        line.erase(line.find_last_not_of(' ') + 1);
        return line + "\n";
    }

private:
    /// What is not known is "-" for people, and nothing for programs.
    Line& real(std::optional<double> x, int digits, int width) {
        bool const csv = style_.format == Format::csv;
        if (!x)
            return cell(csv ? "" : "-", width);
        return cell(csv ? fmt::format("{}", *x) : fmt::format("{:.{}f}", *x, digits), width);
    }

    Style const& style_;
    std::string lead_;
    std::string text_;
};

/// A title as it stands above its column.
[[nodiscard]] inline std::string title(std::string_view text, Style const& style) {
    return style.format == Format::csv ? std::string{text} : fmt::format("[{}]", text);
}

}  // namespace mpiperf
