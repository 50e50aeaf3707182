// SPDX-License-Identifier: BSD-3-Clause
/// Errors: wrong use, failed MPI calls, failed bodies, interruption.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// Wrong use of the library: a bad option, an empty axis, an unknown name. Thrown on all ranks alike, because what it
/// is derived from is the same on all ranks.
class UsageError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// An MPI call returned an error code. The text names the call and gives the library's own message.
class MpiError : public std::runtime_error {
public:
    /// Asks MPI for its own text. \param code  that the call returned  \param call  its name, "MPI_Bcast"
    MpiError(int code, char const* call);
    [[nodiscard]] int code() const noexcept { return code_; }  ///< MPI's

private:
    int code_;
};

/// A body threw on at least one rank. Thrown on all ranks of the measurement with one agreed text.
class BodyError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A point that cannot be measured here, with the reason: thrown by the maker of an operation, on all ranks of the
/// team. `sweep` records the point as skipped and goes on.
class Unmeasurable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The caller's stop flag was set on at least one rank. Thrown on all ranks; `value()` is the largest flag.
class Interrupted : public std::runtime_error {
public:
    /// \param value  of the flag, not 0
    explicit Interrupted(int value) : std::runtime_error("interrupted"), value_{value} {}
    [[nodiscard]] int value() const noexcept { return value_; }  ///< often the signal's number

private:
    int value_;
};

/// What an exception says to people: its text, of a file system error the path and the reason. Local.
[[nodiscard]] std::string error_text(std::exception const& error);

/// Throws MpiError unless `code` is MPI_SUCCESS. Local.
/// \param call  name of the MPI function, "MPI_Bcast"
void check(int code, char const* call);

/// `value` as the int that MPI's classical interface takes. Local.
/// \param what  what is counted, for the message: "elements of the send buffer"
/// \throws UsageError if the value does not fit
[[nodiscard]] int to_int(std::int64_t value, char const* what);

}  // namespace measure
#pragma GCC visibility pop
