// SPDX-License-Identifier: BSD-3-Clause
/// PvmTasks: the tasks of a PVM program. The master starts the others, and they end when it has ended.
#pragma once

#include <measure/units.hpp>

#include <string_view>
#include <vector>

namespace mpbench {

/// The only argument of a process that is to serve.
inline constexpr std::string_view pvm_task_argument = "--serve-as-pvm-task";

/// What a task says of where it runs.
struct PvmPlace {
    int host = 0;                  ///< PVM's number
    int cores = 1;                 ///< that it may use
    measure::Bytes available = 0;  ///< memory; 0: not known
};

/// The master's view. While it exists, the end of another task is the end of the run: an error line, exit code 1.
class PvmTasks {
public:
    /// Starts this program on the hosts of the daemon until there are so many tasks.
    /// \param tasks  this one included; >= 2
    /// \throws measure::UsageError where there is no daemon or no group server; std::runtime_error
    explicit PvmTasks(int tasks);
    /// Leaves PVM.
    ~PvmTasks();
    PvmTasks(PvmTasks const&) = delete;
    PvmTasks& operator=(PvmTasks const&) = delete;

    /// [tasks], PVM's identifiers by rank
    [[nodiscard]] std::vector<int> const& ids() const noexcept { return ids_; }
    [[nodiscard]] int hosts() const;
    /// More tasks on some host than cores.
    [[nodiscard]] bool oversubscribed() const;
    /// Whether there is so much memory for each task.
    [[nodiscard]] bool have_memory(measure::Bytes bytes) const;

private:
    void start_others();
    void watch_others();
    [[nodiscard]] int neighbours(PvmPlace const& place) const;

    std::vector<int> ids_;
    std::vector<int> handlers_{};
    std::vector<PvmPlace> places_{};  ///< by rank
};

/// What a task does first that the master has started: from now on it ends when the master does.
/// \return the master's identifier \throws measure::UsageError; std::runtime_error
[[nodiscard]] int join_pvm_master();

}  // namespace mpbench
