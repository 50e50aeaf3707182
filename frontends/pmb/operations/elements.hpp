// SPDX-License-Identifier: BSD-3-Clause
/// Elements: MPI's type for the messages of one length, how many of it they have, and what adds them.
#pragma once

#include "pmb/rules.hpp"

#include <measure/units.hpp>

#include <mpi.h>

#include <cstdint>

namespace pmb {

/// A type and an operation of MPI, freed with the value, which must outlive their use. Local. Not movable.
class Elements {
public:
    /// \param length  payload of a message, a multiple of size_of(type)
    /// \throws measure::UsageError for a number that does not fit MPI's int; measure::MpiError
    Elements(ElementType type, Packing packing, measure::Bytes length);
    Elements(Elements const&) = delete;
    Elements& operator=(Elements const&) = delete;
    ~Elements();

    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }
    [[nodiscard]] std::int64_t count() const noexcept { return count_; }      ///< of `type` in a message
    [[nodiscard]] measure::Bytes extent() const noexcept { return extent_; }  ///< from one to the next
    [[nodiscard]] MPI_Op sum() const noexcept { return sum_; }

private:
    /// Takes the type's place; the one before is freed where it is ours.
    void become(MPI_Datatype made);

    MPI_Datatype type_;
    std::int64_t count_;
    measure::Bytes extent_;
    MPI_Op sum_ = MPI_SUM;
    bool is_derived_ = false;
};

}  // namespace pmb
