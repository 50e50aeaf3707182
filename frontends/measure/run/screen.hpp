// SPDX-License-Identifier: BSD-3-Clause
/// Screen: the answer of a run for a terminal. At most 25 lines, plus one for each operation if there are two sides.
/// Pure, local.
#pragma once

#include "run/answer.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool::runs {

/// Texts next to the numbers, and the form of the terminal.
struct ScreenNotes {
    std::vector<std::string> notes{};                           ///< omissions, and the reason for an early end
    std::vector<std::string> warnings{};                        ///< disturbances found by `measure doctor`
    std::vector<std::pair<std::string, std::string>> places{};  ///< {"page", "/path/index.html"}
    bool colours = false;
    std::size_t columns = 80;  ///< width of the terminal, at least 60
};

/// "File_read: from the page cache", for each test that has a point with the flag `page_cache` in any launch.
[[nodiscard]] std::vector<std::string> page_cache_notes(std::span<Launch const> launches);

[[nodiscard]] std::string screen(Answer const& answer, ScreenNotes const& notes);

/// Sentences that accompany the numbers: changes, differences between the runs, guidelines, states, switch points.
[[nodiscard]] std::vector<std::string> findings_of(Answer const& answer);

/// The value with its unit and its relative error: "1.20us 2%"; "-" without a value.
[[nodiscard]] std::string cell_text(AnswerCell const& cell);
/// The bandwidth of all ranks together with its relative error: "9.1GB/s 2%"; "-" without a value.
[[nodiscard]] std::string bandwidth_text(AnswerCell const& cell, int ranks);
[[nodiscard]] int ranks_of(Answer const& answer);

/// A value for display: for memory and files the bandwidth of all ranks together, otherwise a time.
struct ShownValue {
    measure::Quantity quantity = measure::Quantity::time;
    double value = 0;
    std::optional<measure::Interval> interval{};  ///< 95 % interval
};
/// \param cell  must have an estimate
[[nodiscard]] ShownValue shown_value(std::string_view operation, AnswerCell const& cell, int ranks);
/// Converts a change of times into a change of rates.
[[nodiscard]] ComparedPoint of_rates(ComparedPoint change);
/// Change in per cent with its interval: "+20 (18..22)%", "+3.1 (2..5)%". The interval is rounded outwards to whole
/// numbers.
[[nodiscard]] std::string change_text(ComparedPoint const& change);
/// The displayed name of an operation: "Bandwidth" or "Rate" for windows of messages, otherwise unchanged.
[[nodiscard]] std::string shown_name(Answer const& answer, std::string const& operation);
/// "310ns": the value of side B, as a rate for memory and files. \param cell  must have a change
[[nodiscard]] std::string other_value_text(std::string_view operation, AnswerCell const& cell, int ranks);

}  // namespace measure::tool::runs
