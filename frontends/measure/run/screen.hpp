// SPDX-License-Identifier: BSD-3-Clause
/// Screen: the answer of a run for a terminal: at most 25 lines, and a further one for each operation of two sides.
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

/// The text around the numbers, and the room for all.
struct ScreenNotes {
    std::vector<std::string> notes{};                           ///< what was left out, why it ended early
    std::vector<std::string> warnings{};                        ///< what disturbs here, by `measure doctor`
    std::vector<std::pair<std::string, std::string>> places{};  ///< {"page", "/path/index.html"}
    bool colours = false;
    std::size_t columns = 80;  ///< 60 at least
};

/// "File_read: from the page cache", for each test of which a start has a point with that flag.
[[nodiscard]] std::vector<std::string> page_cache_notes(std::span<Launch const> starts);

[[nodiscard]] std::string screen(Answer const& answer, ScreenNotes const& notes);

/// What is to be known besides the numbers, a sentence each: what has changed, in what the runs differ, guidelines.
[[nodiscard]] std::vector<std::string> findings_of(Answer const& answer);

/// The value with its unit and its relative error: "1.20us 2%", "-" where there is none.
[[nodiscard]] std::string cell_text(AnswerCell const& cell);
/// Likewise of what all ranks move together in that time: "9.1GB/s 2%".
[[nodiscard]] std::string bandwidth_text(AnswerCell const& cell, int ranks);
[[nodiscard]] int ranks_of(Answer const& answer);

/// A value as people are told it: a time, of memory and files what all ranks move together in a second.
struct ShownValue {
    measure::Quantity quantity = measure::Quantity::time;
    double value = 0;
    std::optional<measure::Interval> interval{};  ///< at 95 %
};
/// \param cell  has an estimate
[[nodiscard]] ShownValue shown_value(std::string_view operation, AnswerCell const& cell, int ranks);
/// The change of the rates behind times.
[[nodiscard]] ComparedPoint of_rates(ComparedPoint change);
/// Ratio less 1 and its interval, in per cent: "+20 (18..22)%", "+3.1 (2..5)%"; whole numbers outwards.
[[nodiscard]] std::string change_text(ComparedPoint const& change);
/// The name of an operation for people: "Bandwidth" or "Rate" for windows of messages, otherwise its own.
[[nodiscard]] std::string shown_name(Answer const& answer, std::string const& operation);
/// "310ns": the value of side B, as a rate for memory and files. \param cell  with a change
[[nodiscard]] std::string other_value_text(std::string_view operation, AnswerCell const& cell, int ranks);

}  // namespace measure::tool::runs
