// SPDX-License-Identifier: BSD-3-Clause
/// The net of a synchroniser of one's own over MPI, and how all ranks agree on what became of its program.
#pragma once

#include "measure/comm.hpp"
#include "measure/own_sync.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace measure::detail {

/// The messages of `OwnNet`. A rank whose program failed tells all others, who may be waiting for it.
class OwnMessages : public SyncNet {
public:
    explicit OwnMessages(Comm const& comm) : comm_{comm}, ended_(static_cast<std::size_t>(comm.size()), 0) {}

    [[nodiscard]] int rank() const override { return comm_.rank(); }
    [[nodiscard]] int size() const override { return comm_.size(); }
    [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }

    /// This rank's program failed because that of another did, which then has the reason.
    [[nodiscard]] bool was_woken() const noexcept { return woken_; }
    /// Tells all others that nothing more will come from here. Local.
    void end();
    /// Takes what the others have sent, until nothing more will come. All of them have called `end`.
    void drain();

protected:
    void send_bytes(void const* data, std::size_t bytes, int to, int tag) override;
    int receive_bytes(void* data, std::size_t bytes, int from) override;

private:
    static constexpr int tag_end = 7;
    Comm const& comm_;
    std::vector<char> ended_;  ///< [ranks], from which nothing more comes
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

/// Executes the program on all ranks. Collective. \throws BodyError on all ranks where it failed on any, by an
/// exception or by a result that cannot be
[[nodiscard]] SyncResult run_own(Comm const& comm, OwnMessages& net, OwnSync const& sync);

}  // namespace measure::detail
