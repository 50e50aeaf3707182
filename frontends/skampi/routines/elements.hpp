// SPDX-License-Identifier: BSD-3-Clause
/// Elements: the datatypes and reductions that a parameter file can name.
#pragma once

#include <measure/units.hpp>

#include <mpi.h>

#include <span>
#include <string_view>

namespace skampi {

struct Datatype {
    enum class Kind { byte, integer, real };
    std::string_view name;  ///< "MPI_INT"
    measure::Bytes size;
    Kind kind;
    MPI_Datatype handle;
};

struct Reduction {
    enum class Kind { arithmetic, logical, bitwise };
    std::string_view name;  ///< "MPI_SUM"
    Kind kind;
    MPI_Op handle;
};

[[nodiscard]] std::span<Datatype const> datatypes();
[[nodiscard]] std::span<Reduction const> reductions();

/// Returns the entry with this name, ignoring letter case, or nullptr.
[[nodiscard]] Datatype const* find_datatype(std::string_view name);
[[nodiscard]] Reduction const* find_reduction(std::string_view name);

/// Whether MPI defines the reduction for elements of the type (MPI 3.1, section 5.9.2). Bytes support only bitwise
/// reductions, and floating-point numbers only arithmetic ones.
[[nodiscard]] bool is_defined(Reduction const& reduction, Datatype const& type) noexcept;

}  // namespace skampi
