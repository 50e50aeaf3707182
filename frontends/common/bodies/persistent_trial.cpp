// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/persistent_trial.hpp"

#include "bodies/persistent.hpp"
#include "program/runtime/progress_timeout.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <thread>
#include <utility>
#include <vector>

namespace bodies {

namespace {

/// Time limit for an execution that moves this number of bytes, sufficient on any machine.
measure::seconds patience_for(measure::Bytes bytes) noexcept {
    constexpr double bytes_per_second = 1e7;
    return measure::seconds{2 + static_cast<double>(bytes) / bytes_per_second};
}

/// An operation on a separate communicator that may fail. Some processes may get an error while others never return.
class Attempt {
public:
    /// Collective. \throws the errors of `make`; measure::MpiError
    Attempt(measure::Comm const& team, PersistentTrials::Make const& make)
        : comm_{team.duplicate()}, call_{make(comm_)} {
        ended_ = init_of(call_.of)(call_.of, call_.arguments, call_.buffers.send({}), call_.buffers.receive({}),
                                   call_.data.root.rank, &request_) == MPI_SUCCESS;
    }
    Attempt(Attempt const&) = delete;
    Attempt& operator=(Attempt const&) = delete;
    /// Requires that no operation is active.
    ~Attempt() {
        if (request_ != MPI_REQUEST_NULL)
            MPI_Request_free(&request_);
    }

    /// Executes twice, the second time with other data, because some libraries deliver the data of the setup or none.
    /// Collective. \return the fault as a verb phrase; "" without a fault
    [[nodiscard]] std::string_view fault() {
        if (!agree_on_end())
            return "fails";
        static_cast<void>(execute({}));
        if (!agree_on_end())
            return "fails";
        bool const delivers = check_data(*this, call_.data, {}).empty();
        if (!agree_on_end())
            return "fails";
        return all(delivers) ? "" : "delivers wrong data";
    }
    /// Whether no execution has failed on any process. Valid after fault().
    [[nodiscard]] bool ended() const noexcept { return ended_; }

    /// Executes once. \return whether it succeeds within the time limit
    [[nodiscard]] bool execute(measure::Iteration) {
        int code = MPI_Start(&request_);
        int done = 0;
        for (program::ProgressTimeout patience{patience_for(call_.data.sizes.send + call_.data.sizes.receive)};
             code == MPI_SUCCESS && done == 0 && patience.lasts();) {
            code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
            if (done == 0)
                std::this_thread::yield();
        }
        ended_ = code == MPI_SUCCESS && done != 0;
        return ended_;
    }
    [[nodiscard]] Buffers const& memory() const noexcept { return call_.buffers; }

private:
    [[nodiscard]] bool all(bool mine) const { return comm_.max(mine ? 0 : 1) <= 0; }
    bool agree_on_end() { return ended_ = all(ended_); }

    measure::Comm comm_;
    PersistentCall call_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool ended_ = false;
};

}  // namespace

std::string const& PersistentTrials::obstacle(measure::Comm const& team, std::string_view name,
                                              std::string const& point, Make const& make) {
    auto const on_so_many = fmt::format("{} {}", name, team.size());
    if (auto const found = stuck_.find(on_so_many); found != stuck_.end())
        return found->second;
    auto const key = fmt::format("{} {}", on_so_many, point);
    if (auto const found = tried_.find(key); found != tried_.end())
        return found->second;
    std::string text;
    auto attempt = std::make_unique<Attempt>(team, make);
    if (auto const fault = attempt->fault(); !fault.empty())
        text = fmt::format("this MPI library {} in the second {} on {} {}", fault, name, team.size(),
                           team.size() == 1 ? "process" : "processes");
    if (!attempt->ended()) {
        stuck_[on_so_many] = text;
        // An active operation and its buffers cannot be freed.
        static auto& abandoned = *new std::vector<std::unique_ptr<Attempt>>;
        abandoned.push_back(std::move(attempt));
    }
    return tried_[key] = text;
}

}  // namespace bodies
