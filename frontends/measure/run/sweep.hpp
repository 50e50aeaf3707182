// SPDX-License-Identifier: BSD-3-Clause
/// Sweep: the operations and sizes that every start of a run measures. Pure, local.
#pragma once

#include "analysis/runs/swept_point.hpp"
#include "run/options.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::runs {

/// A test of mpiperf at some sizes.
struct SweptTest {
    std::string name{};
    measure::Bytes element = 1;           ///< bytes that a count is of
    std::vector<measure::Bytes> sizes{};  ///< ascending; of a test without a size one, which says nothing
    bool is_control = false;
};

/// Messages that are under way at once in tests of bandwidth and message rate.
inline constexpr std::string_view stream_test = "Stream";

/// Whether it writes or reads a file, which has to have a place.
[[nodiscard]] bool is_file_test(std::string_view test) noexcept;

/// Whether it goes past the page cache, which not every file system allows.
[[nodiscard]] bool is_direct_test(std::string_view test) noexcept;

/// Whether it takes a count, by its name.
[[nodiscard]] bool has_size(std::string_view test) noexcept;

/// The size of which a test is measured where so many bytes are asked for: whole elements, one at least.
[[nodiscard]] measure::Bytes rounded_size(std::string_view test, measure::Bytes size);

/// Tests of memory and files: what they move in a time says more than the time.
[[nodiscard]] bool has_bandwidth(std::string_view test) noexcept;

/// What is asked for, with the controls at its end. A test that several topics have is measured once, at the sizes of
/// all. \param ranks  number of them: cache lines go between two
/// \param cached  sizes of the topic memory where --sizes does not say; empty: the machine does not say either
[[nodiscard]] std::vector<SweptTest> sweep_of(RunOptions const& options, int ranks,
                                              std::vector<measure::Bytes> const& cached = {});

/// The words for mpiperf, "Bcast:8,1024", without the points that are done: the controls, all the others, and the
/// controls again.
[[nodiscard]] std::vector<std::string> words_of(std::vector<SweptTest> const& sweep,
                                                std::vector<SweptPoint> const& done);

/// All points, controls too.
[[nodiscard]] std::vector<SweptPoint> points_of(std::vector<SweptTest> const& sweep);

/// Takes something away that can be spared: sizes between the smallest and the largest first, the last test then.
/// \return false where nothing can be spared
[[nodiscard]] bool thin(std::vector<SweptTest>& sweep);

}  // namespace measure::tool::runs
