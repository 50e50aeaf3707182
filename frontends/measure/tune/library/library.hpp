// SPDX-License-Identifier: BSD-3-Clause
/// Library: the MPI library's control variables (MPI_T) that select algorithms. Local.
#pragma once

#include "tune/library/algorithms.hpp"

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>

namespace measure::tool::tune {

/// Initialises and finalises MPI's tool interface. Must end before MPI_Finalize, and must outlive all variables.
class Tools {
public:
    /// \throws measure::UsageError if the library has no tool interface
    Tools();
    ~Tools();
    Tools(Tools const&) = delete;
    Tools& operator=(Tools const&) = delete;
};

/// A control variable of type int with the names of its values.
class Variable {
public:
    /// The variable of this name; empty if the library has none, or one of another type.
    [[nodiscard]] static std::optional<Variable> find(std::string const& name);
    Variable(Variable&& other) noexcept;
    Variable& operator=(Variable&&) = delete;
    Variable(Variable const&) = delete;
    Variable& operator=(Variable const&) = delete;
    ~Variable();

    /// Names of its values, from its enumeration or its description. The library's own choice has the name
    /// `default_name`.
    [[nodiscard]] NamesFound const& names() const noexcept { return names_; }
    /// Sets the value, which takes effect with the next call. \return whether the library has accepted it
    bool write(int value) noexcept { return MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }
    /// The value; empty if it cannot be read.
    [[nodiscard]] std::optional<int> read() const noexcept;

private:
    Variable(MPI_T_cvar_handle handle, NamesFound names) noexcept;
    MPI_T_cvar_handle handle_;
    NamesFound names_;
};

/// The algorithms that a variable offers for a collective. Writes each value and reads it back once, then restores the
/// default.
[[nodiscard]] Collective collective_of(LibraryFamily family, std::string_view name, Variable& variable);

/// The short name of the library: "MPICH 4.0.2".
[[nodiscard]] std::string library_name();

/// The path of the file with MPI's functions; empty if it is unknown.
[[nodiscard]] std::string library_file();

}  // namespace measure::tool::tune
