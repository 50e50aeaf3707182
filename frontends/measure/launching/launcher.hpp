// SPDX-License-Identifier: BSD-3-Clause
/// Launcher: finds the launcher of the ranks, and the programs that they run. Local.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// A launcher with its options.
struct Launcher {
    std::vector<std::string> words{};  ///< words before the program
    int ranks = 0;                     ///< number of ranks; 0: the words determine it
    std::string note{};                ///< what was chosen, and why: "mpiexec.mpich, 2 ranks; this host has 2 cores"
};

/// The environment that determines the launcher.
struct Surroundings {
    std::string mpi_library{};            ///< "MPICH 4.0.2"
    int cores = 1;                        ///< physical cores that this process may use
    bool in_slurm = false;                ///< inside a Slurm allocation
    std::vector<std::string> programs{};  ///< the names of `launcher_names` that are in PATH
};
/// The environment of this process.
[[nodiscard]] Surroundings surroundings();

/// The launchers to search for, best first, for an MPI library.
[[nodiscard]] std::vector<std::string> launcher_names(std::string_view mpi_library, bool in_slurm);

/// The given launcher, or the best one that is found. A launcher that is found gets options to bind ranks to cores; the
/// MPI library's own launcher only if this host has a core for each rank. Pure.
/// \param given  launcher from the user; empty: search for one
/// \param ranks  number of ranks; nothing: one for each core of this host, at least two
/// \throws measure::UsageError that lists the launchers that were searched for
[[nodiscard]] Launcher launcher(std::span<std::string const> given, std::optional<int> ranks,
                                Surroundings const& around);

/// \throws measure::UsageError that names the option, if the word is not an executable file or a program in PATH
void check_program(std::string const& word, std::string const& option);

/// The path of a program of this project: next to this tool, in the same build folder, or in PATH.
/// \param given  path from the user; empty: search for the program  \throws measure::UsageError if it is not found
[[nodiscard]] std::string program_path(std::string const& name, std::string const& given, std::string const& option);

/// The path of this tool; empty if unknown.
[[nodiscard]] std::string own_path();

}  // namespace measure::tool
