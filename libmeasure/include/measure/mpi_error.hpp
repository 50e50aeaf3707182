// SPDX-License-Identifier: BSD-3-Clause
/// MPI errors: failed MPI calls, and numbers that MPI's calls do not take.
#pragma once

#include <cstdint>
#include <stdexcept>

#pragma GCC visibility push(default)
namespace measure {

/// An MPI call returned an error code. The text names the call and gives the library's own message.
class MpiError : public std::runtime_error {
public:
    /// Asks MPI for its own text. \param code  that the call returned  \param call  its name, "MPI_Bcast"
    MpiError(int code, char const* call);
    [[nodiscard]] int code() const noexcept { return code_; }  ///< MPI's

private:
    int code_;
};

/// Throws MpiError unless `code` is MPI_SUCCESS. Local.
/// \param call  name of the MPI function, "MPI_Bcast"
void check(int code, char const* call);

/// `value` as the int that MPI's classical interface takes. Local.
/// \param what  what is counted, for the message: "elements of the send buffer"
/// \throws UsageError if the value does not fit
[[nodiscard]] int to_int(std::int64_t value, char const* what);

namespace detail {
/// The first error of a call on a communicator of the library since this was last asked, MPI's code or 0, whether or
/// not anybody looked at what the call returned. Local, of all threads.
[[nodiscard]] int noted_error() noexcept;
}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
