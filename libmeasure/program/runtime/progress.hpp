// SPDX-License-Identifier: BSD-3-Clause
/// Progress: when a line on the progress is due, and what it says. Local; told the time, asks no clock.
#pragma once

#include "program/cli/options.hpp"

#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace program {

/// Where progress goes.
enum class ProgressPlace {
    nowhere,
    lines,     ///< whole lines
    erasable,  ///< a line on a terminal that is gone before anything else is printed
};

/// What stdout and stderr are.
struct Streams {
    bool stderr_is_terminal = false;
    bool stderr_is_file = false;
    bool are_one = false;  ///< the same file, pipe or terminal
    int columns = 80;      ///< of the terminal
};
/// Of this process.
[[nodiscard]] Streams streams() noexcept;

/// Unless it is always asked for, progress is in no file, and never between the rows of a table: where stdout and
/// stderr are one it is only on a terminal, which forgets it. Pure.
[[nodiscard]] ProgressPlace progress_place(ProgressMode mode, Streams const& streams) noexcept;

class Progress {
public:
    explicit Progress(ProgressMode mode) : mode_{mode} {}

    /// Number of points to come; 0: not known. \param things  what they are called
    void plan(std::int64_t points, std::string_view things = "points") {
        planned_ = points;
        things_ = things;
    }
    /// What is measured now: "Bcast bytes=8".
    void next(std::string what) { what_ = std::move(what); }
    /// What has come out so far, in words. From then on the line of a terminal has a bar, and ends with it.
    void found(std::string words) { found_ = std::move(words); }
    /// One more point is done.
    void done() noexcept { ++done_; }

    /// The line to print now: "Bcast bytes=8: 3 of 48 points, 12 s, about 3 min left"; nothing where none is due.
    /// At most one every 2 s; in automatic mode none in the first 5 s.
    /// \param elapsed  since the start of the run  \param on_terminal  "start 4 of 8 [###---] 10 s, 10 s left; Bcast 1
    /// us"
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
