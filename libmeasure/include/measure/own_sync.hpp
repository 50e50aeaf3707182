// SPDX-License-Identifier: BSD-3-Clause
/// A synchroniser of one's own: the program of one rank over messages and a clock.
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

/// What a synchroniser of one's own has to work with on one rank: who it is, its clock, messages. `synchronise` hands
/// it out; a network that is simulated may be another one. Times are seconds by the clock of this rank, counted from
/// one origin stamp for all ranks.
class SyncNet {
public:
    /// The largest message, bytes: messages are to be small enough for a send not to wait for its receiver.
    static constexpr std::size_t largest_message = 256;

    SyncNet() = default;  ///< of a network that derives from this
    SyncNet(SyncNet const&) = delete;
    SyncNet& operator=(SyncNet const&) = delete;
    virtual ~SyncNet() = default;  ///< of any network

    [[nodiscard]] virtual int rank() const = 0;           ///< of this process; rank 0 is the root
    [[nodiscard]] virtual int size() const = 0;           ///< number of ranks, at least 2
    [[nodiscard]] virtual double now() = 0;               ///< this rank's clock, s after the origin
    [[nodiscard]] virtual double resolution() const = 0;  ///< step of this rank's clock, by `seen_step`, s
    virtual void wait_until(double local) = 0;            ///< waits until this rank's clock shows that; s

    /// Sends a small value to a rank. Local. \throws MpiError
    template <class V>
    void send(V const& value, int to) {
        static_assert(std::is_trivially_copyable_v<V> && sizeof value <= largest_message);
        send_bytes(&value, sizeof value, to, tag_own);
    }
    /// The next value from a rank, which must be of the type that is sent. Waits for it.
    /// \throws BodyError where the program of that rank has failed; MpiError
    template <class V>
    [[nodiscard]] V receive(int from) {
        static_assert(std::is_trivially_copyable_v<V> && sizeof(V) <= largest_message);
        V value{};
        static_cast<void>(receive_bytes(&value, sizeof value, from));
        return value;
    }
    /// One value of each rank, in rank order: [size] on rank 0, empty on the others. All ranks call it.
    [[nodiscard]] std::vector<double> gather(double value);
    /// Hands values[i] of rank 0 to rank i. All ranks call it. \param values  [size], read on rank 0 only
    [[nodiscard]] double scatter(std::span<double const> values);

    /// Offset to the clock of `server`, which calls `serve` meanwhile with the same options. By messages, whatever the
    /// options' channel is.
    [[nodiscard]] PairOffset ask(int server, PairOptions const& options = {});
    /// Answers `client`, which calls `ask`. \param answers  maps this rank's clock to what it answers with; root time,
    /// where the rank knows it already, makes the offset of the client one to the root
    void serve(int client, PairOptions const& options = {}, ClockModel const& answers = {});

protected:
    /// Sends so many bytes to a rank, without waiting for it.
    virtual void send_bytes(void const* data, std::size_t bytes, int to, int tag) = 0;
    /// At most so many bytes of the next message from a rank. \return its tag
    virtual int receive_bytes(void* data, std::size_t bytes, int from) = 0;

private:
    class Exchanges;
    static constexpr int tag_own = 6;  // beside the tags of a pair's exchanges
};

/// What a synchroniser finds on one rank.
struct SyncResult {
    ClockModel model{};  ///< from this rank's clock to the root's; the root's own clock is root time: {} there
    seconds bound{0};    ///< guaranteed error of the model when it was measured; >= 0
};

/// A synchroniser of one's own, for a plan or for `synchronise`. A value; copies share the program.
class OwnSync {
public:
    /// \param name     what the record calls it; not empty
    /// \param program  called as program(net) on all ranks; returns a SyncResult. What it throws on any rank is one
    ///                 BodyError on all of them, provided that the others wait for nothing that a rank which has
    ///                 returned should have sent. It may not communicate but over the net.
    /// \throws UsageError for an empty name
    template <class Program>
    requires std::is_invocable_r_v<SyncResult, Program const&, SyncNet&> OwnSync(std::string name, Program program)
        : name_{std::move(name)}, program_{std::move(program)} {
        if (name_.empty())
            throw UsageError("a synchroniser of one's own needs a name");
    }

    [[nodiscard]] std::string const& name() const noexcept { return name_; }           ///< as given
    [[nodiscard]] SyncResult operator()(SyncNet& net) const { return program_(net); }  ///< executes the program

private:
    std::string name_;
    Callback<SyncResult(SyncNet&)> program_;
};

}  // namespace measure
#pragma GCC visibility pop
