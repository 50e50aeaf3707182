// SPDX-License-Identifier: BSD-3-Clause
/// Schedule: how ranks begin a sample.
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

/// One barrier before each stage, nothing between samples: operations that synchronise themselves (a ping-pong), local
/// operations, and the common but wrong loop of collectives.
struct FreeStart {};
/// MPI_Barrier before each sample: ranks leave it at different times, which the sample then contains.
struct BarrierStart {
    std::optional<GlobalClock> clock{};  ///< for span and imbalances only
};
/// The library's own dissemination barrier before each sample: the same code with every MPI library.
struct DisseminationStart {
    std::optional<GlobalClock> clock{};  ///< for span and imbalances only
};
/// Samples begin at fixed instants of the global clock (MPIPerf paper, section 4): the slots of a stage.
struct SlotStart {
    Sync sync = LinearSync{};               ///< used where `clock` is missing or too old
    std::optional<GlobalClock> clock{};     ///< a clock of the same communicator and timer; differs on each rank
    std::optional<seconds> resync_after{};  ///< by default as `GlobalClock::is_young`
    double growth = 1.1;                    ///< gamma, in [1.1, 2]
    double invalid_share = 0.25;            ///< g: more invalid samples than this share of a stage lengthen the slots
    SlotRule rule = SlotRule::doubling;     ///< how slots grow
    double broadcast_factor = 1.5;          ///< safety factor on the measured broadcast time
    bool check = true;                      ///< measure the offsets again after the point
};
/// No fixed slots: before each sample the root announces an instant, three broadcast times ahead (round-time method,
/// Hunold & Carpen-Amarie 2018). Slower, but robust on jittery and oversubscribed systems.
struct RoundTimeStart {
    Sync sync = LinearSync{};               ///< used where `clock` is missing or too old
    std::optional<GlobalClock> clock{};     ///< a clock of the same communicator and timer; differs on each rank
    std::optional<seconds> resync_after{};  ///< by default as `GlobalClock::is_young`
    double broadcast_factor = 3;            ///< on the mean broadcast time
    bool check = true;                      ///< measure the offsets again after the point
};
/// SlotStart; on an oversubscribed communicator RoundTimeStart with a limit of 0.5 s per epoch.
struct AutoStart {
    SlotStart slot{};    ///< where there are enough cores
    seconds limit{0.5};  ///< of an epoch, where there are not
};
namespace detail {
using StartVariant = std::variant<AutoStart, FreeStart, BarrierStart, DisseminationStart, SlotStart, RoundTimeStart>;
}
/// How ranks begin a sample: a variant, whose special members are compiled once, in the library.
class Start : public detail::StartVariant {
public:
    Start();  ///< AutoStart
    /// \{
    /// One of the starts.
    Start(AutoStart start);           // NOLINT(google-explicit-constructor): as std::variant has it, and likewise
    Start(FreeStart start) noexcept;  // NOLINT(google-explicit-constructor)
    Start(BarrierStart start);        // NOLINT(google-explicit-constructor)
    Start(DisseminationStart start);  // NOLINT(google-explicit-constructor)
    Start(SlotStart start);           // NOLINT(google-explicit-constructor)
    Start(RoundTimeStart start);      // NOLINT(google-explicit-constructor)
    /// \}
    /// \{
    /// Whole values, whatever they hold.
    Start(Start const&);
    Start(Start&&) noexcept;
    Start& operator=(Start const&);
    Start& operator=(Start&&) noexcept;
    ~Start();
    /// \}
};

/// "auto", "free", "barrier", "dissemination", "slot", "roundtime" (any letter case). \throws UsageError
[[nodiscard]] Start start_from(std::string_view name, Sync const& sync = LinearSync{});
[[nodiscard]] std::string_view name(Start const& start) noexcept;  ///< as `start_from` takes it

/// Dissemination barrier: ceil(log2 n) rounds, in round q a message to rank + 2^q and one from rank - 2^q. Collective.
void dissemination_barrier(Comm const& comm);

/// Upper bound of the time in which a broadcast of the root reaches every rank: largest of ten broadcasts over all
/// ranks times `factor`, plus twice the clocks' bound, at least 20 us. Collective; the same on all ranks. `mean` takes
/// the mean of the ten instead of the largest (round-time).
[[nodiscard]] seconds broadcast_bound(Comm const& comm, double factor, seconds clock_bound, bool mean = false);

namespace detail {
/// Starts may be wrong by a tolerance and delays by the broadcast bound, never by this: beyond it the clocks disagree.
inline constexpr seconds disagreement{0.1};
}  // namespace detail

/// How far behind its slot's start a sample may begin: max(4 readings, 2 steps of the clock, 200 ns).
[[nodiscard]] constexpr seconds slot_tolerance(seconds overhead, seconds resolution) noexcept {
    seconds const longer = 4 * overhead < 2 * resolution ? 2 * resolution : 4 * overhead;
    return longer < seconds{200e-9} ? seconds{200e-9} : longer;
}

}  // namespace measure
#pragma GCC visibility pop
