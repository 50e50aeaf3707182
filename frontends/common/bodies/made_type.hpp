// SPDX-License-Identifier: BSD-3-Clause
/// MadeType: an MPI type created by this program.
#pragma once

#include <measure/mpi_error.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <utility>

namespace bodies {

/// A committed type. The destructor frees it, so the object must outlive its use. Local. Move-only.
class MadeType {
public:
    /// Takes ownership of the type and commits it. \throws measure::MpiError
    explicit MadeType(MPI_Datatype made) : type_{made} { measure::check(MPI_Type_commit(&type_), "MPI_Type_commit"); }
    MadeType(MadeType&& other) noexcept : type_{std::exchange(other.type_, MPI_DATATYPE_NULL)} {}
    MadeType& operator=(MadeType&&) = delete;
    MadeType(MadeType const&) = delete;
    MadeType& operator=(MadeType const&) = delete;
    ~MadeType() {
        if (type_ != MPI_DATATYPE_NULL)
            MPI_Type_free(&type_);
    }

    [[nodiscard]] MPI_Datatype handle() const noexcept { return type_; }
    /// Distance between two elements, in bytes. \throws measure::MpiError
    [[nodiscard]] measure::Bytes extent() const {
        MPI_Aint low = 0;
        MPI_Aint size = 0;
        measure::check(MPI_Type_get_extent(type_, &low, &size), "MPI_Type_get_extent");
        return low + size;
    }

private:
    MPI_Datatype type_;
};

}  // namespace bodies
