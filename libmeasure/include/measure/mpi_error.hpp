// SPDX-License-Identifier: BSD-3-Clause
/// MPI errors: failed MPI calls, and numbers that do not fit into the int of MPI's interface.
#pragma once

#include <cstdint>
#include <stdexcept>

#pragma GCC visibility push(default)
namespace measure {

/// An MPI call returned an error code. The text names the call and contains the error message of the MPI library.
class MpiError : public std::runtime_error {
public:
    /// Gets the error message from MPI.
    /// \param code  error code that the call returned
    /// \param call  name of the MPI function, "MPI_Bcast"
    MpiError(int code, char const* call);
    [[nodiscard]] int code() const noexcept { return code_; }  ///< MPI error code

private:
    int code_;
};

/// Checks the error code of an MPI call. Local. \throws MpiError unless `code` is MPI_SUCCESS
/// \param call  name of the MPI function, "MPI_Bcast"
void check(int code, char const* call);

/// Converts `value` to the int that MPI's classical interface takes. Local.
/// \param what  name of the counted quantity for the error message: "elements of the send buffer"
/// \throws UsageError if the value does not fit
[[nodiscard]] int to_int(std::int64_t value, char const* what);

namespace detail {
/// MPI error code of the first failed call on a communicator of the library since the last call of this function, or 0.
/// Includes errors whose return value was ignored, in all threads of the process. Local.
[[nodiscard]] int noted_error() noexcept;
}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
