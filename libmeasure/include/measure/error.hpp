// SPDX-License-Identifier: BSD-3-Clause
/// Errors: wrong use, failed bodies, skipped points, interruption.
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// Wrong use of the library: an invalid option, an empty axis, an unknown name. Thrown on all ranks, because the cause
/// is the same on all ranks.
class UsageError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// A body threw on at least one rank. Thrown on all ranks of the measurement with the same text.
class BodyError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A point cannot be measured; the text is the reason. Thrown by the maker of an operation, on all ranks
/// of its communicator. `sweep` records the point as skipped and continues.
class SkipPoint : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The caller's stop flag was set on at least one rank. Thrown on all ranks with the largest value of the flag.
class Interrupted : public std::runtime_error {
public:
    /// \param value  value of the flag, not 0
    explicit Interrupted(int value) : std::runtime_error("interrupted"), value_{value} {}
    [[nodiscard]] int value() const noexcept { return value_; }  ///< value of the flag, often the number of a signal

private:
    int value_;
};

/// Text of an exception for users: for a file system error the path and the reason, otherwise `what()`. Local.
[[nodiscard]] std::string error_text(std::exception const& error);

}  // namespace measure
#pragma GCC visibility pop
