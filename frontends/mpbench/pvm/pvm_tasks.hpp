// SPDX-License-Identifier: BSD-3-Clause
/// PvmTasks: the tasks of a PVM program. The master starts the others. They end when the master ends.
#pragma once

#include <measure/units.hpp>

#include <string_view>
#include <vector>

namespace mpbench {

/// The only argument of a task that the master has started.
inline constexpr std::string_view pvm_task_argument = "--serve-as-pvm-task";

/// Where a task runs.
struct PvmPlace {
    int host = 0;                  ///< PVM's number of the host
    int cores = 1;                 ///< number of cores that the task may use
    measure::Bytes available = 0;  ///< available memory in bytes; 0: not known
};

/// The master's view of all tasks. While it exists, the end of another task ends the run with an error line and exit
/// code 1.
class PvmTasks {
public:
    /// Starts the other tasks of this program on the hosts of the daemon.
    /// \param tasks  number of tasks, including this one; >= 2
    /// \throws measure::UsageError if there is no daemon or no group server; std::runtime_error
    explicit PvmTasks(int tasks);
    /// Leaves PVM.
    ~PvmTasks();
    PvmTasks(PvmTasks const&) = delete;
    PvmTasks& operator=(PvmTasks const&) = delete;

    /// PVM's task identifiers, by rank
    [[nodiscard]] std::vector<int> const& ids() const noexcept { return ids_; }
    [[nodiscard]] int hosts() const;
    /// Whether a host has more tasks than cores.
    [[nodiscard]] bool oversubscribed() const;
    /// Whether every task can have this amount of memory.
    [[nodiscard]] bool have_memory(measure::Bytes bytes) const;

private:
    void start_others();
    void watch_others();
    [[nodiscard]] int neighbours(PvmPlace const& place) const;

    std::vector<int> ids_;
    std::vector<int> handlers_{};
    std::vector<PvmPlace> places_{};  ///< by rank
};

/// The first call of a task that the master has started. From now on the task ends when the master does.
/// \return the task identifier of the master \throws measure::UsageError; std::runtime_error
[[nodiscard]] int join_pvm_master();

}  // namespace mpbench
