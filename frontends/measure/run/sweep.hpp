// SPDX-License-Identifier: BSD-3-Clause
/// Sweep: the operations and sizes that each launch of a run measures. Pure, local.
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
    measure::Bytes element = 1;           ///< bytes of an element; mpiperf takes counts of elements
    std::vector<measure::Bytes> sizes{};  ///< ascending; one placeholder for a test without a size
    bool is_control = false;
};

/// The test that measures bandwidth and message rate, with windows of messages.
inline constexpr std::string_view stream_test = "Stream";

/// Whether a test writes or reads a file, and so needs a folder for it.
[[nodiscard]] bool is_file_test(std::string_view test) noexcept;

/// Whether a test bypasses the page cache (O_DIRECT), which not every file system supports.
[[nodiscard]] bool is_direct_test(std::string_view test) noexcept;

/// Whether a test takes a size, judged by its name.
[[nodiscard]] bool has_size(std::string_view test) noexcept;

/// The size that a test measures for a requested size: rounded down to whole elements, at least one element.
[[nodiscard]] measure::Bytes rounded_size(std::string_view test, measure::Bytes size);

/// Whether a test is shown as bandwidth instead of time: tests of memory and files.
[[nodiscard]] bool has_bandwidth(std::string_view test) noexcept;

/// The requested tests, followed by the controls. A test of several topics is measured once, at the sizes of all of
/// them.
/// \param ranks   number of ranks; the control for cache lines needs two
/// \param cached  sizes of the topic memory without --sizes; empty: unknown, so the general sizes are used
[[nodiscard]] std::vector<SweptTest> sweep_of(RunOptions const& options, int ranks,
                                              std::vector<measure::Bytes> const& cached = {});

/// The arguments of mpiperf, such as "Bcast:8,1024": the controls, all other tests, and the controls again. Points in
/// `done` are left out.
[[nodiscard]] std::vector<std::string> words_of(std::vector<SweptTest> const& sweep,
                                                std::vector<SweptPoint> const& done);

/// All points, including the controls.
[[nodiscard]] std::vector<SweptPoint> points_of(std::vector<SweptTest> const& sweep);

/// Removes one size or test to save time: first sizes between the smallest and the largest, then the last test.
/// \return false if nothing can be removed
[[nodiscard]] bool thin(std::vector<SweptTest>& sweep);

}  // namespace measure::tool::runs
