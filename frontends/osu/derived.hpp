// SPDX-License-Identifier: BSD-3-Clause
/// Derived: messages that are one element of a derived datatype, which may leave parts of the buffer out.
#pragma once

#include "bodies/made_type.hpp"

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osu {

/// Elements of a buffer one after another.
struct Run {
    std::int64_t at = 0;
    std::int64_t length = 0;
    friend bool operator==(Run const&, Run const&) = default;
};

/// How messages lie in their buffers.
struct Derivation {
    enum class Kind { none, contiguous, vector, indexed };
    Kind kind = Kind::none;
    int stride = 8;           ///< of vectors, elements
    int length = 4;           ///< that a vector has of each stride
    std::string file{};       ///< of indexed types
    std::vector<Run> runs{};  ///< of indexed types, as the file names them

    [[nodiscard]] bool is_on() const noexcept { return kind != Kind::none; }
};

/// What is sent of a buffer of so many elements: runs that lie in it wholly. Pure.
[[nodiscard]] std::vector<Run> sent(Derivation const& derivation, std::int64_t elements);
[[nodiscard]] std::int64_t length(std::span<Run const> runs) noexcept;

/// MPI's type of such a message. Local. \param runs  at least one  \throws measure::UsageError for numbers beyond MPI's
/// int; measure::MpiError
[[nodiscard]] bodies::MadeType derived_type(Derivation::Kind kind, std::span<Run const> runs, MPI_Datatype element);

}  // namespace osu
