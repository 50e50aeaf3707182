// SPDX-License-Identifier: BSD-3-Clause
/// Errors: wrong use, failed bodies, interruption.
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// Wrong use of the library: a bad option, an empty axis, an unknown name. Thrown on all ranks alike, because what it
/// is derived from is the same on all ranks.
class UsageError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// A body threw on at least one rank. Thrown on all ranks of the measurement with one agreed text.
class BodyError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A point that cannot be measured here, with the reason: thrown by the maker of an operation, on all ranks of the
/// team. `sweep` records the point as skipped and goes on.
class SkipPoint : public std::runtime_error {
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

}  // namespace measure
#pragma GCC visibility pop
