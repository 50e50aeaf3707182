// SPDX-License-Identifier: BSD-3-Clause
/// Progress: decides when a progress line is due and formats it. Local. The caller passes the time; no clock is read.
#pragma once

#include "program/cli/options.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace program {

/// Destination of progress lines.
enum class ProgressPlace {
    nowhere,
    lines,     ///< whole lines
    erasable,  ///< a line on a terminal, erased before any other output
};

/// Properties of stdout and stderr.
struct Streams {
    bool stderr_is_terminal = false;
    bool stderr_is_file = false;
    bool are_one = false;  ///< stdout and stderr are the same file, pipe or terminal
    int columns = 80;      ///< width of the terminal
};
/// The streams of this process.
[[nodiscard]] Streams streams() noexcept;

/// Unless the mode is `always`, progress is not written to files and not between the rows of a table: if stdout and
/// stderr are the same, it is only shown on a terminal, where it is erased. Pure.
[[nodiscard]] ProgressPlace progress_place(ProgressMode mode, Streams const& streams) noexcept;

class Progress {
public:
    explicit Progress(ProgressMode mode) : mode_{mode} {}

    /// Sets the number of points to come; 0: unknown. \param things  plural noun for the counted units
    void plan(std::int64_t points, std::string_view things = "points") {
        planned_ = points;
        things_ = things;
    }
    /// Sets the current measurement: "Bcast bytes=8".
    void next(std::string what) { what_ = std::move(what); }
    /// Sets an intermediate result as text. The line on a terminal then has a bar and ends with this text.
    void found(std::string words) { found_ = std::move(words); }
    /// Counts one point as done.
    void done() noexcept { ++done_; }

    /// The line to print now: "Bcast bytes=8: 3 of 48 points done, 12 s, about 3 min left"; empty if no line is due.
    /// Lines are at least 2 s apart; in automatic mode the first one comes after 5 s.
    /// \param elapsed      time since the start of the run
    /// \param on_terminal  after `found`, use the form "launch 4 of 8 [###---] 10 s, 10 s left; Bcast 1 us"
    [[nodiscard]] std::optional<std::string> line(measure::seconds elapsed, bool on_terminal = false);

private:
    [[nodiscard]] bool due(measure::seconds elapsed) const noexcept;
    [[nodiscard]] std::string with_bar(measure::seconds elapsed) const;
    ProgressMode mode_;
    std::int64_t planned_ = 0;
    std::int64_t done_ = 0;
    std::string what_;
    std::string found_;
    std::string things_ = "points";
    std::optional<measure::seconds> last_;
};

}  // namespace program
