// SPDX-License-Identifier: BSD-3-Clause
/// Elements: MPI's type for the messages of one length, the count in that type, and the operation that adds elements.
#pragma once

#include "pmb/rules.hpp"

#include <measure/units.hpp>

#include <mpi.h>

#include <cstdint>

namespace pmb {

/// An MPI type and operation, freed by the destructor. The object must outlive their use. Local. Not movable.
class Elements {
public:
    /// \param length  payload of a message, a multiple of size_of(type)
    /// \throws measure::UsageError for a count that does not fit MPI's int; measure::MpiError
    Elements(ElementType type, Packing packing, measure::Bytes length);
    Elements(Elements const&) = delete;
    Elements& operator=(Elements const&) = delete;
    ~Elements();

    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }
    [[nodiscard]] std::int64_t count() const noexcept { return count_; }      ///< elements of `type` per message
    [[nodiscard]] measure::Bytes extent() const noexcept { return extent_; }  ///< bytes from one element to the next
    [[nodiscard]] MPI_Op sum() const noexcept { return sum_; }

private:
    /// Replaces the type. Frees the previous type if it is a derived one.
    void become(MPI_Datatype made);

    MPI_Datatype type_;
    std::int64_t count_;
    measure::Bytes extent_;
    MPI_Op sum_ = MPI_SUM;
    bool is_derived_ = false;
};

}  // namespace pmb
