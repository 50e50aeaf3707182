// SPDX-License-Identifier: BSD-3-Clause
/// Shared by the C functions of all libraries: objects that one library makes and another uses, and conversion of
/// exceptions to codes. Each library compiles its own copy, and no exception leaves it.
#pragma once

#include "core/agreed_text.hpp"
#include "core/mpi_state.hpp"
#include "measure.h"
#include "measure/comm.hpp"
#include "measure/error.hpp"
#include "measure/mpi_error.hpp"
#include "measure/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

struct measure_comm {
    measure::Comm comm;
};

struct measure_timer {
    measure::AnyTimer timer;
    std::string name;
};

namespace measure::c_api {

/// An error that already has a code, from another rank.
class Coded : public std::runtime_error {
public:
    Coded(int code, std::string const& text) : std::runtime_error(text), code_{code} {}
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

/// Fills the caller's error, if there is one. \return the code
inline int report(measure_error* error, int code, char const* text) noexcept {
    if (error != nullptr) {
        error->code = code;
        auto const length = std::min(std::strlen(text), std::size_t{MEASURE_MESSAGE_SIZE - 1});
        std::memcpy(error->message, text, length);
        error->message[length] = '\0';
        std::replace(error->message, error->message + length, '\n', ' ');
    }
    return code;
}

/// Converts the current exception to a code and fills the caller's error. Call it in a handler.
inline int report_exception(measure_error* error) noexcept {
    try {
        throw;
    } catch (Coded const& e) {
        return report(error, e.code(), e.what());
    } catch (UsageError const& e) {
        return report(error, MEASURE_ERROR_ARGUMENT, e.what());
    } catch (MpiError const& e) {
        return report(error, MEASURE_ERROR_MPI, e.what());
    } catch (BodyError const& e) {
        return report(error, MEASURE_ERROR_BODY, e.what());
    } catch (std::bad_alloc const&) {
        return report(error, MEASURE_ERROR_MEMORY, "out of memory");
    } catch (std::system_error const& e) {
        return report(error, MEASURE_ERROR_FILE, e.what());
    } catch (std::exception const& e) {
        return report(error, MEASURE_ERROR_INTERNAL, e.what());
    } catch (...) {
        return report(error, MEASURE_ERROR_INTERNAL, "an exception was thrown that is not a std::exception");
    }
}

/// Calls f() and converts its exceptions to codes.
template <class F>
int guarded(measure_error* error, F&& f) noexcept {
    try {
        f();
        return report(error, MEASURE_OK, "");
    } catch (...) {
        return report_exception(error);
    }
}

/// \throws UsageError if the pointer is NULL
template <class T>
T& need(T* pointer, char const* what) {
    if (pointer == nullptr)
        throw UsageError(fmt::format("{} is NULL", what));
    return *pointer;
}

[[nodiscard]] inline std::string text_of(char const* text, char const* what) { return &need(text, what); }

/// The value of f(), which checks this rank's arguments. An exception on any rank is thrown on all ranks. Collective.
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

}  // namespace measure::c_api
