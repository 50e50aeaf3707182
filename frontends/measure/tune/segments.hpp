// SPDX-License-Identifier: BSD-3-Clause
/// Segments: at which sizes which algorithm leads, and where that changes. Pure, local.
#pragma once

#include <measure/units.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::tune {

/// A size that was screened: what is left of the algorithms.
struct ScreenedSize {
    measure::Bytes bytes = 0;
    std::vector<std::string> algorithms{};  ///< the default first
    std::vector<double> times{};            ///< [algorithms] s, medians over blocks
};

/// The time of an algorithm; nothing where it is not left.
[[nodiscard]] std::optional<double> time_of(ScreenedSize const& size, std::string_view algorithm);

/// The leader of each size: the default unless the quickest is quicker by more than `gain`; of those within `gain` of
/// the quickest the one that leads at the size before, otherwise the quickest. \param sizes  ascending
[[nodiscard]] std::vector<std::string> leaders(std::span<ScreenedSize const> sizes, double gain);

/// Brackets that are so narrow are not divided.
inline constexpr double narrow_bracket = 1.25;

/// The sizes to screen next: between neighbours with different leaders the geometric mean, a multiple of 8 B, unless
/// the bracket is narrow or the two leaders are within `gain` of each other at both ends. \param sizes  ascending
/// \param asked  that were screened already, with a value or without: they are not named again
[[nodiscard]] std::vector<measure::Bytes> sizes_between(std::span<ScreenedSize const> sizes, double gain,
                                                        std::set<measure::Bytes> const& asked = {});

/// Neighbouring sizes with one leader.
struct Segment {
    measure::Bytes low = 0;
    measure::Bytes high = 0;                ///< inclusive: up to the next segment, the last one up to its last size
    std::vector<measure::Bytes> sizes{};    ///< that were measured
    std::vector<std::string> algorithms{};  ///< left at all of its sizes; the default first
    std::string leader{};
};

/// \param sizes  ascending  \param sized  false: the library's files cannot tell sizes of the collective apart, so that
/// all are one segment
[[nodiscard]] std::vector<Segment> segments_of(std::span<ScreenedSize const> sizes, double gain, bool sized);

}  // namespace measure::tool::tune
