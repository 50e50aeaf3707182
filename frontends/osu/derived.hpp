// SPDX-License-Identifier: BSD-3-Clause
/// Derived: messages that are one element of a derived datatype, which may skip parts of the buffer.
#pragma once

#include "bodies/made_type.hpp"

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osu {

/// Consecutive elements of a buffer.
struct Run {
    std::int64_t at = 0;
    std::int64_t length = 0;
    friend bool operator==(Run const&, Run const&) = default;
};

/// Layout of messages in their buffers.
struct Derivation {
    enum class Kind { none, contiguous, vector, indexed };
    Kind kind = Kind::none;
    int stride = 8;           ///< distance of the blocks of a vector, in elements
    int length = 4;           ///< length of the blocks of a vector, in elements
    std::string file{};       ///< file that describes an indexed type
    std::vector<Run> runs{};  ///< runs of an indexed type, as read from the file

    [[nodiscard]] bool is_on() const noexcept { return kind != Kind::none; }
};

/// The parts of a buffer of `elements` elements that are sent: all runs that fit completely. Pure.
[[nodiscard]] std::vector<Run> sent(Derivation const& derivation, std::int64_t elements);
[[nodiscard]] std::int64_t length(std::span<Run const> runs) noexcept;

/// The MPI type of such a message. Local. \param runs  at least one  \throws measure::UsageError for numbers that
/// exceed MPI's int; measure::MpiError
[[nodiscard]] bodies::MadeType derived_type(Derivation::Kind kind, std::span<Run const> runs, MPI_Datatype element);

}  // namespace osu
