// SPDX-License-Identifier: BSD-3-Clause
/// Library: the MPI library's control variables (MPI_T) that select algorithms. Local.
#pragma once

#include "tune/library/algorithms.hpp"

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>

namespace measure::tool::tune {

/// Begins and ends MPI's tool interface. At most as long as MPI runs. Move-only things of it do not outlive it.
class Tools {
public:
    /// \throws measure::UsageError where the library has none
    Tools();
    ~Tools();
    Tools(Tools const&) = delete;
    Tools& operator=(Tools const&) = delete;
};

/// A control variable that holds an int, and the names of its values.
class Variable {
public:
    /// Nothing where the library has no such variable, or one of another type.
    [[nodiscard]] static std::optional<Variable> find(std::string const& name);
    Variable(Variable&& other) noexcept;
    Variable& operator=(Variable&&) = delete;
    Variable(Variable const&) = delete;
    Variable& operator=(Variable const&) = delete;
    ~Variable();

    /// Of its values: those of its enumeration, or those in its description. What stands for the library's own choice
    /// is called `default_name`.
    [[nodiscard]] NamesFound const& names() const noexcept { return names_; }
    /// \return whether the library took it; one that it took acts from the next call on
    bool write(int value) noexcept { return MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }
    /// Nothing where it cannot be read.
    [[nodiscard]] std::optional<int> read() const noexcept;

private:
    Variable(MPI_T_cvar_handle handle, NamesFound names) noexcept;
    MPI_T_cvar_handle handle_;
    NamesFound names_;
};

/// What a variable offers for a collective. Each value is written and read back once; in the end it is the default.
[[nodiscard]] Collective collective_of(LibraryFamily family, std::string_view name, Variable& variable);

/// The short name of the library: "MPICH 4.0.2".
[[nodiscard]] std::string library_name();

/// The file that MPI's functions are in; empty where that is not known.
[[nodiscard]] std::string library_file();

}  // namespace measure::tool::tune
