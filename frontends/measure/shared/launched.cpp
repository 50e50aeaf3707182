// SPDX-License-Identifier: BSD-3-Clause
#include "shared/launched.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace measure::tool {

namespace {

/// Environment variables with the rank and the number of processes, set by a launcher. A Slurm batch script has the
/// first variable, but not the second.
struct LaunchVariables {
    char const* rank;
    char const* size;
};

constexpr std::array launch_variables{
    LaunchVariables{"PMI_RANK", "PMI_SIZE"}, LaunchVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    LaunchVariables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}, LaunchVariables{"PALS_RANKID", "PALS_SIZE"},
    LaunchVariables{"FLUX_TASK_RANK", "FLUX_JOB_SIZE"}};

/// The number in a variable; 0 if it is missing or not a number.
long number_in(char const* variable) {
    char const* const text = std::getenv(variable);
    return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

}  // namespace

bool is_launched_once(program::Session& session, std::string_view command) {
    constexpr int wrong_use = 2;
    // The shell of `srun --pty` is a task of a job step. Commands in this shell inherit the variables of the step.
    auto const of_shell = std::getenv("SLURM_PTY_PORT") != nullptr ? number_in("SLURM_STEP_NUM_TASKS") : 0;
    for (auto const& [rank, size] : launch_variables) {
        auto const processes = number_in(size);
        if (processes < 2 || processes == of_shell)
            continue;
        if (number_in(rank) > 0) {
            session.ended_with(wrong_use);
            return false;
        }
        throw measure::UsageError(fmt::format(
            "{} processes of '{}' were started; start only one, and pass the launcher after --", processes, command));
    }
    return true;
}

}  // namespace measure::tool
