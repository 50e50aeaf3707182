// SPDX-License-Identifier: BSD-3-Clause
/// PvmTransport: the tests' calls in PVM. Direct routes, data in place and unconverted; one barrier in every broadcast
/// and sum.
#pragma once

#include "mpbench/pvm/agreement.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpbench {

/// What PVM says of an error's code.
[[nodiscard]] std::string pvm_error_text(int code);

/// What a call of PVM has returned. \param call  its name, for the message
/// \return the code, >= 0 \throws std::runtime_error where it is an error
int pvm_check(int code, char const* call);

/// Enrols this process: direct routes are asked for, libpvm prints nothing where a call fails, and SIGPIPE is ignored.
/// \return the task's identifier \throws measure::UsageError where no daemon runs, and where PVM refuses the user
[[nodiscard]] int pvm_enrol();

/// Calls end the transport's use where PVM reports an error: all that follow fail too. Messages have at most INT_MAX
/// bytes; all tasks have the same representation of numbers.
class PvmTransport {
public:
    /// \param tasks  their identifiers by rank \param group  which all of them have joined, the first one before others
    PvmTransport(std::vector<int> tasks, int rank, std::string group);

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(tasks_.size()); }

    bool send(void const* from, measure::Bytes bytes, int task, int tag) noexcept;
    bool receive(void* to, measure::Bytes bytes, int task, int tag) noexcept;
    bool exchange(void const* from, void* to, measure::Bytes bytes, int task) noexcept;
    bool barrier() noexcept;
    bool broadcast(void* data, measure::Bytes bytes) noexcept;
    bool reduce(void const* from, void* to, measure::Bytes bytes) noexcept;
    bool allreduce(void const* from, void* to, measure::Bytes bytes) noexcept;
    bool alltoall(void const* from, void* to, measure::Bytes each) noexcept;

    /// \throws std::runtime_error
    void share(std::int64_t& decision);
    [[nodiscard]] std::vector<double> gather(std::span<double const> values);

private:
    bool succeeded(int code) noexcept;
    bool group_succeeded(int code) noexcept;
    bool add_up(void const* from, void* to, measure::Bytes bytes) noexcept;
    bool spread(void* data, measure::Bytes bytes) noexcept;
    void require(bool ok) const;

    std::vector<int> tasks_;
    int rank_;
    std::string group_;
    int error_ = 0;  ///< of the first call that failed
};
static_assert(Agreeing<PvmTransport>);

}  // namespace mpbench
