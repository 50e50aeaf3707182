// SPDX-License-Identifier: BSD-3-Clause
/// The border between the library and its C interface: what its objects hold, and how exceptions become codes.
#pragma once

#include "core/mpi_state.hpp"
#include "measure.h"
#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/error.hpp"
#include "measure/measurement.hpp"
#include "measure/plan.hpp"
#include "measure/record.hpp"
#include "measure/timer.hpp"
#include "run/epoch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

struct measure_comm {
    measure::Comm comm;
};

struct measure_timer {
    measure::AnyTimer timer;
    std::string name;
};

struct measure_clock {
    measure::GlobalClock clock;
};

struct measure_result {
    measure::Measurement measurement;
    bool complete;  ///< this rank is the root
    std::string flags;
    std::string text;
};

struct measure_point {
    measure::Point point{};
    std::string fault{};  ///< the first setting that failed
};

namespace measure::c_api {

/// An error that has its code already: that of another rank.
class Coded : public std::runtime_error {
public:
    Coded(int code, std::string const& text) : std::runtime_error(text), code_{code} {}
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

/// Fills the caller's error, where there is one. \return the code
int report(measure_error* error, int code, char const* text) noexcept;
/// The exception in flight as a code, for the caller's error. To be called in a handler.
int report_exception(measure_error* error) noexcept;

/// Calls f(); what it throws becomes a code.
template <class F>
int guarded(measure_error* error, F&& f) noexcept {
    try {
        f();
        return report(error, MEASURE_OK, "");
    } catch (...) {
        return report_exception(error);
    }
}

/// \throws UsageError for NULL
template <class T>
T& need(T* pointer, char const* what) {
    if (pointer == nullptr)
        throw UsageError(fmt::format("{} is NULL", what));
    return *pointer;
}
[[nodiscard]] std::string text_of(char const* text, char const* what);
/// The same for a text that must say something.
[[nodiscard]] std::string name_of(char const* text, char const* what);

/// Calls f(object) to set something of an object that remembers the first fault.
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

/// The value of f(), which looks at this rank's arguments: what it throws on any rank is thrown on all. Collective.
template <class F>
auto agreed(Comm const& comm, F&& f) {
    detail::need_mpi(comm);
    std::optional<std::invoke_result_t<F>> made;
    measure_error mine{};
    guarded(&mine, [&] { made.emplace(f()); });
    if (int const worst = static_cast<int>(comm.max(mine.code)); worst != MEASURE_OK)
        throw Coded(worst, detail::agreed_text(comm, mine.message));
    return std::move(*made);
}

/// Hands out what fits of a struct that may have been shorter, or is longer, where the program was compiled.
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

/// A number as C has it: what does not exist is NaN.
/// \{
[[nodiscard]] inline double c_value(std::optional<double> const& x) noexcept { return x.value_or(nan); }
[[nodiscard]] inline double c_value(seconds t) noexcept { return t.count(); }
template <std::integral I>
[[nodiscard]] std::int64_t c_value(I i) noexcept {
    return static_cast<std::int64_t>(i);
}
[[nodiscard]] inline std::int64_t c_value(InvalidReason reason) noexcept {
    static_assert(static_cast<int>(InvalidReason::none) == MEASURE_VALID &&
                  static_cast<int>(InvalidReason::overrun) == MEASURE_OVERRUN &&
                  static_cast<int>(InvalidReason::slip) == MEASURE_SLIP &&
                  static_cast<int>(InvalidReason::late) == MEASURE_LATE &&
                  static_cast<int>(InvalidReason::failed) == MEASURE_FAILED);
    return static_cast<std::int64_t>(reason);
}
/// \}

/// The plan that the settings stand for. \throws UsageError for the first setting that failed, and for settings that
/// mean nothing together
[[nodiscard]] Plan resolve(measure_plan const& settings);
/// What the run line of a record says of them.
[[nodiscard]] Value describe(measure_plan const& settings, Plan const& plan, bool oversubscribed);
/// The clock that was set, if one was.
[[nodiscard]] GlobalClock const* clock_of(measure_plan const& settings) noexcept;

}  // namespace measure::c_api
