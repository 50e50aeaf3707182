// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace program {
namespace {

constexpr measure::seconds interval{2};
constexpr measure::seconds silence{5};

/// Whole seconds below two minutes, whole minutes above. An estimate does not deserve more digits.
std::string rough(measure::seconds t) {
    return t.count() < 120 ? fmt::format("{:.0f} s", t.count()) : fmt::format("{:.0f} min", t.count() / 60);
}

}  // namespace

Streams streams() noexcept {
    struct ::stat out {};
    struct ::stat error {};
    bool const known = ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &error) == 0;
    struct ::winsize window {};
    bool const sized = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
    return {.stderr_is_terminal = ::isatty(STDERR_FILENO) != 0,
            .stderr_is_file = known && S_ISREG(error.st_mode),
            .are_one = known && out.st_dev == error.st_dev && out.st_ino == error.st_ino,
            .columns = sized ? window.ws_col : 80};
}

ProgressPlace progress_place(ProgressMode mode, Streams const& streams) noexcept {
    if (mode == ProgressMode::never)
        return ProgressPlace::nowhere;
    if (streams.stderr_is_terminal)
        return ProgressPlace::erasable;
    bool const disturbs = streams.stderr_is_file || streams.are_one;
    return mode == ProgressMode::automatic && disturbs ? ProgressPlace::nowhere : ProgressPlace::lines;
}

bool Progress::due(measure::seconds elapsed) const noexcept {
    if (mode_ == ProgressMode::never || what_.empty())
        return false;
    if (mode_ == ProgressMode::automatic && elapsed < silence)
        return false;
    return !last_ || elapsed - *last_ >= interval;
}

std::string Progress::with_bar(measure::seconds elapsed) const {
    constexpr std::int64_t width = 6;
    auto const full = static_cast<std::size_t>(width * done_ / planned_);
    auto const rest = elapsed * static_cast<double>(planned_ - done_) / static_cast<double>(done_);
    return fmt::format("{} [{:-<{}}] {}, {} left; {}", what_, std::string(full, '#'), width, rough(elapsed),
                       rough(rest), found_);
}

std::optional<std::string> Progress::line(measure::seconds elapsed, bool on_terminal) {
    if (!due(elapsed))
        return std::nullopt;
    last_ = elapsed;
    if (on_terminal && !found_.empty() && done_ > 0 && done_ <= planned_)
        return with_bar(elapsed);
    // Repeated points are not part of the plan.
    if (planned_ <= 0 || done_ > planned_)
        return fmt::format("{}: {} {} done, {}", what_, done_, things_, rough(elapsed));
    std::string text = fmt::format("{}: {} of {} {} done, {}", what_, done_, planned_, things_, rough(elapsed));
    if (done_ > 0 && done_ < planned_)
        text += fmt::format(", about {} left",
                            rough(elapsed * static_cast<double>(planned_ - done_) / static_cast<double>(done_)));
    return text;
}

}  // namespace program
