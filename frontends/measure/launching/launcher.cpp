// SPDX-License-Identifier: BSD-3-Clause
#include "launching/launcher.hpp"

#include "machine/facts.hpp"
#include "program/runtime/child.hpp"
#include "shared/plain_text.hpp"

#include <measure/environment.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace measure::tool {

namespace {

namespace fs = std::filesystem;

constexpr int fewest_ranks = 2;

bool is_open_mpi(std::string_view library) { return library.find("Open MPI") != std::string_view::npos; }

int physical_cores() {
    machine::Tree const tree;
    auto const cores =
        machine::cores_of(machine::units_of(machine::process_facts(tree)), machine::host_facts(tree, "/tmp"));
    std::set<int> const once(cores.begin(), cores.end());
    return std::max<int>(1, static_cast<int>(once.size()));
}

/// The name of the MPI library that this tool is linked to. MPI need not be initialised for this call.
std::string own_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return measure::detail::short_library_name({text.data(), static_cast<std::size_t>(length)});
}

bool is_program(fs::path const& path) {
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

/// The launcher's options for binding ranks to cores. srun and flux use the cores of their allocation, which may be on
/// other hosts, so they always get the option. The other launchers get it only if this host has a core for each rank.
/// If Slurm does not bind (TaskPlugin=task/none), srun silently ignores the option.
std::vector<std::string> binding(std::string_view program, std::string_view library, bool has_room) {
    if (program == "srun")
        return {"--cpu-bind=cores"};
    if (program == "flux")
        return {"-o", "cpu-affinity=per-task"};
    if (!has_room)
        return {};
    return is_open_mpi(library) ? std::vector<std::string>{"--bind-to", "core"}
                                : std::vector<std::string>{"-bind-to", "core"};
}

}  // namespace

std::vector<std::string> launcher_names(std::string_view mpi_library, bool in_slurm) {
    std::vector<std::string> names;
    if (in_slurm)
        names.emplace_back("srun");
    if (is_open_mpi(mpi_library))
        names.insert(names.end(), {"mpiexec.openmpi", "mpirun.openmpi", "mpiexec", "mpirun"});
    else
        names.insert(names.end(), {"mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"});
    if (!in_slurm)
        names.insert(names.end(), {"flux", "srun"});
    return names;
}

Surroundings surroundings() {
    Surroundings around{
        .mpi_library = own_library(), .cores = physical_cores(), .in_slurm = std::getenv("SLURM_JOB_ID") != nullptr};
    for (auto const& name : launcher_names(around.mpi_library, around.in_slurm))
        if (program::has_program(name))
            around.programs.push_back(name);
    return around;
}

Launcher launcher(std::span<std::string const> given, std::optional<int> wanted, Surroundings const& around) {
    if (!given.empty())
        return {.words = {given.begin(), given.end()}, .note = fmt::format("{}", fmt::join(given, " "))};
    if (around.programs.empty())
        throw measure::UsageError(fmt::format(
            "no launcher found: none of {} is in PATH; pass one after --, as in measure run -- mpiexec -n 2",
            fmt::join(launcher_names(around.mpi_library, around.in_slurm), ", ")));
    auto const& program = around.programs.front();
    int const ranks = wanted.value_or(std::max(around.cores, fewest_ranks));
    Launcher found{.words = {program}, .ranks = ranks};
    if (program == "flux")
        found.words.emplace_back("run");
    found.words.insert(found.words.end(), {"-n", std::to_string(ranks)});
    auto const bind = binding(program, around.mpi_library, ranks <= around.cores);
    found.words.insert(found.words.end(), bind.begin(), bind.end());
    found.note =
        fmt::format("{}, {}; this host has {}{}", program, counted(static_cast<std::size_t>(ranks), "rank", "ranks"),
                    counted(static_cast<std::size_t>(around.cores), "core", "cores"),
                    bind.empty() ? "" : "; requests one core for each rank");
    return found;
}

void check_program(std::string const& word, std::string const& option) {
    if (word.find('/') == std::string::npos ? !program::has_program(word) : !is_program(word))
        throw measure::UsageError(fmt::format("{}: '{}' is not an executable program", option, word));
}

std::string program_path(std::string const& name, std::string const& given, std::string const& option) {
    if (!given.empty()) {
        check_program(given, option);
        return given;
    }
    auto const here = fs::path{own_path()}.parent_path();
    for (auto const& path : {here / name, here.parent_path() / name / name})
        if (!here.empty() && is_program(path))
            return path.string();
    if (program::has_program(name))
        return name;
    throw measure::UsageError(fmt::format(
        "{} not found next to this tool ({}) or in PATH; pass its path with --program FILE", name, here.string()));
}

std::string own_path() {
    std::error_code code;
    return std::filesystem::read_symlink("/proc/self/exe", code).string();
}

}  // namespace measure::tool
