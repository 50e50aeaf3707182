// SPDX-License-Identifier: BSD-3-Clause
/// Runs a user-defined synchroniser over MPI; all ranks agree on the outcome of its program.
#pragma once

#include "measure/comm.hpp"
#include "measure/own_sync.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace measure::detail {

/// Messages of `OwnNet`. A rank whose program failed notifies all others, which may be waiting for it.
class OwnMessages : public SyncNet {
public:
    explicit OwnMessages(Comm const& comm) : comm_{comm}, ended_(static_cast<std::size_t>(comm.size()), 0) {}

    [[nodiscard]] int rank() const override { return comm_.rank(); }
    [[nodiscard]] int size() const override { return comm_.size(); }
    [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }

    /// Whether this rank's program failed only because another rank's did; the other rank has the reason.
    [[nodiscard]] bool was_woken() const noexcept { return woken_; }
    /// Tells all others that this rank will send no more messages. Local.
    void end();
    /// Receives messages until all others have ended. All ranks must have called `end`.
    void drain();

protected:
    void send_bytes(void const* data, std::size_t bytes, int to, int tag) override;
    int receive_bytes(void* data, std::size_t bytes, int from) override;

private:
    static constexpr int tag_end = 7;
    Comm const& comm_;
    std::vector<char> ended_;  ///< [ranks] whether the rank has ended
    bool told_ = false;
    bool woken_ = false;
    std::int64_t messages_ = 0;
};

/// \tparam Clock  has now(), local(stamp), step() and wait_until(local time)
template <class Clock>
class OwnNet final : public OwnMessages {
public:
    OwnNet(Comm const& comm, Clock const& clock) : OwnMessages{comm}, clock_{clock} {}

    [[nodiscard]] double now() override { return clock_.local(clock_.now()); }
    [[nodiscard]] double resolution() const override { return clock_.step(); }
    void wait_until(double local) override { clock_.wait_until(local); }

private:
    Clock const& clock_;
};

/// Executes the program on all ranks. Collective. \throws BodyError on all ranks if it failed on any, by an exception
/// or an invalid result
[[nodiscard]] SyncResult run_own(Comm const& comm, OwnMessages& net, OwnSync const& sync);

}  // namespace measure::detail
