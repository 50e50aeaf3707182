// SPDX-License-Identifier: BSD-3-Clause
/// PvmTransport: the transport over PVM. Uses direct routes and sends data in place, without conversion. Every
/// broadcast and sum includes one barrier.
#pragma once

#include "mpbench/pvm/agreement.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpbench {

/// PVM's text for an error code.
[[nodiscard]] std::string pvm_error_text(int code);

/// Checks the return value of a PVM call. \param call  name of the call, for the message
/// \return the code, >= 0 \throws std::runtime_error if it is an error
int pvm_check(int code, char const* call);

/// Enrols this process in PVM. Requests direct routes, keeps libpvm from printing errors and ignores SIGPIPE.
/// \return the task identifier \throws measure::UsageError if no daemon runs or if PVM refuses the user
[[nodiscard]] int pvm_enrol();

/// After the first error of PVM all further calls fail too. Messages have at most INT_MAX bytes. All tasks must use the
/// same representation of numbers.
class PvmTransport {
public:
    /// \param tasks  task identifiers by rank  \param group  group that all tasks have joined, the first task first
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
    int error_ = 0;  ///< code of the first error; 0: none
};
static_assert(Agreeing<PvmTransport>);

}  // namespace mpbench
