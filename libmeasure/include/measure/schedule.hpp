// SPDX-License-Identifier: BSD-3-Clause
/// Schedule: the ways in which ranks begin a sample.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/comm.hpp"
#include "measure/slot_length.hpp"
#include "measure/units.hpp"

#include <optional>
#include <string_view>
#include <variant>

#pragma GCC visibility push(default)
namespace measure {

/// One barrier before each stage and no synchronisation between samples. For operations that synchronise their ranks (a
/// ping-pong) and for local operations. It also reproduces the common loop around a collective, whose times are wrong
/// because successive calls overlap.
struct FreeStart {};
/// MPI_Barrier before each sample. Ranks leave the barrier at different times; the sample contains these differences.
struct BarrierStart {
    std::optional<GlobalClock> clock{};  ///< used for span and imbalances only
};
/// The library's own `dissemination_barrier` before each sample: the same code with every MPI library.
struct DisseminationStart {
    std::optional<GlobalClock> clock{};  ///< used for span and imbalances only
};
/// Slots: each sample of a stage begins at a fixed instant of the global clock (MPIPerf paper, section 4).
struct SlotStart {
    Sync sync = LinearSync{};               ///< synchronises the clocks if `clock` is missing or too old
    std::optional<GlobalClock> clock{};     ///< this rank's clock of the same communicator and timer
    std::optional<seconds> resync_after{};  ///< maximum age of the clock; default: see `GlobalClock::is_young`
    double growth = 1.1;                    ///< gamma of the paper, in [1.1, 2]
    double invalid_share = 0.25;            ///< g of the paper: a larger share of invalid samples lengthens the slots
    SlotRule rule = SlotRule::doubling;     ///< rule for the next slot length
    double broadcast_factor = 1.5;          ///< safety factor on the measured broadcast time, > 0
    bool check = true;                      ///< measure the offsets again after the point
};
/// Before each sample the root announces the next start, three broadcast times ahead (round-time method, Hunold &
/// Carpen-Amarie 2018). Slower than slots, but robust on jittery and oversubscribed systems.
struct RoundTimeStart {
    Sync sync = LinearSync{};               ///< synchronises the clocks if `clock` is missing or too old
    std::optional<GlobalClock> clock{};     ///< this rank's clock of the same communicator and timer
    std::optional<seconds> resync_after{};  ///< maximum age of the clock; default: see `GlobalClock::is_young`
    double broadcast_factor = 3;            ///< time to the start as a multiple of the mean broadcast time, > 0
    bool check = true;                      ///< measure the offsets again after the point
};
/// Uses SlotStart. Exceptions: RoundTimeStart with a limit of 0.5 s per epoch on an oversubscribed communicator, and
/// FreeStart on `Comm::solo()`.
struct AutoStart {
    SlotStart slot{};    ///< used if there are enough cores
    seconds limit{0.5};  ///< time limit of an epoch on an oversubscribed communicator, s, > 0
};
namespace detail {
using StartVariant = std::variant<AutoStart, FreeStart, BarrierStart, DisseminationStart, SlotStart, RoundTimeStart>;
}
/// How ranks begin a sample: a variant of the starts above. Its special members are compiled once, in the library.
class Start : public detail::StartVariant {
public:
    Start();  ///< holds AutoStart
    /// \{
    /// Holds the given start.
    Start(AutoStart start);           // NOLINT(google-explicit-constructor): as std::variant; also below
    Start(FreeStart start) noexcept;  // NOLINT(google-explicit-constructor)
    Start(BarrierStart start);        // NOLINT(google-explicit-constructor)
    Start(DisseminationStart start);  // NOLINT(google-explicit-constructor)
    Start(SlotStart start);           // NOLINT(google-explicit-constructor)
    Start(RoundTimeStart start);      // NOLINT(google-explicit-constructor)
    /// \}
    /// \{
    /// Copies, moves or destroys the held start.
    Start(Start const&);
    Start(Start&&) noexcept;
    Start& operator=(Start const&);
    Start& operator=(Start&&) noexcept;
    ~Start();
    /// \}
};

/// The start with the given name: "auto", "free", "barrier", "dissemination", "slot" or "roundtime", in any letter
/// case. Local.
/// \param sync  synchroniser of "auto", "slot" and "roundtime"; the others ignore it
/// \throws UsageError for an unknown name; the text lists the known ones
[[nodiscard]] Start start_from(std::string_view name, Sync const& sync = LinearSync{});
[[nodiscard]] std::string_view name(Start const& start) noexcept;  ///< name as `start_from` accepts it

/// Dissemination barrier: in round q of ceil(log2 n) rounds, each rank sends a message to rank + 2^q and receives one
/// from rank - 2^q. Collective.
void dissemination_barrier(Comm const& comm);

/// Upper bound of the time in which a broadcast of the root reaches every rank: the longest of ten broadcasts over all
/// ranks times `factor`, plus twice `clock_bound`, and at least 20 us. Collective; the same on all ranks.
/// \param mean  instead of the longest broadcast, use the largest mean of a rank over the ten (round-time method)
[[nodiscard]] seconds broadcast_bound(Comm const& comm, double factor, seconds clock_bound, bool mean = false);

namespace detail {
/// If a start is farther in the future than planned by more than this time, in seconds, the clocks disagree.
inline constexpr seconds disagreement{0.1};
}  // namespace detail

/// Largest delay after the slot's start at which a sample may begin: max(4 `overhead`, 2 `resolution`, 200 ns). Pure.
/// \param overhead    cost of a clock reading
/// \param resolution  step of the clock
[[nodiscard]] constexpr seconds slot_tolerance(seconds overhead, seconds resolution) noexcept {
    seconds const longer = 4 * overhead < 2 * resolution ? 2 * resolution : 4 * overhead;
    return longer < seconds{200e-9} ? seconds{200e-9} : longer;
}

}  // namespace measure
#pragma GCC visibility pop
