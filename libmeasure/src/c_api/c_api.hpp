// SPDX-License-Identifier: BSD-3-Clause
/// Shared by the C functions of libmeasure: the contents of its objects, and the transfer of structs to the caller.
#pragma once

#include "c_api/common.hpp"
#include "measure.h"
#include "measure/clock_sync.hpp"
#include "measure/error.hpp"
#include "measure/measurement.hpp"
#include "measure/plan.hpp"
#include "measure/record.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

struct measure_clock {
    measure::GlobalClock clock;
};

struct measure_result {
    measure::Measurement measurement;
    bool complete;  ///< true on the root
    std::string flags;
    std::string text;
};

struct measure_point {
    measure::Point point{};
    std::string fault{};  ///< error of the first setting that failed
};

namespace measure::c_api {

/// A text that must not be empty.
[[nodiscard]] std::string name_of(char const* text, char const* what);

/// Calls f(object) to change an object, which remembers the first error.
template <class Object, class F>
int remembered(Object* object, char const* what, measure_error* error, F&& f) noexcept {
    return guarded(error, [&] {
        auto& known = need(object, what);
        try {
            f(known);
        } catch (std::exception const& e) {
            if (known.fault.empty())
                known.fault = e.what();
            throw;
        }
    });
}

/// Copies as much of a struct as fits: the program may have been compiled with a shorter or longer version of it.
template <class T>
void give(T const& value, T* out, std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T>);
    need(out, "the struct to be filled");
    if (size == 0)
        throw UsageError("the size of the struct to be filled is 0");
    auto* const bytes = reinterpret_cast<unsigned char*>(out);
    std::fill_n(bytes, size, static_cast<unsigned char>(0));
    std::memcpy(bytes, &value, std::min(size, sizeof value));
}

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A number as C represents it; NaN if it does not exist.
/// \{
[[nodiscard]] inline double c_value(std::optional<double> const& x) noexcept { return x.value_or(nan); }
[[nodiscard]] inline double c_value(seconds t) noexcept { return t.count(); }
template <std::integral I>
[[nodiscard]] std::int64_t c_value(I i) noexcept {
    return static_cast<std::int64_t>(i);
}
/// The numbers in C are fixed, independent of the values in C++.
[[nodiscard]] inline std::int64_t c_value(InvalidReason reason) noexcept {
    switch (reason) {
    case InvalidReason::none:
        break;
    case InvalidReason::overrun:
        return MEASURE_OVERRUN;
    case InvalidReason::slip:
        return MEASURE_SLIP;
    case InvalidReason::late:
        return MEASURE_LATE;
    case InvalidReason::backward:
        return MEASURE_BACKWARD;
    case InvalidReason::failed:
        return MEASURE_FAILED;
    }
    return MEASURE_VALID;
}
/// \}

/// The plan for the settings. \throws UsageError for the first setting that failed, and for settings that cannot be
/// combined
[[nodiscard]] Plan resolve(measure_plan const& settings);
/// Options for the run line of a record.
[[nodiscard]] Value describe(measure_plan const& settings, Plan const& plan, Comm const& comm);
/// The clock of the settings, or nullptr.
[[nodiscard]] GlobalClock const* clock_of(measure_plan const& settings) noexcept;

}  // namespace measure::c_api
