// SPDX-License-Identifier: BSD-3-Clause
/// Segments: ranges of sizes with the same leading algorithm. Pure, local.
#pragma once

#include <measure/units.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::tune {

/// A screened size with the algorithms that were not dropped.
struct ScreenedSize {
    measure::Bytes bytes = 0;
    std::vector<std::string> algorithms{};  ///< the default first
    std::vector<double> times{};            ///< [algorithm] median over blocks, in s
};

/// The time of an algorithm in s; empty if it was dropped.
[[nodiscard]] std::optional<double> time_of(ScreenedSize const& size, std::string_view algorithm);

/// The leader of each size. The default leads unless the fastest algorithm gains more than `gain` over it. Otherwise
/// the leader of the previous size leads if it is within `gain` of the fastest; if not, the fastest leads.
/// \param sizes  ascending
[[nodiscard]] std::vector<std::string> leaders(std::span<ScreenedSize const> sizes, double gain);

/// Brackets up to this ratio of sizes are not divided.
inline constexpr double narrow_bracket = 1.25;

/// The sizes to screen next: the geometric mean of neighbours with different leaders, as a multiple of 8 B, unless the
/// bracket is narrow or the two leaders are within `gain` of each other at both ends. \param sizes  ascending
/// \param asked  sizes that were screened before, with or without a value; they are not returned again
[[nodiscard]] std::vector<measure::Bytes> sizes_between(std::span<ScreenedSize const> sizes, double gain,
                                                        std::set<measure::Bytes> const& asked = {});

/// Neighbouring sizes with the same leader.
struct Segment {
    measure::Bytes low = 0;
    measure::Bytes high = 0;                ///< inclusive: 1 B below the next segment, or the last size
    std::vector<measure::Bytes> sizes{};    ///< measured sizes
    std::vector<std::string> algorithms{};  ///< algorithms left at all of its sizes, the default first
    std::string leader{};
};

/// Divides sizes into segments. \param sizes  ascending
/// \param sized  false: the library's files cannot distinguish sizes of the collective, so all sizes are one segment
[[nodiscard]] std::vector<Segment> segments_of(std::span<ScreenedSize const> sizes, double gain, bool sized);

}  // namespace measure::tool::tune
