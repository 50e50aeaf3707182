// SPDX-License-Identifier: BSD-3-Clause
/// Launcher: how ranks are started, and where the programs are that they run. Local.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// Words before a program's own.
struct Launcher {
    std::vector<std::string> words{};
    int ranks = 0;       ///< that it starts; 0: its words say it
    std::string note{};  ///< what was chosen, and why: "mpiexec.mpich, 2 ranks, each bound to a core"
};

/// What a machine has for starting ranks.
struct Surroundings {
    std::string mpi_library{};            ///< "MPICH 4.0.2"
    int cores = 1;                        ///< physical ones that this process may use
    bool in_slurm = false;                ///< inside an allocation
    std::vector<std::string> programs{};  ///< names of launchers in PATH, of those in `launcher_names`
};
/// Of this process.
[[nodiscard]] Surroundings surroundings();

/// All that are looked for, best first, for an MPI library.
[[nodiscard]] std::vector<std::string> launcher_names(std::string_view mpi_library, bool in_slurm);

/// The words that are given, or a launcher that is found. It is told to bind ranks to cores, MPI's own only where this
/// host has one for each. Pure. \param given  words of the user; empty: one is looked for  \param ranks  nothing: the
/// cores of this host  \throws measure::UsageError that says which launchers were looked for
[[nodiscard]] Launcher launcher(std::span<std::string const> given, std::optional<int> ranks,
                                Surroundings const& around);

/// \throws measure::UsageError, which names the option, where a word is no program: no such file, or none in PATH
void check_program(std::string const& word, std::string const& option);

/// A program of this project: the one beside this tool, of the build it is of, or in PATH.
/// \param given  by the user; empty: looked for  \throws measure::UsageError where there is none
[[nodiscard]] std::string program_path(std::string const& name, std::string const& given, std::string const& option);

/// The file that this tool is; empty where that is not known.
[[nodiscard]] std::string own_path();

}  // namespace measure::tool
