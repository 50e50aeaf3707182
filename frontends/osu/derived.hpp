// SPDX-License-Identifier: BSD-3-Clause
/// Derived: messages that are one element of a derived datatype, which may leave parts of the buffer out.
#pragma once

#include <measure/units.hpp>

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

/// MPI's type of such a message, committed. Neither copied nor moved; it must outlive its use.
class DerivedType {
public:
    /// Local. \param runs  at least one  \throws measure::UsageError for numbers beyond MPI's int; measure::MpiError
    DerivedType(Derivation::Kind kind, std::span<Run const> runs, MPI_Datatype element);
    DerivedType(DerivedType const&) = delete;
    DerivedType& operator=(DerivedType const&) = delete;
    ~DerivedType();

    [[nodiscard]] MPI_Datatype handle() const noexcept { return type_; }
    /// Bytes from one such message to the next.
    [[nodiscard]] measure::Bytes extent() const;

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace osu
