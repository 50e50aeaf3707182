// SPDX-License-Identifier: BSD-3-Clause
/// Your own clock synchronisers: a function that runs on each rank, with messages and a clock.
#pragma once

#include "measure/callback.hpp"
#include "measure/clock_model.hpp"
#include "measure/clock_offset.hpp"
#include "measure/error.hpp"
#include "measure/units.hpp"

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Interface that a synchroniser uses on one rank: the number of the rank, its clock, and messages to other ranks.
/// `synchronise` passes it to the program of the synchroniser. Tests may derive a simulated network from it. Times are
/// in seconds by the clock of this rank, after an origin stamp that is the same for all ranks.
class SyncNet {
public:
    /// Size of the largest message, bytes. Messages must be small, so that a send does not wait for its receiver.
    static constexpr std::size_t largest_message = 256;

    SyncNet() = default;  ///< for derived networks
    SyncNet(SyncNet const&) = delete;
    SyncNet& operator=(SyncNet const&) = delete;
    virtual ~SyncNet() = default;  ///< for derived networks

    [[nodiscard]] virtual int rank() const = 0;           ///< rank of this process; rank 0 is the root
    [[nodiscard]] virtual int size() const = 0;           ///< number of ranks, at least 2
    [[nodiscard]] virtual double now() = 0;               ///< current time of this rank's clock, s after the origin
    [[nodiscard]] virtual double resolution() const = 0;  ///< step of this rank's clock by `seen_step`, s
    virtual void wait_until(double local) = 0;  ///< waits until this rank's clock shows `local`, s after the origin

    /// Sends a value of at most `largest_message` bytes to another rank. Not collective.
    /// \throws UsageError if `to` is not another rank; MpiError
    template <class V>
    void send(V const& value, int to) {
        static_assert(std::is_trivially_copyable_v<V> && sizeof value <= largest_message);
        send_bytes(&value, sizeof value, to, tag_own);
    }
    /// Waits for the next value from another rank. `V` must be the type that was sent. Not collective.
    /// \throws BodyError if the program of that rank has failed; UsageError if `from` is not another rank; MpiError
    template <class V>
    [[nodiscard]] V receive(int from) {
        static_assert(std::is_trivially_copyable_v<V> && sizeof(V) <= largest_message);
        V value{};
        static_cast<void>(receive_bytes(&value, sizeof value, from));
        return value;
    }
    /// Gathers one value per rank, in rank order. Collective. \return [size] on rank 0, empty on the others
    [[nodiscard]] std::vector<double> gather(double value);
    /// Sends values[i] of rank 0 to rank i. Collective. \param values  [size], read on rank 0 only
    /// \return the value for this rank
    [[nodiscard]] double scatter(std::span<double const> values);

    /// Measures the offset to the clock of `server`, which must call `serve` with the same options at the same time.
    /// Uses messages, regardless of the channel in the options.
    [[nodiscard]] PairOffset ask(int server, PairOptions const& options = {});
    /// Answers the questions of `client`, which must call `ask` at the same time.
    /// \param answers  converts this rank's clock to the time in the answers. If this is root time, the client measures
    ///                 its offset to the root
    void serve(int client, PairOptions const& options = {}, ClockModel const& answers = {});

protected:
    /// Sends `bytes` bytes to rank `to`, without waiting for it.
    virtual void send_bytes(void const* data, std::size_t bytes, int to, int tag) = 0;
    /// Receives at most `bytes` bytes of the next message from rank `from`. \return the tag of the message
    virtual int receive_bytes(void* data, std::size_t bytes, int from) = 0;

private:
    class Exchanges;
    static constexpr int tag_own = 6;  // differs from the tags of a pair's exchanges
};

/// Result of a synchroniser on one rank.
struct SyncResult {
    ClockModel model{};  ///< converts this rank's clock to root time; rate > -1; offset and rate are 0 on the root
    seconds bound{0};    ///< guaranteed maximum error of the model when it was measured, s, finite and >= 0
};

/// Your own synchroniser, for a plan or for `synchronise`. Copies hold copies of the program.
class OwnSync {
public:
    /// \param name     name of the synchroniser in the record; not empty
    /// \param program  called as program(net) on all ranks; returns a SyncResult. It must communicate only through
    ///                 `net`. An exception on any rank becomes the same BodyError on all ranks, provided that no rank
    ///                 waits for a message from a rank that has already returned.
    /// \throws UsageError for an empty name
    template <class Program>
    requires std::is_invocable_r_v<SyncResult, Program const&, SyncNet&> OwnSync(std::string name, Program program)
        : name_{std::move(name)}, program_{std::move(program)} {
        if (name_.empty())
            throw UsageError("a custom synchroniser needs a name");
    }

    [[nodiscard]] std::string const& name() const noexcept { return name_; }  ///< name as given to the constructor
    [[nodiscard]] SyncResult operator()(SyncNet& net) const { return program_(net); }  ///< runs the program

private:
    std::string name_;
    Callback<SyncResult(SyncNet&)> program_;
};

}  // namespace measure
#pragma GCC visibility pop
