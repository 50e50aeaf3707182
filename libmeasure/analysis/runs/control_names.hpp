// SPDX-License-Identifier: BSD-3-Clause
/// Control names: mpiperf tests whose results do not depend on the MPI library.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace measure {

inline constexpr std::string_view suite_of_controls = "mpiperf";
inline constexpr std::string_view copy_control = "Memcpy";
inline constexpr std::string_view line_control = "Cacheline";
inline constexpr std::string_view work_control = "Fixed_work";
inline constexpr std::array all_controls{copy_control, line_control, work_control};

/// Whether an mpiperf test is a control.
[[nodiscard]] constexpr bool is_control(std::string_view test) noexcept {
    return std::find(all_controls.begin(), all_controls.end(), test) != all_controls.end();
}

/// Readable name of a control: "memory copy".
[[nodiscard]] inline std::string control_name(std::string_view control) {
    if (control == copy_control)
        return "memory copy";
    if (control == line_control)
        return "cache line";
    return control == work_control ? "fixed work" : std::string{control};
}

}  // namespace measure
