// SPDX-License-Identifier: BSD-3-Clause
#include "measure/mpi_error.hpp"

#include "core/mpi_state.hpp"
#include "measure/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace measure {

namespace {

std::string mpi_error_text(int code, char const* call) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        return fmt::format("{}: error {}", call, code);
    return fmt::format("{}: {}", call, std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace

std::string detail::words_of(int code) {
    int* last = nullptr;
    int there = 0;
    if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &there) != MPI_SUCCESS || there == 0)
        return {};
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code <= MPI_SUCCESS || code > *last || MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        return {};
    std::replace(text, text + length, '\n', ' ');
    return {text, static_cast<std::size_t>(length)};
}

MpiError::MpiError(int code, char const* call) : std::runtime_error(mpi_error_text(code, call)), code_{code} {}

void check(int code, char const* call) {
    if (code != MPI_SUCCESS)
        throw MpiError(code, call);
}

int to_int(std::int64_t value, char const* what) {
    if (value < 0 || value > std::numeric_limits<int>::max())
        throw UsageError(
            fmt::format("{}: {} does not fit MPI's count (0 .. {})", what, value, std::numeric_limits<int>::max()));
    return static_cast<int>(value);
}

}  // namespace measure
